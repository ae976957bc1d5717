"""Intervals of weighted scores hold the score of the population that the weights stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.evaluation.evaluate import evaluate_predictions

N, POPULATION, RUNS = 300, 400_000, 1000
LABELS = ("accuracy", "balanced_accuracy", "f1", "roc_auc", "average_precision", "recall", "mcc")
MEANS = ("log_loss", "brier_score")
NUMBERS = ("mse", "mae", "r2", "d2_absolute")


def population(rng: np.random.Generator) -> tuple[Any, Any, Any, Any, Any]:
    """Return labels, their probabilities, numbers, predictions and chances to be drawn, all of which depend
    on the same column.
    """
    x = rng.normal(size=POPULATION)
    chance = 1.0 / (1.0 + np.exp(-1.5 * x))
    label = (rng.uniform(size=POPULATION) < chance).astype(int)
    drawn = np.exp(0.6 * x + 0.3 * rng.normal(size=POPULATION))
    number = x + (0.5 + 0.3 * np.abs(x)) * rng.normal(size=POPULATION)
    told = 1.0 / (1.0 + np.exp(-1.2 * x - 0.2))
    return label, told, number, 0.8 * x, drawn / drawn.sum()


@pytest.mark.slow  # 1000 samples of 13 scores
@pytest.mark.parametrize("grouped", [False, True])
def test_intervals_of_weighted_scores_hold_the_score_of_the_population(grouped: bool) -> None:
    """Rows are drawn with unequal chances and weighted by the inverse; the unweighted score is another."""
    rng = np.random.default_rng(0)
    label, told, number, pred, drawn = population(rng)
    names = {"label": (*LABELS, *MEANS), "number": NUMBERS}
    true = dict(evaluate_predictions(label, proba=told, classes=[0, 1], metrics=names["label"]))
    true |= dict(evaluate_predictions(number, pred=pred, metrics=names["number"]))
    inside = dict.fromkeys(true, 0)
    up_to = np.cumsum(drawn)
    # With groups each draw comes as a copy of itself, so that only groups are independent.
    per, copies = N, 2 if grouped else 1
    for _ in range(RUNS):
        rows = np.repeat(np.searchsorted(up_to, rng.uniform(size=per) * up_to[-1]), copies)
        more: dict[str, Any] = {"sample_weight": 1.0 / drawn[rows]}
        if grouped:
            more["groups"] = np.repeat(np.arange(per), copies)
        found = dict(
            evaluate_predictions(
                label[rows], proba=told[rows], classes=[0, 1], metrics=names["label"], **more
            )
        )
        found |= dict(evaluate_predictions(number[rows], pred=pred[rows], metrics=names["number"], **more))
        for name, e in found.items():
            inside[name] += e.low is not None and e.low <= true[name].value <= e.high
    share = {name: count / RUNS for name, count in inside.items()}
    print(share)
    # 1000 runs leave three standard errors of 0.021 around 95 %; heavy weights cost squared errors more.
    assert all(s > 0.9 for s in share.values()), share
