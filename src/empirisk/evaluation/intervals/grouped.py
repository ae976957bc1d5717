"""Rows in groups: means with the CR2 and CR3 variance, proportions with an effective sample size.

Bell and McCaffrey, Survey Methodology 28 (2002); Korn and Graubard, Survey Methodology 24 (1998).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.evaluation.intervals.base import (
    MODEL_GROUPS,
    Floats,
    accept,
    as_rows,
    group_codes,
    negligible,
    refuse,
    student_quantile,
    too_few,
)
from empirisk.evaluation.intervals.effective import effective_limits
from empirisk.evaluation.intervals.hall import equal_losses
from empirisk.evaluation.intervals.student import student_limits
from empirisk.results import Estimate

MIN_GROUPS_PROPORTION = 5
MIN_GROUPS_MEAN = 6


def group_sums(values: Floats, codes: NDArray[np.intp], n_groups: int) -> Floats:
    """Return the sum of `values` in each group."""
    return np.bincount(codes, weights=values, minlength=n_groups).astype(np.float64, copy=False)


def cr2_variance(
    rows: Floats, codes: NDArray[np.intp], n_groups: int, *, power: int = 1, weights: Floats | None = None
) -> tuple[float, float]:
    """``V = sum r_g^2/(1-h_g)^power / n^2``, ``G_eff = 1/sum h_g^2``; ``r_g = S_g - m N_g``, ``h_g = N_g/n``.

    `power` 1 is CR2, 2 is CR3 (in effect the jackknife over groups).  One group shows no variance: NaN.
    With `weights` all sums are weighted ones, n and N_g too: the linearised variance of a weighted mean.
    """
    if n_groups < 2:
        return math.nan, 1.0
    n = rows.size if weights is None else float(weights.sum())
    residuals = rows - np.average(rows, weights=weights)
    share = np.bincount(codes, weights, minlength=n_groups) / n
    residual = group_sums(residuals if weights is None else weights * residuals, codes, n_groups)
    return float(np.sum(residual**2 / (1.0 - share) ** power)) / n**2, 1.0 / float(np.sum(share**2))


def sum_variance(influence: Floats, codes: NDArray[np.intp], n_groups: int) -> float:
    """``G/(G-1) sum_g (sum of influence in g)^2 / n^2``: the variance of a mean when whole groups are
    drawn.
    """
    sums = group_sums(influence, codes, n_groups)
    return n_groups / (n_groups - 1.0) * float(sums @ sums) / influence.size**2


def grouped_mean(
    losses: ArrayLike,
    groups: ArrayLike,
    level: float = 0.95,
    *,
    bound: float | None = None,
    signed: bool = False,
    target: str = MODEL_GROUPS,
) -> Estimate:
    """``m exp(-+ t sqrt(V)/m)``, V by CR3, ``G_eff - 1`` df; values of either sign: ``m -+ t sqrt(V)``, CR2.

    Parameters
    ----------
    losses : array of shape (n,)
        One loss a row.
    groups : array of shape (n,)
        Label of the group of each row; groups are independent, rows within one need not be.
    level : float, default 0.95
        Nominal coverage.
    bound : float, optional
        Largest possible loss; equal losses then get Wilson's answer on G units.
    signed : bool, default False
        The values are differences that could be of either sign (implied by a negative value).
    target : str
        What the mean is about.

    Notes
    -----
    Measured with 6 to 40 groups of 5 or of 1 to 9 rows, latent correlation 0.2 and 0.5: log-loss, Brier score
    and absolute error 94 to 97 %, squared error 91 to 96 % (CR2 in place of CR3: one point less, and 90 %
    at worst). Ignoring the groups covers 75 to 88 % at every n.
    Sources: Bell and McCaffrey (2002), Cameron and Miller (2015). Cost O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> g = np.repeat(np.arange(20), 5)
    >>> e = grouped_mean(rng.exponential(size=100), g)
    >>> e.low < 1 < e.high, e.n
    (True, 100)
    """
    rows = as_rows(losses, "losses")
    n, mean = rows.size, float(rows.mean())
    codes, n_groups = group_codes(groups, n)
    plain = signed or bool(rows.min() < 0.0)
    method = f"{'t, CR2' if plain else 'log t, CR3'} over {n_groups} groups"
    if n_groups < MIN_GROUPS_MEAN:
        return refuse(mean, level, n, method, too_few(n_groups, MIN_GROUPS_MEAN, "groups"), target)
    variance, effective = cr2_variance(rows, codes, n_groups, power=1 if plain else 2)
    if negligible(variance, rows):
        return equal_losses(mean, n_groups, level, bound, method, target, n)
    if plain:
        return accept(
            mean, student_limits(mean, variance, effective - 1, level), level, n, method, target=target
        )
    factor = math.exp(min(700.0, student_quantile(level, effective - 1.0) * math.sqrt(variance) / mean))
    high = mean * factor if bound is None else min(bound, mean * factor)
    return accept(mean, (mean / factor, high), level, n, method, target=target)


def grouped_proportion(
    hits: ArrayLike, groups: ArrayLike, level: float = 0.95, *, target: str = MODEL_GROUPS
) -> Estimate:
    """Wilson(p, n_eff) with ``n_eff = min(n, p(1-p)/V)`` (G when V = 0) and ``t_{G-1}`` in place of z.

    Parameters
    ----------
    hits : array of shape (n,)
        0 or 1 a row.
    groups : array of shape (n,)
        Label of the group of each row.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the proportion is about.

    Notes
    -----
    Covers 93 to 99 % for accuracies, samples without a single error included. Source: Korn and
    Graubard (1998). Cost O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> str(grouped_proportion(np.ones(60), np.repeat(np.arange(12), 5)))
    '1.00 [0.71, 1.00]'
    """
    rows = as_rows(hits, "hits")
    codes, n_groups = group_codes(groups, rows.size)
    n, p = rows.size, float(rows.mean())
    method = f"Wilson, effective n from {n_groups} groups"
    if n_groups < MIN_GROUPS_PROPORTION:
        return refuse(p, level, n, method, too_few(n_groups, MIN_GROUPS_PROPORTION, "groups"), target)
    variance = sum_variance(rows - p, codes, n_groups)
    limits = effective_limits(p, variance, n_groups - 1, level, cap=n, floor=n_groups)
    return accept(p, limits, level, n, method, target=target)
