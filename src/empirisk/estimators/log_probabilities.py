"""Logarithms of the probabilities of classes, from scores where a model has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import log_expit, log_softmax, logsumexp

from empirisk.data.offered import offered
from empirisk.typing import Array

__all__ = ["LogProbabilities", "log_of", "one_against_rest_logs", "softmax_logs"]


def _gives_probabilities(model: Any) -> bool:
    """Return True, or pass on the reason that `predict_proba` gives where a model has none."""
    return callable(model.predict_proba)


def log_of(proba: Any) -> Array:
    """Return the logarithms of probabilities, -inf where one is 0.

    Examples
    --------
    >>> log_of(np.array([0.0, 1.0])).tolist()
    [-inf, 0.0]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(proba))


def softmax_logs(z: Array) -> Array:
    """Return ``z - log sum_c exp(z_c)``, shape (n, K); one score a row is the log-odds of the second class.

    Examples
    --------
    >>> softmax_logs(np.array([2000.0])).tolist()
    [[-2000.0, -0.0]]
    """
    if z.ndim == 2 and z.shape[1] > 1:
        return np.asarray(log_softmax(z, axis=1))
    z = z.ravel()
    return np.asarray(log_expit(np.column_stack([-z, z])))


def one_against_rest_logs(z: Array) -> Array:
    """Return the logarithms of ``sigma(z_c)`` over their sum, shape (n, K); one score a row as
    :func:`softmax_logs` reads it.

    Examples
    --------
    >>> one_against_rest_logs(np.array([[-2000.0, -2000.0, -3000.0]])).round(4).tolist()
    [[-0.6931, -0.6931, -1000.6931]]
    """
    if z.ndim == 1 or z.shape[1] == 1:
        return softmax_logs(z)
    separate = log_expit(z)
    return np.asarray(separate - logsumexp(separate, axis=1, keepdims=True))


class LogProbabilities:
    """What every classifier with probabilities has: their logarithms.

    A model that knows more than the rounded probabilities gives ``_log_probabilities``: there a small
    probability keeps its logarithm where it is rounded to 0 itself.
    """

    @offered(_gives_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of ``predict_proba``, shape (n, K), in the order of ``classes_``.

        Models with a link or with densities (logistic, softmax, discriminants, naive Bayes, networks,
        boosting) compute them from their scores, finite where a probability is rounded to 0.  Shares of rows
        or of votes are 0 where no row and no vote names a class, and their logarithm is -inf.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows, as ``predict_proba`` takes them.
        """
        return self._log_probabilities(X)

    def _log_probabilities(self, X: Any) -> Array:
        """Return the logarithms of the probabilities as they were rounded; who knows more overrides it."""
        return log_of(self.predict_proba(X))  # type: ignore[attr-defined]
