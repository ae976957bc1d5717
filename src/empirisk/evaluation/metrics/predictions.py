"""What a metric sees: targets, and what the model said about each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
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
    weights : array of shape (n,) or None
        What each row counts, with a mean of 1; None where all rows count the same (see :func:`relative`).
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
    weights: Floats | None = None

    @property
    def n(self) -> int:
        """The number of rows that were predicted."""
        return int(self.y.size)

    @cached_property
    def weight(self) -> Floats:
        """What each row counts, with a mean of 1."""
        return np.ones(self.n) if self.weights is None else self.weights

    def mass(self, rows: NDArray[Any]) -> float:
        """Return what the rows of a mask count together: their number where all rows count the same."""
        return float(np.count_nonzero(rows)) if self.weights is None else float(self.weights @ rows)

    def effective(self, rows: NDArray[Any] | None = None) -> float:
        """Return ``(sum w)^2 / sum w^2``, the effective number of the rows of a mask, or of all (Kish 1965).

        It is their number where they count the same.
        """
        if self.weights is None:
            return float(self.n if rows is None else np.count_nonzero(rows))
        w = self.weights if rows is None else self.weights * rows
        squares = float(w @ w)
        return float(w.sum()) ** 2 / squares if squares > 0.0 else 0.0

    @cached_property
    def units(self) -> float:
        """The effective number of independent units: of groups where there are any, else of rows."""
        if self.groups is None:
            return self.effective()
        if self.weights is None:
            return float(self.groups.max()) + 1.0
        share = np.bincount(self.groups, self.weights)
        return float(share.sum() ** 2 / (share @ share))

    def take(self, rows: NDArray[np.intp]) -> Predictions:
        """Return the predictions of some rows; their groups are numbered anew, and weights are relative."""
        cut: dict[str, Any] = {k: None if (v := getattr(self, k)) is None else v[rows] for k in _PER_ROW}
        if cut["groups"] is not None:
            cut["groups"] = group_codes(cut["groups"], rows.size)[0]
        cut["weights"] = relative(cut["weights"])
        return replace(self, **cut)

    def counted(self) -> Predictions:
        """Return the predictions of the rows that count: those of a positive weight."""
        if self.weights is None or not (self.weights == 0.0).any():
            return self
        return self.take(np.flatnonzero(self.weights))

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

    @property
    def class_mass(self) -> Floats:
        """What the rows of each class count together: their numbers where all rows count the same."""
        return self.mass_of(self.y)

    @property
    def class_units(self) -> Floats:
        """The effective number of rows of each class: their numbers where all rows count the same."""
        if self.weights is None:
            return self.class_counts.astype(np.float64)
        squares = np.bincount(self.y, self.weights**2, minlength=self.n_classes)
        return self.class_mass**2 / np.where(squares > 0.0, squares, 1.0)

    def mass_of(self, codes: NDArray[np.intp], rows: NDArray[np.bool_] | None = None) -> Floats:
        """Return what the rows with each class code count together, all of them or those of a mask.

        Codes below 0 belong to no class.
        """
        known = codes >= 0 if rows is None else (codes >= 0) & rows
        weights = None if self.weights is None else self.weights[known]
        return np.bincount(codes[known], weights, minlength=self.n_classes).astype(np.float64)

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


def relative(weights: ArrayLike | None) -> Floats | None:
    """Return weights divided by their mean; None where all are the same, which changes no score.

    Weights that are all 0 say nothing and become NaN.

    Examples
    --------
    >>> relative([1.0, 3.0])
    array([0.5, 1.5])
    >>> relative([2.0, 2.0]) is None
    True
    """
    if weights is None:
        return None
    w = np.asarray(weights, dtype=np.float64)
    largest = float(w.max(initial=0.0))
    if largest == 0.0:
        return np.full(w.size, np.nan)
    if float(w.min()) == largest:
        return None
    shares = w / largest  # sums of huge weights would overflow
    return np.asarray(shares / shares.mean())


_PER_ROW = ("y", "pred", "proba", "score", "groups", "log_proba", "weights")
_WORDS = {"pred": "predictions", "proba": "class probabilities", "score": "ranking scores"}


def labels_of(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return one label a row, as a one-dimensional array without missing values."""
    labels = np.asarray(values)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        first = f"[{next(iter(values.columns))!r}]" if hasattr(values, "columns") else "[:, 0]"
        raise ValueError(
            f"{name} must hold one value a row here, got shape {labels.shape}; give one target at a time, "
            f"{name}{first} for the first (er.evaluate and er.cross_evaluate take all of them)."
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
    try:
        order = np.argsort(classes, kind="stable")
        spot = np.minimum(np.searchsorted(classes[order], labels), classes.size - 1)
    except TypeError:
        shown = ", ".join(repr(c) for c in classes.tolist()[:6])
        raise ValueError(
            f"y and the model have labels of types that cannot be compared ({shown}): pass y with the labels "
            "that the model was fitted with."
        ) from None
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
        if name.startswith("X"):
            raise ValueError(f"{name} has {got} rows but y{name[1:]} has {n}; give one target for each row.")
        raise ValueError(f"{name} has {got} rows but y has {n}; give one prediction for each row of y.")


def regression(
    y: ArrayLike, pred: ArrayLike, groups: ArrayLike | None = None, weights: ArrayLike | None = None
) -> Predictions:
    """Return checked predictions of a number, together with their targets, groups and weights."""
    targets = finite(labels_of(y, "y"), "y")
    values = finite(labels_of(pred, "pred"), "pred")
    check_length("pred", values.size, targets.size)
    return Predictions(
        REGRESSION, targets, values, groups=_groups(groups, targets.size), weights=relative(weights)
    )


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
    weights: ArrayLike | None = None,
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
        relative(weights),
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
