"""Paired difference of two models on the same rows or the same folds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from empirisk.evaluation.intervals.base import MODEL, MODEL_GROUPS, Floats, group_codes, refuse, too_few
from empirisk.evaluation.intervals.grouped import MIN_GROUPS_MEAN, grouped_mean
from empirisk.evaluation.intervals.repeated_kfold import grouped_kfold, out_of_fold, repeated_kfold
from empirisk.evaluation.intervals.student import student
from empirisk.evaluation.intervals.tango import no_difference, tango
from empirisk.evaluation.intervals.weighted import weighted_mean
from empirisk.results import Estimate

MIN_DISCORDANT = 10  # rows that only one of the models gets right


def paired_losses(
    a: ArrayLike,
    b: ArrayLike,
    level: float = 0.95,
    *,
    folds: int | None = None,
    groups: ArrayLike | None = None,
    zero_one: bool = False,
    target: str | None = None,
    weights: Floats | None = None,
) -> Estimate:
    """Return the interval of ``mean(a - b)`` from the losses of two models on the same rows.

    Parameters
    ----------
    a, b : array of shape (n,) or (r, n)
        Losses of the two models; with `folds` out-of-fold losses in r repeats of the same folds.
    level : float, default 0.95
        Nominal coverage.
    folds : int, optional
        K of the cross-validation; None for one held-out set.
    groups : array of shape (n,), optional
        Label of the group of each row.
    zero_one : bool, default False
        The losses are 0 or 1: Tango's interval on a held-out set; in cross-validation refused below 10
        discordant rows, because near twins give a variance of zero.
    target : str, optional
        What the difference is about.
    weights : array of shape (n,), optional
        What each row counts: the mean is a weighted one.

    Notes
    -----
    Held out: plain t on row differences (94 to 96 %), with groups t with the CR2 variance. Cross-validation:
    row variance times K/(K-1) (95 to 98 %). No skewness correction: it harms differences.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a = rng.exponential(size=300)
    >>> e = paired_losses(a, a + rng.normal(0.2, 0.1, size=300))
    >>> e.high < 0
    True
    """
    first, second = out_of_fold(a), out_of_fold(b)
    if first.shape != second.shape:
        raise ValueError(
            f"the two models must be scored on the same rows: shapes {first.shape}, {second.shape}."
        )
    delta = first - second
    n = delta.shape[1]
    if zero_one:
        tied = groups is not None or weights is not None
        refusal = _few_discordant(delta, level, folds, tied, target or MODEL)
        if refusal is not None:
            return refusal
    if weights is not None:
        about = target or (MODEL if groups is None else MODEL_GROUPS)
        return weighted_mean(
            delta, weights, level, folds=folds, groups=groups, kind="difference", target=about
        )
    if folds is not None:
        if groups is None:
            return repeated_kfold(delta, folds, level, kind="difference", target=target)
        return grouped_kfold(delta, groups, folds, level, kind="difference", target=target)
    row = delta.mean(axis=0)
    if groups is not None:
        return _grouped(row, groups, level, target or MODEL_GROUPS)
    if zero_one and delta.shape[0] == 1:
        return tango(float((row > 0).sum()), float((row < 0).sum()), n, level, target=target or MODEL)
    return student(row, level, target=target or MODEL)


def _grouped(row: Floats, groups: ArrayLike, level: float, target: str) -> Estimate:
    """Return the t interval with the CR2 variance; a difference of one sign must not go to the log scale."""
    codes, n_groups = group_codes(groups, row.size)
    if n_groups < MIN_GROUPS_MEAN:
        reason = too_few(n_groups, MIN_GROUPS_MEAN, "groups")
        return refuse(float(row.mean()), level, row.size, f"t, CR2 over {n_groups} groups", reason, target)
    return grouped_mean(row, codes, level, signed=True, target=target)


def _few_discordant(
    delta: Floats, level: float, folds: int | None, grouped: bool, target: str
) -> Estimate | None:
    """Return the refusal when the two models are right on (nearly) the same rows."""
    n, discordant = delta.shape[1], float(np.mean(np.count_nonzero(delta, axis=1)))
    if discordant == 0.0:
        return refuse(0.0, level, n, "paired 0-1 losses", no_difference(n, level), target)
    if (folds is not None or grouped) and discordant < MIN_DISCORDANT:
        reason = f"the models differ on {discordant:.3g} of {n} rows; at least {MIN_DISCORDANT} are needed"
        return refuse(float(delta.mean()), level, n, "paired 0-1 losses", reason, target)
    return None
