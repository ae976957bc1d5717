"""From a table to everything that a report says: the stages in their order, each with its progress."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from empirisk.curves.learning import learning_curve
from empirisk.curves.learning_result import LearningCurve
from empirisk.curves.sizes import smallest_training_part
from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.scoring import Scoring
from empirisk.losses.quantile import middle_quantile
from empirisk.report.audit.audit import Audit, audit, by_level, grouped
from empirisk.report.fit.baseline import with_baseline
from empirisk.report.fit.bayes import unsuited
from empirisk.report.fit.candidates import BASELINE, KINDS, Candidate, estimator_for
from empirisk.report.fit.choose import Choice, choose
from empirisk.report.fit.diagnosed import Diagnosed, diagnose_model
from empirisk.report.fit.encode import letters_a_row, make_encoder, n_numbers
from empirisk.report.fit.enough import refuse_too_few
from empirisk.report.fit.final import FinalModel, fit_final
from empirisk.report.fit.folds import Folds, judged_by, make_folds
from empirisk.report.fit.held_out_scores import TestScores, predictions
from empirisk.report.fit.horizon import ahead_words
from empirisk.report.fit.left import Left
from empirisk.report.fit.plan import Plan
from empirisk.report.fit.planning import make_plan
from empirisk.report.fit.race import race
from empirisk.report.fit.recipe import Encoders, recipe, unable
from empirisk.report.fit.sample import Sample, take
from empirisk.report.fit.searched import Search, Searched
from empirisk.report.fit.simplest import Simplest, score_simplest
from empirisk.report.fit.split import Split, split_rows
from empirisk.report.fit.steps import suggestions
from empirisk.report.fit.tuning import cross_validate
from empirisk.report.fit.without import without_column
from empirisk.report.guarded import LATE, Guard
from empirisk.report.progress import Stages
from empirisk.report.read.table import Table
from empirisk.results import Estimate, Finding

__all__ = ["Analysis", "Prepared", "analyse", "prepare"]

LEAK = "ER113"
TUNING = 0.55  # share of the time that is left for the cross-validation
SEARCHING = 0.5  # share of the time that is left then for the search for settings
CLOSING = 4.5  # seconds for what comes after the diagnosis
LEAST_SECONDS = 2.0  # for the cross-validation and the refit, even when no time is left
MAX_SUSPECTS = 3  # columns whose removal is tried, each with a fit


@dataclass(frozen=True)
class Prepared:
    """A table that is split, audited and planned for, before anything is fitted."""

    table: Table
    test_table: Table | None
    split: Split
    train: Sample
    test: Sample
    audit: Audit
    plan: Plan
    folds: Folds
    seed: int
    level: float


@dataclass(frozen=True)
class Analysis:
    """Everything that the report computed, before any of it is put into words."""

    prepared: Prepared
    folds: Folds
    scoring: Scoring
    choice: Choice
    model: FinalModel
    X_test: NDArray[np.float64]
    scores: TestScores
    curve: LearningCurve | None
    findings: list[Finding]
    diagnosed: Diagnosed | None
    guard: Guard = field(default_factory=Guard)
    cuts: tuple[str, ...] = ()
    outrun: dict[str, str] = field(default_factory=dict)
    searches: tuple[Searched, ...] = ()
    simplest: Simplest | None = None
    left: tuple[Left, ...] = ()

    @property
    def gain(self) -> Estimate | None:
        """The fall of the loss that twice the training part would bring; None without a learning curve.

        It is told in the loss of the candidates.
        """
        return self.curve.extrapolate(2.0).gain[0] if self.curve else None

    @property
    def left_out(self) -> list[str]:
        """What was left out to keep the time limit."""
        late = [said.removesuffix(f" {LATE}") for said in self.guard.late.values()]
        return [*self.cuts, *(said[:1].lower() + said[1:] for said in late)]

    @property
    def spared(self) -> str | None:
        """Whom the race left out to save time, and what the limit cut; None where neither did anything."""
        raced = [f"{one.candidate.label} on all rows" for one in self.left if one.why == "time"]
        return "; ".join([*raced, *self.left_out]) or None


def prepare(
    table: Table,
    test_table: Table | None,
    *,
    seed: int,
    level: float,
    time_limit: float | None = None,
    kinds: Sequence[str] = KINDS,
    deadline: Deadline | None = None,
    gap: float = 0.0,
) -> Prepared:
    """Split, audit and plan.

    Parameters
    ----------
    table : Table
    test_table : Table or None
        Rows for the test, from a file of their own.
    seed : int
    level : float
        Nominal coverage of all intervals.
    time_limit : float, optional
        Seconds that the fits may take.
    kinds : sequence of str
        Kinds of models to try.
    deadline : Deadline, optional
        What cuts the checks of the audit, which may take a quarter of the time that is left.
    gap : float
        Time between rows to fit on and rows that are scored, where rows have a time.
    """
    split = split_rows(table, test_table=test_table, seed=seed, gap=gap)
    train = take(table, split.train, split.groups)
    test = take(table if test_table is None else test_table, split.test)
    refuse_too_few(table, split, train)
    some = min(train.n, 5_000)
    encoded = np.asarray(
        make_encoder(table).fit_transform(train.frame[:some], train.y[:some]), dtype=np.float64
    )
    steps = (
        suggestions(encoded, train.y[:some], n_numbers(table), train.n, train.n_classes)
        if "linear" in kinds
        else ()
    )
    p = encoded.shape[1]
    left = unsuited(table, train, p, test) if "bayes" in kinds and train.n_classes else {}
    plan = make_plan(
        train, p, time_limit, kinds, steps, left, partial(unable, table=table), letters_a_row(train.frame)
    )
    folds = make_folds(train, plan.n_folds, plan.n_repeats, seed, gap, ahead_words(table, gap))
    plan, folds = with_baseline(train, plan, folds)
    seconds = math.inf if deadline is None else 0.25 * deadline.left()
    checked = audit(table, split, test_table=test_table, seed=seed, deadline=deadline, seconds=seconds)
    return Prepared(table, test_table, split, train, test, checked, plan, folds, seed, level)


def analyse(p: Prepared, progress: Stages, deadline: Deadline | None = None) -> Analysis:
    """Cross-validate, choose, refit, score the test part once, draw the learning curve, examine suspects.

    With a deadline the cross-validation and the search for settings get their shares of the time, the refit
    what it needs, and the learning curve and the diagnosis what is left, less the seconds for writing.
    """
    deadline = deadline or Deadline(None)
    plan, train = p.plan, p.train
    reserve = closing_seconds(p, deadline)
    guard = Guard(deadline, reserve)
    planned = p.folds
    metric = METRICS[judged_by(train, planned.plan)]
    assert isinstance(metric, RowLoss)
    encoders = Encoders(p.table)
    raced = race(
        train, planned, plan, encoders, metric, progress, p.seed, deadline, TUNING * deadline.left(reserve)
    )
    names = {c.name for c in raced.rows}
    progress.stage("Fitting", planned.n_splits * len(raced.rows), plan.tuning_seconds - plan.race_seconds)
    results, folds, dropped, outrun = cross_validate(
        train,
        planned,
        raced.rows,
        encoders,
        metric,
        plan.n_alphas,
        progress,
        p.seed,
        deadline,
        max(LEAST_SECONDS * deadline.slowness, TUNING * deadline.left(reserve)),
        [c for c in plan.cheapest if c.name in names],
        trim=bool(plan.looks),
    )
    cuts = [f"{label}: {why}" for label, why in dropped.items()]
    cuts += [r.cut_words for r in results if r.lost]
    said = folds.sentence.rpartition(". ")[2].rstrip(".")  # a part of a list, not a sentence
    cuts += [said[:1].lower() + said[1:]] if folds is not planned else []
    scoring = Scoring(train.dealt, folds.plan, metric, p.level)
    searches: tuple[Searched, ...] = ()
    wanted = {name: fits for name, fits in plan.searches if name in names}
    if wanted:
        progress.stage("Searching settings", sum(wanted.values()), plan.search_seconds)
        search = Search(
            train, folds, scoring, encoders, metric, wanted, plan.n_alphas, progress, p.seed, deadline,
            dict(plan.on), plan.longest, plan.search_shares,
        )  # fmt: skip
        results, searches = search.over(results, SEARCHING * deadline.left(reserve))
    choice = choose(results, scoring, p.seed)
    model, choice, refused = refit(p, choice, deadline, reserve)
    cuts += [f"the refit of {label}: it took too long" for label in refused]
    row = choice.row
    candidate, alpha = row.result.candidate, float(row.result.alphas[row.at])
    baseline = next(c for c in plan.rows if c.name == BASELINE)
    progress.stage("Test", 2, 2.0)
    progress.advance("refit")
    simplest = guard("simplest", lambda: score_simplest(choice, train, p.test, p.table, p.seed))
    X_test = model.encode(p.test.frame)
    base = estimator_for(baseline, p.table.task, math.nan, p.table.exposure is not None)
    base.fit(train.frame, train.y, **train.beside)
    scores = TestScores(
        predictions(model.pipeline, p.test), predictions(base, p.test), p.level, _median(model, train)
    )
    progress.advance("scores")
    curve = None
    if candidate.fitted and len(plan.shares) > 1 and train.weights is None:
        fits = len(plan.shares) * (1 if train.time is not None else 2) - (train.time is None)
        progress.stage("Learning curve", folds.n_splits * fits, plan.curve_seconds)
        guard.reserve = reserve + 0.5 * deadline.left(reserve) if deadline.limit is not None else reserve
        curve = guard("learning_curve", lambda: _curve(p, scoring, candidate, alpha, progress))
        guard.reserve = reserve
    looked = guard("suspects", lambda: _look_into(p, choice, scoring, progress))
    findings = list(p.audit.findings) if looked is None else looked
    diagnosed = None
    if model.fitted:
        progress.stage("Diagnosis", 1, plan.diagnosis_seconds)
        drawn = p.split.unit in ("row", "group")
        seconds = None if deadline.limit is None else 0.9 * deadline.left(reserve)
        diagnosed = guard(
            "diagnosis",
            lambda: diagnose_model(model, train, p.test, p.level, p.seed, drawn=drawn, seconds=seconds),
        )
        findings = [*findings, *(diagnosed.findings if diagnosed else ())]
        progress.advance("findings")
    findings, cuts = by_level(grouped(findings)), [*plan.cuts, *cuts]
    return Analysis(
        p,
        folds,
        scoring,
        choice,
        model,
        X_test,
        scores,
        curve,
        findings,
        diagnosed,
        guard,
        tuple(cuts),
        outrun,
        searches,
        simplest,
        raced.left,
    )


def closing_seconds(p: Prepared, deadline: Deadline) -> float:
    """Seconds for the sections after the diagnosis, the pictures and the files, at most 0.4 of the limit.

    They take about 4 seconds of computing, which are more where other programs share the machine.
    """
    if deadline.limit is None:
        return 0.0
    nominal = CLOSING + min(2.0, 1e-6 * p.test.n * len(p.table.features))
    return min(nominal * deadline.slowness, 0.4 * deadline.limit)


def refit(
    p: Prepared, choice: Choice, deadline: Deadline, reserve: float
) -> tuple[FinalModel, Choice, list[str]]:
    """Fit the chosen candidate on all training rows; where the time does not suffice, the next cheaper one.

    Returns
    -------
    model, choice
        The baseline at last, which takes no time.
    refused : list of str
        Labels of the candidates that took too long.
    """
    refused: list[str] = []
    own = [i for i, r in enumerate(choice.rows) if r.result.candidate.role == "candidate"]
    cheaper = sorted(own, key=lambda i: choice.rows[i].result.seconds)
    for i in [choice.chosen, *(j for j in cheaper if j != choice.chosen)]:
        row = choice.rows[i]
        candidate = row.result.candidate
        try:
            with deadline.within(
                max(LEAST_SECONDS * deadline.slowness, deadline.left(reserve))
                if candidate.fitted
                else math.inf
            ):
                model = fit_final(p.train, candidate, float(row.result.alphas[row.at]), p.table, p.seed)
                return model, replace(choice, chosen=i), refused
        except OutOfTime:
            refused.append(candidate.label)
    base = next(i for i, r in enumerate(choice.rows) if r.result.candidate.role == "baseline")
    candidate = choice.rows[base].result.candidate
    model = fit_final(p.train, candidate, math.nan, p.table, p.seed)
    return model, replace(choice, chosen=base), refused


def _curve(
    p: Prepared, scoring: Scoring, candidate: Candidate, alpha: float, progress: Stages
) -> LearningCurve:
    """Return the learning curve of the chosen recipe on the folds that chose it."""
    with warnings.catch_warnings():
        # Fits on few rows may end above their tolerance, and meet levels that their rows did not have.
        warnings.simplefilter("ignore")
        return learning_curve(
            recipe(candidate, p.table, alpha, p.seed),
            p.train.dealt,
            sizes=halvings(p, scoring, candidate, alpha),
            loss=scoring.metric.name,
            cv=scoring.plan.splits,
            level=p.level,
            random_state=p.seed,
            progress=lambda done, fits: progress.advance(f"{done:,} of {fits:,} fits"),
        )


def halvings(p: Prepared, scoring: Scoring, candidate: Candidate, alpha: float) -> int:
    """Return how many sizes the learning curve has at most, each half of the one before.

    That of neighbours begins where there are as many rows as are asked.
    """
    points = len(p.plan.shares)
    if candidate.parameter == "n_neighbors":
        points = min(points, 1 + int(math.log2(smallest_training_part(scoring.plan) / alpha)))
    return points


def _median(model: FinalModel, train: Sample) -> float | None:
    """Return the median of the training targets, where a model of numbers is compared with their mean."""
    if not model.fitted or train.task != "regression" or train.exposure is not None or train.time is not None:
        return None
    return middle_quantile(np.asarray(train.y, dtype=np.float64), train.weights, 0.5)


def _look_into(p: Prepared, choice: Choice, scoring: Scoring, progress: Stages) -> list[Finding]:
    """Add the score without the column to each suspected leak."""
    row = choice.row
    out, seen = [], 0
    for finding in p.audit.findings:
        if finding.code == LEAK and finding.where and row.result.candidate.fitted and seen < MAX_SUSPECTS:
            seen += 1
            found = without_column(p.train, p.table, row, finding.where[0], scoring, progress, p.seed)
            if found is not None:
                finding = replace(finding, evidence=f"{finding.evidence}; {_told(row.score, *found)}")
        out.append(finding)
    return out


def _told(score: Estimate, without: Estimate, rise: Estimate) -> str:
    return f"cross-validated loss {score} with the column and {without} without it, a rise of {rise}"
