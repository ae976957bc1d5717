"""The learning curve: the chosen model at a sixteenth to all of the training rows, on the same folds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.curves.diminishing import range_of_factors
from empirisk.report.estimates import Scoring
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.fit_candidate import Maker, encode_fold, fit_candidate
from empirisk.report.fit.folds import Fold, Folds
from empirisk.report.fit.rows import loss_rows
from empirisk.report.fit.sample import Sample
from empirisk.report.progress import Progress
from empirisk.results import Estimate

__all__ = ["LearningCurve", "curve_fits", "curve_sizes", "learning_curve"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LearningCurve:
    """Scores at growing numbers of training rows.

    Parameters
    ----------
    sizes : list of int
        Training rows (mean over folds), increasing; each is about twice the one before.
    validation : list of Estimate
        Cross-validated loss at each size.
    train : list of float
        Mean loss on the rows that were fitted on.
    gain : Estimate or None
        Fall of the loss that twice the training part would bring; None when it cannot be told.
    n_repeats : int
    """

    sizes: list[int]
    validation: list[Estimate]
    train: list[float]
    gain: Estimate | None
    n_repeats: int


def curve_sizes(n: int, n_classes: int, most: int = 5) -> list[float]:
    """Return the shares of the rows to fit on, halving from 1 while at least 20 rows (and 5 a class)
    remain.

    Examples
    --------
    >>> curve_sizes(1000, 2)
    [0.0625, 0.125, 0.25, 0.5, 1.0]
    >>> curve_sizes(30, 2)
    [1.0]
    """
    least = max(20, 5 * n_classes)
    return [0.5**j for j in range(most) if n * 0.5**j >= least][::-1]


def learning_curve(
    sample: Sample,
    folds: Folds,
    candidate: Candidate,
    alpha: float,
    make: Maker,
    shares: list[float],
    scoring: Scoring,
    progress: Progress,
    seed: int,
    full: tuple[Floats, Floats],
) -> LearningCurve:
    """Fit the chosen candidate on nested parts of each fold's rows.

    The parameter means the same at every size (:meth:`empirisk.report.fit.candidates.Candidate.at_share`).

    Parameters
    ----------
    sample, folds, candidate, alpha, make, scoring, progress, seed
        As in the cross-validation.
    shares : list of float
        Increasing, the last is 1.
    full : (array of shape (repeats, n), array of shape (fits,))
        Out-of-fold losses and mean training losses at share 1, which the cross-validation already has.
    """
    losses = np.empty((len(shares), *full[0].shape))
    train = np.empty((len(shares), len(folds.items)))
    losses[-1], train[-1] = full
    second = losses[-2].copy()
    for number, fold in enumerate(folds.items):
        order = _order(sample, fold, np.random.default_rng([seed, number]))
        for i, chosen, store in _subsets(order, shares, losses, None if sample.time is not None else second):
            part = Fold(fold.repeat, np.sort(chosen), fold.score)
            encoded = encode_fold(sample, part, candidate, make)
            at = candidate.at_share(alpha, shares[i])
            path = fit_candidate(candidate, encoded, sample.n_classes, [at], seed)
            store[fold.repeat, folds.positions(fold)] = loss_rows(
                encoded.y_new, path.scores(encoded.X_new, 0), sample.task
            )
            if store is not second:
                train[i, number] = loss_rows(encoded.y, path.scores(encoded.X, 0), sample.task).mean()
            progress.advance(f"{part.fit.size:,} rows")
    halves = losses[-2] if sample.time is not None else 0.5 * (losses[-2] + second)
    rows = float(np.mean([f.fit.size for f in folds.items]))
    return LearningCurve(
        [round(s * rows) for s in shares],
        [scoring.loss(part) for part in losses],
        train.mean(axis=1).tolist(),
        _gain(losses, halves, scoring, sample.n / rows),
        folds.n_repeats,
    )


def curve_fits(n_shares: int, in_time: bool) -> int:
    """Return the fits in each fold: one for each smaller size, and one for the other half."""
    return n_shares - 1 + (not in_time)


def _subsets(
    order: NDArray[np.intp], shares: list[float], losses: Floats, second: Floats | None
) -> list[tuple[int, NDArray[np.intp], Floats]]:
    """Return the position of the size, rows to fit, and where the losses go; the other half goes to
    `second`.
    """
    sizes = [max(2, round(share * order.size)) for share in shares[:-1]]
    out = [(i, order[:size], losses[i]) for i, size in enumerate(sizes)]
    if second is not None:
        out.append((len(sizes) - 1, order[order.size - sizes[-1] :], second))
    return out


def _order(sample: Sample, fold: Fold, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the rows of a fold in the order in which they are taken: the latest first, or whole units at
    random.
    """
    if sample.time is not None:
        return fold.fit[np.argsort(-sample.time[fold.fit], kind="stable")]
    if sample.units is None:
        return rng.permutation(fold.fit)
    _, unit = np.unique(sample.units[fold.fit], return_inverse=True)
    rank = rng.permutation(unit.max() + 1)[unit]
    return fold.fit[np.argsort(rank, kind="stable")]


def _gain(losses: Floats, halves: Floats, scoring: Scoring, missing: float) -> Estimate | None:
    """Fall of the loss from all rows to twice as many, by the bracket of learning curves.

    Parameters
    ----------
    losses : array of shape (sizes, repeats, n)
    halves : array of shape (repeats, n)
        Losses after half of the training part, averaged over its two halves.
    scoring : Scoring
    missing : float
        Rows of the training part over rows of a fit.
    """
    if losses.shape[0] < 3:
        return None
    last = scoring.difference(halves - losses[-1])
    if last.low is None or last.high is None:
        return None
    slow, fast = range_of_factors((0.5, 1.0), (missing, 2.0 * missing))
    before = float((losses[-3] - losses[-2]).mean())
    rho = min(1.0, max(0.0, last.value / before)) if before > 0.0 else 1.0
    gamma = min(fast, max(slow, rho ** (1.0 + math.log2(missing))))
    return Estimate(
        last.value * gamma,
        min(slow * last.low, fast * last.low),
        max(slow * last.high, fast * last.high),
        last.level,
        last.n,
        "bracket from the last doubling: returns diminish, no faster than rows^-3/2",
        target="fall of the loss with twice the training rows",
    )
