"""Labels of rows as class codes 0, 1, ..., K - 1, and the refusals that go with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from empirisk.data.distinct_numbers import distinct_numbers
from empirisk.data.odd_targets import refuse_odd_targets
from empirisk.estimators.class_weight import apply_class_weight
from empirisk.typing import Array, IndexArray

__all__ = ["encode_labels", "plain_label", "refuse_mixed", "weigh_classes"]


def plain_label(label: Any) -> Any:
    """Return a label as Python prints it, without NumPy's type around it."""
    return label.item() if isinstance(label, np.generic) else label


def _refuse_missing(labels: Any) -> None:
    """Name the first row without a class."""
    if labels.dtype.kind not in "fO" or labels.ndim == 0 or labels.size != len(labels):
        return
    labels = labels.ravel()
    for row in np.flatnonzero(np.isnan(labels)) if labels.dtype.kind == "f" else range(len(labels)):
        label = labels[row]
        if _is_missing(label):
            word = "NaN" if isinstance(label, float | np.floating) else str(label)
            raise ValueError(f"y holds {word} in row {row}; drop the rows without a class")


def _is_missing(label: Any) -> bool:
    """Tell whether a label is None, NaN or pandas' NA."""
    nan = isinstance(label, float | np.floating) and bool(np.isnan(label))
    return label is None or nan or type(label).__name__ == "NAType"


def refuse_mixed(labels: Any) -> None:
    """Name two rows whose labels are text and no text: they have no common order.

    Missing labels are no label of another type; they are refused in words of their own.
    """
    if not isinstance(labels, list | tuple):
        labels = np.asarray(labels)
        if labels.dtype != object or labels.ndim == 0 or labels.size != len(labels):
            return
        labels = labels.ravel().tolist()
    text = [issubclass(kind, str) for kind in set(map(type, labels))]
    if all(text) or not any(text) or any(map(_is_missing, labels)):
        return
    rows = [next(i for i, v in enumerate(labels) if isinstance(v, str) is kind) for kind in (True, False)]
    told = " and ".join(
        f"{plain_label(labels[i])!r} ({type(labels[i]).__name__}) in row {i}" for i in sorted(rows)
    )
    raise ValueError(
        f"y holds labels of several types, which have no order: {told}; write all of them in one type, for "
        "example [str(label) for label in y]"
    )


def encode_labels(
    y: Any, classes: Any = None, unknown: str = "was not in the training data"
) -> tuple[Any, IndexArray]:
    """Sorted classes, and the code of each row's label.

    Parameters
    ----------
    y : array, shape (n,)
        Labels.
    classes : array, optional
        The classes, when they are known before.
    unknown : str
        What is said of labels outside of `classes`.

    Raises
    ------
    ValueError
        For missing labels, labels of several types, continuous targets, fewer than two classes, and unknown
        labels.
    """
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU"
    if not plain:  # whole numbers and texts are labels, whatever they are
        refuse_odd_targets(y)
        _refuse_missing(np.asarray(y))
        refuse_mixed(y)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
    if len(y) == 0:
        raise ValueError("y holds no labels (0 rows); a classifier needs rows of at least 2 classes")
    if classes is None:
        classes, codes = distinct_numbers(y)
        if len(classes) < 2:
            raise ValueError(
                f"y holds one class only ({plain_label(classes[0])!r}); a classifier needs at least 2"
            )
        if plain and 2 * len(classes) > len(y):  # a warning: they may well be amounts
            check_classification_targets(y)
        return classes, codes
    codes = np.searchsorted(classes, y)
    known = codes < len(classes)
    known[known] = classes[codes[known]] == y[known]
    if not known.all():
        row = int(np.flatnonzero(~known)[0])
        raise ValueError(f"y holds the label {plain_label(y[row])!r} in row {row}, which {unknown}")
    return classes, codes


def weigh_classes(class_weight: Any, classes: Any, codes: IndexArray, weight: Array) -> Array:
    """Return the row weights times the factors of their classes; refuses rows of one class alone."""
    _refuse_one_class("sample_weight", classes, codes, weight)
    weighed = apply_class_weight(class_weight, classes, codes, weight)
    _refuse_one_class("weight after class_weight", classes, codes, weighed)
    return weighed


def _refuse_one_class(what: str, classes: Any, codes: IndexArray, weight: Array) -> None:
    """Refuse weights that leave the rows of one class, or of none."""
    present = np.bincount(codes, weights=weight, minlength=len(classes)) > 0.0
    if present.sum() == 1:
        only = plain_label(classes[int(np.argmax(present))])
        raise ValueError(f"only one class ({only!r}) has rows with positive {what}; 2 classes are needed")
    if not present.any():
        raise ValueError(f"no class has rows with positive {what}; 2 classes are needed")
