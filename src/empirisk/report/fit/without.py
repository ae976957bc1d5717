"""Suspected leaks: the cross-validated score with and without a column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.report.estimates import Scoring
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.fit_candidate import Maker, encode_fold, fit_candidate
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.rows import loss_rows
from empirisk.report.fit.sample import Sample
from empirisk.report.progress import Progress
from empirisk.results import Estimate

__all__ = ["without_column"]


def without_column(
    sample: Sample,
    folds: Folds,
    candidate: Candidate,
    alpha: float,
    make: Maker,
    column: str,
    losses: NDArray[np.float64],
    scoring: Scoring,
    progress: Progress,
    seed: int,
) -> tuple[Estimate, Estimate] | None:
    """Return the loss without a column, and how much it rises by leaving the column out.

    Parameters
    ----------
    sample, folds, candidate, alpha, make, scoring, progress, seed
        As in the cross-validation.
    column : str
        The suspect.
    losses : array of shape (repeats, n)
        Out-of-fold losses with the column.

    Returns
    -------
    (Estimate, Estimate) or None
        None when there is no other column.
    """
    bare = np.empty_like(losses)
    for fold in folds.items:
        encoded = encode_fold(sample, fold, candidate, make).without(column)
        if encoded is None:
            return None
        path = fit_candidate(candidate, encoded, sample.n_classes, [alpha], seed)
        z = path.scores(encoded.X_new, 0)
        bare[fold.repeat, folds.positions(fold)] = loss_rows(encoded.y_new, z, sample.task)
        progress.advance(column)
    return scoring.loss(bare), scoring.difference(bare - losses)
