"""Scores of a constant prediction: known values have no interval, shares of rows have one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as peer

from empirisk.evaluation.metrics import Predictions
from empirisk.report.fit.held_out_scores import TestScores, comparison
from empirisk.report.sections.prose import told

PEER = {
    "roc_auc": lambda p: peer.roc_auc_score(p.y, p.score),
    "average_precision": lambda p: peer.average_precision_score(p.y, p.score),
    "balanced_accuracy": lambda p: peer.balanced_accuracy_score(p.y, p.pred),
    "f1": lambda p: peer.f1_score(p.y, p.pred),
    "accuracy": lambda p: peer.accuracy_score(p.y, p.pred),
}


def pair(positive: float, answer: int) -> TestScores:
    rng = np.random.default_rng(0)
    y = (rng.random(400) < positive).astype(np.int64)
    q = np.clip(0.3 * rng.random(400) + 0.5 * y, 0.01, 0.99)

    def made(q: np.ndarray, pred: np.ndarray) -> Predictions:
        return Predictions(
            "classification", y, pred, np.column_stack([1.0 - q, q]), np.log(q / (1.0 - q)), np.arange(2)
        )

    constant = made(np.full(400, positive), np.full(400, answer))
    return TestScores(made(q, (q > 0.5).astype(np.int64)), constant, 0.95)


@pytest.mark.parametrize(("positive", "answer"), [(0.3, 0), (0.7, 1)])
@pytest.mark.parametrize("name", PEER)
def test_constants_have_the_value_of_scikit_learn(name: str, positive: float, answer: int) -> None:
    scores = pair(positive, answer)
    found = comparison(scores, name)
    assert found is not None
    base, difference, model = found["baseline"], found["difference"], found["model"]
    assert base["value"] == pytest.approx(PEER[name](scores.baseline), abs=1e-12)
    assert difference["value"] == pytest.approx(model["value"] - base["value"], abs=1e-12)
    # Known without any row: where ranks, or rows found of each class, follow from being a constant.
    known = name in ("roc_auc", "balanced_accuracy") or (name == "f1" and answer == 0)
    assert (base["low"] == base["high"]) == known
    assert ("[" in told(base)) != known
    if known:
        assert difference["low"] == pytest.approx(model["low"] - base["value"], abs=1e-12)
        assert "interval" not in base["method"]
    else:
        assert base["low"] < base["value"] < base["high"]


def test_absolute_errors_are_compared_with_the_median_and_squares_with_the_mean() -> None:
    rng = np.random.default_rng(1)
    y = rng.exponential(size=300)
    pred = y + 0.1 * rng.normal(size=300)
    scores = TestScores(
        Predictions("regression", y, pred), Predictions("regression", y, np.full(300, 1.0)), 0.95, 0.7
    )
    absolute, squares = comparison(scores, "mae"), comparison(scores, "mse")
    assert absolute is not None
    assert squares is not None
    assert absolute["baseline"]["value"] == pytest.approx(np.abs(y - 0.7).mean(), rel=1e-12)
    assert absolute["difference"]["value"] == pytest.approx(
        np.abs(y - pred).mean() - np.abs(y - 0.7).mean(), rel=1e-12
    )
    assert absolute["constant"] == "median of the training targets, 0.7"
    assert squares["baseline"]["value"] == pytest.approx(((y - 1.0) ** 2).mean(), rel=1e-12)
    assert "constant" not in squares
