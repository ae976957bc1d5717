"""What every finding sees: the model, the rows, their out-of-fold losses, and more fits on request.

A finding is a function of a :class:`Context` that returns an :class:`empirisk.diagnosis.answer.Answer`; it
raises :class:`empirisk.diagnosis.answer.NotRun` with a sentence when it does not apply.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.data.brief import Brief
from empirisk.diagnosis.answer import Answer, NotRun
from empirisk.diagnosis.counted import constant_means, constant_shares, told_apart
from empirisk.diagnosis.identical import copied_rows, identical_rows, with_target
from empirisk.diagnosis.paired import FACTOR, Paired, paired
from empirisk.evaluation.fit_folds import Fitted, assemble, fit_folds
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics import Predictions
from empirisk.evaluation.metrics.predictions import REGRESSION
from empirisk.evaluation.metrics.probabilities import brier_losses, log_losses
from empirisk.evaluation.outputs import model_name, unpenalised
from empirisk.evaluation.proba_kinds import may_answer_zero
from empirisk.evaluation.ratio import weighted
from empirisk.evaluation.sample import Sample
from empirisk.results import Estimate

__all__ = ["Context", "Finder"]

SCORED = 2000  # rows that an alternative is scored on when there are many
TARGET = "the loss that the next step saves, as a share of the baseline's"


@dataclass(frozen=True, eq=False, repr=False)
class Context(Brief):
    """One model on one sample, with everything that findings share.

    Parameters
    ----------
    est : estimator
        The user's; never fitted or changed here, only cloned.
    X : array, sparse matrix or data frame of shape (n, p)
        Rows, as given.
    y : array of shape (n,)
        Targets, as given to ``fit``.
    classes : array or None
        Labels; None for regression.
    plan : Plan
        One repeat of K folds.
    oof : Predictions
        Out-of-fold predictions of all n rows (``oof.y`` holds class codes or numbers).
    groups : int array of shape (n,) or None
        Which rows belong together.
    time : array of shape (n,) or None
        When each row was measured; None means the order of the rows.
    X_test, y_test
        Later rows, or None.
    columns : tuple of str
        Names of the columns of X.
    margin_share : float, default 0.02
        Smallest gain that matters, as a share of the baseline's risk.
    level : float, default 0.05
        Bound on false alarms.
    seed : int
        Where a finding needs random numbers: ``np.random.default_rng(ctx.seed)``.
    fit_seconds : float
        Mean time of one fold fit.
    solutions : tuple of Solution or None
        What our estimators said about their optimum in each fold; empty when the folds were taken over.
    replicates : int array of shape (n,) or None
        Rows with one number were declared to be repeated measurements; None when nothing was declared.
    weights, exposure, offset : arrays of shape (n,) or None
        What each row counts, its exposure, and a known part of its score: every fit gets them.
    """

    est: Any
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    plan: Plan
    oof: Predictions
    groups: NDArray[np.intp] | None = None
    time: NDArray[Any] | None = None
    X_test: Any = None
    y_test: NDArray[Any] | None = None
    columns: tuple[str, ...] = ()
    margin_share: float = 0.02
    level: float = 0.05
    seed: int = 0
    fit_seconds: float = 0.0
    solutions: tuple[Any, ...] = ()
    replicates: NDArray[Any] | None = None
    weights: Floats | None = None
    exposure: Floats | None = None
    offset: Floats | None = None
    counts: dict[str, int] = field(default_factory=lambda: {"fits": 0})
    cache: dict[Any, Any] = field(default_factory=dict)

    # -- the sample ---------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of rows that the diagnosis sees."""
        return int(self.y.size)

    @property
    def task(self) -> str:
        """What is predicted: "binary", "multiclass" or "regression" (a number)."""
        return "regression" if self.classes is None else "binary" if self.classes.size == 2 else "multiclass"

    @property
    def rarest(self) -> int | None:
        """Rows of the rarest class (None for regression)."""
        return None if self.classes is None else int(self.oof.class_counts[: self.classes.size].min())

    @property
    def name(self) -> str:
        """What sentences call the model: the name of its class."""
        return model_name(self.est)

    @property
    def n_fits(self) -> int:
        """Models fitted so far, beyond the fold fits of `est`."""
        return self.counts["fits"]

    @cached_property
    def fold(self) -> NDArray[np.intp]:
        """The fold in which each row is tested, shape (n,)."""
        out = np.empty(self.n, dtype=np.intp)
        for k, (_, test) in enumerate(self.plan.splits):
            out[test] = k
        return out

    @cached_property
    def equal_rows(self) -> NDArray[Any]:
        """A number for each row, the same for rows that agree in all columns, shape (n,)."""
        return told_apart(identical_rows(self.X), self.sample)

    @cached_property
    def copies(self) -> NDArray[Any]:
        """A number for each row, the same for copies of a row: equal in all columns and in the target.

        Where so few different rows are possible that chance makes them equal, every row has its own.
        """
        return copied_rows(self.X, self.y, with_target(self.equal_rows, self.y))

    @property
    def rates(self) -> bool:
        """Whether rows have exposures or offsets: their means differ before any column is read."""
        return self.exposure is not None or self.offset is not None

    @property
    def carried(self) -> str:
        """What rows carry beside their columns, for a title; empty where they carry nothing."""
        held = {"weighted": self.weights, "with exposures": self.exposure, "with offsets": self.offset}
        return ", ".join(word for word, values in held.items() if values is not None)

    def count_rows_once(self, what: str) -> None:
        """Raise NotRun where rows have weights: `what`, which counts every row once, does not apply then."""
        if self.weights is not None:
            raise NotRun(f"the rows have weights, and {what} counts every row once")

    def mean(self, values: Floats) -> float:
        """Return the mean of one number a row, weighted where the rows have weights."""
        return weighted(values, self.weights)

    # -- losses -------------------------------------------------------------------------------------

    @cached_property
    def loss_name(self) -> str:
        """The proper loss: squared error, log loss, or the Brier score where that can be infinite.

        It can for kinds of models that may answer with probability 0 (trees, forests, votes).
        """
        if self.oof.task == REGRESSION:
            if np.ptp(self.oof.y) == 0.0:
                raise NotRun("the target is constant, so that the mean has no error and nothing can improve")
            return "squared error"
        why = self.oof.why_missing("proba")
        if why:
            raise NotRun(
                f"{why}, and only probabilities have a loss that compares models fairly; wrap the model in "
                "sklearn.calibration.CalibratedClassifierCV"
            )
        finite = not may_answer_zero(self.est) and np.isfinite(log_losses(self.oof)).all()
        return "log loss" if finite else "Brier score"

    @property
    def output(self) -> Floats:
        """Out-of-fold numbers (n,) or probabilities (n, C) of the model; NotRun without probabilities."""
        if self.loss_name == "squared error":
            return self.oof.output("pred")
        return self.oof.output("proba")

    @cached_property
    def losses(self) -> Floats:
        """Out-of-fold loss of the model on each row, shape (n,); NotRun when it has none."""
        return self.row_losses(self.oof)

    @cached_property
    def baseline(self) -> Floats:
        """Out-of-fold output of the baseline: mean, shape (n,), or class frequencies, shape (n, C).

        With exposures it is the rate times the exposure of the row.  Half a row is added to each class, so
        that a class absent from a training fold has no probability 0.
        """
        if self.classes is not None:
            return constant_shares(self.oof.y, self.classes.size, self.plan.splits, self.weights)
        out, fits = constant_means(self.sample, self.plan.splits, self.est)
        self.counts["fits"] += fits
        return out

    @cached_property
    def baseline_losses(self) -> Floats:
        """Out-of-fold loss of the baseline on each row, shape (n,)."""
        return self.losses_of(self.baseline)

    @cached_property
    def baseline_risk(self) -> float:
        """R0, the unit in which effects are shown."""
        return self.mean(self.baseline_losses)

    @property
    def margin(self) -> float:
        """Smallest gain that matters, in units of the loss."""
        return self.margin_share * self.baseline_risk

    def losses_of(self, output: Floats, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the loss of predicted numbers (n,) or probabilities (n, C) on all rows, or on `rows`."""
        y = self.oof.y if rows is None else self.oof.y[rows]
        if self.classes is None:
            return np.asarray((y - output) ** 2)
        p = Predictions(self.oof.task, y, None, proba=output, classes=self.classes)
        return self.row_losses(p, rows)

    def row_losses(self, p: Predictions, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the loss of each row: squared error, log loss or Brier score (see `loss_name`).

        Under the log loss a probability of 0 for what occurred is replaced by 1/n of the baseline's, so that
        an alternative pays for it but not infinitely.
        """
        name = self.loss_name
        if self.classes is None:
            return np.asarray((p.y - p.output("pred")) ** 2)
        if name == "Brier score":
            return brier_losses(p)
        losses = log_losses(p)
        infinite = np.flatnonzero(~np.isfinite(losses))
        if infinite.size:
            at = infinite if rows is None else rows[infinite]
            losses[infinite] = -np.log(self.baseline[at, p.y[infinite]] / self.n)
        return losses

    # -- comparisons --------------------------------------------------------------------------------

    @cached_property
    def scored(self) -> NDArray[np.intp]:
        """Rows on which refitted alternatives are scored: all, or those of the first folds that hold 2000."""
        sizes = np.cumsum([test.size for _, test in self.plan.splits])
        used = int(np.searchsorted(sizes, min(self.n, SCORED))) + 1
        return np.sort(np.concatenate([test for _, test in self.plan.splits[:used]]))

    def compare(
        self, alternative: Floats, margin: float | None = None, *, model: Floats | None = None, **options: Any
    ) -> Paired:
        """Paired comparison of the model (or of the losses `model`) with an alternative.

        Parameters
        ----------
        alternative : array of shape (n,) or (len(scored),)
            Its row losses, on all rows or on `scored`.
        margin : float, optional
            Smallest gain that matters, in units of the loss; `self.margin` by default.
        model : array of shape (n,) or (len(scored),), optional
            Losses to compare with; those of the model by default.
        **options
            Passed to :func:`empirisk.diagnosis.paired.paired`.
        """
        rows = slice(None) if alternative.size == self.n else self.scored
        a = self.losses if model is None else model
        a = a if a.size == alternative.size else a[rows]
        groups = None if self.groups is None else self.groups[rows]
        options.setdefault("interval_factor", self.interval_factor)
        options.setdefault("weights", None if self.weights is None else self.weights[rows])
        limit = self.margin if margin is None else margin
        return paired(a, alternative, limit, groups, rarest=self.rarest, **options)

    def share(self, d: Paired) -> Estimate:
        """Return the gain of a comparison as a share of the baseline's risk, with its 95 % interval."""
        r0, reason = self.baseline_risk, d.refused
        low, high = (None, None) if reason else (d.low / r0, d.high / r0)
        method = "paired out-of-fold losses"
        return Estimate(d.gain / r0, low, high, 0.95, d.n, method, reason, TARGET)

    def saved(self, d: Paired) -> Estimate:
        """Return the share of the baseline's loss that the model saves, ``1 - r/r0``, with its 95 %
        interval.

        The ratio of two positive means has its interval on the scale of its logarithm, from ``l_i/r -
        l0_i/r0``, so that no end of it is below 0 and no share saved is above 100 %.
        """
        r, r0 = self.mean(self.losses), self.baseline_risk
        share = 1.0 - r / r0
        plain = self.share(d)
        if d.refused or r <= 0.0:
            high = None if plain.high is None else min(1.0, plain.high)
            return replace(plain, value=share, high=high)
        zero = np.zeros(self.n)
        both = self.compare(zero, 0.0, model=self.losses / r - self.baseline_losses / r0)
        half = 0.5 * (both.high - both.low)
        low, high = (1.0 - math.exp(math.log(r / r0) + side) for side in (half, -half))
        return replace(plain, value=share, low=low, high=high)

    @cached_property
    def interval_factor(self) -> float:
        """1.25; 1.5 where a training row changes many losses (1-NN, unpruned trees, unpenalised fits)."""
        last = self.est.steps[-1][1] if hasattr(self.est, "steps") else self.est
        params = last.get_params(deep=False) if hasattr(last, "get_params") else {}
        unpruned = type(last).__name__.startswith(("DecisionTree", "ExtraTree")) and (
            params.get("max_depth") is None and params.get("min_samples_leaf") == 1
        )
        p = len(self.columns)
        loose = unpenalised(self.est) and self.n < 10 * p
        return 1.5 if params.get("n_neighbors") == 1 or unpruned or loose else FACTOR

    # -- more fits ----------------------------------------------------------------------------------

    def out_of_fold(self, est: Any, X: Any = None, *, plan: Plan | None = None) -> Predictions:
        """Fit another estimator on the same folds and predict their test rows; counted and cached.

        Parameters
        ----------
        est : estimator
            Cloned.
        X : array, sparse matrix or data frame of shape (n, p'), optional
            Other columns for the same rows.
        plan : Plan, optional
            Other splits whose test parts do not overlap.

        Returns
        -------
        Predictions
            Of the rows `scored` in that order (``row_losses(p, ctx.scored)`` are their losses), or of the
            rows that `plan` tests, in increasing order.
        """
        table = self.X if X is None else X
        key = (model_name(est), str(sorted(est.get_params().items())), id(table), id(plan))
        if key not in self.cache:  # the table and the plan are kept, so that their id stays theirs
            self.cache[key] = (self._fit(est, table, plan), table, plan)
        made: Predictions = self.cache[key][0]
        return made

    @cached_property
    def scored_plan(self) -> Plan:
        """The folds whose test rows are `scored`."""
        kept = tuple(s for s in self.plan.splits if np.isin(s[1][:1], self.scored).all())
        return Plan(self.n, kept, None, 0)

    def _fit(self, est: Any, X: Any, plan: Plan | None) -> Predictions:
        splits = (plan or self.scored_plan).splits
        rows = np.sort(np.concatenate([test for _, test in splits]))
        self.counts["fits"] += len(splits)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the user's model they were shown; these are ours
                fitted = fit_folds(est, self._sample(X), Plan(self.n, splits, None, 0))
        except Exception as error:
            raise NotRun(f"{model_name(est)} could not be fitted for comparison: {error}") from error
        inner = Plan(rows.size, tuple((tr, np.searchsorted(rows, te)) for tr, te in splits), len(splits), 1)
        held = Fitted(inner, fitted.outputs, {}, fitted.seconds)
        groups = None if self.groups is None else self.groups[rows]
        return assemble(held, self.y[rows], self.classes, groups)[0]

    @property
    def sample(self) -> Sample:
        """The rows of the user with their targets and what they carry beside their columns."""
        return self._sample(self.X)

    def _sample(self, X: Any) -> Sample:
        """Return the rows of `X` (those of the user, or columns made of them) with the targets and groups."""
        return Sample(
            X, self.y, task=self.oof.task, groups=self.groups,
            weights=self.weights, exposure=self.exposure, offset=self.offset,
        )  # fmt: skip

    def asked(self, model: Any) -> Floats:
        """Return the numbers that a fitted model predicts for all rows, at their exposures and offsets."""
        return np.asarray(self.sample.outputs(model, None, "pred").pred, dtype=np.float64)

    def refit(self) -> Any:
        """Return the user's estimator fitted on all rows (a clone), counted and cached."""
        if "refit" not in self.cache:
            self.counts["fits"] += 1
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.cache["refit"] = self.sample.fit(clone(self.est), np.arange(self.n))
        return self.cache["refit"]


Finder: TypeAlias = Callable[[Context], Answer]
