"""What a metric sees: targets, and what the model said about each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.evaluation.intervals.base import Floats, group_codes

CLASSIFICATION = "classification"
REGRESSION = "regression"


@dataclass(frozen=True)
class Predictions:
    """Targets and outputs of one model on the same rows, checked and coded.

    Parameters
    ----------
    task : {"classification", "regression"}
        What the target is.
    y : array of shape (n,)
        Class codes (positions in `classes`) or numbers.
    pred : array of shape (n,) or None
        Predicted class codes or numbers.
    proba : array of shape (n, C) or None
        Class probabilities.
    score : array of shape (n,) or (n, C) or None
        What ranks the rows: one score with two classes, one for each class with more.
    classes : array of shape (C,) or None
        Labels; with two classes the second is the positive one.
    groups : int array of shape (n,) or None
        Which rows belong together.
    missing : mapping
        Why an output ("pred", "proba", "score") is not there.
    unseen : int
        Rows whose label the model never saw.
    log_proba : array of shape (n, C) or None
        Logarithms of the probabilities, where the scores tell more than the doubles in `proba` hold.
    """

    task: str
    y: NDArray[Any]
    pred: NDArray[Any] | None
    proba: Floats | None = None
    score: Floats | None = None
    classes: NDArray[Any] | None = None
    groups: NDArray[np.intp] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    unseen: int = 0
    log_proba: Floats | None = None

    @property
    def n(self) -> int:
        """The number of rows that were predicted."""
        return int(self.y.size)

    @property
    def n_classes(self) -> int:
        """The number of classes, which is 0 when a number is predicted."""
        return 0 if self.classes is None else int(self.classes.size)

    @property
    def positive(self) -> NDArray[np.bool_]:
        """Rows of the positive class, ``classes[1]``."""
        return np.asarray(self.y == 1)

    @property
    def class_counts(self) -> NDArray[np.intp]:
        """How many rows each class has, in the order of `classes`."""
        return np.bincount(self.y, minlength=self.n_classes)

    def output(self, name: str) -> NDArray[Any]:
        """Return the output `name`, or a ValueError that says why it is missing."""
        value: NDArray[Any] | None = getattr(self, name)
        if value is None:
            raise ValueError(self.why_missing(name))
        return value

    def why_missing(self, name: str) -> str:
        """Return the sentence for an absent output, empty when it is there."""
        if getattr(self, name) is not None:
            return ""
        return self.missing.get(name, f"no {_WORDS[name]} were given")


_WORDS = {"pred": "predictions", "proba": "class probabilities", "score": "ranking scores"}


def labels_of(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return one label a row, as a one-dimensional array without missing values."""
    labels = np.asarray(values)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must hold one value a row, got shape {labels.shape}; evaluate one target at a time."
        )
    if labels.size == 0:
        raise ValueError(f"{name} has no rows; there is nothing to evaluate.")
    if labels.dtype.kind == "f":
        bad = np.isnan(labels)
    elif labels.dtype == object:
        bad = np.array([_is_missing(v) for v in labels])
    else:
        return labels
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name} is missing in row {row} ({int(bad.sum())} such rows); remove those rows.")
    if labels.dtype == object:
        plain = np.array(labels.tolist())
        return plain if plain.dtype.kind in "biuf" and plain.ndim == 1 else labels
    return labels


def _is_missing(value: Any) -> bool:
    """Return whether a cell is None, NaN or a data frame's own missing value (whose truth is undefined)."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True


def classes_of(*labels: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct labels in sorted order, or say that they cannot be sorted."""
    try:
        return np.unique(np.concatenate(labels))
    except TypeError:
        raise ValueError(
            "the labels mix types that cannot be sorted (for example text and numbers)."
        ) from None


def encode(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Position of each label in `classes`, -1 where it is not there.

    Examples
    --------
    >>> import numpy as np
    >>> encode(np.array(["b", "a", "z"]), np.array(["a", "b"]))
    array([ 1,  0, -1])
    """
    if (labels.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
        labels, classes = labels.astype(str), classes.astype(str)
    order = np.argsort(classes, kind="stable")
    try:
        spot = np.minimum(np.searchsorted(classes[order], labels), classes.size - 1)
    except TypeError:
        raise ValueError("the labels and the classes have types that cannot be compared.") from None
    codes = order[spot]
    return np.where(classes[codes] == labels, codes, -1)


def finite(values: ArrayLike, name: str) -> Floats:
    """Return a float array; an error names the first row that is not finite."""
    try:
        out = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds values that are no numbers (its type is {_kind(values)}).") from None
    bad = ~np.isfinite(out)
    if bad.any():
        row = int(np.argwhere(bad)[0][0])
        raise ValueError(f"{name} is {out[bad][0]} in row {row}; a prediction must be a finite number.")
    return out


def _kind(values: ArrayLike) -> str:
    """Return what kind of values an array holds, in a word."""
    kind = np.asarray(values).dtype.kind
    return {"U": "text", "S": "text", "O": "mixed or text", "M": "dates", "m": "durations"}.get(kind, kind)


def check_length(name: str, got: int, n: int) -> None:
    """Refuse outputs that do not match the targets row by row."""
    if got != n:
        raise ValueError(f"{name} has {got} rows but y has {n}; give one prediction for each row of y.")


def regression(y: ArrayLike, pred: ArrayLike, groups: ArrayLike | None = None) -> Predictions:
    """Return checked predictions of a number, together with their targets and groups."""
    targets = finite(labels_of(y, "y"), "y")
    values = finite(labels_of(pred, "pred"), "pred")
    check_length("pred", values.size, targets.size)
    return Predictions(REGRESSION, targets, values, groups=_groups(groups, targets.size))


def classification(
    y: ArrayLike,
    *,
    pred: ArrayLike | None = None,
    proba: ArrayLike | None = None,
    score: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    missing: Mapping[str, str] | None = None,
    log_proba: Floats | None = None,
) -> Predictions:
    """Return the predictions of a class; see :class:`Predictions`. A label outside `classes` counts as an
    error.
    """
    labels = labels_of(y, "y")
    n = labels.size
    guess = None if pred is None else labels_of(pred, "pred")
    names = (
        np.asarray(classes)
        if classes is not None
        else classes_of(*([labels] if guess is None else [labels, guess]))
    )
    table = None if proba is None else check_proba(proba, n, names.size)
    ranking = None if score is None else check_score(score, n, names.size)
    if ranking is None and table is not None:
        ranking = table[:, 1] if names.size == 2 else table
    codes = encode(labels, names)
    unseen = codes < 0
    why = dict(missing or {})
    if unseen.any():
        extra = classes_of(labels[unseen])
        codes = np.where(unseen, names.size + encode(labels, extra), codes)
        if names.size == 2:
            ranking, why["score"] = None, f"the rows hold a class that the model never saw ({extra[0]})"
        elif ranking is not None:
            ranking = np.column_stack([ranking, np.zeros((n, extra.size))])
        if table is not None:
            table = np.column_stack([table, np.zeros((n, extra.size))])
        if log_proba is not None:
            log_proba = np.column_stack([log_proba, np.full((n, extra.size), -np.inf)])
        names = np.concatenate([names.astype(object), extra.astype(object)])
    if guess is not None:
        check_length("pred", guess.size, n)
        chosen: NDArray[Any] | None = encode(guess, names)
    else:
        chosen = None if table is None else table.argmax(axis=1)
    return Predictions(
        CLASSIFICATION,
        codes,
        chosen,
        table,
        ranking,
        names,
        _groups(groups, n),
        why,
        int(unseen.sum()),
        log_proba,
    )


def check_proba(proba: ArrayLike, n: int, n_classes: int) -> Floats:
    """Return the class probabilities of shape (n, C); a vector is taken as that of ``classes[1]``."""
    table = finite(proba, "proba")
    if table.ndim == 1 and n_classes == 2:
        table = np.column_stack([1.0 - table, table])
    check_length("proba", table.shape[0], n)
    if table.ndim != 2 or table.shape[1] != n_classes:
        raise ValueError(
            f"proba must have one column for each of the {n_classes} classes, got shape {table.shape}."
        )
    if table.min() < -1e-6 or table.max() > 1.0 + 1e-6:
        row = int(np.argwhere((table < -1e-6) | (table > 1.0 + 1e-6))[0][0])
        raise ValueError(f"proba leaves [0, 1] in row {row}; give probabilities, not scores.")
    sums = table.sum(axis=1)
    if np.abs(sums - 1.0).max() > 1e-3:
        row = int(np.abs(sums - 1.0).argmax())
        raise ValueError(
            f"proba sums to {sums[row]:.6g} in row {row}; the probabilities of a row must sum to 1."
        )
    return np.clip(table, 0.0, 1.0)


def check_score(score: ArrayLike, n: int, n_classes: int) -> Floats:
    """Return the ranking scores: shape (n,) with two classes, (n, C) with more. Infinite scores still
    rank.
    """
    values = np.asarray(score, dtype=np.float64)
    check_length("score", values.shape[0], n)
    if np.isnan(values).any():
        row = int(np.argwhere(np.isnan(values))[0][0])
        raise ValueError(f"score is nan in row {row}; a score must rank the row.")
    if n_classes <= 2 and values.ndim == 2 and values.shape[1] == 2:
        values = values[:, 1]
    wanted = (n,) if n_classes <= 2 else (n, n_classes)
    if values.shape != wanted:
        raise ValueError(f"score must have shape {wanted}, got {values.shape}.")
    return values


def _groups(groups: ArrayLike | None, n: int) -> NDArray[np.intp] | None:
    return None if groups is None else group_codes(groups, n)[0]
