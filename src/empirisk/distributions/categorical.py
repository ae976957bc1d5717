"""The categorical distribution: one of k classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import xlogy

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import Fitted, Observations, check_count, numbers
from empirisk.distributions.shares import SharesMember
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Interval

__all__ = ["Categorical"]


@dataclass(frozen=True, eq=False)
class Categorical(SharesMember):
    """``P(j) = p_j`` for the classes 0, 1, ..., k - 1.

    ``phi(x)`` is 1 at x and 0 elsewhere, ``eta_j = log p_j``, ``A(eta) = log sum_j e^eta_j``.

    Parameters
    ----------
    p : sequence of floats, shape (k,), default (0.5, 0.5)
        Chances of the classes, which sum to 1.  A fit is told their number by ``k=``, since rows do not
        show classes that never came.

    Examples
    --------
    >>> Categorical([0.5, 0.25, 0.25]).log_prob([0, 1]).round(4)
    array([-0.6931, -1.3863])
    """

    name = "categorical"
    discrete = True
    structure: ClassVar[tuple[str, ...]] = ("k",)

    @classmethod
    def member(cls, columns: int, **structure: Any) -> Self:
        """Return the law with k equal chances."""
        k = structure["k"]
        check_count(cls.name, "k", k)
        if k < 2:
            raise ValueError(f"k of the {cls.name} distribution must be 2 classes or more, got {k!r}")
        return cls(np.full(int(k), 1.0 / k))

    @property
    def support(self) -> Interval:
        """The whole numbers below k, outside of which the law has no mass."""
        return Interval(0.0, len(self.p) - 1.0)

    def _rows(self, x: Any) -> Array:
        return numbers(x)

    def statistics(self, x: Array) -> Array:
        """Return 1 in the column of the class of each row, 0 elsewhere."""
        return np.asarray(x[:, None] == np.arange(len(self.p)), dtype=np.float64)

    def maximise(self, data: Observations) -> Fitted:
        """Return the law with the shares of the classes: one count over the rows."""
        k = len(self.p)
        sums = data.map_sum(lambda x, s: np.bincount(x.astype(np.intp), weights=s, minlength=k))
        claim = "log-likelihood - its maximum = 0 but for rounding: the maximum has a closed form"
        return Fitted(self.likeliest(sums)[0], Certificate(Kind.EXACT, 0.0, 1.0, claim))

    def moment_rows(self, x: Array) -> Array:
        """Return 1 in the column of the class: the rows whose mean is matched."""
        return self.statistics(x)

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose chances are the mean of the indicators of the classes."""
        return self.likeliest(np.asarray(mean))[0]

    def log_prob(self, x: Any) -> Array:
        """Return ``log p_x``; -inf for what is no class, and for classes of chance 0."""
        rows = numbers(x)
        known = self.support.contains(rows) & (np.floor(rows) == rows)
        codes = np.where(known, rows, 0.0).astype(np.intp)
        return np.where(known, self.natural[codes], -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return classes that are drawn independently."""
        return np.asarray(self.quantile(generator_of(random_state).random(size)))

    def quantile(self, u: Any) -> Array:
        """Return the first class up to which the chances sum to u at least."""
        reached = np.cumsum(self.p)
        last = float(np.flatnonzero(self.p)[-1])
        return np.asarray(np.minimum(np.searchsorted(reached, np.asarray(u), side="left"), last))

    def moments(self) -> tuple[float, float]:
        """Return mean and variance of the number of the class."""
        j = np.arange(len(self.p))
        mean = float(self.p @ j)
        return mean, float(self.p @ (j - mean) ** 2)

    def cdf(self, x: Any) -> Array:
        """Return the chance of a class of at most x."""
        reached = np.concatenate([[0.0], np.cumsum(self.p)])
        at = np.clip(np.floor(numbers(x)) + 1.0, 0.0, float(len(self.p))).astype(np.intp)
        return np.asarray(np.minimum(reached[at], 1.0))

    def entropy(self) -> float:
        """Return ``-sum p_j log p_j``, the entropy of the law in nats."""
        return float(-xlogy(self.p, self.p).sum())
