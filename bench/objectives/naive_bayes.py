"""Naive Bayes on counts of words: closed forms, judged by the logarithms of their chances."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


class WordChances:
    """The largest error of ``log t_kj`` over classes and words, t smoothed by 1.

    Parameters
    ----------
    name : str
        Of the row.
    presence : bool
        Whether a word counts once a row (Bernoulli), or as often as it stands there (multinomial).
    """

    # In logarithms; sums of counts are exact in both precisions.
    accuracy = 1e-6

    def __init__(self, name: str, presence: bool) -> None:
        self.name, self.presence = name, presence

    def strength(self, X: Any, y: Any) -> float:
        """Return what is added to each count."""
        return 1.0

    def value(self, X: Any, y: Any, alpha: float, result: np.ndarray) -> float:
        """Return the largest difference from the formula."""
        return float(np.abs(np.asarray(result) - self.reference(X, y, alpha)).max())

    def null(self, X: Any, y: Any) -> float:
        """Return 1, because logarithms have no unit."""
        return 1.0

    def reference(self, X: Any, y: Any, alpha: float) -> np.ndarray:
        """Return the logarithms of the chances by a product with the indicators of the classes."""
        labels, codes = np.unique(y, return_inverse=True)
        of_class = sp.csr_array((np.ones(len(y)), (codes, np.arange(len(y)))), shape=(len(labels), len(y)))
        counts = X.astype(np.float64)
        if self.presence:
            counts.data = np.ones_like(counts.data)
        N = (of_class @ counts).toarray()
        whole = of_class.sum(axis=1) + 2.0 * alpha if self.presence else N.sum(axis=1) + alpha * N.shape[1]
        return np.asarray(np.log((N + alpha) / whole[:, None]))


OBJECTIVES = (WordChances("multinomial_nb", presence=False), WordChances("bernoulli_nb", presence=True))
