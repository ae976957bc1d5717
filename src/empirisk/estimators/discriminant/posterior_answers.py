"""Answers of a rule that knows ``log pi_k + log p_k(x)``: chances of the classes, and the likeliest one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.data.sparse_cells import is_sparse
from empirisk.estimators.agreement import agreeing, largest
from empirisk.estimators.log_probabilities import LogProbabilities, softmax_logs
from empirisk.typing import Array

__all__ = ["PosteriorAnswers"]

CHUNK = 8_192  # new rows that are judged at a time


class PosteriorAnswers(LogProbabilities, ClassifierMixin):
    """Predictions by Bayes' rule; who derives from it says how new rows are checked, and their logarithms."""

    classes_: Any
    # What is said of a row at which every class has the density 0, and what can be done about it.
    _why_lost: ClassVar[str] = "is so far from the rows of the fit that squares overflow in every class"
    _mend: ClassVar[str] = "rescale the columns"

    def _checked(self, X: Any) -> Any:
        """Return new rows, checked against those of the fit."""
        raise NotImplementedError

    def _joint(self, X: Any) -> Array:
        """Return ``log pi_k + log p_k(x)``, shape (m, K), up to a number of each row."""
        raise NotImplementedError

    def _scores(self, X: Any) -> Array:
        """Return the joint logarithms of checked rows, some of them at a time."""
        out = np.empty((X.shape[0], len(self.classes_)))
        with np.errstate(over="ignore", invalid="ignore"):
            for a in range(0, X.shape[0], CHUNK):
                part = X[a : a + CHUNK]
                dense = part if is_sparse(part) else part.astype(np.float64, copy=False)
                out[a : a + CHUNK] = self._joint(dense)
        lost = np.flatnonzero(~np.isfinite(out.max(axis=1)))
        if len(lost):
            raise ValueError(
                f"row {lost[0]} of X {self._why_lost} ({len(lost)} such rows); drop it, or {self._mend}"
            )
        return out

    def decision_function(self, X: Any) -> Array:
        """Return what decides: of two classes ``log P(1 | x) - log P(0 | x)``, shape (m,); of more
        ``log pi_k + log p_k(x)`` up to a number of each row, shape (m, K).

        Parameters
        ----------
        X : array or data frame, shape (m, p)
        """
        return _decision(self._scores(self._checked(X)))

    def predict(self, X: Any) -> Any:
        """Return the class of the largest posterior chance, the first of equal ones, shape (m,).

        Parameters
        ----------
        X : array or data frame, shape (m, p)
        """
        decision = self.decision_function(X)
        return self.classes_[largest(decision)]

    def predict_proba(self, X: Any) -> Array:
        """Return the posterior chances ``P(k | x)``, shape (m, K), in the order of ``classes_``.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
        """
        joint = self._scores(self._checked(X))
        share = np.exp(joint - joint.max(axis=1, keepdims=True))
        return agreeing(share / share.sum(axis=1, keepdims=True), _decision(joint))

    def _log_probabilities(self, X: Any) -> Array:
        return softmax_logs(self._scores(self._checked(X)))


def _decision(joint: Array) -> Array:
    """Return the difference of two joint logarithms, or those of more classes as they are."""
    return joint[:, 1] - joint[:, 0] if joint.shape[1] == 2 else joint
