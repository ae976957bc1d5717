"""The largest number of mistakes that perceptrons can make on their rows, computed when it is asked for.

Novikoff, Symposium on the Mathematical Theory of Automata (1962).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from empirisk.bounds import perceptron as mistake_bound
from empirisk.estimators.linear.halfspace import HalfspaceClassifier
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["MistakeBounds"]

# The widest margin is a quadratic programme with a matrix of the columns: sought up to so many numbers in X.
AFFORDABLE = 1_000_000
MOST_COLUMNS = 300


@dataclass(eq=False)
class MistakeBounds:
    """``(R B)^2`` of each walk.

    A walk of 20 passes takes a tenth of the time that its bound takes: who asks for the weights alone does
    not wait for it.  The rows are copied, so that the answer is about those of the fit whenever it is asked
    for, and let go of with the answer.

    Parameters
    ----------
    rows : array, CSR or CSC, or None
        With the constant column where there is one; None where nothing is left to compute.
    signs : list of arrays
        The labels -1 and +1 of each walk.
    known : array or None
        The bounds, once they are computed.
    """

    rows: Any
    signs: list[Array]
    known: Array | None = None

    @classmethod
    def of(cls, problem: LinearProblem, signs: list[Array]) -> Self:
        """Return the bounds of walks over the rows of a problem, where they are affordable."""
        n, p = problem.design.shape
        if problem.design.size > AFFORDABLE or p > MOST_COLUMNS:
            return cls.unknown(len(signs))
        X: Any = problem.design.X
        if not problem.intercept:
            return cls(X.copy(), signs)
        ones: Any = np.ones((n, 1), dtype=X.dtype)
        return cls(
            sp.hstack([X, ones], format="csr") if problem.design.sparse else np.hstack([X, ones]), signs
        )

    @classmethod
    def unknown(cls, walks: int) -> Self:
        """Return the bounds of walks whose rows are gone or too many: not a number."""
        return cls(None, [], np.full(walks, np.nan))

    @property
    def values(self) -> Array:
        """The bounds: infinite where no plane separates the rows, NaN where that is not known."""
        if self.known is None:
            self.known = np.array([_bound(self.rows, signs) for signs in self.signs])
            self.rows, self.signs = None, []
        return self.known


def _bound(X: Any, signs: Array) -> float:
    if np.all(signs == signs[0]):
        return np.nan
    widest = HalfspaceClassifier(fit_intercept=False).fit(X, signs)
    if not widest.separable_:
        return np.inf if widest.separable_ is False else np.nan
    dense = isinstance(X, np.ndarray)
    squares: Any = np.einsum("ij,ij->i", X, X) if dense else X.power(2).sum(axis=1)
    radius = float(np.sqrt(np.max(np.asarray(squares, dtype=np.float64))))
    return float(mistake_bound(radius=radius * (1.0 + 1e-12), margin=widest.margin_))
