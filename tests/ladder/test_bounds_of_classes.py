"""Members of `er.hypotheses`: their own size and growth function bound their risk."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, PolynomialFeatures, StandardScaler

import empirisk as er
from empirisk.hypotheses import cover

Data = tuple[np.ndarray, np.ndarray]
FINITE, UNIFORM = "finite class", "growth function of the class"
FEW, NONE = "VC dimension and training error", "VC dimension without training errors"
h = er.hypotheses
CUTS = [lambda X, c=c: X[:, 0] > c for c in np.linspace(-1, 1, 8)]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(8)
    X = rng.integers(0, 2, size=(300, 3)).astype(float)
    return X, np.where((X[:, 0] * X[:, 1] > 0) ^ (rng.random(300) < 0.05), "yes", "no")


@pytest.mark.parametrize(
    ("model", "members"),
    [
        (h.FiniteClass(CUTS), 8),
        (h.FiniteClass(np.array([[0, 1], [0, 1], [1, 0]])), 2),
        (h.Conjunctions(), 3**3 + 1),
        (h.Conjunctions(monotone=True), 2**3),
    ],
    ids=["functions", "table", "conjunctions", "monotone"],
)
def test_a_finite_class_is_a_union_of_exact_limits(model: Any, members: int, data: Data) -> None:
    X, y = data
    X = X[:, :1] if isinstance(model, h.FiniteClass) else X
    row = er.risk_bounds(model.fit(X, y), X, y)[FINITE]
    errors = int(np.count_nonzero(model.predict(X) != y))
    assert stats.binom.cdf(errors, 300, row.value) == pytest.approx(0.05 / members, rel=1e-6)
    assert row.value < errors / 300 + math.sqrt(math.log(members / 0.05) / 600)  # the textbook's
    assert any(f"the class has {members} members" in a.text for a in row.assumptions)
    assert any("fixed before the rows were seen" in a.text for a in row.assumptions)


def test_a_class_of_very_many_members(rng: np.random.Generator) -> None:
    X = rng.integers(0, 2, size=(400, 800)).astype(float)
    y = X[:, 0].astype(int)
    row = er.risk_bounds(h.Conjunctions().fit(X, y), X, y)[FINITE]
    assert row.value == pytest.approx(-math.expm1((math.log(0.05) - 800 * math.log(3.0)) / 400), rel=1e-6)
    assert any("10^381.7 members" in a.text for a in row.assumptions)


@pytest.mark.parametrize(
    "model",
    [h.Boxes(), h.DecisionStumps(), h.Annuli(), h.Thresholds(), h.Intervals(2), h.Halfspaces(), h.Balls()],
    ids=lambda m: type(m).__name__,
)
def test_the_growth_function_of_the_class(model: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 1 if model.name in ("thresholds", "intervals") else 2))
    for noisy in (False, True):
        y = ((X[:, 0] > 0.3) ^ (noisy and rng.random(200) < 0.02)).astype(int)
        if noisy and model.name in ("halfspaces", "balls"):
            continue  # their fit takes long
        table = er.risk_bounds(model.fit(X, y), X, y)
        rate = float(np.mean(model.predict(X) != y))
        given = {"n": 200, "delta": 0.05, "hypotheses": model}
        few = rate + er.bounds.ghost_training_error(**given, rate=rate).epsilon
        uniform = rate + min(
            er.bounds.ghost_uniform(**given, sides=1).epsilon, er.bounds.vc_uniform(**given, sides=1).epsilon
        )
        assert table[FEW].value == pytest.approx(few)
        assert table[UNIFORM].value == pytest.approx(uniform)
        assert table[NONE].applies == (rate == 0.0)
        if rate == 0.0:
            assert table[NONE].value == pytest.approx(er.bounds.ghost_realizable(**given).epsilon)
        assert table[UNIFORM].kind == "every model of the class"
        assert any("fixed before" in a.text for a in table[UNIFORM].assumptions)
        assert not table[FINITE].applies


@pytest.mark.parametrize("intercept", [True, False])
def test_half_spaces_are_counted_as_cover_does(intercept: bool, data: Data) -> None:
    X, y = data
    table = er.risk_bounds(er.LogisticRegression(0.1, fit_intercept=intercept).fit(X, y), X, y)
    known = {"hypotheses": h.Halfspaces(3)} if intercept else {"vc": 3}
    rate = table[FEW].measured
    assert rate is not None
    found = er.bounds.ghost_training_error(n=300, delta=0.05, rate=rate, **known).epsilon
    assert table[FEW].value == pytest.approx(rate + found)
    assert table["VC dimension of half-spaces"].value == pytest.approx(
        rate + er.bounds.ghost_uniform(n=300, delta=0.05, sides=1, **known).epsilon
    )


def test_boundaries_through_points_make_no_labelling_more() -> None:
    """All lines with small coefficients, also through points: Cover's count holds; through 0 alone not."""
    points = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [-1, 0]])
    steps = [-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]
    seen = {tuple(points @ (a, b) + c > 0) for a, b, c in product(steps, steps, steps)}
    assert 20 < len(seen) <= cover(6, 3)
    assert len({(w > 0, -w > 0) for w in (-1, 0, 1)}) > cover(2, 1)


def test_classes_that_the_rows_shaped_refuse(data: Data, rng: np.random.Generator) -> None:
    X, y = data
    scaled = er.risk_bounds(make_pipeline(StandardScaler(), h.DecisionStumps()).fit(X, y), X, y)
    for name in (UNIFORM, FEW, NONE):
        assert "StandardScaler was fitted on these rows" in scaled[name].reason
    fixed = er.risk_bounds(make_pipeline(Normalizer(), h.DecisionStumps()).fit(X, y), X, y)
    assert fixed[UNIFORM].applies
    for endless in (h.NearestNeighbours(), h.Sine()):
        x = rng.normal(size=(30, 1))
        table = er.risk_bounds(endless.fit(x, (x[:, 0] > 0).astype(int)), x, (x[:, 0] > 0).astype(int))
        assert "VC dimension of the class is infinite" in table[UNIFORM].reason
        assert "VC dimension of the class is infinite" in table[FEW].reason
    one = er.risk_bounds(h.DecisionStumps().fit(X, ["no"] * 300), X, ["no"] * 300)
    assert "two classes" in one[UNIFORM].reason
    wide = make_pipeline(PolynomialFeatures(2), LogisticRegression()).fit(X, y)
    assert "is not a hypothesis class" in er.risk_bounds(wide, X, y)[UNIFORM].reason


def test_a_search_over_classes_pays_for_each(data: Data) -> None:
    X, y = data
    search = GridSearchCV(h.Conjunctions(), {"monotone": [True, False]}, cv=2).fit(X, y)
    table = er.risk_bounds(search, X, y, delta=0.1)
    alone = er.risk_bounds(search.best_estimator_, X, y, delta=0.05)
    for name in (FINITE, UNIFORM, FEW):
        assert table[name].value == pytest.approx(alone[name].value)
        assert any("monotone was chosen among 2" in a.text for a in table[name].assumptions)
