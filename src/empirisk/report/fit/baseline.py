"""Which constant a model of rows in time has to beat: decided on blocks forward in time, before the test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.report.fit.candidates import BASELINE, Candidate, baseline_label
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.plan import Plan
from empirisk.report.fit.recent import HALF_LIFE, TENTH, halved
from empirisk.report.fit.sample import Sample

__all__ = ["baseline_in_time", "with_baseline"]

OF = {
    ("regression", TENTH): "mean of the latest rows",
    ("regression", 0.0): "last value of the target",
    ("classes", TENTH): "class shares of the latest rows",
}


def with_baseline(train: Sample, plan: Plan, folds: Folds) -> tuple[Plan, Folds]:
    """Return the plan with the constant that suits rows in time, and the folds with the sentence about it."""
    if train.time is None or train.exposure is not None:
        return plan, folds
    baseline = next(c for c in plan.rows if c.name == BASELINE)
    found, said = baseline_in_time(train, folds, baseline)
    rows = [found if c is baseline else c for c in plan.rows]
    return replace(plan, rows=rows), replace(folds, sentence=folds.sentence + said)


def baseline_in_time(train: Sample, folds: Folds, baseline: Candidate) -> tuple[Candidate, str]:
    """Return the constant that does best on the blocks forward in time, and the sentence that says so.

    Parameters
    ----------
    train : Sample
    folds : Folds
        Blocks forward in time.
    baseline : Candidate
        The constant that all rows decide on alike.
    """
    kind = "regression" if train.task == "regression" else "classes"
    tried = {half: label for (k, half), label in OF.items() if k == kind}
    losses = {half: _loss(train, folds, half) for half in (None, *tried)}
    best = min(losses, key=lambda half: losses[half])
    plain = "mean of all rows" if kind == "regression" else "class shares of all rows"
    names = {None: plain} | tried
    rest = " and the ".join(name for half, name in names.items() if half != best)
    how = " (weights halve with every tenth of the rows back in time)" if best else ""
    said = f" The baseline is the {names[best]}{how}: it did better in these blocks than the {rest}."
    if best is None:
        return baseline, said
    return replace(baseline, label=baseline_label(tried[best]), settings=((HALF_LIFE, best),)), said


def _loss(train: Sample, folds: Folds, half_life: float | None) -> float:
    """Return the squared error of means, or the log-loss of shares, over the rows of all blocks."""
    total = count = 0.0
    for fit, test in folds.plan.splits:
        w = np.ones(fit.size) if half_life is None else halved(fit.size, half_life)
        w = w if train.weights is None else w * train.weights[fit]
        v = np.ones(test.size) if train.weights is None else train.weights[test]
        if train.task == "regression":
            own = (train.y[test] - np.average(train.y[fit], weights=w)) ** 2
        else:
            shares = np.bincount(train.y[fit], weights=w, minlength=train.n_classes) / w.sum()
            own = -np.log(np.maximum(shares[train.y[test]], 1e-12))
        total, count = total + float(v @ own), count + float(v.sum())
    return total / count if count else 0.0
