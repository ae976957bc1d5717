"""From a table to everything that a report says: the stages in their order, each with its progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from empirisk.report.audit import Audit, audit, by_level
from empirisk.report.candidates import KINDS
from empirisk.report.choose import Choice, choose
from empirisk.report.diagnosed import Diagnosed, diagnose_model
from empirisk.report.encode import make_encoder
from empirisk.report.enough import refuse_too_few
from empirisk.report.estimates import Scoring
from empirisk.report.final import FinalModel, fit_final
from empirisk.report.fit_candidate import Maker, encoder_for
from empirisk.report.folds import Folds, make_folds
from empirisk.report.guarded import Guard
from empirisk.report.held_out_scores import TestScores, predictions
from empirisk.report.learning_curve import LearningCurve, curve_fits, learning_curve
from empirisk.report.plan import Plan, make_plan
from empirisk.report.progress import Progress
from empirisk.report.rows import constant_scores
from empirisk.report.sample import Sample, take
from empirisk.report.split import Split, split_rows
from empirisk.report.table import Table
from empirisk.report.tuning import cross_validate
from empirisk.report.without import without_column
from empirisk.results import Estimate, Finding

__all__ = ["Analysis", "Prepared", "analyse", "prepare"]

LEAK = "ER113"
MAX_SUSPECTS = 3


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
    seed: int
    level: float

    @property
    def encoder(self) -> Maker:
        """Returns an unfitted encoder of the table, of the kind that a candidate takes."""
        return lambda candidate: encoder_for(candidate, self.table)


@dataclass(frozen=True)
class Analysis:
    """Everything that was computed."""

    prepared: Prepared
    folds: Folds
    scoring: Scoring
    choice: Choice
    model: FinalModel
    X_test: NDArray[np.float64]
    z_test: NDArray[np.float64]
    scores: TestScores
    curve: LearningCurve | None
    findings: list[Finding]
    diagnosed: Diagnosed | None
    guard: Guard = field(default_factory=Guard)


def prepare(
    table: Table,
    test_table: Table | None,
    *,
    seed: int,
    level: float,
    time_limit: float | None = None,
    kinds: Sequence[str] = KINDS,
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
    """
    split = split_rows(table, test_table=test_table, seed=seed)
    train = take(table, split.train, split.groups)
    test = take(table if test_table is None else test_table, split.test)
    refuse_too_few(table, split, train)
    p = make_encoder(table).fit_transform(train.frame[: min(train.n, 5_000)]).shape[1]
    plan = make_plan(train, p, time_limit, kinds)
    checked = audit(table, split, test_table=test_table, seed=seed)
    return Prepared(table, test_table, split, train, test, checked, plan, seed, level)


def analyse(p: Prepared, progress: Progress) -> Analysis:
    """Cross-validate, choose, refit, score the test part once, draw the learning curve, examine suspects."""
    plan, train = p.plan, p.train
    folds = make_folds(train, plan.n_folds, plan.n_repeats, p.seed)
    groups = None if train.groups is None else train.groups[folds.scored]
    trained = round(float(np.mean([fold.fit.size for fold in folds.items])))
    rows, errors = (trained, train.n), p.table.task == "regression"
    scoring = Scoring(folds.n_folds, p.level, groups, rows, errors)
    progress.stage("Fitting", len(folds.items) * len(plan.rows), plan.tuning_seconds)
    results = cross_validate(train, folds, plan.rows, p.encoder, plan.n_alphas, progress, p.seed)
    choice = choose(results, scoring, p.seed)
    row = choice.row
    candidate, alpha = row.result.candidate, float(row.result.alphas[row.at])
    curve, guard = None, Guard()
    if candidate.fitted and len(plan.shares) > 1:
        fits = curve_fits(len(plan.shares), train.time is not None)
        progress.stage("Learning curve", len(folds.items) * fits, plan.curve_seconds)
        full = (row.losses, row.result.train[:, row.at])
        curve = guard(
            "learning_curve",
            lambda: learning_curve(
                train, folds, candidate, alpha, p.encoder, plan.shares, scoring, progress, p.seed, full
            ),
        )
    progress.stage("Test", 2, 2.0)
    model = fit_final(train, candidate, alpha, p.encoder(candidate), p.seed)
    progress.advance("refit")
    X_test = model.encode(p.test.frame)
    z_test = model.scores(X_test)
    base = constant_scores(train.y, train.n_classes, p.test.n)
    scores = TestScores(predictions(p.test, z_test), predictions(p.test, base), p.level)
    looked = guard("suspects", lambda: _look_into(p, folds, choice, scoring, progress))
    findings = list(p.audit.findings) if looked is None else looked
    progress.advance("scores")
    diagnosed = None
    if model.fitted:
        progress.stage("Diagnosis", 1, plan.diagnosis_seconds)
        drawn = p.split.unit in ("row", "group")
        diagnosed = guard(
            "diagnosis",
            lambda: diagnose_model(model, train, p.test, p.level, p.seed, drawn=drawn),
        )
        findings = by_level([*findings, *(diagnosed.findings if diagnosed else ())])
        progress.advance("findings")
    return Analysis(
        p, folds, scoring, choice, model, X_test, z_test, scores, curve, findings, diagnosed, guard
    )


def _look_into(
    p: Prepared, folds: Folds, choice: Choice, scoring: Scoring, progress: Progress
) -> list[Finding]:
    """Add the score without the column to each suspected leak."""
    row = choice.row
    candidate, alpha = row.result.candidate, float(row.result.alphas[row.at])
    out, seen = [], 0
    for finding in p.audit.findings:
        if finding.code == LEAK and finding.where and candidate.fitted and seen < MAX_SUSPECTS:
            seen += 1
            found = without_column(
                p.train,
                folds,
                candidate,
                alpha,
                p.encoder,
                finding.where[0],
                row.losses,
                scoring,
                progress,
                p.seed,
            )
            if found is not None:
                finding = replace(finding, evidence=f"{finding.evidence}; {_told(row.score, *found)}")
        out.append(finding)
    return out


def _told(score: Estimate, without: Estimate, rise: Estimate) -> str:
    return f"cross-validated loss {score} with the column and {without} without it, a rise of {rise}"
