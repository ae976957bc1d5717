"""Cross-validation of all candidates on the same folds, every value of a parameter at once, within a time."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.data.side_by_side import threads_of_pieces
from empirisk.evaluation import candidate as evaluation
from empirisk.evaluation import sample as evaluation_rows
from empirisk.evaluation.before import Before
from empirisk.evaluation.fit_folds import Fit, each_fit
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.row_losses import losses_over
from empirisk.report.fit.ahead import Made, made_ahead
from empirisk.report.fit.allowance import Allowance
from empirisk.report.fit.behind import behind
from empirisk.report.fit.candidates import Candidate
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.held import numbers_held
from empirisk.report.fit.level_codes import named
from empirisk.report.fit.recipe import Encoders, origins_of, parameter_grid, recipe_along
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.steps import step_of
from empirisk.report.progress import Stages
from empirisk.results import Certificate, Status

__all__ = ["CrossValidated", "class_coefs", "cross_validate"]

Floats = NDArray[np.float64]
# Metrics that are a multiple of the loss that boosting lowers: half of a square, the log-loss itself.
GROWN_BY = {"mse": 2.0, "log_loss": 1.0}


@dataclass
class CrossValidated:
    """Out-of-fold losses of one candidate at each value of its parameter.

    Parameters
    ----------
    candidate : Candidate
    recipe : empirisk.selection.Candidate
        What was fitted, with the values of the parameter.
    alphas : array of shape (a,)
        Values of the parameter, the simplest model first; one NaN for a candidate without one.
    losses : array of shape (repeats, n, a)
        As :class:`empirisk.evaluation.scoring.Scoring` takes them, for each value.
    train : array of shape (fits, a)
        Mean loss on the rows that were fitted on; NaN for a candidate without a parameter.
    coefs : list of (names, array of shape (a, p) or (a, p, k))
        One a fit; NaN for a class that the fit did not see.
    sizes : list of list of int
        Numbers that each fit holds at each value (in the candidate's unit); one list a fit.
    ends : list of tuple of (Certificate, Status)
        How each solve of each fit ended.
    seconds : float
        Spent on fitting.
    lost : int
        Values of the parameter that the time cut off, those of the richest models.
    """

    candidate: Candidate
    recipe: evaluation.Candidate
    alphas: Floats
    losses: Floats
    train: Floats
    coefs: list[tuple[list[str], Floats]] = field(default_factory=list)
    sizes: list[list[int]] = field(default_factory=list)
    ends: list[tuple[tuple[Certificate, Status], ...]] = field(default_factory=list)
    seconds: float = 0.0
    lost: int = 0

    @property
    def cut_words(self) -> str:
        """Say which values of the parameter the time cut off, "" where it cut none."""
        if not self.lost:
            return ""
        all_, name = self.lost + self.alphas.size, self.candidate.parameter
        return (
            f"{self.lost} of {all_} values of {name} of {self.candidate.label}, those of the richest models"
        )

    def estimator(self, at: int) -> Any:
        """Return the unfitted pipeline at one value of the parameter."""
        if not self.recipe.parameter:
            return self.recipe.estimator
        return clone(self.recipe.estimator).set_params(**{self.recipe.parameter: self.recipe.values[at]})

    def shrink(self, size: int) -> None:
        """Keep the first values alone, when a fit was cut after them."""
        if size >= self.alphas.size:
            return
        self.alphas, self.losses = self.alphas[:size], self.losses[:, :, :size]
        self.train = self.train[:, :size]
        self.coefs = [(names, c[:size]) for names, c in self.coefs]
        self.sizes, self.ends = [n[:size] for n in self.sizes], [e[:size] for e in self.ends]

    def cut(self, folds: Folds, kept: Folds) -> CrossValidated:
        """Return the part that belongs to the first of the splits; a fit that was cut short leaves nothing
        behind.
        """
        done = kept.n_splits
        if done == folds.n_splits:
            return self
        self.losses = self.losses[: kept.n_repeats]
        tested = np.zeros(self.losses.shape[:2], dtype=bool)
        for number, (_, test) in enumerate(kept.plan.splits):
            tested[number // folds.n_folds, test] = True
        self.losses[~tested] = np.nan  # of a fold that the time ended before all candidates were fitted
        self.train, self.coefs = self.train[:done], self.coefs[:done]
        self.sizes, self.ends = self.sizes[:done], self.ends[:done]
        return self


def cross_validate(
    sample: Sample,
    folds: Folds,
    rows: Sequence[Candidate],
    encoders: Encoders,
    metric: RowLoss,
    n_alphas: int,
    progress: Stages,
    seed: int,
    deadline: Deadline | None = None,
    seconds: float = math.inf,
    cheapest: Sequence[Candidate] = (),
    look: bool = False,
    trim: bool = False,
) -> tuple[list[CrossValidated], Folds, dict[str, str], dict[str, str]]:
    """Fit every candidate on every fold, as far as the time goes; challengers that fall behind leave.

    Parameters
    ----------
    sample : Sample
        Training rows.
    folds : Folds
    rows : sequence of Candidate
    encoders : Encoders
        Of the table.
    metric : RowLoss
        Whose losses of rows are kept.
    n_alphas : int
        Values of each parameter.
    progress : Stages
        Told after every fit.
    seed : int
        Of the draws of forests, and of the reference model.
    deadline : Deadline, optional
        What cuts the fits.
    seconds : float
        How long all of this may take.
    cheapest : sequence of Candidate
        The candidates in the order in which they are fitted; as in `rows` by default.
    look : bool
        Whether this is a look of a race: then nobody falls behind, and no losses in training are wanted.
    trim : bool
        Whether the first fold decides how far the values of a parameter go: two beyond its best one.

    Returns
    -------
    results : list of CrossValidated
        In the order of `rows`, without those that had to leave.
    folds : Folds
        Those that were fitted: fewer repeats, or the first folds, when the time was short.
    dropped : dict of str to str
        Labels of the candidates that left for want of time, or of a fit, and why.
    outrun : dict of str to str
        Labels of the challengers that fell behind, and by how much.
    """
    deadline = deadline or Deadline(None)
    end = deadline.left() - seconds
    allowance = Allowance(lambda: math.inf if math.isinf(seconds) else deadline.left(end), folds.n_folds)
    out: dict[str, CrossValidated] = {}
    job = _Job(
        sample, folds, encoders, metric, n_alphas, seed, deadline, allowance, progress, out, trim, not look
    )
    order = list(cheapest or rows)
    done = 0
    together = threads_of_pieces() if math.isinf(seconds) else 1  # an alarm would not end the threads
    for number in range(folds.n_splits):
        if together > 1 and number >= trim and (number - trim) % together == 0:
            job.ahead(range(number, min(number + together, folds.n_splits)), order)
        if number and number % folds.n_folds == 0 and not allowance.shorten(folds.n_folds, ()):
            break
        if 0 < number < folds.n_folds:
            allowance.shorten(folds.n_folds - number, [c.name for c in order if c.role != "baseline"])
        if not job.fold(number, order):
            break
        done = number + 1
        if not look and done <= folds.n_folds and done < folds.n_splits:
            job.race(done)
        if not number:
            progress.forecast(allowance.round * (folds.n_splits - 1))
    kept = folds.first(done)
    results = [
        out[c.name].cut(folds, kept) for c in rows if c.name in out and c.name not in allowance.dropped
    ]
    labels = {c.name: c.label for c in rows}
    dropped = {labels[n]: why for n, why in allowance.dropped.items() if n not in job.outrun}
    return results, kept, dropped, {labels[n]: why for n, why in job.outrun.items()}


@dataclass
class _Job:
    """Everything that the fits of one cross-validation share."""

    sample: Sample
    folds: Folds
    encoders: Encoders
    metric: RowLoss
    n_alphas: int
    seed: int
    deadline: Deadline
    allowance: Allowance
    progress: Stages
    out: dict[str, CrossValidated]
    trim: bool = False
    curve: bool = True  # whether losses in training are wanted, for the curve over the values
    before: Before = field(default_factory=lambda: Before(2))  # one for the grids
    outrun: dict[str, str] = field(default_factory=dict)
    made: dict[tuple[str, int], Made[_Scored]] = field(default_factory=dict)  # ahead, and not yet read

    def ahead(self, numbers: Sequence[int], order: Sequence[Candidate]) -> None:
        """Fit the candidates on several folds side by side."""
        live = [c for c in order if c.name not in self.allowance.dropped]
        for candidate in live:
            if candidate.name not in self.out:
                self.out[candidate.name] = self._empty(candidate)

        def score(candidate: Candidate, number: int, found: list[_Scored], before: Before) -> None:
            self._score(self.out[candidate.name], number, found, before)

        self.made |= made_ahead(live, numbers, score)

    def fold(self, number: int, order: Sequence[Candidate]) -> bool:
        """Fit all candidates on one fold; False when the time is up before the model that must stay."""
        for candidate in order:
            if candidate.name in self.allowance.dropped or self._fits(candidate, number):
                continue
            if number and (candidate.role == "baseline" or candidate.name == self.allowance.kept):
                return False
        fitted = [c for c in order if c.fitted]
        if number == 0 and fitted and not self.allowance.kept:
            self.allowance.again(fitted[0].name)  # nothing else is left that could use the time
            self._fits(fitted[0], 0, 0.5 * self.allowance.left())
        return True

    def race(self, done: int) -> None:
        """Let challengers leave that are behind on the rows of the first splits, all of the first repeat."""
        splits, groups = self.folds.plan.splits[:done], self.sample.groups
        rows = np.concatenate([test for _, test in splits])
        still = [r for name, r in self.out.items() if name not in self.allowance.dropped]
        found = behind(
            [(r.candidate, r.losses[0, rows]) for r in still],
            float(np.mean([train.size for train, _ in splits])),
            None if groups is None else np.unique(groups, return_inverse=True)[1][rows],
            None if self.sample.weights is None else self.sample.weights[rows],
        )
        for name, why in found.items():
            if name != self.allowance.kept:
                self.allowance.drop(name, why)
                self.outrun[name] = why

    def _fits(self, candidate: Candidate, number: int, allowed: float | None = None) -> bool:
        """Fit and score one candidate on one fold; False, and it leaves, when it takes too long.

        A fit that is cut keeps the values of its parameter that it had reached, for all folds.
        """
        name, allowance = candidate.name, self.allowance
        started = time.perf_counter()
        if allowed is None:
            allowed = allowance.later(name) if number else allowance.first(candidate.linear)
        if candidate.role == "baseline" and not number:
            allowed = math.inf
        made = self.made.pop((name, number), None)
        found: list[_Scored] = [] if made is None else made.found
        try:
            with self.deadline.within(allowed):
                if made is not None and made.error is not None:
                    raise made.error
                if not number and made is None:
                    self.out[name] = self._empty(candidate)
                # The losses of all values are made before they are kept: an alarm may ring between any two.
                if made is None:
                    self._score(self.out[name], number, found, self.before)
        except OutOfTime:
            if not found:
                if not number or (candidate.role != "baseline" and name != allowance.kept):
                    allowance.drop(name, f"a fit took more than {max(1.0, allowed):.0f} s")
                return False
        except ValueError as error:
            if not candidate.step and candidate.kind != "bayes":
                raise
            # Columns may vary on all rows and not on those of a fold, where a step, or a law of a class, then
            # has nothing to learn.
            what = "its feature step has" if candidate.step else "the laws of its classes have"
            allowance.drop(name, f"{what} no fit in fold {number + 1} ({error})")
            return True
        result = self.out[name]
        self._keep(result, number, found)
        result.seconds += time.perf_counter() - started if made is None else made.seconds
        if not number and self.trim:
            self._trim(result)
        if not number:
            allowance.told(name, result.seconds, candidate.fitted)
        self.progress.advance(candidate.label)
        return True

    def _trim(self, result: CrossValidated) -> None:
        """Keep of the values of a parameter those up to two beyond the best of the first fold.

        Richer models take most of the time of a path, and the best one of another fold is rarely that far.
        """
        test = self.folds.plan.splits[0][1]
        weights = None if self.sample.weights is None else self.sample.weights[test]
        size = int(np.argmin(np.average(result.losses[0, test], axis=0, weights=weights))) + 3
        if size < result.alphas.size:
            result.shrink(size)
            result.recipe = recipe_along(
                result.candidate, self.encoders.table, list(result.alphas), self.seed, self.encoders
            )

    def _empty(self, candidate: Candidate) -> CrossValidated:
        """Return a candidate with the values of its parameter, before any fit."""
        fewest = min(len(train) for train, _ in self.folds.plan.splits)
        few = fewest < self.sample.n // 3  # of a look at few rows, or of the first block in time
        rows = self.folds.plan.splits[0][0] if few else np.arange(self.sample.n)
        grid = parameter_grid(candidate, self.sample, self.encoders, self.before, self.n_alphas, fewest, rows)
        losses = np.full((self.folds.n_repeats, self.sample.n, grid.size), np.nan)
        recipe = recipe_along(candidate, self.encoders.table, list(grid), self.seed, self.encoders)
        return CrossValidated(candidate, recipe, grid, losses, np.zeros((self.folds.n_splits, grid.size)))

    def _score(self, result: CrossValidated, number: int, found: list[_Scored], before: Before) -> None:
        """Fit a candidate at every value on one split, and note what its models say."""
        plan, rows, candidate = self.folds.plan.only(number), self.sample.dealt, result.candidate
        need = self.metric.needs
        for fit in each_fit(result.recipe, rows, plan, before=before):
            new = losses_over(fit.outputs(need), rows, fit.test, self.metric)
            # Only a family that is tuned has a curve that shows its losses in training.
            inside = self._inside(candidate, fit, rows) if candidate.parameter and self.curve else math.nan
            found.append(_Scored(new, inside, *_held(candidate, fit, self.sample)))

    def _inside(self, candidate: Candidate, fit: Fit, rows: evaluation_rows.Sample) -> float:
        """Return the mean loss of a model on the rows that it was fitted on.

        Boosting has it from its growth, where that is by the loss of the report.
        """
        if candidate.kind == "boosting" and self.metric.name in GROWN_BY:
            return GROWN_BY[self.metric.name] * float(fit.model[-1].train_loss_[-1])
        losses = losses_over(fit.train_outputs(self.metric.needs), rows, fit.train, self.metric)
        return _mean(losses, rows, fit.train)

    def _keep(self, result: CrossValidated, number: int, found: list[_Scored]) -> None:
        """Put what the models of one split said into the table of the candidate."""
        result.lost += max(0, result.alphas.size - len(found))
        result.shrink(len(found))
        found = found[: result.alphas.size]
        repeat = number // self.folds.n_folds
        test = self.folds.plan.splits[number][1]
        result.losses[repeat, test] = np.column_stack([f.new for f in found])
        result.train[number] = [f.inside for f in found]
        if result.candidate.fitted:
            result.sizes.append([f.size for f in found])
        if result.candidate.weighs:
            result.coefs.append((found[0].names, np.stack([f.coef for f in found])))
        if result.candidate.linear or result.candidate.kind in ("kernel", "network"):
            result.ends.append(tuple(f.end for f in found if f.end is not None))


def _mean(losses: Floats, rows: evaluation_rows.Sample, some: NDArray[np.intp]) -> float:
    """Return the mean loss of some rows, weighted where the rows have weights."""
    return float(np.average(losses, weights=None if rows.weights is None else rows.weights[some]))


@dataclass(frozen=True)
class _Scored:
    """What one fitted model leaves behind: losses of new rows, its mean training loss, and its numbers."""

    new: Floats
    inside: float
    size: int
    names: list[str]
    coef: Floats
    end: tuple[Certificate, Status] | None


def _held(
    candidate: Candidate, fit: Fit, sample: Sample
) -> tuple[int, list[str], Floats, tuple[Certificate, Status] | None]:
    """Return how many numbers a model holds; of linear ones also names, coefficients and certificate."""
    model = fit.model[-1]
    has_end = candidate.linear or candidate.kind in ("kernel", "network")
    end = (model.solution_.certificate, model.solution_.status) if has_end else None
    if not candidate.weighs:
        return numbers_held(candidate, model), [], np.empty(0), end
    coef = class_coefs(model, sample.n_classes)
    size = int(np.count_nonzero(np.nan_to_num(coef)))
    origins = named(origins_of(candidate, fit.model[0]), sample.coded[1]) if fit.value == 0 else []
    if candidate.step:
        step, between = step_of(candidate.step), fit.model[1]
        size += step.n_numbers(between)
        coef = step.told(between, coef)[0]
        origins = step.terms(between, origins) if origins else []
    names = [o.name for o in origins]
    return size, names, coef, end


def class_coefs(model: Any, n_classes: int) -> Floats:
    """Return the coefficients of a linear model with a place for every class: NaN for those it did not see.

    Parameters
    ----------
    model : fitted estimator
    n_classes : int
        0 for a regression.

    Returns
    -------
    array of shape (p,), or (p, n_classes) with more than two classes
    """
    coef = np.asarray(model.coef_, dtype=np.float64)
    if n_classes <= 2:
        return coef.reshape(-1)
    if coef.shape[0] == 1:
        coef = np.concatenate([0.0 * coef, coef])
    out = np.full((coef.shape[1], n_classes), np.nan)
    out[:, np.asarray(model.classes_, dtype=np.intp)] = coef.T
    return out
