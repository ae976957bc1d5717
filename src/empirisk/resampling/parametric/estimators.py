"""Estimators by name, on many samples at once: arrays (samples, n) or (samples, n, d)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.evaluation.intervals.base import Floats

__all__ = ["ESTIMATORS", "Many", "beta_map", "beta_mean", "trimmed_mean"]


@dataclass(frozen=True)
class Many:
    """A function of many samples at once: from (samples, n[, d]) to (samples,) or (samples, d).

    ``resists(n)`` is how many of n rows may lie anywhere at either end without moving it far; ``one_sided``
    says that rows at one end alone move it, `bounded` that rows in a bounded set have estimates in one.
    """

    function: Callable[[Floats], Floats]
    formula: str
    resists: Callable[[int], int] = lambda n: 0
    one_sided: bool = False
    bounded: bool = True

    def __call__(self, x: Floats) -> Floats:
        """Return one estimate for each of the samples, which stand in rows."""
        return self.function(x)


def trimmed_mean(share: float = 0.1) -> Many:
    """Return the mean without the ``floor(share n)`` smallest and as many largest rows, ``0 <= share <
    1/2``.

    Examples
    --------
    >>> float(trimmed_mean(0.25)(np.array([[0.0, 1.0, 2.0, 90.0]]))[0])
    1.5
    """
    if not 0.0 <= share < 0.5:
        raise ValueError(f"share must lie in [0, 0.5), got {share!r}.")

    def cut(n: int) -> int:
        return int(share * n + 1e-9)

    def function(x: Floats) -> Floats:
        n = x.shape[1]
        kept: Floats = np.sort(x, axis=1)[:, cut(n) : n - cut(n)]
        return np.asarray(kept.mean(axis=1))

    return Many(function, f"mean of the middle {1.0 - 2.0 * share:.0%}", cut)


def beta_mean(a: float, b: float) -> Many:
    """``(S + a)/(n + a + b)``, S the number of ones: posterior mean of Bernoulli under a Beta(a, b) prior.

    Examples
    --------
    >>> float(beta_mean(1.0, 1.0)(np.ones((1, 8)))[0])
    0.9
    """
    if not (a > 0.0 and b > 0.0):
        raise ValueError(f"a and b must be positive, got {a!r} and {b!r}.")
    return Many(lambda x: (x.sum(axis=1) + a) / (x.shape[1] + a + b), f"(S + {a:g})/(n + {a + b:g})")


def beta_map(a: float, b: float) -> Many:
    """``(S + a - 1)/(n + a + b - 2)``: the most likely p of a Bernoulli model under a Beta(a, b) prior.

    Examples
    --------
    >>> float(beta_map(2.0, 2.0)(np.ones((1, 8)))[0])
    0.9
    """
    if not (a >= 1.0 and b >= 1.0):
        raise ValueError(f"a and b must be at least 1 for a maximum inside, got {a!r} and {b!r}.")
    return Many(
        lambda x: (x.sum(axis=1) + a - 1.0) / (x.shape[1] + a + b - 2.0),
        f"(S + {a - 1:g})/(n + {a + b - 2:g})",
    )


def _minimax(x: Floats) -> Floats:
    root = math.sqrt(x.shape[1])
    out: Floats = (x.sum(axis=1) + 0.5 * root) / (x.shape[1] + root)
    return out


def _shrunk(x: Floats, positive: bool) -> Floats:
    if x.ndim != 3 or x.shape[2] < 3:
        raise ValueError(
            "James-Stein shrinks vectors of at least 3 coordinates; give parameters of shape (m, d)."
        )
    mean = x.mean(axis=1)
    factor = 1.0 - (x.shape[2] - 2.0) / (x.shape[1] * np.sum(mean**2, axis=1, keepdims=True))
    out: Floats = (np.maximum(factor, 0.0) if positive else factor) * mean
    return out


ESTIMATORS: dict[str, Many] = {
    "mean": Many(lambda x: np.asarray(x.mean(axis=1)), "mean of the rows"),
    "median": Many(lambda x: np.asarray(np.median(x, axis=1)), "median of the rows", lambda n: (n - 1) // 2),
    "trimmed_mean": trimmed_mean(),
    "midrange": Many(lambda x: 0.5 * (x.min(axis=1) + x.max(axis=1)), "(min + max)/2"),
    "first": Many(lambda x: x[:, 0], "the first row"),
    "maximum": Many(
        lambda x: np.asarray(x.max(axis=1)),
        "the largest row: maximum likelihood of U(0, theta)",
        one_sided=True,
    ),
    "unbiased_maximum": Many(
        lambda x: (1.0 + 1.0 / x.shape[1]) * x.max(axis=1), "(n + 1)/n times the largest", one_sided=True
    ),
    "twice_mean": Many(lambda x: 2.0 * x.mean(axis=1), "twice the mean: moments of U(0, theta)"),
    "bernoulli_minimax": Many(_minimax, "(S + sqrt(n)/2)/(n + sqrt(n))"),
    "james_stein": Many(
        lambda x: _shrunk(x, False), "(1 - (d - 2)/(n |mean|^2)) mean, unit variance", bounded=False
    ),
    "positive_james_stein": Many(lambda x: _shrunk(x, True), "the same with the factor cut at 0"),
}
