"""Constraint sets, and penalties that do not separate: a row of the registry without test data fails."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from sklearn.base import clone

from empirisk.penalties import REGISTRY, ConstraintSet, GroupLasso, Penalty, SortedL1
from tests.conformance.parameters import Holder

P = 6
CUT = REGISTRY["half_space"]([1.0, -2.0, 0.5, 0.0, 1.0, 1.0], -0.3)
# Constructor arguments to try; every object takes six coefficients.
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "affine_set": [
        {"matrix": [[1.0, 2.0, 0.0, -1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0, 1e3]], "values": [1.0, -2.0]},
        {"matrix": [[1.0] * P, [2.0] * P], "values": [0.5, 1.0]},  # one equation twice
    ],
    "box": [
        {"lower": -0.4, "upper": 1.0},
        {"lower": [0, -1, 2, -np.inf, 0, -3], "upper": [0, 1, 3, 1, np.inf, -2]},
    ],
    "group_lasso": [
        {"alpha": 0.8},
        {"alpha": 0.6, "groups": [[4, 0], [2], [1, 5]]},  # coefficient 3 is free
        {"alpha": 0.6, "groups": [[0, 1, 2], [3], [4, 5]], "weights": [1.0, 0.0, 2.0]},
    ],
    "half_space": [{"normal": CUT.normal, "offset": -0.3}, {"normal": [0.0, 0.0, 3.0, 0.0, 0.0, 0.0]}],
    "intersection": [
        {"sets": [REGISTRY["box"](-0.5, 1.0), CUT]},
        {"sets": [REGISTRY["l1_ball"](1.5), REGISTRY["non_negative"]()]},
        {"sets": [REGISTRY["l2_ball"](1.0), CUT, REGISTRY["box"](-1.0, 0.6)]},
    ],
    "l1_ball": [{"radius": 1.3}, {"radius": 0.0}],
    "l2_ball": [{"radius": 1.3}, {"radius": 0.0}],
    "non_negative": [{}],
    "simplex": [{}, {"total": 2.5}],
    "sorted_l1": [{"alpha": 0.7}, {"alpha": 0.7, "weights": [2.0, 1.5, 1.5, 0.5, 0.0, 0.0]}],
}
ROWS = sorted(k for k, t in REGISTRY.items() if issubclass(t, ConstraintSet) or not t.separable)
EVERY = [
    pytest.param(REGISTRY[k](**a), id=f"{k}-{i}") for k in ROWS for i, a in enumerate(ARGUMENTS.get(k, []))
]
each = pytest.mark.parametrize("penalty", EVERY)
each_oracle = pytest.mark.parametrize(
    "penalty", [e for e in EVERY if hasattr(e.values[0], "linear_minimizer")]
)
each_set = pytest.mark.parametrize("penalty", [e for e in EVERY if isinstance(e.values[0], ConstraintSet)])
each_strong = pytest.mark.parametrize(
    "penalty", [e for e in EVERY if not isinstance(e.values[0], ConstraintSet)]
)
each_dual = pytest.mark.parametrize("penalty", [e for e in EVERY if e.values[0].name != "intersection"])


@pytest.mark.parametrize("name", ROWS)
def test_every_row_has_test_data(name: str) -> None:
    assert ARGUMENTS.get(name), (
        f"add arguments of {name!r} to ARGUMENTS in tests/conformance/test_constraint_sets.py"
    )


@each
def test_keeps_the_contract(penalty: Any) -> None:
    assert isinstance(penalty, Penalty)
    for twin in (copy.deepcopy(penalty), pickle.loads(pickle.dumps(penalty)), clone(Holder(penalty)).value):
        assert twin == penalty
        assert hash(twin) == hash(penalty)
    assert "object at" not in repr(penalty)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e8])
@each
def test_prox_is_optimal_and_firm(penalty: Any, scale: float, rng: np.random.Generator) -> None:
    """The subgradient inequality at members, which only the minimiser satisfies."""
    if penalty.name == "intersection":  # slow for far points, by its docstring
        scale = min(scale, 3.0)
    count = 3 if penalty.name == "intersection" else 10
    for _ in range(count):
        v = scale * rng.standard_normal(P)
        w = penalty.prox(v, 0.7)
        assert math.isfinite(penalty.value(w))
        size = scale + np.abs(w).max() + 1.0
        assert penalty.subdiff_distance(w, (w - v) / 0.7).max() <= 1e-9 * size
        for other in scale * rng.standard_normal((2 * count, P)):
            z = penalty.prox(other, 0.7)
            slack = 1e-9 * size * (size + np.abs(z).max())
            assert (v - w) @ (z - w) / 0.7 <= penalty.value(z) - penalty.value(w) + slack
            assert (w - z) @ (w - z) <= (w - z) @ (v - other) + slack  # firmly non-expansive
    if isinstance(penalty, ConstraintSet):
        np.testing.assert_allclose(penalty.project(w), w, rtol=1e-11, atol=1e-11 * size)


@each_dual
def test_fenchel_young_and_moreau(penalty: Any, rng: np.random.Generator) -> None:
    """``v - prox(v)`` is a subgradient at the prox: equality in ``P(w) + P*(u) >= u.w``, nowhere below."""
    for _ in range(20):
        v = 2.0 * rng.standard_normal(P)
        w = penalty.prox(v, 1.0)
        u = v - w
        s = penalty.feasible_scale(u)
        if not isinstance(penalty, ConstraintSet):
            assert s >= 1.0 - 1e-13
        if s > 0.0:  # a subgradient of a cone or a flat can miss its dual by rounding
            assert penalty.value(w) + penalty.conjugate(s * u) == pytest.approx(u @ w, abs=1e-12)
            z = penalty.prox(3.0 * rng.standard_normal(P), 1.0)
            assert penalty.value(z) + penalty.conjugate(s * u) >= s * (u @ z) - 1e-12


@each
def test_subdifferential_distance_is_that_of_a_program(penalty: Any, rng: np.random.Generator) -> None:
    """``t -> (prox(w - t g) - w)/t`` tends to minus the residual (the slope of the steepest descent)."""
    for _ in range(5):
        w = penalty.prox(2.0 * rng.standard_normal(P), 1.0)
        g = rng.standard_normal(P)
        t = 1e-6
        moved = np.abs(penalty.prox(w - t * g, t) - w) / t
        np.testing.assert_allclose(penalty.subdiff_distance(w, g), moved, atol=2e-5)


@each_oracle
def test_the_linear_minimizer_is_the_lowest_point_of_the_set(penalty: Any, rng: np.random.Generator) -> None:
    if not math.isfinite(penalty.support(np.ones(P)) + penalty.support(-np.ones(P))):
        return  # an unbounded set has none
    for _ in range(20):
        g = rng.normal(size=P)
        s = penalty.linear_minimizer(g)
        assert penalty.gap(s) <= 1e-12
        others = [penalty.project(3.0 * rng.normal(size=P)) for _ in range(20)]
        assert all(g @ s <= g @ other + 1e-12 for other in others)
        assert g @ s == pytest.approx(-penalty.support(-g), rel=1e-12, abs=1e-12)


@each_dual
def test_feasible_scale_is_the_largest(penalty: Any, rng: np.random.Generator) -> None:
    for size in (0.0, 0.1, 1.0, 1e6):
        u = size * rng.standard_normal(P)
        s = penalty.feasible_scale(u)
        assert 0.0 <= s <= 1.0
        assert math.isfinite(penalty.conjugate(s * u))
        if s < 1.0:
            assert penalty.conjugate(u) == math.inf
            assert penalty.conjugate((s + 1e-9 * max(s, 1e-9)) * u) == math.inf


@each_strong
def test_critical_strength(penalty: Any, rng: np.random.Generator) -> None:
    zero, g = np.zeros(P), rng.standard_normal(P)
    alpha = penalty.critical_strength(g)
    if math.isfinite(alpha):
        assert penalty.with_strength(alpha * (1 + 1e-12)).subdiff_distance(zero, g).max() == 0.0
    assert penalty.with_strength(min(alpha, 1e6) * (1 - 1e-6)).subdiff_distance(zero, g).max() > 0.0
    assert penalty.critical_strength(zero) == 0.0
    for bad in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="alpha must be a finite number >= 0"):
            penalty.with_strength(bad)


@each_set
def test_a_set_has_no_strength(penalty: Any) -> None:
    with pytest.raises(TypeError, match=f"'{penalty.name}' has no strength"):
        penalty.with_strength(1.0)
    with pytest.raises(TypeError, match="has no strength"):
        penalty.critical_strength(np.ones(P))


@each
def test_float32_and_read_only(penalty: Any, rng: np.random.Generator) -> None:
    v = rng.standard_normal(P)
    v.flags.writeable = False
    single = penalty.prox(v.astype(np.float32), 0.5)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, penalty.prox(v, 0.5), rtol=1e-5, atol=1e-5)
    assert math.isfinite(penalty.value(single))
    assert penalty.subdiff_distance(single, v.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("name", ["intersection-0", "intersection-1", "intersection-2"])
def test_intersections_against_a_quadratic_program(name: str, rng: np.random.Generator) -> None:
    penalty = next(e.values[0] for e in EVERY if e.id == name)
    cons: list[dict[str, Any]] = []
    bounds = [(-0.5, 1.0)] * P if name.endswith("0") else [(0.0, None)] * P
    bounds = [(-1.0, 0.6)] * P if name.endswith("2") else bounds
    if not name.endswith("1"):
        cons.append({"type": "ineq", "fun": lambda w: -0.3 - np.asarray(CUT.normal) @ w})
    if name.endswith("1"):
        cons.append({"type": "ineq", "fun": lambda w: 1.5 - w.sum()})
    if name.endswith("2"):
        cons.append({"type": "ineq", "fun": lambda w: 1.0 - w @ w})
    for _ in range(5):
        v = 2.0 * rng.standard_normal(P)
        best = minimize(
            lambda w, v=v: ((w - v) ** 2).sum() / 2,
            penalty.project(np.zeros(P)),
            jac=lambda w, v=v: w - v,
            bounds=bounds,
            constraints=cons,
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        found = penalty.projection(v)
        np.testing.assert_allclose(found.point, best.x, atol=1e-6)
        assert found.shift <= 1e-11


def test_ties_zero_and_huge_values() -> None:
    ball, simplex = REGISTRY["l1_ball"](1.0), REGISTRY["simplex"]()
    np.testing.assert_array_equal(ball.project(np.full(4, -7.0)), np.full(4, -0.25))
    np.testing.assert_array_equal(simplex.project(np.full(4, 1e300)), np.full(4, 0.25))
    np.testing.assert_array_equal(simplex.project(np.array([1e16, 0.0])), [1.0, 0.0])
    np.testing.assert_array_equal(REGISTRY["l1_ball"](0.0).project(np.ones(3)), np.zeros(3))
    np.testing.assert_array_equal(REGISTRY["l2_ball"](0.0).project(np.ones(3)), np.zeros(3))


def test_slope_with_equal_weights_is_l1_and_groups_of_one_too(rng: np.random.Generator) -> None:
    v = 2.0 * rng.standard_normal(P)
    soft = REGISTRY["l1"](0.4).prox(v, 1.0)
    np.testing.assert_allclose(SortedL1(0.4, [1.0] * P).prox(v, 1.0), soft, atol=1e-15)
    np.testing.assert_allclose(GroupLasso(0.4, [[j] for j in range(P)]).prox(v, 1.0), soft, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "arguments", "error", "words"),
    [
        ("l1_ball", {"radius": -1.0}, ValueError, "radius must be a finite number >= 0"),
        ("l2_ball", {"radius": math.nan}, ValueError, "radius must be a finite number >= 0"),
        ("simplex", {"total": 0.0}, ValueError, "total must be a finite number > 0"),
        ("box", {"lower": [0.0, 2.0], "upper": 1.0}, ValueError, "the box is empty.*position 1"),
        ("half_space", {"normal": [0.0, 0.0]}, ValueError, "normal must not be the zero vector"),
        ("half_space", {"normal": [0.0, math.nan]}, ValueError, "position 1"),
        ("affine_set", {"matrix": [[1.0, 1.0], [2.0, 2.0]], "values": [1.0, 3.0]}, ValueError, "contradict"),
        ("affine_set", {"matrix": [[0.0, 0.0]], "values": [1.0]}, ValueError, "contradict"),
        (
            "group_lasso",
            {"alpha": 1.0, "groups": [[0, 1], [1, 2]]},
            ValueError,
            "coefficient 1 is in groups 0 and 1",
        ),
        ("group_lasso", {"alpha": 1.0, "groups": [[0], []]}, ValueError, "group 1"),
        ("sorted_l1", {"alpha": 1.0, "weights": [1.0, 2.0]}, ValueError, "rise after position 0"),
        ("intersection", {"sets": []}, TypeError, "at least one"),
    ],
)
def test_bad_parameters_are_refused(name: str, arguments: dict[str, Any], error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        REGISTRY[name](**arguments)


def test_sets_without_a_common_point_are_named() -> None:
    apart = REGISTRY["intersection"](
        [REGISTRY["non_negative"](), REGISTRY["box"](-5.0, 9.0), REGISTRY["half_space"]([1.0, 1.0], -1.0)],
        max_cycles=50,
    )
    with pytest.raises(ValueError, match=r"sets 0 \(non_negative\) and 2 \(half_space\) are 0.707 apart"):
        apart.project(np.array([1.0, 2.0]))


def _sorted_threshold(v: np.ndarray, radius: float) -> np.ndarray:
    """The projection onto the L1 ball by sorting, the other way to find the threshold."""
    a = np.sort(np.abs(v))[::-1]
    excess, k = np.cumsum(a) - radius, np.arange(1, len(a) + 1)
    last = np.flatnonzero(a * k > excess)[-1]
    return np.sign(v) * np.maximum(np.abs(v) - excess[last] / (last + 1), 0.0)


@given(v=arrays(float, st.integers(1, 30), elements=st.integers(-5, 5) | st.floats(-5.0, 5.0)))
def test_l1_ball_equals_sorting_with_any_ties(v: np.ndarray) -> None:
    found = REGISTRY["l1_ball"](1.3).project(v)
    right = v if np.abs(v).sum() <= 1.3 else _sorted_threshold(v, 1.3)
    np.testing.assert_allclose(found, right, atol=5e-15)


@given(v=arrays(float, st.integers(1, 12), elements=st.integers(-5, 5) | st.floats(-5.0, 5.0)))
def test_sorted_l1_equals_the_largest_means(v: np.ndarray) -> None:
    """The min-max formula of monotone regression instead of a stack."""
    c = np.linspace(2.0, 0.5, len(v))
    order = np.argsort(-np.abs(v), kind="stable")
    z = np.abs(v)[order] - c
    n = len(z)
    fitted = [min(max(z[a : b + 1].mean() for b in range(j, n)) for a in range(j + 1)) for j in range(n)]
    right = np.zeros(n)
    right[order] = np.maximum(fitted, 0.0)
    np.testing.assert_allclose(SortedL1(1.0, c).prox(v, 1.0), np.sign(v) * right, atol=1e-13)
