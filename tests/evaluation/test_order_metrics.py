"""Spearman's and Kendall's correlations and the discounted gain: values, influence, intervals, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import ndcg_score

import empirisk as er
from empirisk.evaluation.metrics import METRICS, ndcg
from empirisk.evaluation.metrics.predictions import regression
from empirisk.evaluation.metrics.rank_correlation import below
from empirisk.selection import evaluate_predictions

PEERS = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("name", list(PEERS))
def test_values_are_those_of_scipy(name: str, ties: bool, rng: np.random.Generator) -> None:
    x = rng.normal(size=150)
    y = x + rng.normal(size=150)
    if ties:
        x, y = np.round(x), np.round(2.0 * y)
    found = evaluate_predictions(y, pred=x, metrics=name)[name]
    assert found.value == pytest.approx(PEERS[name](x, y)[0], rel=1e-12)
    assert -1.0 < found.low < found.value < found.high < 1.0


def test_pairs_are_counted_as_by_hand(rng: np.random.Generator) -> None:
    x, y, w = rng.integers(6, size=70), rng.integers(5, size=70), rng.random(70)
    by_hand = [w[(x < a) & (y < b)].sum() for a, b in zip(x, y, strict=True)]
    assert below(x, y, w) == pytest.approx(np.array(by_hand), abs=1e-12)
    assert below(x[:1], y[:1], w[:1]) == pytest.approx([0.0])


@pytest.mark.parametrize("name", list(PEERS))
def test_a_perfect_order_has_a_limit_below_one(name: str) -> None:
    y = np.arange(60.0)
    for sign in (1.0, -1.0):
        found = evaluate_predictions(y, pred=sign * np.exp(y / 10.0), metrics=name)[name]
        assert found.value == pytest.approx(sign)
        near, far = (found.high, found.low) if sign > 0 else (-found.low, -found.high)
        assert near == 1.0
        assert 0.5 < far < 0.95


@pytest.mark.parametrize("name", list(PEERS))
def test_what_has_no_order_says_so(name: str) -> None:
    found = evaluate_predictions(np.arange(40.0), pred=np.ones(40), metrics=name)[name]
    assert math.isnan(found.value)
    assert "all the same" in found.reason
    few = evaluate_predictions(np.arange(12.0), pred=np.arange(12.0) % 5, metrics=name)[name]
    assert few.low is None
    assert "12 rows are too few" in few.reason


def relevances(rng: np.random.Generator, queries: int = 30, size: int = 12) -> tuple[np.ndarray, np.ndarray]:
    gain = rng.integers(0, 4, size=(queries, size)).astype(float)
    return gain, np.round(gain + 2.0 * rng.normal(size=(queries, size)), 1)


@pytest.mark.parametrize("k", [None, 1, 5, 40])
def test_gains_are_those_of_scikit_learn(k: int | None, rng: np.random.Generator) -> None:
    """Rows of equal scores share their gains in both."""
    gain, score = relevances(rng)
    groups = np.repeat(np.arange(30), 12)
    mix = rng.permutation(groups.size)
    metric = ndcg(k)
    found = evaluate_predictions(
        gain.ravel()[mix], pred=score.ravel()[mix], groups=groups[mix], metrics=metric
    )[metric.name]
    each = [ndcg_score(g[None], s[None], k=k) for g, s in zip(gain, score, strict=True)]
    assert found.value == pytest.approx(np.mean(each), rel=1e-12)
    error = METRICS["ndcg"].standard_error if k is None else metric.standard_error
    p = regression(gain.ravel(), score.ravel(), groups)
    assert error([p], None) == pytest.approx(stats.sem(each), rel=1e-10)


def test_queries_without_a_gain_do_not_count_and_one_ranking_has_no_interval(
    rng: np.random.Generator,
) -> None:
    gain, score = relevances(rng, 12)
    gain[0] = 0.0
    told = evaluate_predictions(
        gain.ravel(), pred=score.ravel(), groups=np.repeat(np.arange(12), 12), metrics="ndcg"
    )["ndcg"]
    assert told.value == pytest.approx(ndcg_score(gain[1:], score[1:]), rel=1e-12)
    assert told.low is not None
    alone = evaluate_predictions(gain.ravel(), pred=score.ravel(), metrics="ndcg")["ndcg"]
    assert alone.value == pytest.approx(ndcg_score(gain.reshape(1, -1), score.reshape(1, -1)), rel=1e-12)
    assert "name the rankings with groups=" in alone.reason
    none = evaluate_predictions(np.zeros(20), pred=np.arange(20.0), metrics="ndcg")["ndcg"]
    assert "no row has a target above 0" in none.reason


def test_gains_refuse_what_has_no_rank() -> None:
    below_zero = evaluate_predictions([1.0, 0.0, -1.0], pred=[1.0, 2.0, 3.0], metrics="ndcg")["ndcg"]
    assert "y is -1 in row 2" in below_zero.reason
    weighted = evaluate_predictions([1.0, 0.0], pred=[1.0, 2.0], sample_weight=[1.0, 2.0], metrics="ndcg")
    assert "leave sample_weight out" in weighted["ndcg"].reason
    assert math.isnan(weighted["ndcg"].value)
    for k in (0, 2.5, True):
        with pytest.raises(ValueError, match="k must be an integer >= 1"):
            ndcg(k)  # type: ignore[arg-type]


def test_cross_validation_keeps_rankings_whole(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    gain = np.clip(np.round(X[:, 0] + rng.normal(size=300)), 0.0, None)
    groups = np.repeat(np.arange(30), 10)
    found = er.cross_evaluate(
        er.Ridge(1.0), X, gain, groups=groups, metrics=["ndcg", "kendall", "spearman"], cv=5, random_state=0
    )
    assert all(e.low < e.value < e.high for e in found.values())
    blind = er.compare(
        er.Ridge(1.0), er.Ridge(1e9), X, gain, groups=groups, metric="kendall", cv=5, random_state=0
    )
    assert blind.difference.value > 0.0


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("n", [30, 120])
@pytest.mark.full  # simulated
def test_coverage_of_rank_correlations(rho: float, n: int) -> None:
    """Normal pairs: tau is ``2/pi asin(rho)``, Spearman's correlation ``6/pi asin(rho/2)`` (Kendall 1948)."""
    rng = np.random.default_rng(6)
    truth = {"spearman": 6.0 / math.pi * math.asin(rho / 2.0), "kendall": 2.0 / math.pi * math.asin(rho)}
    hits: dict[str, list[bool]] = {name: [] for name in truth}
    for _ in range(1200):
        x = rng.normal(size=n)
        y = rho * x + math.sqrt(1.0 - rho**2) * rng.normal(size=n)
        for name, e in evaluate_predictions(y, pred=x, metrics=list(truth)).items():
            hits[name].append(e.low <= truth[name] <= e.high)
    for inside in hits.values():
        assert 0.93 - 2.5 * 0.0063 <= np.mean(inside) <= 0.97 + 2.5 * 0.0063
