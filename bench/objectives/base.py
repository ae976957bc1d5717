"""What an objective must tell: its strength, its value at a fit, and an independent optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True)
class Fit:
    """What a solver found: coefficients (p,) or (p, k), and the intercept."""

    coef: Any
    intercept: Any = 0.0


class Objective(Protocol):
    """A function to minimise, measured here and not by the solvers.

    Two attributes are optional: `accuracy`, the suboptimality that counts, and `unit`, in words, of times
    that are multiplied by `factor(result)`.
    """

    name: str

    def strength(self, X: Any, y: Any) -> Any:
        """The penalty on the mean-loss scale that every solver gets."""
        ...

    def value(self, X: Any, y: Any, strength: Any, result: Any) -> float:
        """F at what a solver returned."""
        ...

    def null(self, X: Any, y: Any) -> float:
        """F of the model without coefficients: what suboptimality is relative to."""
        ...

    def reference(self, X: Any, y: Any, strength: Any) -> Any:
        """A result of very high accuracy, by another way than ours."""
        ...


def scores(X: Any, fit: Fit) -> np.ndarray:
    """``X w + b``, shape (n,) or (n, k)."""
    return np.asarray(X @ fit.coef) + fit.intercept


def half_squared(y: Any, z: np.ndarray) -> float:
    """Return the mean of ``(z - y)^2 / 2`` over the rows."""
    r = z - y
    return float(r @ r) / (2.0 * len(r))


def logistic(y: Any, z: np.ndarray) -> float:
    """Mean of ``log(1 + exp(-t z))``, t the label 0, 1 as -1, +1."""
    return float(np.logaddexp(0.0, np.where(y > 0, -z, z)).mean())
