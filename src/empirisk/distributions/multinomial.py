"""The multinomial distribution: counts of k classes in n independent trials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import Distribution, check_count, numbers
from empirisk.distributions.binomial import Binomial
from empirisk.distributions.lattice import counts_near
from empirisk.distributions.shares import SharesMember
from empirisk.distributions.stirling import deviance, stirling_rest
from empirisk.typing import Array, Interval

__all__ = ["Multinomial"]

# Most rows of counts that are listed one by one.
_MOST = 200_000


@dataclass(frozen=True, eq=False)
class Multinomial(SharesMember):
    """``P(x) = n! / (x_1! ... x_k!) p_1^x_1 ... p_k^x_k`` for counts that sum to n.

    ``phi(x) = x``, ``h(x) = n! / prod x_j!``, ``eta_j = log p_j``, ``A(eta) = n log sum_j e^eta_j``.

    Parameters
    ----------
    p : sequence of floats, shape (k,), default (0.5, 0.5)
        Chances of the classes, which sum to 1.
    n : int, default 1
        Number of trials, which a fit must be told.

    Examples
    --------
    >>> np.exp(Multinomial([0.5, 0.25, 0.25], 2).log_prob([[1, 1, 0], [2, 0, 0]])).round(4)
    array([0.25, 0.25])
    """

    n: int = 1

    name = "multinomial"
    simplex = True
    discrete = True
    structure: ClassVar[tuple[str, ...]] = ("n",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.name, "n", self.n)

    @classmethod
    def member(cls, columns: int, **structure: Any) -> Self:
        """Return the law with equal chances, a class for each column."""
        return cls(np.full(columns, 1.0 / columns), **structure)

    @property
    def trials(self) -> int:
        """The number n of trials that each row counts, known beforehand."""
        return self.n

    @property
    def dimension(self) -> int:
        """One number for each class, which is how many numbers a draw has."""
        return len(self.p)

    @property
    def support(self) -> Interval:
        """The counts up to n; those of a row sum to n, too."""
        return Interval(0.0, float(self.n))

    def check(self, x: Array) -> None:
        """Refuse rows that are no counts, or do not sum to n."""
        Distribution.check(self, x)
        bad = np.flatnonzero(x.sum(axis=1) != self.n)
        if len(bad):
            raise ValueError(
                f"x sums to {x[bad[0]].sum():g} in row {bad[0]} ({len(bad)} such rows in all), and the "
                f"{self.title} to n = {self.n}; give counts of the same number of trials"
            )

    def _rows(self, x: Any) -> Array:
        return numbers(x, self.dimension)

    def statistics(self, x: Array) -> Array:
        """Return the counts themselves, the statistics of each row."""
        return x

    def log_base(self, x: Array) -> Array:
        """Return ``log n! - sum log x_j!``, the logarithm of h for each row."""
        return np.asarray(gammaln(self.n + 1.0) - gammaln(x + 1.0).sum(axis=1))

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law whose chances are the means over n."""
        return self.likeliest(np.asarray(mean))[0]

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the chance; -inf for rows that are no counts with the sum n."""
        rows = numbers(x, self.dimension)
        known = (self.support.contains(rows) & (np.floor(rows) == rows)).all(axis=1)
        known &= rows.sum(axis=1) == self.n
        safe = np.where(known[:, None], rows, 0.0)
        each = _count_log(safe, self.n * (self.p / self.p.sum())).sum(axis=1)
        return np.where(known, each - _count_log(float(self.n), float(self.n)), -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent rows of counts of this law, from a seed."""
        p = self.p / self.p.sum()
        return generator_of(random_state).multinomial(self.n, p, size).astype(np.float64)

    def moments(self) -> tuple[Array, Array]:
        """Return n p and ``n (diag(p) - p p')``, the mean and the variance of a draw."""
        return self.n * self.p, self.n * (np.diag(self.p) - np.outer(self.p, self.p))

    def frozen(self) -> Any:
        """Return ``scipy.stats.multinomial`` with these parameters, which is the same law in SciPy."""
        from scipy import stats

        return stats.multinomial(self.n, self.p)

    def discrepancy(self, x: Array) -> tuple[float, str]:
        """Return ``sum (x_ij - n p_j)^2 / (n p_j)``: large where the chances of the rows differ."""
        live = self.p > 0.0
        expected = self.n * self.p[live]
        return float(((x[:, live] - expected) ** 2 / expected).sum()), "Pearson's chi-square over the rows"

    def atoms(self) -> Array | None:
        """Return all rows of counts with the sum n, where they are no more than 200,000."""
        k = len(self.p)
        if math.comb(self.n + k - 1, k - 1) > _MOST:
            return None
        # k - 1 bars among n + k - 1 places: the counts are the numbers of places between neighbours.
        bars = np.array(list(combinations(range(self.n + k - 1), k - 1)), dtype=np.float64)
        ends = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1.0, self.n + k - 1.0)))
        return np.asarray(np.diff(ends, axis=1) - 1.0)

    def entropy(self) -> float:
        """Return ``-log n! - n sum p_j log p_j + sum_j E log x_j!``, sums over the counts of each class."""
        n = float(self.n)
        out = float(_count_log(n, n))
        for q in self.p / self.p.sum():
            law = Binomial(self.n, float(q))
            counts = counts_near(law)
            chance = np.exp(law.log_prob(counts))
            out -= float(chance[chance > 0.0] @ _count_log(counts[chance > 0.0], n * q))
        return out


def _count_log(x: Any, mean: Any) -> Array:
    """Return the logarithm of ``mean^x e^-mean / x!``: a chance of Poisson's law."""
    some = np.maximum(x, 1.0)
    inner = stirling_rest(some) + deviance(some, mean) + 0.5 * np.log(2.0 * np.pi * some)
    return np.asarray(np.where(x > 0.0, -inner, -mean))
