"""Suspected leaks: the cross-validated score with and without a column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.candidates import Candidate
from empirisk.report.estimates import Scoring
from empirisk.report.folds import Folds
from empirisk.report.path import fit_path
from empirisk.report.progress import Progress
from empirisk.report.rows import loss_rows
from empirisk.report.sample import Sample
from empirisk.report.tuning import encode_fold
from empirisk.results import Estimate

__all__ = ["without_column"]


def without_column(
    sample: Sample,
    folds: Folds,
    candidate: Candidate,
    alpha: float,
    make: Callable[[], Any],
    column: str,
    losses: NDArray[np.float64],
    scoring: Scoring,
    progress: Progress,
) -> tuple[Estimate, Estimate] | None:
    """Return the loss without a column, and how much it rises by leaving the column out.

    Parameters
    ----------
    sample, folds, candidate, alpha, make, scoring, progress
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
        encoded = encode_fold(sample, fold, make())
        keep = np.flatnonzero([s != column for s in encoded.sources])
        if keep.size == 0:
            return None
        ratio = float(candidate.l1_ratio or 0.0)
        path = fit_path(
            encoded.X[:, keep], encoded.y, sample.n_classes, ratio, [alpha], family=candidate.family
        )
        z = path.scores(encoded.X_new[:, keep], 0)
        bare[fold.repeat, folds.positions(fold)] = loss_rows(encoded.y_new, z, sample.task)
        progress.advance(column)
    return scoring.loss(bare), scoring.difference(bare - losses)
