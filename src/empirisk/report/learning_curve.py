"""The learning curve: the chosen model at a sixteenth to all of the training rows, on the same folds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.candidates import Candidate
from empirisk.report.estimates import Scoring
from empirisk.report.folds import Fold, Folds
from empirisk.report.path import fit_path
from empirisk.report.progress import Progress
from empirisk.report.rows import loss_rows
from empirisk.report.sample import Sample
from empirisk.report.tuning import encode_fold
from empirisk.results import Estimate

__all__ = ["LearningCurve", "curve_sizes", "learning_curve"]

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
    """Shares of the rows to fit on, halving from 1 while at least 20 rows (and 5 a class) remain.

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
    make: Callable[[], Any],
    shares: list[float],
    scoring: Scoring,
    progress: Progress,
    seed: int,
    full: tuple[Floats, Floats],
) -> LearningCurve:
    """Fit the chosen candidate on nested parts of each fold's rows.

    The penalty is that of the same prior at every size: ``alpha n/m`` for L2, ``alpha sqrt(n/m)`` with an L1
    part.

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
    for number, fold in enumerate(folds.items):
        rng = np.random.default_rng([seed, number])
        order = _order(sample, fold, rng)
        for i, share in enumerate(shares[:-1]):
            part = Fold(fold.repeat, np.sort(order[: max(2, round(share * order.size))]), fold.score)
            at = alpha * share ** (-0.5 if candidate.l1_ratio else -1.0)
            encoded = encode_fold(sample, part, make())
            path = fit_path(encoded.X, encoded.y, sample.n_classes, float(candidate.l1_ratio or 0.0), [at])
            losses[i, fold.repeat, folds.positions(fold)] = loss_rows(
                encoded.y_new, path.scores(encoded.X_new, 0), sample.task
            )
            train[i, number] = loss_rows(encoded.y, path.scores(encoded.X, 0), sample.task).mean()
            progress.advance(f"{part.fit.size:,} rows")
    rows = float(np.mean([f.fit.size for f in folds.items]))
    return LearningCurve(
        [round(s * rows) for s in shares],
        [scoring.loss(part) for part in losses],
        train.mean(axis=1).tolist(),
        _gain(losses, scoring, sample.n / rows),
        folds.n_repeats,
    )


def _order(sample: Sample, fold: Fold, rng: np.random.Generator) -> NDArray[np.intp]:
    """Rows of a fold in the order in which they are taken: the latest first, or whole units at random."""
    if sample.time is not None:
        return fold.fit[np.argsort(-sample.time[fold.fit], kind="stable")]
    if sample.units is None:
        return rng.permutation(fold.fit)
    _, unit = np.unique(sample.units[fold.fit], return_inverse=True)
    rank = rng.permutation(unit.max() + 1)[unit]
    return fold.fit[np.argsort(rank, kind="stable")]


def _gain(losses: Floats, scoring: Scoring, missing: float) -> Estimate | None:
    """Fall of the loss from the whole training part to twice of it.

    With ``D1`` the fall over the last doubling and ``D0`` over the one before, a power law has
    ``D2 = D1 rho``, ``rho = D1/D0``. The interval only assumes that a doubling never brings more than the one
    before and at least a quarter of it (an excess loss between a constant and ``n^-2``).

    Parameters
    ----------
    losses : array of shape (sizes, repeats, n)
    scoring : Scoring
    missing : float
        Rows of the training part over rows of a fit.
    """
    if losses.shape[0] < 3:
        return None
    last = scoring.difference(losses[-2] - losses[-1])
    if last.low is None or last.high is None:
        return None
    before = float((losses[-3] - losses[-2]).mean())
    steps = 1.0 + math.log2(missing)
    rho = min(1.0, max(0.25, last.value / before)) if before > 0.0 else 1.0
    value = last.value * rho**steps
    low = last.low * 0.25**steps if last.low > 0.0 else last.low
    high = last.high if last.high > 0.0 else last.high * 0.25**steps
    return Estimate(
        value,
        min(low, value),
        max(high, value),
        last.level,
        last.n,
        "power law through the last two doublings; interval assumes that returns diminish",
        target="fall of the loss with twice the training rows",
    )
