"""How the explanations see a fitted model: a function of encoded rows, and the trees behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.linear.offsets import took_offset
from empirisk.estimators.several_targets import refuse_several
from empirisk.estimators.trees.forest_reads import ForestReads
from empirisk.evaluation.beside import numbers, to_predict
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Reading", "in_words", "read_model"]


@dataclass(frozen=True)
class Reading:
    """A model on rows of numbers and category codes.

    Parameters
    ----------
    X : array, shape (n, p)
        The rows that came with the model, encoded.
    score : callable
        From encoded rows to ``base + factor * sum of trees``, or to what the model predicts, shape (n, k).
    scale : str
        Word for the scale of the score.
    features : list of str
        Names of the columns.
    categories : list
        For each column None, or the names of its categories in the order of the codes.
    outputs : list of str
        Names of the k numbers.
    trees : Trees or None
        None for models that are only asked for predictions.
    encode : callable
        From rows as the user has them to encoded rows.
    factor, base : float, array of shape (k,)
        See `score`.
    """

    X: Array
    score: Callable[[Array], Array]
    scale: str
    features: list[str]
    categories: list[Any]
    outputs: list[str]
    trees: Trees | None
    encode: Callable[[Any], Array]
    factor: float = 1.0
    base: Any = 0.0

    def column(self, feature: Any) -> int:
        """Return the number of a column given by name or number."""
        p = len(self.features)
        if isinstance(feature, str):
            if feature in self.features:
                return self.features.index(feature)
        elif isinstance(feature, int | np.integer) and not isinstance(feature, bool) and -p <= feature < p:
            return int(feature) % p
        raise ValueError(
            f"features names {feature!r}, which X does not have; give a name among {self.features[:8]} or a "
            f"number below {len(self.features)}"
        )


def read_model(model: Any, X: Any, **known: Any) -> Reading:
    """Return the reading of a fitted estimator, or of Trees, with its rows X; rows are checked as in
    `predict`.  The `known` exposures and offsets of the rows stand behind their columns, and go with a row
    wherever it is moved; a model that was fitted with some and is asked without answers for one unit.
    """
    known = {name: values for name, values in known.items() if values is not None}
    unit = ", for one unit of exposure (offset 0)" if not known and took_offset(model) else ""
    if isinstance(model, Trees):
        encode: Callable[[Any], Array] = lambda rows: _dense(model.rows(rows))  # noqa: E731
        names = [f"x{j}" for j in range(model.n_features)]
        return _of_trees(model, model, 1.0, np.zeros(model.n_outputs), "sum of the trees", X, encode, names)
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise TypeError(f"model must be a fitted estimator or Trees, got {model!r}")
    check_is_fitted(model)
    trees = getattr(model, "trees_", None)
    if trees is None:
        trees = getattr(model, "tree_", None)
    if isinstance(trees, Trees) and hasattr(model, "_table"):
        names = list(model.columns_.names or (f"x{j}" for j in range(model.n_features_in_)))
        added = not isinstance(model, ForestReads) and not hasattr(model, "tree_")
        factor = 1.0 if added else 1.0 / len(trees)
        base = np.broadcast_to(getattr(model, "init_", 0.0), (trees.n_outputs,)).astype(np.float64)
        scale = "raw score" if added else "probability" if is_classifier(model) else "mean"
        if known:
            raise ValueError(
                f"{' and '.join(known)} only moves the raw score of each row by a constant of its own, which "
                "explains no column: leave it out; the scale is then that of one unit of exposure"
            )
        scale += unit
        encode = lambda rows: _dense(model._table(rows).X)  # noqa: E731
        return _of_trees(model, trees, factor, base, scale, X, encode, names)
    return _of_predictions(model, X, known, unit)


def in_words(levels: Any, v: float) -> str:
    """Return a number, or the name of the category with this code."""
    if v != v:
        return "missing"
    if levels is None:
        return f"{v:.4g}".replace("-", "\u2212")
    return str(levels[int(v)]) if v < len(levels) else "a category that training did not have"


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X)


def _outputs(model: Any, k: int) -> list[str]:
    classes = getattr(model, "classes_", None)
    if classes is None:
        return [""] if k == 1 else [str(c) for c in range(k)]
    return [str(classes[-1])] if k == 1 else [str(c) for c in classes]


def _of_trees(
    model: Any,
    trees: Trees,
    factor: float,
    base: Array,
    scale: str,
    X: Any,
    encode: Callable[[Any], Array],
    names: list[str],
) -> Reading:
    if trees.n_outputs == 2 and len(getattr(model, "classes_", ())) == 2:
        # The first class is the mirror image of the second.
        trees, base = trees.with_values(trees.value[:, 1:]), base[1:]
    coder = getattr(model, "columns_", None)
    categories = list(coder.categories) if coder is not None else [None] * len(names)
    outputs = _outputs(model, trees.n_outputs)
    rows = encode(X)
    _refuse_empty(rows)

    def score(Z: Array) -> Array:
        return base + factor * trees.predict(Z)

    return Reading(rows, score, scale, names, categories, outputs, trees, encode, factor, base)


def _of_predictions(model: Any, X: Any, known: dict[str, Any], unit: str) -> Reading:
    """Return a model without trees; the text columns of a frame become codes of their levels, and back."""
    if is_classifier(model):
        refuse_several(model, "an explanation of probabilities")
    names = [str(c) for c in X.columns] if hasattr(X, "columns") else []
    table = nw.from_native(X) if names else None
    levels = [_levels(table[name]) if table is not None else None for name in names]
    proba = is_classifier(model) and hasattr(model, "predict_proba")

    def encode(rows: Any) -> Array:
        if any(known is not None for known in levels):
            parts = nw.from_native(rows)
            cells = (_coded(parts[n], known) for n, known in zip(names, levels, strict=True))
            return np.column_stack(list(cells))
        out = _dense(rows)
        if out.dtype.kind not in "fiub":
            raise ValueError(
                f"X holds {out.dtype} values; {type(model).__name__} is explained on numbers, or on a frame "
                "with columns of numbers and of text: encode the others before the model"
            )
        return out.astype(np.float64)

    def score(Z: Array) -> Array:
        Z, told = Z[:, :width], dict(zip(known, Z[:, width:].T, strict=True))
        rows = Z if table is None else _framed(table, names, levels, Z)
        method = "predict_proba" if proba else "predict"
        out = np.asarray(getattr(model, method)(rows, **to_predict(model, method, told) if told else told))
        if out.dtype.kind not in "fiub":
            raise ValueError(
                f"{type(model).__name__} predicts labels without probabilities: nothing to average"
            )
        out = out.reshape(len(Z), -1).astype(np.float64)
        return out[:, 1:] if proba and out.shape[1] == 2 else out

    rows = encode(X)
    _refuse_empty(rows)
    width = rows.shape[1]
    rows = np.column_stack([rows, *(numbers(name, v, len(rows)) for name, v in known.items())])
    k = score(rows[:1]).shape[1]
    scale = "probability" if proba else "prediction"
    outputs = _outputs(model, k) if proba else [""] if k == 1 else [str(c) for c in range(k)]
    names = names or [f"x{j}" for j in range(width)]
    scale += f" at the {' and '.join(known)} of the rows" if known else unit
    return Reading(rows, score, scale, names, levels or [None] * len(names), outputs, None, encode)


def _levels(column: Any) -> list[str] | None:
    """Return the sorted levels of a column of text; None for numbers and truth values."""
    text = column.dtype in (nw.String, nw.Categorical, nw.Enum)
    return sorted({str(v) for v in column.to_list() if v is not None and v == v}) if text else None


def _coded(column: Any, levels: list[str] | None) -> Array:
    """Return numbers as they are, and text as codes of its levels; NaN where there is no value."""
    values = column.to_list()
    if levels is None:
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    code = {level: float(k) for k, level in enumerate(levels)}
    return np.array([code.get(str(v), np.nan) for v in values])


def _framed(table: Any, names: list[str], levels: list[list[str] | None], Z: Array) -> Any:
    """Return encoded rows as a frame of the user's kind."""
    cells = {
        name: Z[:, j].tolist() if known is None else [None if v != v else known[int(v)] for v in Z[:, j]]
        for j, (name, known) in enumerate(zip(names, levels, strict=True))
    }
    return nw.from_dict(cells, backend=nw.get_native_namespace(table)).to_native()


def _refuse_empty(X: Array) -> None:
    if X.shape[0] == 0:
        raise ValueError("X has no rows; there is nothing to explain")
