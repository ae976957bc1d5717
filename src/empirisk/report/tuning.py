"""Cross-validation of all candidates on the same folds, every penalty of a path at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.candidates import Candidate, alpha_grid
from empirisk.report.encode import feature_origin
from empirisk.report.folds import Fold, Folds
from empirisk.report.path import LinearPath, fit_path
from empirisk.report.progress import Progress
from empirisk.report.reference import reference_scores
from empirisk.report.rows import constant_scores, loss_rows
from empirisk.report.sample import Sample
from empirisk.results import Certificate, Status

__all__ = ["CrossValidated", "Encoded", "cross_validate", "encode_fold"]

Floats = NDArray[np.float64]


@dataclass
class CrossValidated:
    """Out-of-fold losses of one candidate at each of its penalties.

    Parameters
    ----------
    candidate : Candidate
    alphas : array of shape (a,)
        Falling; one NaN for a candidate without a penalty.
    losses : array of shape (repeats, scored rows, a)
    train : array of shape (fits, a)
        Mean loss on the rows that were fitted on; NaN for a candidate without a penalty.
    coefs : list of (names, array of shape (a, p) or (a, p, k))
        One a fit; NaN for a class that the fit did not see.
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
    ends: list[tuple[tuple[Certificate, Status], ...]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def means(self) -> Floats:
        """Cross-validated loss at each penalty."""
        return np.asarray(self.losses.mean(axis=(0, 1)))


@dataclass(frozen=True)
class Encoded:
    """One fold as matrices; the encoder has seen the fitting rows only."""

    X: Any
    y: NDArray[Any]
    X_new: Any
    y_new: NDArray[Any]
    names: list[str]
    sources: list[str]


def encode_fold(sample: Sample, fold: Fold, encoder: Any) -> Encoded:
    """Fit the encoder on the fitting rows of a fold and encode both parts."""
    X = encoder.fit_transform(sample.frame[fold.fit])
    origins = feature_origin(encoder)
    X_new = encoder.transform(sample.frame[fold.score])
    names, sources = [o.name for o in origins], [o.source for o in origins]
    return Encoded(X, sample.y[fold.fit], X_new, sample.y[fold.score], names, sources)


def cross_validate(
    sample: Sample,
    folds: Folds,
    rows: Sequence[Candidate],
    make: Callable[[], Any],
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
        Returns an unfitted encoder.
    n_alphas : int
        Penalties of each path.
    progress : Progress
        Told after every fit.
    seed : int
        Of the reference model.
    """
    grids = _grids(sample, rows, make, n_alphas)
    shape = (folds.n_repeats, folds.scored.size)
    out = [
        CrossValidated(c, g, np.full((*shape, g.size), np.nan), np.zeros((len(folds.items), g.size)))
        for c, g in zip(rows, grids, strict=True)
    ]
    for number, fold in enumerate(folds.items):
        encoded = encode_fold(sample, fold, make())
        at = folds.positions(fold)
        for result in out:
            started = time.perf_counter()
            new, train = _fit_and_score(result, encoded, sample, fold, seed)
            result.losses[fold.repeat, at] = new
            result.train[number] = train
            result.seconds += time.perf_counter() - started
            progress.advance(result.candidate.label)
    return out


def _grids(sample: Sample, rows: Sequence[Candidate], make: Callable[[], Any], size: int) -> list[Floats]:
    """The same penalties in every fold, from all training rows."""
    X = make().fit_transform(sample.frame)
    return [
        alpha_grid(c, X, sample.y, sample.n_classes, size) if c.tuned else np.array([np.nan]) for c in rows
    ]


def _fit_and_score(
    result: CrossValidated, encoded: Encoded, sample: Sample, fold: Fold, seed: int
) -> tuple[Floats, Floats]:
    """Losses of the new rows (rows by penalties) and mean losses of the fitting rows."""
    candidate, k, task = result.candidate, sample.n_classes, sample.task
    if candidate.tuned:
        ratio = float(candidate.l1_ratio or 0.0)
        path = fit_path(encoded.X, encoded.y, k, ratio, result.alphas, family=candidate.family)
        result.coefs.append((encoded.names, path.class_coefs))
        result.ends.append(tuple((s.certificate, s.status) for s in path.solutions))
        return path_losses(path, encoded.X_new, encoded.y_new, task), path_losses(
            path, encoded.X, encoded.y, task
        ).mean(axis=0)
    if candidate.role == "baseline":
        z = constant_scores(encoded.y, k, encoded.y_new.size)
    else:
        z = reference_scores(sample, fold, seed)
    # Only a family that is tuned has a curve that shows its losses in training.
    return loss_rows(encoded.y_new, z, task)[:, None], np.array([np.nan])


def path_losses(path: LinearPath, X: Any, y: NDArray[Any], task: str) -> Floats:
    """Loss of each row at each penalty, shape (n, a)."""
    return np.column_stack([loss_rows(y, path.scores(X, i), task) for i in range(path.alphas.size)])
