"""Cross-validation of all candidates on the same folds, every value of a parameter at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.candidates import Candidate
from empirisk.report.fit_candidate import Encoded, Maker, encode_fold, fit_candidate, parameter_grid
from empirisk.report.folds import Fold, Folds
from empirisk.report.progress import Progress
from empirisk.report.reference import reference_scores
from empirisk.report.rows import constant_scores, loss_rows
from empirisk.report.sample import Sample
from empirisk.results import Certificate, Status

__all__ = ["CrossValidated", "cross_validate"]

Floats = NDArray[np.float64]


@dataclass
class CrossValidated:
    """Out-of-fold losses of one candidate at each value of its parameter.

    Parameters
    ----------
    candidate : Candidate
    alphas : array of shape (a,)
        Values of the parameter, the simplest model first; one NaN for a candidate without one.
    losses : array of shape (repeats, scored rows, a)
    train : array of shape (fits, a)
        Mean loss on the rows that were fitted on; NaN for a candidate without a parameter.
    coefs : list of (names, array of shape (a, p) or (a, p, k))
        One a fit; NaN for a class that the fit did not see.
    sizes : list of list of int
        Numbers that each fit holds at each value (non-zero coefficients, leaves); one list a fit.
    ends : list of tuple of (Certificate, Status)
        How each solve of each fit ended.
    seconds : float
        Spent on fitting.
    """

    candidate: Candidate
    alphas: Floats
    losses: Floats
    train: Floats
    coefs: list[tuple[list[str], Floats]] = field(default_factory=list)
    sizes: list[list[int]] = field(default_factory=list)
    ends: list[tuple[tuple[Certificate, Status], ...]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def means(self) -> Floats:
        """Cross-validated loss at each value."""
        return np.asarray(self.losses.mean(axis=(0, 1)))


def cross_validate(
    sample: Sample,
    folds: Folds,
    rows: Sequence[Candidate],
    make: Maker,
    n_alphas: int,
    progress: Progress,
    seed: int,
) -> list[CrossValidated]:
    """Fit every candidate on every fold.

    Parameters
    ----------
    sample : Sample
        Training rows.
    folds : Folds
    rows : sequence of Candidate
    make : callable
        Returns an unfitted encoder of the kind that a candidate takes.
    n_alphas : int
        Values of each parameter.
    progress : Progress
        Told after every fit.
    seed : int
        Of the draws of forests, and of the reference model.
    """
    grids = [parameter_grid(c, sample, make, n_alphas) for c in rows]
    shape = (folds.n_repeats, folds.scored.size)
    out = [
        CrossValidated(c, g, np.full((*shape, g.size), np.nan), np.zeros((len(folds.items), g.size)))
        for c, g in zip(rows, grids, strict=True)
    ]
    for number, fold in enumerate(folds.items):
        encoded: dict[bool, Encoded] = {}  # one encoding serves all candidates of a kind
        at = folds.positions(fold)
        for result in out:
            grown = bool(result.candidate.grown)
            if grown not in encoded:
                encoded[grown] = encode_fold(sample, fold, result.candidate, make)
            started = time.perf_counter()
            new, train = _fit_and_score(result, encoded[grown], sample, fold, seed)
            result.losses[fold.repeat, at] = new
            result.train[number] = train
            result.seconds += time.perf_counter() - started
            progress.advance(result.candidate.label)
    return out


def _fit_and_score(
    result: CrossValidated, encoded: Encoded, sample: Sample, fold: Fold, seed: int
) -> tuple[Floats, Floats]:
    """Losses of the new rows (rows by values) and mean losses of the fitting rows."""
    candidate, k, task = result.candidate, sample.n_classes, sample.task
    if candidate.fitted:
        path = fit_candidate(candidate, encoded, k, result.alphas, seed)
        result.sizes.append(path.sizes)
        if candidate.linear:
            result.coefs.append((encoded.names, path.class_coefs))
            result.ends.append(tuple((s.certificate, s.status) for s in path.solutions))
        new = path_losses(path, encoded.X_new, encoded.y_new, task)
        return new, path_losses(path, encoded.X, encoded.y, task).mean(axis=0)
    if candidate.role == "baseline":
        z = constant_scores(encoded.y, k, encoded.y_new.size)
    else:
        z = reference_scores(sample, fold, seed)
    # Only a family that is tuned has a curve that shows its losses in training.
    return loss_rows(encoded.y_new, z, task)[:, None], np.array([np.nan])


def path_losses(path: Any, X: Any, y: NDArray[Any], task: str) -> Floats:
    """Loss of each row at each value of the parameter, shape (n, a)."""
    return np.column_stack([loss_rows(y, z, task) for z in path.every(X)])
