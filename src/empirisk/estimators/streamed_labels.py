"""The classes of a classifier that learns from a stream, whose blocks may lack some of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.estimators.class_weight import apply_class_weight
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.typing import Array

__all__ = ["StreamedLabels", "declared_classes"]


def declared_classes(given: Any, known: Any) -> Any:
    """Return the sorted classes of a stream: those given at its first call, which may be repeated later.

    Examples
    --------
    >>> declared_classes(["b", "a"], None).tolist(), declared_classes(None, np.array([0, 1])).tolist()
    (['a', 'b'], [0, 1])
    """
    if given is None and known is None:
        raise ValueError("classes must name all labels at the first call: a block may lack some of them")
    classes: Any = known if given is None else np.unique(np.asarray(given))
    if len(classes) < 2:
        raise ValueError(f"classes must name at least 2 labels, got {classes.tolist()}")
    if known is not None and not np.array_equal(classes, known):
        raise ValueError(
            f"classes is {classes.tolist()} here and was {known.tolist()} before; new classes need a new "
            "model"
        )
    return classes


class StreamedLabels(ClassifierMixin):
    """Base of the classifiers that have ``fit`` for rows in memory and ``partial_fit`` for blocks.

    Inside, two classes are the labels -1 and +1 (the last of ``classes_``), more are class codes.
    """

    class_weight: Any
    classes_: Any
    _declared: Any = None  # the classes of the stream, during a call of partial_fit
    _partial_fit: Any

    def _with_classes(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Self:
        """Go on with one block of a stream, whose classes are known by name."""
        declared = declared_classes(classes, getattr(self, "classes_", None))
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} needs all rows: give factors in a dict, or sample_weight"
            )
        self._declared = declared
        try:
            self._partial_fit(X, y, sample_weight)
        finally:
            self.__dict__.pop("_declared", None)
        return self

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)  # before scikit-learn makes all of them text

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Return labels as -1 and +1 or as class codes; learns ``classes_`` when fitting."""
        known = self._declared
        if known is None and not fitting:
            known = self.classes_
        listed = "" if known is None else f"is not among the classes {known.tolist()}"
        self.classes_, codes = encode_labels(y, known, listed)
        return np.where(codes, 1.0, -1.0) if len(self.classes_) == 2 else codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        """Return the weights of the rows times those of their classes."""
        codes = (targets > 0).astype(np.intp) if len(self.classes_) == 2 else targets.astype(np.intp)
        weigh = weigh_classes if self._declared is None else apply_class_weight  # a block may have one class
        return weigh(self.class_weight, self.classes_, codes, weight)
