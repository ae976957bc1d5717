"""From records to a verdict: scores of all candidates, the chosen one, and its corrected score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.evaluation.cross import CrossEvaluation, conclude, estimate_at
from empirisk.evaluation.fit_folds import Fitted
from empirisk.evaluation.folds import Plan, recognise
from empirisk.evaluation.intervals.base import Floats, refuse
from empirisk.evaluation.intervals.bbc import SELECTION, best_in_bag, best_of
from empirisk.evaluation.intervals.repeated_kfold import scored_target
from empirisk.evaluation.metrics import Metric, find_metric
from empirisk.evaluation.metrics.row_loss import RowLoss
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.standing import Standing, row_values, stand
from empirisk.results import Estimate
from empirisk.search.ledger import Ledger
from empirisk.search.rules import choose, choose_each, pair_errors

FINISHED, FAILED, DROPPED, UNFINISHED = "finished", "failed", "dropped", "unfinished"


@dataclass(frozen=True)
class Question:
    """What is asked of the records: how they are scored and how one is chosen.

    Parameters
    ----------
    sample : Sample
        The rows.
    plan : Plan
        All splits.
    metric : str
        Name of the metric.
    wanted : mapping
        That name to the metric or scorer.
    sign : {1, -1}
        1 where smaller is better.
    level : float
        Nominal coverage.
    rule : str
    seed : int
        Of bootstrap and simulation.
    """

    sample: Sample
    plan: Plan
    metric: str
    wanted: Mapping[str, Any]
    sign: float
    level: float
    rule: str
    seed: int

    @property
    def ours(self) -> Metric | None:
        """The metric itself, by name or as an object; None for a scorer of others."""
        return find_metric(self.wanted[self.metric])


@dataclass(frozen=True)
class Verdict:
    """The candidates that were compared, and the answer.

    Parameters
    ----------
    states : list of str
        "finished", "failed", "dropped" or "unfinished", one for each candidate.
    scored : list of CrossEvaluation or None
        One for each candidate; None for one without a finished split.
    wide : list of Estimate or None
        The scores at the level of a union bound over all candidates.
    ranked : array of int
        Positions of the finished candidates.
    standing : Standing
        Of the ranked ones.
    best, lowest : int
        Position of the candidate chosen by the rule, and of the smallest loss.
    """

    states: list[str]
    scored: list[CrossEvaluation | None]
    wide: list[Estimate | None]
    ranked: np.ndarray
    standing: Standing
    best: int
    lowest: int


def first_splits(plan: Plan, count: int) -> Plan:
    """Return the plan of the first `count` splits only."""
    if count == len(plan.splits):
        return plan
    if plan.folds is not None and count % plan.folds == 0:
        return replace(plan, splits=plan.splits[:count], repeats=count // plan.folds)
    return recognise(plan.n, plan.splits[:count])


def cross_evaluation(q: Question, ledger: Ledger, i: int, count: int, est: Any) -> CrossEvaluation:
    """Return the cross-evaluation of candidate i on the first `count` splits."""
    plan = first_splits(q.plan, count)
    records = [ledger.records[i, j] for j in range(count)]
    values = {} if q.ours is not None else {q.metric: np.array([r.value for r in records])}
    outputs = tuple(r.outputs(q.sample.classes) for r in records)
    fitted = Fitted(plan, outputs, values, np.array([r.seconds for r in records]))
    return conclude(est, q.sample, q.wanted, fitted, q.level)


def depths(ledger: Ledger, count: int, splits: int) -> list[int]:
    """Return how many splits each candidate finished, without a gap from the first."""
    return [next((j for j in range(splits) if not _good(ledger, i, j)), splits) for i in range(count)]


def _good(ledger: Ledger, i: int, j: int) -> bool:
    return ledger.has(i, j) and not ledger.records[i, j].error


def judge(
    q: Question,
    ledger: Ledger,
    dropped: Mapping[int, int],
    complexity: Floats | None,
    models: Sequence[Any],
) -> Verdict:
    """Compare the candidates (`models` with their settings) on the splits that all finished, and choose.

    Raises
    ------
    ValueError, TimeoutError
        All candidates failed or have an undefined score; no candidate finished a split.
    """
    splits, count = len(q.plan.splits), len(models)
    depth = depths(ledger, count, splits)
    failed = {i for i in range(count) if ledger.error(i)}
    running = [i for i in range(count) if i not in failed and i not in dropped and depth[i] > 0]
    if not running:
        _explain(ledger, failed)
    common = splits if any(depth[i] == splits for i in running) else min(depth[i] for i in running)
    ranked = np.array([i for i in running if depth[i] >= common], dtype=np.intp)
    at = [common if i in ranked else depth[i] for i in range(count)]
    scored = [cross_evaluation(q, ledger, i, at[i], models[i]) if at[i] else None for i in range(count)]
    union = 1.0 - (1.0 - q.level) / count
    wide = [
        None if e is None else estimate_at(e, m, q.sample, q.metric, union)
        for e, m in zip(scored, models, strict=True)
    ]
    standing = stand([e for i in ranked if (e := scored[i]) is not None], q.metric, q.sign)
    if not np.isfinite(standing.loss).any():
        raise ValueError(_undefined(scored[int(ranked[0])], q.metric))
    errors = pair_errors(standing)
    order = None if complexity is None else complexity[ranked]
    best = int(ranked[choose(standing.loss, errors, order, q.rule)])
    lowest = int(ranked[choose(standing.loss, errors, order, "min")])
    states = [
        FAILED if i in failed else DROPPED if i in dropped else FINISHED if i in ranked else UNFINISHED
        for i in range(count)
    ]
    return Verdict(states, scored, wide, ranked, standing, best, lowest)


def _explain(ledger: Ledger, failed: set[int]) -> None:
    if failed:
        raise ValueError(f"every candidate failed; the first error: {ledger.error(min(failed))}")
    raise TimeoutError("time_limit ran out before any candidate was scored on a split; allow more time.")


def _undefined(e: CrossEvaluation | None, metric: str) -> str:
    reason = "" if e is None else f" ({e[metric].reason})"
    return f"{metric} is infinite or undefined for every candidate{reason}; choose another metric."


def corrected_score(q: Question, v: Verdict, complexity: Floats | None) -> Estimate:
    """Return the score of the chosen candidate, corrected for having been chosen (BBC-CV over the ranked).

    Each repeat of the folds is corrected by itself and the answers are averaged: the same mean over repeats
    and width of one repeat as for a single model. A foreign scorer has no row losses; its answer is the
    interval that holds for all candidates at once.
    """
    kept = [e for i in v.ranked if (e := v.scored[i]) is not None and np.isfinite(e[q.metric].value)]
    plain = kept[0][q.metric]
    parts = [e.out_of_fold or e.held_out for e in kept]
    metric = q.ours
    if metric is None or (not kept[0].out_of_fold and len(kept[0].plan.splits) > 1):
        e = v.wide[v.best] or plain
        note = "no row losses to correct the centre with: the width is that of all candidates at once"
        return replace(e, level=q.level, method=f"union bound, {e.method}", reason=note)
    pick: Callable[[Floats], Any] = best_in_bag
    finite = np.isfinite(v.standing.loss)
    if q.rule == "one_se" and complexity is not None:
        errors = pair_errors(v.standing)[np.ix_(finite, finite)]
        order = complexity[v.ranked][finite]

        def pick(means: Floats) -> Any:
            return choose_each(means, errors, order)

    folds, groups = kept[0].plan.folds or 2, parts[0][0].groups
    found = [
        best_of(
            np.stack([row_values(p[r], metric) for p in parts], axis=1),
            folds,
            q.level,
            random_state=q.seed + r,
            groups=groups,
            choose=pick,
            errors=isinstance(metric, RowLoss) and metric.errors and q.sample.weights is None,
        )
        for r in range(len(parts[0]))
    ]
    return _turned(_averaged(found), q, plain.n, kept[0].plan.n_train)


def _averaged(found: Sequence[Estimate]) -> Estimate:
    first = found[0]
    value = float(np.mean([e.value for e in found]))
    refused = next((e for e in found if e.low is None), None)
    if refused is not None:
        return refuse(value, first.level, first.n, first.method, refused.reason, first.target)
    low = float(np.mean([e.low for e in found if e.low is not None]))
    high = float(np.mean([e.high for e in found if e.high is not None]))
    return replace(first, value=value, low=low, high=high)


def _turned(e: Estimate, q: Question, n: int, trained: int) -> Estimate:
    """Turn losses back into the metric: an accuracy is one minus the error, a ranking score minus its
    loss.
    """
    target = scored_target(trained, n, q.sample.groups is not None, who=SELECTION)
    linear = "" if isinstance(q.ours, RowLoss) else ", linearised"
    e = replace(e, n=n, target=target, method=e.method + linear)
    if q.sign > 0.0 or e.low is None or e.high is None:
        return e if q.sign > 0.0 else replace(e, value=_turn(q, e.value))
    low, high = _turn(q, e.high), min(1.0, _turn(q, e.low))
    return replace(
        e, value=_turn(q, e.value), low=max(0.0, low) if q.sample.classes is not None else low, high=high
    )


def _turn(q: Question, loss: float) -> float:
    return 1.0 - loss if isinstance(q.ours, RowLoss) else -loss
