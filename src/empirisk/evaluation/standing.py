"""How candidates compare on the same folds: mean losses, their covariance, and what follows from both.

For row losses ``C_ij = K/(K-1) mean_r cov_r(l_i, l_j)/n``: the variance ``C_ii + C_jj - 2 C_ij`` is that of
the paired interval of the study, so one table answers every question about pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.data.brief import Brief
from empirisk.data.far_apart import TIMES, far_apart
from empirisk.evaluation.cross import CrossEvaluation
from empirisk.evaluation.evaluate import known
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats, group_codes
from empirisk.evaluation.intervals.repeated_kfold import widened
from empirisk.evaluation.metrics import Metric
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.evaluation.scoring import Scoring

DRAWS = 20_000  # the chance of being best has an error of 0.4 % or less


@dataclass(frozen=True, repr=False)
class Standing(Brief):
    """Mean losses of m candidates on the same rows, and the covariance of their errors.

    Parameters
    ----------
    loss : array of shape (m,)
        Smaller is better; the metric with its sign turned where greater is better. Infinite when undefined.
    covariance : array of shape (m, m)
        Of the errors of `loss`; only rows and columns of finite losses mean anything.
    df : float
        Degrees of freedom of the Student t law of a difference.
    how : str
        Where the covariance comes from.
    decided_by_few : bool, default False
        Whether up to three rows (or groups) are out of all proportion to the others, so that no law of chance
        describes the errors: a difference that rests on one row lies one standard error from 0 whatever the
        other rows say.
    """

    loss: Floats
    covariance: Floats
    df: float
    how: str
    decided_by_few: bool = False

    def error(self, i: int, j: int) -> float:
        """Return the standard error of ``loss_i - loss_j``, which uses that both are measured on the same
        rows.
        """
        c = self.covariance
        return math.sqrt(max(float(c[i, i] + c[j, j] - 2.0 * c[i, j]), 0.0))

    def errors(self, j: int) -> Floats:
        """Return the standard errors of ``loss_i - loss_j`` for all candidates i."""
        c = self.covariance
        return np.asarray(np.sqrt(np.maximum(np.diag(c) + c[j, j] - 2.0 * c[:, j], 0.0)))

    def beats(self, i: int, j: int, rope: float = 0.0) -> tuple[float, float, float]:
        """P(i better by more than rope), P(they differ by less), P(j better by more than rope).

        ``loss_j - loss_i ~ d + se T_df``: the posterior under flat priors, and the confidence distribution.
        """
        d, se = float(self.loss[j] - self.loss[i]), self.error(i, j)
        if not math.isfinite(d):
            return (math.nan,) * 3
        if se == 0.0:
            return float(d > rope), float(abs(d) <= rope), float(d < -rope)
        wins = float(special.stdtr(self.df, (d - rope) / se))
        loses = float(special.stdtr(self.df, (-d - rope) / se))
        return wins, max(0.0, 1.0 - wins - loses), loses

    def probability_best(self, seed: int = 0, draws: int = DRAWS) -> Floats:
        """Return the share of multivariate-t draws around the mean losses in which each candidate is the
        smallest; NaN where few rows decide.
        """
        out = np.zeros(self.loss.size)
        if self.decided_by_few:
            return np.full(self.loss.size, np.nan)
        alive = np.flatnonzero(np.isfinite(self.loss))
        covariance = self.covariance[np.ix_(alive, alive)]
        if alive.size == 0 or not np.isfinite(covariance).all():
            return np.full(self.loss.size, np.nan)  # one score a candidate: nothing to measure an error with
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        rng = np.random.default_rng(seed)
        for start in range(0, draws, size := max(1, min(draws, 4_000_000 // alive.size))):
            count = min(size, draws - start)
            noise = rng.standard_normal((count, alive.size)) @ root.T
            noise *= np.sqrt(self.df / rng.chisquare(self.df, size=(count, 1)))
            winner = np.argmin(self.loss[alive] + noise, axis=1)
            out[alive] += np.bincount(winner, minlength=alive.size)
        return out / draws


def stand(evaluations: Sequence[CrossEvaluation], metric: str, sign: float) -> Standing:
    """Compare cross-evaluations that share their splits.

    Parameters
    ----------
    evaluations : sequence of CrossEvaluation
        On the same plan.
    metric : str
        One that all of them hold.
    sign : {1, -1}
        1 where smaller is better.
    """
    first = evaluations[0]
    plan, p = first.plan, first.held_out[0]
    loss = sign * np.array([e[metric].value for e in evaluations])
    finite = np.isfinite(loss)
    loss = np.where(finite, loss, np.inf)
    covariance = np.full((loss.size, loss.size), np.nan)
    kept = [e for e, ok in zip(evaluations, finite, strict=True) if ok]
    df, how, few = 1.0, "no finite loss", False
    if kept:
        parts = [e.out_of_fold or e.held_out for e in kept]
        ours = first.ours(metric)
        if ours is not None and (plan.folds is not None or len(plan.splits) == 1):
            tables = (np.stack([row_values(part[r], ours) for part in parts]) for r in range(len(parts[0])))
            found, df, few = row_covariance(tables, parts[0][0].groups, plan.folds)
            covariance[np.ix_(finite, finite)] = found
            unit = "rows" if p.groups is None else "groups"
            how = f"paired {unit}, {widened(plan.folds, unit)}" if plan.folds else f"paired held-out {unit}"
        else:
            scores = np.stack([e.fold_scores(metric) for e in kept])
            covariance[np.ix_(finite, finite)], df = split_covariance(scores, plan)
            how = "paired scores of the splits, corrected resampled t"
    return Standing(loss, covariance, df, how, few)


def stand_losses(losses: Sequence[Floats], scoring: Scoring) -> Standing:
    """Compare algorithms by the losses of rows that they left behind.

    Parameters
    ----------
    losses : sequence of array
        Finite ones, as `scoring` takes them.
    scoring : Scoring
    """
    loss, plan = np.array([scoring.value(one) for one in losses]), scoring.plan
    if plan.folds is None and len(plan.splits) > 1:
        scores = np.stack([scoring.of_splits(one) for one in losses])
        return Standing(loss, *split_covariance(scores, plan), "paired scores of the splits")
    tested = slice(None) if plan.folds is not None else plan.splits[0][1]
    tables = (np.stack([one[r, tested] for one in losses]) for r in range(losses[0].shape[0]))
    covariance, df, few = row_covariance(tables, scoring.like(tested).groups, plan.folds)
    return Standing(loss, covariance, df, "paired rows", few)


def row_values(p: Predictions, metric: str | Metric) -> Floats:
    """Return one number a row whose mean carries the metric (a loss, or minus the value and its
    influence). Where rows have weights, it is the weighted mean and the weighted distance from it.
    """
    m = known(metric)
    rows = m.losses(p)
    if rows is not None:
        return rows if p.weights is None else weighted_rows(rows, p.weights)
    influence: Floats = -(m.value(p) + m.influence(p))  # type: ignore[attr-defined]
    return influence


def weighted_rows(losses: Floats, weights: Floats) -> Floats:
    """Return values whose plain mean is the weighted mean of losses, and whose spread is that of its error.

    Examples
    --------
    >>> weighted_rows(np.array([0.0, 1.0]), np.array([3.0, 1.0]))
    array([-0.125,  0.625])
    """
    if not np.isfinite(losses).all():
        return losses
    mean = np.average(losses, weights=weights)
    return np.asarray(mean + weights / weights.mean() * (losses - mean))


def split_covariance(scores: Floats, plan: Plan) -> tuple[Floats, float]:
    """Return the covariance of the mean scores (m, J) of the splits and its degrees of freedom."""
    splits = scores.shape[1]
    spread = np.cov(scores) if splits > 1 else np.full((scores.shape[0],) * 2, np.nan)
    covariance = np.atleast_2d(spread) * (1.0 / splits + plan.test_over_train)
    return np.asarray(covariance, dtype=np.float64), max(1.0, splits - 1.0)


def row_covariance(
    tables: Iterable[Floats], groups: NDArray[np.intp] | None, folds: int | None
) -> tuple[Floats, float, bool]:
    """Return the covariance of the means of m rows of tables (m, n), one for each repeat, its degrees of
    freedom, and whether few rows decide in more than half of the repeats.
    """
    factor, made, few, n_units = 1.0 if folds is None else folds / (folds - 1.0), [], 0, 1
    for rows in tables:
        codes, n_units = (None, rows.shape[1]) if groups is None else group_codes(groups, rows.shape[1])
        made.append(mean_covariance(rows, codes, n_units))
        few += few_decide(rows, codes)
    return factor * np.asarray(sum(made)) / len(made), max(1.0, n_units - 1.0), 2 * few > len(made)


def few_decide(rows: Floats, codes: NDArray[np.intp] | None = None) -> bool:
    """Return whether up to three rows (or groups) are out of all proportion to the others.

    Either their losses under the best of the m models are, or the differences of another model from it, and
    these are no trifles beside its losses.

    Parameters
    ----------
    rows : array of shape (m, n)
        Losses.
    codes : int array of shape (n,) or None
        The group of each row.

    Examples
    --------
    >>> loss = np.tile([1.0, 0.5, 2.0, 1.0], 9)
    >>> few_decide(np.vstack([loss, loss[::-1]]))
    False
    >>> few_decide(np.vstack([loss[::-1], loss + 1e9 * (np.arange(36) == 7)]))
    True
    """
    means = rows.mean(axis=1)
    if not np.isfinite(means).all():
        return False
    best = rows[int(np.argmin(means))]
    usual = float(np.median(np.abs(best)))
    if far_apart(_distances(best, codes), TIMES**2).size:  # losses are squares of errors, or grow like them
        return True
    apart = (np.maximum(_distances(row - best, codes), usual) for row in rows)
    return any(far_apart(d).size > 0 for d in apart)


def _distances(values: Floats, codes: NDArray[np.intp] | None) -> Floats:
    """Return how far each value, or the sum of each group, lies from their median."""
    unit = values if codes is None else np.bincount(codes, weights=values)
    return np.asarray(np.abs(unit - np.median(unit)))


def mean_covariance(rows: Floats, codes: NDArray[np.intp] | None, n_units: int) -> Floats:
    """Return the covariance of the means of m rows of values, shape (m, n) to (m, m); with groups CR2."""
    n = rows.shape[1]
    if codes is None:
        return np.asarray(np.atleast_2d(np.cov(rows)) / n, dtype=np.float64)
    centred = rows - rows.mean(axis=1, keepdims=True)
    share = np.bincount(codes, minlength=n_units) / n
    sums = np.stack([np.bincount(codes, weights=v, minlength=n_units) for v in centred]).astype(np.float64)
    sums = sums / np.sqrt(np.maximum(1.0 - share, 1e-12))
    return np.asarray(sums @ sums.T / n**2, dtype=np.float64)
