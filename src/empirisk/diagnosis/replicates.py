"""Rows that were measured twice, and what they say about the noise: about themselves, or about all rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.counted import told_apart
from empirisk.evaluation.intervals.base import Floats

__all__ = ["MIN_PAIRS", "Repeats", "disagreement", "pair_variance", "repeats"]

MIN_PAIRS = 20  # of measurements, for a noise level worth telling


@dataclass(frozen=True)
class Repeats:
    """Disjoint pairs of rows that measure one thing twice.

    Parameters
    ----------
    pairs : int array of shape (q, 2)
        Rows, each in one pair at most; of declared repeats one pair from each set.
    share : float
        Share of the rows that the pairs speak for: ``2 q / n`` where rows merely happen to be equal, because
        they prove nothing about the others; 1 where the user declared repeats of rows drawn at random.
    declared : bool
        Whether the user did.
    """

    pairs: NDArray[np.intp]
    share: float
    declared: bool

    @property
    def words(self) -> str:
        """What the pairs are, for evidence."""
        kind = "declared repeats" if self.declared else "rows that happen to be equal in all columns"
        return f"{len(self.pairs):,} pairs of {kind}"


def repeats(ctx: Context) -> Repeats:
    """Return the declared repeats, or all pairs of equal rows as far as they go; cached.

    Pairs are drawn at random within each set of equal rows.  Equal rows may also be copies of one another:
    these agree too often, which makes a lower limit of the noise smaller and no less valid.
    """
    if "repeats" not in ctx.cache:
        declared = ctx.replicates is not None
        codes = ctx.equal_rows if ctx.replicates is None else told_apart(ctx.replicates, ctx.sample)
        if ctx.weights is not None:  # what pairs prove counts every row once
            codes = np.arange(ctx.n)
        order = np.lexsort((np.random.default_rng(ctx.seed).random(ctx.n), codes))
        ends = np.flatnonzero(np.diff(codes[order])) + 1
        sets = [rows for rows in np.split(order, ends) if rows.size > 1]
        most = 1 if declared else ctx.n
        pairs = [rows[2 * i : 2 * i + 2] for rows in sets for i in range(min(most, rows.size // 2))]
        found = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        ctx.cache["repeats"] = Repeats(found, 1.0 if declared else 2.0 * len(found) / ctx.n, declared)
    made: Repeats = ctx.cache["repeats"]
    if made.declared and len(made.pairs) < MIN_PAIRS:
        raise NotRun(
            f"replicates names {len(made.pairs)} things that were measured twice, and at least {MIN_PAIRS} "
            "are needed"
        )
    return made


def disagreement(y: NDArray[Any], pairs: NDArray[np.intp]) -> tuple[float, float]:
    """95 % Clopper-Pearson interval of the mean chance that the two rows of a pair have different classes.

    That chance is ``1 - sum_c eta_c(x)^2``.  With different x the count is a sum of unequal coins, for which
    the binomial tails are too long (Hoeffding 1956): the interval is then too wide, never too short.

    Examples
    --------
    >>> y = np.array([0, 1, 0, 0] * 10)
    >>> low, high = disagreement(y, np.arange(40).reshape(20, 2))
    >>> round(low, 3), round(high, 3)
    (0.272, 0.728)
    """
    m, k = len(pairs), int(np.count_nonzero(y[pairs[:, 0]] != y[pairs[:, 1]]))
    low = 0.0 if k == 0 else float(special.betaincinv(k, m - k + 1, 0.025))
    high = 1.0 if k == m else float(special.betaincinv(k + 1, m - k, 0.975))
    return low, high


def pair_variance(y: Floats, pairs: NDArray[np.intp]) -> tuple[float, float]:
    """95 % interval of the mean of ``Var(y | x)`` over the pairs, from ``e = (y - y')^2 / 2``.

    The wider of two intervals: chi-square (normal noise of one size) and t for the logarithm of the mean of e
    (any noise whose fourth moments exist, many pairs).

    Examples
    --------
    >>> y = np.random.default_rng(0).normal(size=200)
    >>> low, high = pair_variance(y, np.arange(200).reshape(100, 2))
    >>> low < 1.0 < high
    True
    """
    e = 0.5 * (y[pairs[:, 0]] - y[pairs[:, 1]]) ** 2
    q, mean = e.size, float(e.mean())
    if mean == 0.0:
        return 0.0, 0.0
    log_width = float(special.stdtrit(q - 1, 0.975)) * float(e.std(ddof=1)) / math.sqrt(q) / mean
    low = min(q / float(special.chdtri(q, 0.025)), math.exp(-log_width))
    high = max(q / float(special.chdtri(q, 0.975)), math.exp(log_width))
    return mean * low, mean * high
