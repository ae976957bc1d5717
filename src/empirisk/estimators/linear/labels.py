"""What linear classifiers share: labels in and out, class weights, scores, and the class that they name."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.estimators.agreement import largest
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["LinearClassifier"]


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """Base of the classifiers with one vector of coefficients for two classes, one for each of more.

    Inside, two classes are the labels -1 and +1 (the last of ``classes_``), more are class codes.
    """

    class_weight: Any
    classes_: Any

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)  # before scikit-learn makes all of them text

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return np.where(codes, 1.0, -1.0) if len(self.classes_) == 2 else codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        codes = (targets > 0).astype(np.intp) if len(self.classes_) == 2 else targets.astype(np.intp)
        return weigh_classes(self.class_weight, self.classes_, codes, weight)

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
        """Return the scores ``x.w + b``: shape (n,) for two classes, (n, K) for more."""
        z = self._scores(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """Return the class of the largest score of each row, shape (n,)."""
        z = self.decision_function(X)
        return self.classes_[largest(z)]
