"""Which penalty and which candidate: the simplest within one standard error of the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.report.estimates import Scoring
from empirisk.report.fit.tuning import CrossValidated
from empirisk.results import Estimate

__all__ = ["Choice", "Row", "choose", "complexity", "one_standard_error"]

Floats = NDArray[np.float64]
DRAWS = 20_000  # the chance of being best has an error of 0.4 % or less


@dataclass(frozen=True)
class Row:
    """One candidate at the penalty that was chosen for it.

    Parameters
    ----------
    result : CrossValidated
    at, lowest : int
        Penalty by the one-standard-error rule, and by the smallest mean loss.
    complexity : int
        Non-zero coefficients or leaves (median over fits); 0 for the baseline.
    score, versus_baseline, versus_best : Estimate or None
        Cross-validated loss and paired differences.
    best_probability : float or None
        Probability of being the best of all rows but the reference.
    """

    result: CrossValidated
    at: int
    lowest: int
    complexity: int
    score: Estimate
    versus_baseline: Estimate | None
    versus_best: Estimate | None
    best_probability: float | None

    @property
    def losses(self) -> Floats:
        """Out-of-fold losses at the chosen penalty, shape (repeats, n)."""
        return self.result.losses[:, :, self.at]


@dataclass(frozen=True)
class Choice:
    """All rows, which one was chosen, and which one the smallest mean would have chosen."""

    rows: tuple[Row, ...]
    chosen: int
    by_minimum: int

    @property
    def row(self) -> Row:
        """The row of the candidate that was chosen."""
        return self.rows[self.chosen]


def one_standard_error(losses: Floats, scoring: Scoring) -> tuple[int, int]:
    """Return the largest penalty whose loss is within one standard error of the smallest, and the smallest's.

    The standard error is that of the paired difference on the same rows, which is what the two penalties
    are compared by.

    Parameters
    ----------
    losses : array of shape (repeats, n, a)
        Penalties fall along the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(1, 50))
    >>> one_standard_error(np.stack([rows + 1.0, rows + 0.01, rows], axis=2), Scoring(5, 0.95))
    (2, 2)
    """
    lowest = int(np.argmin(losses.mean(axis=(0, 1))))
    for i in range(lowest):
        extra = losses[:, :, i] - losses[:, :, lowest]
        if extra.mean() <= scoring.standard_error(extra):
            return i, lowest
    return lowest, lowest


def complexity(result: CrossValidated, at: int) -> int:
    """Return the median over the fits of the numbers that a fit holds: non-zero coefficients, or leaves."""
    return int(np.median([sizes[at] for sizes in result.sizes])) if result.sizes else 0


def choose(results: list[CrossValidated], scoring: Scoring, seed: int) -> Choice:
    """Choose a penalty for each candidate, then a candidate.

    A candidate is eligible when its loss is within one standard error (of the paired difference) of the
    smallest loss of any candidate at any value; the one that holds the fewest numbers (non-zero
    coefficients, or leaves) is chosen.
    The reference takes no part.
    """
    picks = [one_standard_error(r.losses, scoring) for r in results]
    own = [i for i, r in enumerate(results) if r.candidate.role != "reference"]
    best = min(own, key=lambda i: results[i].means[picks[i][1]])
    floor = results[best].losses[:, :, picks[best][1]]
    sizes = [complexity(r, at) for r, (at, _) in zip(results, picks, strict=True)]
    eligible = [i for i in own if _close(results[i].losses[:, :, picks[i][0]] - floor, scoring)]
    chosen = min(eligible, key=lambda i: (sizes[i], results[i].means[picks[i][0]]))
    shown = [r.losses[:, :, at] for r, (at, _) in zip(results, picks, strict=True)]
    top = min(own, key=lambda i: shown[i].mean())
    chances = dict(zip(own, _best_probability([shown[i] for i in own], scoring, seed), strict=True))
    rows = tuple(
        Row(
            r,
            *picks[i],
            sizes[i],
            scoring.loss(shown[i]),
            scoring.difference(shown[i] - shown[0]) if i else None,
            scoring.difference(shown[i] - shown[top]) if i != top else None,
            chances.get(i),
        )
        for i, r in enumerate(results)
    )
    return Choice(rows, chosen, best)


def _close(extra: Floats, scoring: Scoring) -> bool:
    return bool(extra.mean() <= scoring.standard_error(extra) or not extra.any())


def _best_probability(losses: list[Floats], scoring: Scoring, seed: int) -> list[float]:
    """Return the share of normal draws, with the moments of the mean losses, in which each is the
    smallest.
    """
    table = np.stack([rows.mean(axis=0) for rows in losses], axis=1)
    n = table.shape[0]
    if n < 3:
        return [1.0 / len(losses)] * len(losses)
    if scoring.groups is not None:
        codes = np.unique(scoring.groups, return_inverse=True)[1]
        sums = np.zeros((codes.max() + 1, table.shape[1]))
        np.add.at(sums, codes, table - table.mean(axis=0))
        covariance = sums.T @ sums / n**2
    else:
        covariance = np.cov(table, rowvar=False) / n
    covariance = np.atleast_2d(covariance) * scoring.folds / (scoring.folds - 1.0)
    rng = np.random.default_rng(seed)
    values, axes = np.linalg.eigh(covariance)  # rounding may leave eigenvalues a little below 0
    spread = axes * np.sqrt(np.clip(values, 0.0, None))
    draws = table.mean(axis=0) + rng.standard_normal((DRAWS, values.size)) @ spread.T
    return [float(s) for s in np.bincount(np.argmin(draws, axis=1), minlength=len(losses)) / DRAWS]
