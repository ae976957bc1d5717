"""Weights, exposures and offsets of rows in a diagnosis: fits, losses, baseline and errors know them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import empirisk as er
from empirisk.diagnosis import REGISTRY, Outcome, context
from empirisk.diagnosis.counted import constant_means
from empirisk.diagnosis.paired import paired
from empirisk.diagnosis.result import Diagnosis
from empirisk.evaluation.intervals.weighted import weighted_mean

RNG = np.random.default_rng(3)
N = 240
X = RNG.normal(size=(N, 3))
W = RNG.integers(1, 4, size=N).astype(float)
E = RNG.uniform(0.5, 20.0, size=N)
COUNTS = RNG.poisson(E * np.exp(0.3 * X[:, 0])).astype(float)
LABELS = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
TASKS = {
    "numbers": (er.Ridge(1.0), X[:, 0] + RNG.normal(size=N), {}),
    "classes": (er.LogisticRegression(alpha=0.01), LABELS, {}),
    "rates": (er.PoissonRegressor(alpha=0.01), COUNTS, {"exposure": E}),
    "offsets": (er.PoissonRegressor(alpha=0.01), COUNTS, {"offset": np.log(E)}),
}


def splits(rows: Any = slice(None)) -> list[tuple[Any, Any]]:
    """Return four folds in which copies of a row share one."""
    fold = np.arange(N)[rows] % 4
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]


def diagnosed(task: str, **more: Any) -> Diagnosis:
    """Return the diagnosis of one task on the same folds."""
    est, y, told = TASKS[task]
    return er.diagnose(est, X, y, cv=splits(), random_state=0, **told, **more)


@pytest.mark.parametrize("task", list(TASKS))
def test_equal_weights_change_no_answer(task: str) -> None:
    plain, told = diagnosed(task), diagnosed(task, sample_weight=np.full(N, 3.0))
    assert [a.code for a in told.answers] == list(REGISTRY)
    for a, b in zip(plain.answers, told.answers, strict=True):
        if b.outcome is Outcome.NOT_RUN and a.outcome is not Outcome.NOT_RUN:
            assert "the rows have weights, and" in b.sentence[:1].lower() + b.sentence[1:]
            continue
        assert a.outcome is b.outcome, (a, b)
        assert (a.p is None) == (b.p is None)
        assert a.p is None or b.p == pytest.approx(a.p, rel=1e-4, abs=1e-9)
    assert told.decomposition.risk == pytest.approx(plain.decomposition.risk, rel=1e-6)
    assert "weighted" in told.title


@pytest.mark.parametrize("task", list(TASKS))
def test_losses_and_baseline_are_those_of_repeated_rows(task: str) -> None:
    est, y, told = TASKS[task]
    again = np.repeat(np.arange(N), W.astype(int))
    a = context(est, X, y, cv=splits(), random_state=0, sample_weight=W, **told)
    b = context(
        est, X[again], y[again], cv=splits(again), random_state=0, **{k: v[again] for k, v in told.items()}
    )
    assert a.mean(a.losses) == pytest.approx(b.mean(b.losses), rel=1e-6)
    if a.classes is None:  # class frequencies have half a row added, and the copies are more rows
        assert a.baseline_risk == pytest.approx(b.baseline_risk, rel=1e-6)
    assert a.compare(a.baseline_losses).gain == pytest.approx(
        b.compare(b.baseline_losses).gain, rel=1e-6, abs=0.0 if a.classes is None else 1e-3
    )


def test_the_baseline_of_rates_is_one_rate_and_that_of_offsets_the_model_without_columns() -> None:
    est, y, _ = TASKS["rates"]
    rated = context(est, X, y, cv=splits(), random_state=0, exposure=E, sample_weight=W)
    for train, test in splits():
        rate = np.sum(W[train] * y[train]) / np.sum(W[train] * E[train])
        np.testing.assert_allclose(rated.baseline[test], rate * E[test], rtol=1e-12)
    moved = context(est, X, y, cv=splits(), random_state=0, offset=np.log(E), sample_weight=W)
    np.testing.assert_allclose(moved.baseline, rated.baseline, rtol=1e-6)  # the same Poisson model
    assert moved.n_fits == 4
    plain = context(er.GeneralizedLinearModel(), X, y, cv=splits(), random_state=0, offset=E)
    for train, test in splits():  # with the identity link an offset is a change of the target
        np.testing.assert_allclose(plain.baseline[test], np.mean(y[train] - E[train]) + E[test], rtol=1e-8)


def test_a_weighted_comparison_has_the_error_of_the_linearised_ratio() -> None:
    d = RNG.normal(0.1, 1.0, size=N)
    found = paired(d, np.zeros(N), 0.0, weights=W)
    own = weighted_mean(d, W, kind="difference")
    mean = np.average(d, weights=W)
    error = np.sqrt(np.sum((W * (d - mean)) ** 2)) / W.sum() * np.sqrt(N / (N - 1))
    assert found.gain == pytest.approx(mean)
    assert found.se == pytest.approx(1.25 * error)
    assert own.value == pytest.approx(mean)
    # The leverage correction of that interval is left out here, and the factor 1.25 is put in.
    assert found.high - found.low == pytest.approx(1.25 * (own.high - own.low), rel=0.01)
    assert found.n == round(W.sum() ** 2 / (W @ W))
    few = paired(d, np.zeros(N), 0.0, weights=np.where(np.arange(N) < 40, 1.0, 1e-9))
    assert few.refused == "40 effective rows are fewer than 50"


def test_weights_that_differ_raise_no_more_false_alarms() -> None:
    rng = np.random.default_rng(0)
    fired = 0
    for _ in range(400):
        w = np.exp(rng.normal(0.0, 0.7, size=200))
        fired += paired(rng.exponential(size=200), np.ones(200), 0.0, weights=w).p_fire <= 0.05
    assert fired <= 400 * 0.05 + 2.0 * np.sqrt(400 * 0.05 * 0.95)


def test_overdispersion_and_repeats_know_exposures() -> None:
    found = diagnosed("rates")
    assert found.checks["ER218"].outcome is not Outcome.FIRES, found.checks["ER218"]
    blind = er.diagnose(er.PoissonRegressor(alpha=0.01), X, COUNTS, cv=splits(), random_state=0)
    assert blind.checks["ER218"].outcome is Outcome.FIRES  # without them, counts vary with the exposure
    twice = np.repeat(np.arange(N // 2), 2)
    told = context(er.PoissonRegressor(alpha=0.01), X[twice], COUNTS, cv=4, random_state=0, exposure=E)
    assert len(np.unique(told.equal_rows)) == N
    assert len(np.unique(context(er.Ridge(1.0), X[twice], COUNTS, random_state=0).equal_rows)) == N // 2


def test_a_sample_holds_what_rows_carry() -> None:
    est, y, told = TASKS["rates"]
    sample = er.selection.Sample(X, y, weights=W, **told)
    a = er.diagnose(est, sample, cv=splits(), random_state=0)
    b = diagnosed("rates", sample_weight=W)
    assert [x.sentence for x in a.answers] == [x.sentence for x in b.answers]
    with pytest.raises(TypeError, match="a Sample holds its exposure"):
        er.diagnose(est, sample, exposure=E)


def test_models_that_take_none_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match=r"LinearRegression\.fit takes no exposure"):
        er.diagnose(LinearRegression(), X, COUNTS, exposure=E)
    with pytest.raises(ValueError, match="sample_weight is -1 in row 0"):
        er.diagnose(er.Ridge(), X, COUNTS, sample_weight=-np.ones(N))


def test_a_baseline_that_fails_is_a_sentence() -> None:
    sample = er.selection.Sample(X, COUNTS, offset=E)

    class Fails(LinearRegression):
        def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Any:
            raise ValueError("no")

    with pytest.raises(Exception, match="this model without columns, fails: no"):
        constant_means(sample, tuple(splits()), Fails())
