"""Cross-validation of all candidates on the same folds, every value of a parameter at once."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.report.fit.allowance import Allowance
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.fit_candidate import Encoded, Maker, encode_fold, fit_candidate, parameter_grid
from empirisk.report.fit.folds import Fold, Folds
from empirisk.report.fit.reference import reference_scores
from empirisk.report.fit.rows import constant_scores, loss_rows
from empirisk.report.fit.sample import Sample
from empirisk.report.progress import Progress
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
        """The cross-validated loss at each value, the mean over all folds and repeats."""
        return np.asarray(self.losses.mean(axis=(0, 1)))

    def shrink(self, size: int) -> None:
        """Keep the first values alone, when a fit was cut after them."""
        if size >= self.alphas.size:
            return
        self.alphas, self.losses = self.alphas[:size], self.losses[:, :, :size]
        self.train = self.train[:, :size]
        self.coefs = [(names, c[:size]) for names, c in self.coefs]
        self.sizes, self.ends = [n[:size] for n in self.sizes], [e[:size] for e in self.ends]

    def cut(self, folds: Folds, kept: Folds) -> CrossValidated:
        """Return the part that belongs to the first of the folds; a fit that was cut short leaves nothing
        behind.
        """
        done = len(kept.items)
        if done == len(folds.items):
            return self
        at = np.searchsorted(folds.scored, kept.scored)
        self.losses = self.losses[: kept.n_repeats, at]
        self.train, self.coefs = self.train[:done], self.coefs[:done]
        self.sizes, self.ends = self.sizes[:done], self.ends[:done]
        return self


def cross_validate(
    sample: Sample,
    folds: Folds,
    rows: Sequence[Candidate],
    make: Maker,
    n_alphas: int,
    progress: Progress,
    seed: int,
    deadline: Deadline | None = None,
    seconds: float = math.inf,
    cheapest: Sequence[Candidate] = (),
) -> tuple[list[CrossValidated], Folds, dict[str, str]]:
    """Fit every candidate on every fold, as far as the time goes.

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
    deadline : Deadline, optional
        What cuts the fits.
    seconds : float
        How long all of this may take.
    cheapest : sequence of Candidate
        The candidates in the order in which they are fitted; as in `rows` by default.

    Returns
    -------
    results : list of CrossValidated
        In the order of `rows`, without those that had to leave.
    folds : Folds
        Those that were fitted: fewer repeats, or the first folds, when the time was short.
    dropped : dict of str to str
        Labels of the candidates that left, and why.
    """
    deadline = deadline or Deadline(None)
    end = deadline.left() - seconds
    allowance = Allowance(lambda: math.inf if math.isinf(seconds) else deadline.left(end), folds.n_folds)
    shape = (folds.n_repeats, folds.scored.size)
    out: dict[str, CrossValidated] = {}
    job = _Job(sample, folds, make, n_alphas, seed, deadline, allowance, progress, out, shape)
    order = list(cheapest or rows)
    done = 0
    for number in range(len(folds.items)):
        if number and number % folds.n_folds == 0 and not allowance.shorten(folds.n_folds, ()):
            break
        if 0 < number < folds.n_folds:
            allowance.shorten(folds.n_folds - number, [c.name for c in order if c.role != "baseline"])
        if not job.fold(number, order):
            break
        done = number + 1
        if not number:
            progress.forecast(allowance.round * (len(folds.items) - 1))
    kept = folds.first(done)
    results = [
        out[c.name].cut(folds, kept) for c in rows if c.name in out and c.name not in allowance.dropped
    ]
    labels = {c.name: c.label for c in rows}
    return results, kept, {labels[name]: why for name, why in allowance.dropped.items()}


@dataclass
class _Job:
    """Everything that the fits of one cross-validation share."""

    sample: Sample
    folds: Folds
    make: Maker
    n_alphas: int
    seed: int
    deadline: Deadline
    allowance: Allowance
    progress: Progress
    out: dict[str, CrossValidated]
    shape: tuple[int, int]

    def fold(self, number: int, order: Sequence[Candidate]) -> bool:
        """Fit all candidates on one fold; False when the time is up before the model that must stay."""
        encoded: dict[bool, Encoded] = {}  # one encoding serves all candidates of a kind
        for candidate in order:
            if candidate.name in self.allowance.dropped or self._fits(candidate, number, encoded):
                continue
            if number and (candidate.role == "baseline" or candidate.name == self.allowance.kept):
                return False
        fitted = [c for c in order if c.fitted]
        if number == 0 and fitted and not self.allowance.kept:
            self.allowance.again(fitted[0].name)  # nothing else is left that could use the time
            self._fits(fitted[0], 0, encoded, 0.5 * self.allowance.left())
        return True

    def _fits(
        self, candidate: Candidate, number: int, encoded: dict[bool, Encoded], allowed: float | None = None
    ) -> bool:
        """Fit and score one candidate on one fold; False, and it leaves, when it takes too long."""
        name, fold, allowance = candidate.name, self.folds.items[number], self.allowance
        started = time.perf_counter()
        if allowed is None:
            allowed = allowance.later(name) if number else allowance.first(candidate.linear)
        if candidate.role == "baseline" and not number:
            allowed = math.inf
        try:
            with self.deadline.within(allowed):
                if not number:
                    self.out[name] = self._empty(candidate)
                result, grown = self.out[name], bool(candidate.grown)
                if grown not in encoded:
                    encoded[grown] = encode_fold(self.sample, fold, candidate, self.make)
                path = _fit(result, encoded[grown], self.sample, fold, self.seed)
            with self.deadline.within(max(1.0, allowed)):
                new, train = _scores(result, path, encoded[grown], self.sample)
        except OutOfTime:
            if not number or (candidate.role != "baseline" and name != allowance.kept):
                allowance.drop(name, f"a fit took more than {max(1.0, allowed):.0f} s")
            return False
        result.shrink(new.shape[1])
        result.losses[fold.repeat, self.folds.positions(fold)] = new[:, : result.alphas.size]
        result.train[number] = train[: result.alphas.size]
        result.seconds += time.perf_counter() - started
        if not number:
            allowance.told(name, result.seconds, candidate.fitted)
        self.progress.advance(candidate.label)
        return True

    def _empty(self, candidate: Candidate) -> CrossValidated:
        """Return a candidate with the values of its parameter, before any fit."""
        grid = parameter_grid(candidate, self.sample, self.make, self.n_alphas)
        losses = np.full((*self.shape, grid.size), np.nan)
        return CrossValidated(candidate, grid, losses, np.zeros((len(self.folds.items), grid.size)))


def _fit(result: CrossValidated, encoded: Encoded, sample: Sample, fold: Fold, seed: int) -> Any:
    """Return a fitted path; the scores of the new rows for the baseline and the reference."""
    candidate = result.candidate
    if candidate.fitted:
        return fit_candidate(candidate, encoded, sample.n_classes, result.alphas, seed)
    if candidate.role == "baseline":
        return constant_scores(encoded.y, sample.n_classes, encoded.y_new.size)
    return reference_scores(sample, fold, seed)


def _scores(result: CrossValidated, path: Any, encoded: Encoded, sample: Sample) -> tuple[Floats, Floats]:
    """Return the losses of the new rows (rows by values) and mean losses of the fitting rows."""
    if not result.candidate.fitted:
        # Only a family that is tuned has a curve that shows its losses in training.
        return loss_rows(encoded.y_new, path, sample.task)[:, None], np.array([np.nan])
    new = path_losses(path, encoded.X_new, encoded.y_new, sample.task)
    train = path_losses(path, encoded.X, encoded.y, sample.task).mean(axis=0)
    result.sizes.append(path.sizes)
    if result.candidate.linear:
        result.coefs.append((encoded.names, path.class_coefs))
        result.ends.append(tuple((s.certificate, s.status) for s in path.solutions))
    return new, train


def path_losses(path: Any, X: Any, y: NDArray[Any], task: str) -> Floats:
    """Return the loss of each row at each value of the parameter, shape (n, a)."""
    return np.column_stack([loss_rows(y, z, task) for z in path.every(X)])
