"""Losses of rows alone give the estimates of the evaluation and of the comparison that they come from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.evaluation.cross import CrossEvaluation
from empirisk.evaluation.evaluate import named
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.scoring import Scoring
from empirisk.evaluation.standing import stand, stand_losses
from empirisk.results import Estimate

N = 90


def rows(classes: bool, **more: Any) -> er.selection.Sample:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = X[:, 0] + rng.normal(size=N)
    return er.selection.Sample(X, np.where(y > 0.0, "yes", "no") if classes else y, **more)


SAMPLES: dict[str, tuple[dict[str, Any], Any]] = {
    "folds": ({}, 4),
    "groups": ({"groups": np.arange(N) // 3}, 4),
    "copies": ({"together": np.arange(N) // 2}, 4),
    "time": ({"time": np.arange(N)[::-1]}, None),
    "one split": ({}, [(np.arange(60), np.arange(60, N))]),
}


def kept(found: CrossEvaluation, metric: str) -> np.ndarray:
    """Return the losses of rows as a scoring takes them."""
    if found.out_of_fold:
        return found.losses(metric)
    out = np.full((1, N), np.nan)
    for (_, test), p in zip(found.plan.splits, found.held_out, strict=True):
        out[0, test] = METRICS[metric].losses(p)
    return out


def same(a: Estimate, b: Estimate) -> None:
    assert replace(a, value=0.0, low=0.0, high=0.0) == replace(b, value=0.0, low=0.0, high=0.0)
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-12)


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("which", SAMPLES)
def test_losses_give_the_estimates_of_the_predictions(which: str, classes: bool) -> None:
    more, cv = SAMPLES[which]
    sample, metric = rows(classes, **more), "log_loss" if classes else "mse"
    model = er.LogisticRegression if classes else er.Ridge
    told = {"cv": cv, "metrics": metric, "random_state": 1, "repeats": 2 if cv == 4 else None}
    a, b = (er.cross_evaluate(model(alpha=alpha), sample, **told) for alpha in (0.1, 10.0))
    assert list(named(metric, sample.like)) == [metric]
    scoring = Scoring(sample, a.plan, METRICS[metric], a[metric].level)  # type: ignore[arg-type]
    first, second = kept(a, metric), kept(b, metric)
    same(scoring.loss(first, model()), a[metric])
    pair = er.selection.compare_cross(a, b, metric)
    same(scoring.difference(first, second), pair.difference)
    assert scoring.value(first) == pytest.approx(a[metric].value, rel=1e-12)
    standing, again = stand([a, b], metric, 1.0), stand_losses([first, second], scoring)
    np.testing.assert_allclose(again.loss, standing.loss, rtol=1e-12)
    np.testing.assert_allclose(again.covariance, standing.covariance, rtol=1e-9)
    assert again.df == standing.df
    assert scoring.standard_error(first, second) == pytest.approx(standing.error(0, 1), rel=1e-9)


def test_an_infinite_loss_has_no_error() -> None:
    sample = rows(False)
    scoring = Scoring(sample, sample.plan(5, 1, 0), METRICS["mse"], 0.95)  # type: ignore[arg-type]
    ordinary = np.ones((1, N))
    infinite = np.where(np.arange(N) == 3, np.inf, ordinary)
    assert scoring.value(infinite) == np.inf
    assert np.isnan(scoring.standard_error(infinite, ordinary))
    assert scoring.loss(infinite).low is None
