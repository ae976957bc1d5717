"""What linear classifiers share: labels in and out, class weights, scores, and the class that they name."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from empirisk.estimators.base import LinearEstimator
from empirisk.estimators.class_weight import apply_class_weight
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["LinearClassifier"]


def _plain(label: Any) -> Any:
    """A label as Python prints it, without NumPy's type around it."""
    return label.item() if isinstance(label, np.generic) else label


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """Base of the classifiers with one vector of coefficients for two classes, one for each of more.

    Inside, two classes are the labels -1 and +1 (the last of ``classes_``), more are class codes.
    """

    class_weight: Any
    classes_: Any

    def _targets(self, y: Any, fitting: bool) -> Array:
        if np.asarray(y).dtype.kind == "O":
            missing = [row for row, label in enumerate(np.asarray(y).ravel()) if label is None]
            if missing:
                raise ValueError(f"y holds None in row {missing[0]}; drop the rows without a class")
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        if fitting:
            self.classes_ = np.unique(y)
            if len(self.classes_) < 2:
                raise ValueError(
                    f"y holds one class only ({_plain(self.classes_[0])!r}); a classifier needs at least 2"
                )
            codes = np.searchsorted(self.classes_, y) if len(self.classes_) > 2 else y == self.classes_[1]
        else:
            codes = np.searchsorted(self.classes_, y)
            known = codes < len(self.classes_)
            known[known] = self.classes_[codes[known]] == y[known]
            if not known.all():
                row = int(np.flatnonzero(~known)[0])
                raise ValueError(
                    f"y holds the label {_plain(y[row])!r} in row {row}, which was not in the training data"
                )
        if len(self.classes_) == 2:
            return np.where(codes, 1.0, -1.0)
        return np.asarray(codes, dtype=np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        codes = (targets > 0).astype(np.intp) if len(self.classes_) == 2 else targets.astype(np.intp)
        present = np.bincount(codes, weights=weight, minlength=len(self.classes_)) > 0.0
        if present.sum() < 2:
            only = _plain(self.classes_[int(np.argmax(present))])
            raise ValueError(
                f"only one class ({only!r}) has rows with positive sample_weight; 2 classes are needed"
            )
        return apply_class_weight(self.class_weight, self.classes_, codes, weight)

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        coef, b = problem.split(w)
        dtype = problem.design.dtype
        self.coef_ = np.ascontiguousarray(np.atleast_2d(coef.T), dtype=dtype)
        self.intercept_ = np.atleast_1d(np.asarray(b, dtype=dtype))

    def _pack(self, problem: LinearProblem) -> Array:
        return self._packed(problem, self.coef_, self.intercept_)

    @staticmethod
    def _packed(problem: LinearProblem, coef: Array, intercept: Array) -> Array:
        coef, b = np.asarray(coef, dtype=np.float64).T, np.asarray(intercept, dtype=np.float64)
        return problem.join(coef, b) if problem.n_outputs else problem.join(coef[:, 0], b[0])

    def decision_function(self, X: Any) -> Array:
        """Scores ``x.w + b``: shape (n,) for two classes, (n, K) for more."""
        z = self._scores(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """The class of the largest score of each row, shape (n,)."""
        z = self.decision_function(X)
        return self.classes_[(z > 0.0).astype(np.intp) if z.ndim == 1 else z.argmax(axis=1)]
