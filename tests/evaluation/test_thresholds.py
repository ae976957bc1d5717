"""The chosen cut: its cost by brute force, its interval by simulation, weights as repetition, words."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from empirisk.evaluation.cuts import CutCosts
from empirisk.evaluation.evaluate import evaluate_predictions, predictions
from empirisk.evaluation.metrics.predictions import Predictions, relative

COST = {"false_positive": 1.0, "false_negative": 5.0}


def rows(rng: np.random.Generator, n: int = 150) -> Predictions:
    y = rng.random(n) < 0.3
    return predictions(y.astype(int), proba=np.round(rng.beta(1 + 2 * y, 3 - 2 * y), 2))


def cost_at(p: Predictions, cut: float, a: float, b: float) -> float:
    """The mean cost by the definition, row by row."""
    assert p.proba is not None
    each = [a * (s >= cut) if y == 0 else b * (s < cut) for y, s in zip(p.y, p.proba[:, 1], strict=True)]
    return float(np.average(each, weights=p.weights))


@pytest.mark.parametrize("price", [(1.0, 1.0), (1.0, 5.0), (7.0, 2.0)])
@pytest.mark.parametrize("carried", ["", "weights"])
def test_no_cut_costs_less(price: tuple[float, float], carried: str, rng: np.random.Generator) -> None:
    p = rows(rng)
    if carried:
        p = replace(p, weights=relative(rng.uniform(0.2, 3.0, size=p.n)))
    found = CutCosts(p, price)
    each = [cost_at(p, t, *price) for t in found.cuts]
    assert cost_at(p, found.cheapest(), *price) == pytest.approx(min(each), abs=1e-12)
    assert found.cuts.size == np.unique(found.score).size + 1


def test_the_table_holds_the_numbers_of_its_cuts(rng: np.random.Generator) -> None:
    p = rows(rng)
    assert p.proba is not None
    found = evaluate_predictions(p.y, proba=p.proba).threshold(COST)
    assert found.cut.value in found.cuts
    for cut, cost, precision, recall in zip(
        found.cuts, found.costs, found.precision, found.recall, strict=True
    ):
        called = p.proba[:, 1] >= cut
        assert cost.value == pytest.approx(cost_at(p, cut, 1.0, 5.0))
        assert recall.value == pytest.approx(called[p.positive].mean())
        assert not called.any() or precision.value == pytest.approx(p.positive[called].mean())
        assert cost.low is not None
        assert cost.high is not None
        assert cost.low <= cost.value <= cost.high
    assert found.costs[0].value == pytest.approx((~p.positive).mean())  # all rows are called positive
    assert found.costs[-1].value == pytest.approx(5 * p.positive.mean())  # none is


def test_weights_are_repetitions_in_the_chosen_cut(rng: np.random.Generator) -> None:
    p = rows(rng)
    times = rng.integers(1, 4, size=p.n)
    often = CutCosts(p.take(np.repeat(np.arange(p.n), times)), (1.0, 5.0))
    once = CutCosts(replace(p, weights=relative(times)), (1.0, 5.0))
    assert once.cheapest() == often.cheapest()


def test_the_result_speaks_and_draws(rng: np.random.Generator) -> None:
    p = rows(rng)
    names = np.array(["stay", "churn"])
    ev = evaluate_predictions(names[p.y], proba=p.proba, classes=names)
    found = ev.threshold(COST)
    assert repr(found).startswith("Call a row churn when its probability is at least 0.")
    assert "5 for a missed churn" in repr(found)
    assert len(found.to_frame()) == len(found.cuts)
    assert "\\begin{tabular}" in found.to_latex()
    assert "cheapest" in found.plot().title
    assert ev.plot(kind="thresholds", cost=COST).title == found.plot().title
    assert pickle.loads(pickle.dumps(found)).cut == found.cut
    other = ev.threshold(COST, positive="stay")
    assert other.positive == "stay"
    assert ev.threshold(COST, random_state=3).cut.value == found.cut.value


def test_what_has_no_cut_is_said(rng: np.random.Generator) -> None:
    p = rows(rng)
    ev = evaluate_predictions(p.y, proba=p.proba)
    for cost, said in [
        ({"fp": 1}, r"must be a mapping such as .*got the names fp"),
        ({**COST, "false_positive": 0.0}, r"cost\['false_positive'\] must be positive and finite, got 0\.0"),
        ({**COST, "false_positive": math.nan}, r"must be positive and finite"),
    ]:
        with pytest.raises(ValueError, match=said):
            ev.threshold(cost)
    bad: Any = 3
    with pytest.raises(TypeError, match=r"cost must be a mapping"):
        ev.threshold(bad)
    with pytest.raises(ValueError, match=r"the target here is a number"):
        evaluate_predictions(rng.normal(size=40), pred=np.zeros(40)).threshold(COST)
    with pytest.raises(ValueError, match=r"needs probabilities or scores"):
        evaluate_predictions(p.y, pred=p.y, classes=[0, 1]).threshold(COST)
    with pytest.raises(ValueError, match=r"class 1 has 2 rows here; a threshold is chosen from 10"):
        evaluate_predictions([0] * 30 + [1] * 2, proba=np.linspace(0, 1, 32)).threshold(COST)
    with pytest.raises(ValueError, match=r"two classes, and there are 3; name the one"):
        evaluate_predictions(np.arange(60) % 3, proba=rng.dirichlet(np.ones(3), 60)).threshold(COST)
    with pytest.raises(ValueError, match=r"cost is for kind 'thresholds', and kind is 'roc'"):
        ev.plot(kind="roc", cost=COST)


@pytest.mark.slow  # minutes of simulated evaluations
@pytest.mark.parametrize("carried", ["rows", "groups", "weights"])
def test_the_intervals_cover(carried: str, rng: np.random.Generator) -> None:
    """Scores of two normal laws that lie 1.2 apart: the cheapest cut and its cost in closed form."""
    n, rate, a, b, d = 600, 0.4, 2.0, 1.0, 1.2
    best = (math.log(a * (1 - rate) / (b * rate)) + d * d / 2) / d
    cut = cost = apparent = 0
    for _ in range(200):
        many = np.minimum(rng.geometric(0.3, size=n // 3), 10) if carried == "groups" else np.ones(n, int)
        groups, r = np.repeat(np.arange(many.size), many), 0.5 if carried == "groups" else 0.0
        y = np.repeat(rng.random(many.size) < rate, many)
        noise = math.sqrt(r) * rng.normal(size=many.size)[groups] + math.sqrt(1 - r) * rng.normal(size=y.size)
        p = predictions(y.astype(int), score=d * y + noise, classes=[0, 1], groups=groups if r else None)
        if carried == "weights":
            p = replace(p, weights=relative(rng.lognormal(0.0, 0.8, size=p.n)))
        found = CutCosts(p, (a, b))
        t = found.cheapest()
        low, high = found.alike(0.95, rng)
        cut += low <= best <= high
        true = a * (1 - rate) * norm.sf(t) + b * rate * norm.cdf(t - d)
        _, low, high = found.priced(found.crossed(rng), 0.95, 10 / 9)
        cost += low <= true <= high
        apparent += cost_of_its_own(found, t) < true
    assert cut >= 190
    assert cost >= 172  # 0.90 to 0.94 were seen; two standard errors of 200 draws are 0.03
    assert apparent > 120  # on its own rows a chosen cut looks too cheap


def cost_of_its_own(found: CutCosts, cut: float) -> float:
    """The cost on the rows that chose the cut."""
    false, missed = found.errors(cut)
    return found.priced((false.astype(float), missed.astype(float)), 0.95)[0]
