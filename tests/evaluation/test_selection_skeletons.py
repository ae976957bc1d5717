"""The skeletons of an interval and of a metric work."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from empirisk.selection import METRICS, evaluate_predictions
from tests.oracles import skeletons


def test_the_skeleton_of_an_interval() -> None:
    module = skeletons.load("interval")
    for k, n in ((0, 10), (17, 40), (40, 40)):
        low, high = proportion_confint(k, n, method="agresti_coull")
        e = module.agresti_coull(k, n)
        assert (e.low, e.high) == pytest.approx((max(0.0, low), min(1.0, high)), abs=1e-12)
    assert module.agresti_coull(3, 5).low is None


def test_the_skeleton_of_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = skeletons.load("metric").RELATIVE_ERROR
    monkeypatch.setitem(METRICS, metric.name, metric)
    rng = np.random.default_rng(0)
    y = rng.normal(size=120)
    ev = evaluate_predictions(y, pred=y + rng.normal(size=120), groups=np.arange(120) // 4)
    assert ev["relative_error"].low < ev["relative_error"].value < ev["relative_error"].high
