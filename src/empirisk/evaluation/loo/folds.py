"""Leave-one-out as a cross-evaluation: n splits of one test row each, without refits where that is exact."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from empirisk.data.progress import Progress
from empirisk.evaluation.candidate import one_model
from empirisk.evaluation.cross import CrossEvaluation, conclude, foreign_scorers, run
from empirisk.evaluation.evaluate import Metrics, named
from empirisk.evaluation.fit_folds import Fitted
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.loo.predict import NOTE, check_single_rows, loo_estimate, loo_outputs
from empirisk.evaluation.outputs import Outputs
from empirisk.evaluation.sample import Sample

__all__ = ["cross_loo"]

# n splits hold n (n-1) row numbers: 200 MB at this n.
MOST_ROWS = 5000


def cross_loo(
    est: Any, sample: Sample, metrics: Metrics | None, level: float, progress: Progress | None
) -> CrossEvaluation:
    """:func:`empirisk.cross_evaluate` with ``cv="loo"``; scorers that need a fitted model get n fits.

    Raises
    ------
    ValueError
        Rows that are tied to others, or more rows than the list of splits should hold.
    """
    check_single_rows(sample)
    if sample.n > MOST_ROWS:
        raise ValueError(
            f"cv='loo' would list {sample.n} splits of {sample.n - 1} training rows; "
            "empirisk.selection.leave_one_out gives the same scores without the list."
        )
    rows = np.arange(sample.n)
    splits = tuple((np.delete(rows, i), rows[i : i + 1]) for i in range(sample.n))
    plan = Plan(sample.n, splits, sample.n, 1, NOTE)
    candidate = one_model(est)
    est = candidate.model
    wanted = named(metrics, sample.like, est)
    if foreign_scorers(wanted) or candidate.of_all:
        return run(candidate, sample, plan, metrics, level, progress)
    outputs, seconds, _, _ = loo_outputs(est, sample, progress=progress)
    one_each = tuple(_row(outputs, i) for i in range(sample.n))
    fitted = Fitted(plan, one_each, {}, seconds if seconds.size else np.zeros(sample.n))
    found = conclude(candidate, sample, wanted, fitted, level)
    p = outputs.against(sample.y)
    estimates = {name: loo_estimate(est, sample, metric, p, level) for name, metric in found.metrics.items()}
    return CrossEvaluation(estimates, found.title, fitted, found.out_of_fold, found.held_out, found.metrics)


def _row(out: Outputs, i: int) -> Outputs:
    values = {f.name: getattr(out, f.name) for f in fields(out)}
    cut = {
        k: None if values[k] is None else values[k][i : i + 1]
        for k in ("pred", "proba", "score", "log_proba")
    }
    return Outputs(**{**values, **cut})
