"""Every separable penalty of the registry keeps its contract; a row without test data fails."""

from __future__ import annotations

import copy
import math
import pickle
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from empirisk.penalties import REGISTRY as EVERY
from empirisk.penalties import ConstraintSet, GroupLasso, Penalty, SortedL1
from tests.conformance.parameters import Holder

REGISTRY = {k: t for k, t in EVERY.items() if t.separable and not issubclass(t, ConstraintSet)}

# Constructor arguments to try, and the formula of one coefficient again (inf where it is not allowed).
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "elastic_net": [
        {"alpha": 0.7, "l1_ratio": 0.5},
        {"alpha": 2.0, "l1_ratio": 0.9, "positive": True},
        {"alpha": 1.5, "l1_ratio": 0.0},
        {"alpha": 1.5, "l1_ratio": 1.0},
        {"alpha": 0.0, "l1_ratio": 0.5},
    ],
    "l1": [{"alpha": 0.8}, {"alpha": 0.8, "positive": True}],
    "l2": [{"alpha": 1.3}, {"alpha": 1.3, "positive": True}],
    "zero": [{}, {"positive": True}],
}


def formula(p: Any, w: np.ndarray) -> np.ndarray:
    ratio = {"l1": 1.0, "l2": 0.0, "zero": 0.0}.get(p.name, p.l1_ratio)
    value = p.alpha * (ratio * np.abs(w) + (1.0 - ratio) * w**2 / 2.0)
    return np.where((w < 0.0) & p.positive, np.inf, value)


def every() -> list[Any]:
    out = []
    for name in sorted(REGISTRY):
        for k, arguments in enumerate(ARGUMENTS.get(name, [])):
            out.append(pytest.param(REGISTRY[name](**arguments), id=f"{name}-{k}"))
    return out


each = pytest.mark.parametrize("penalty", every())
GRID = np.linspace(-12.0, 12.0, 240_001)  # holds 0


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_row_has_test_data_and_its_own_name(name):
    assert ARGUMENTS.get(name), (
        f"add arguments of {name!r} to ARGUMENTS in tests/conformance/test_penalties.py"
    )
    penalty = REGISTRY[name](**ARGUMENTS[name][0])
    assert penalty.name == name
    assert isinstance(penalty, Penalty)
    assert penalty.convex


@each
def test_value_is_the_formula(penalty, rng):
    for scale in (1e-8, 1.0, 1e8):
        w = scale * np.abs(rng.standard_normal(7))
        assert penalty.value(w) == pytest.approx(float(formula(penalty, w).sum()), rel=1e-13)
        assert penalty.value(-w) == pytest.approx(float(formula(penalty, -w).sum()), rel=1e-13)
    assert penalty.value(np.zeros(4)) == 0.0
    assert penalty.value(np.zeros(0)) == 0.0


@each
def test_parts_are_consistent(penalty, rng):
    w = np.abs(rng.standard_normal(5))
    parts = penalty.l1 * np.abs(w).sum() + penalty.l2 * (w @ w) / 2.0
    assert penalty.value(w) == pytest.approx(parts, rel=1e-13)


@each
def test_prox_is_the_minimiser_by_brute_force(penalty, rng):
    v = np.concatenate([3.0 * rng.standard_normal(12), [0.0, 1e-3, -1e-3]])
    for step in (0.1, 1.0, 3.0):
        found = penalty.prox(v, step)
        for x, w in zip(v, found, strict=True):
            objective = (GRID - x) ** 2 / 2.0 + step * formula(penalty, GRID)
            assert abs(w - GRID[np.argmin(objective)]) <= 1.001 * (GRID[1] - GRID[0])
            own = (w - x) ** 2 / 2.0 + step * float(formula(penalty, np.array(w)))
            assert own <= objective.min() + 1e-14
    np.testing.assert_array_equal(penalty.prox(np.zeros(3), 2.0), np.zeros(3))
    # The optimality condition of the prox, to the last digits.
    w = penalty.prox(v, 0.7)
    assert penalty.subdiff_distance(w, (w - v) / 0.7).max() <= 1e-14


@each
def test_conjugate_is_the_supremum_by_brute_force(penalty, rng):
    for u in np.concatenate([4.0 * rng.standard_normal(10), [0.0]]):
        found = penalty.conjugate(np.array([u]))
        near, far = (float(np.max(k * u * GRID - formula(penalty, k * GRID))) for k in (5.0, 500.0))
        if penalty.l2 == 0.0 and far > near + 1e-6:  # still growing: the supremum is infinite
            assert found == math.inf
        else:
            assert found == pytest.approx(max(near, far), rel=1e-6, abs=1e-6)
            assert found >= max(near, far) - 1e-12
    u = rng.standard_normal(6)
    total = sum(penalty.conjugate(u[j : j + 1]) for j in range(6))
    assert penalty.conjugate(u) == pytest.approx(total) or penalty.conjugate(u) == total == math.inf


@each
def test_feasible_scale_is_the_largest(penalty, rng):
    for size in (0.0, 0.1, 1.0, 50.0, 1e9):
        u = size * rng.standard_normal(8)
        s = penalty.feasible_scale(u)
        assert 0.0 <= s <= 1.0
        assert math.isfinite(penalty.conjugate(s * u))
        if s < 1.0:
            assert penalty.conjugate(u) == math.inf
            assert penalty.conjugate((s + 1e-9 * max(s, 1e-9)) * u) == math.inf
    assert penalty.feasible_scale(np.zeros(0)) == 1.0


@each
def test_subdiff_distance_from_one_sided_slopes(penalty, rng):
    h = 1e-7
    w = np.array([0.0, 0.0, 0.0, 0.8, 2.0, *([] if penalty.positive else [-0.6, -3.0])])
    for g in rng.standard_normal((20, len(w))) * 2.0:
        found = penalty.subdiff_distance(w, g)
        for wj, gj, dj in zip(w, g, found, strict=True):
            at = float(formula(penalty, np.array(wj)))
            right = (float(formula(penalty, np.array(wj + h))) - at) / h
            left = (at - float(formula(penalty, np.array(wj - h)))) / h
            assert dj == pytest.approx(max(0.0, -gj - right, left + gj), abs=1e-6)


@each
def test_critical_strength_is_where_zero_becomes_optimal(penalty, rng):
    if penalty.alpha == 0.0 and penalty.name != "elastic_net":
        assert penalty.critical_strength(rng.standard_normal(4)) == math.inf
        return
    for _ in range(10):
        g = rng.standard_normal(6)
        alpha = penalty.critical_strength(g)
        if not math.isfinite(alpha):
            assert penalty.l1 == 0.0
            continue
        zero = np.zeros(6)
        assert penalty.with_strength(alpha * (1 + 1e-12)).subdiff_distance(zero, g).max() == 0.0
        if alpha > 0.0:
            assert penalty.with_strength(alpha * (1 - 1e-6)).subdiff_distance(zero, g).max() > 0.0
    assert penalty.critical_strength(np.zeros(3)) in (0.0, math.inf)


@each
def test_strong_convexity_and_smoothness(penalty, rng):
    mu, L = penalty.strong_convexity, penalty.smoothness
    a, b = np.abs(rng.standard_normal((2, 200, 3)))
    for x, y in zip(a, b, strict=True):
        gap = 0.5 * (penalty.value(x) + penalty.value(y)) - penalty.value(0.5 * (x + y))
        assert gap >= mu / 8.0 * float((x - y) @ (x - y)) - 1e-13
        if math.isfinite(L):
            assert gap <= L / 8.0 * float((x - y) @ (x - y)) + 1e-13
    kink = penalty.value(np.array([1e-9])) + (0.0 if penalty.positive else penalty.value(np.array([-1e-9])))
    assert math.isfinite(L) == (kink <= 1e-12 and not penalty.positive)


@each
def test_with_strength_makes_a_new_one(penalty):
    if penalty.name == "zero":
        with pytest.raises(ValueError, match="alpha = 0"):
            penalty.with_strength(1.0)
        return
    before = copy.deepcopy(penalty)
    other = penalty.with_strength(3.25)
    assert type(other) is type(penalty)
    assert (other.alpha, other.l1_ratio, other.positive) == (3.25, penalty.l1_ratio, penalty.positive)
    assert penalty == before


@pytest.mark.parametrize("name", ["elastic_net", "l1", "l2"])
@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf])
def test_bad_strengths_are_refused_by_name(name, alpha):
    with pytest.raises(ValueError, match="alpha must be a finite number >= 0"):
        REGISTRY[name](alpha)


@pytest.mark.parametrize("ratio", [-0.1, 1.1, math.nan])
def test_bad_ratios_are_refused_by_name(ratio):
    with pytest.raises(ValueError, match="l1_ratio"):
        REGISTRY["elastic_net"](1.0, ratio)


@each
def test_objects_compare_copy_pickle_and_clone(penalty):
    for twin in (copy.deepcopy(penalty), pickle.loads(pickle.dumps(penalty)), clone(Holder(penalty)).value):
        assert twin == penalty
        assert hash(twin) == hash(penalty)
    assert "object at" not in repr(penalty)


@each
def test_float32_and_read_only_arrays(penalty, rng):
    v = rng.standard_normal(9)
    v.flags.writeable = False
    right = penalty.prox(v, 0.5)
    single = penalty.prox(v.astype(np.float32), 0.5)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, right, rtol=1e-5, atol=1e-6)
    w = np.abs(right)
    assert penalty.value(w.astype(np.float32)) == pytest.approx(penalty.value(w), rel=1e-5)
    assert penalty.subdiff_distance(w.astype(np.float32), v.astype(np.float32)).dtype == np.float32
    assert math.isfinite(
        penalty.conjugate(penalty.feasible_scale(v.astype(np.float32)) * v.astype(np.float32))
    )


def test_the_norms_of_groups_by_their_definition(rng: np.random.Generator) -> None:
    w = rng.normal(size=5)
    first, second = math.hypot(w[0], w[1], w[4]), math.hypot(w[2], w[3])
    groups = [[0, 1, 4], [2, 3]]
    assert GroupLasso(0.3, groups).value(w) == pytest.approx(
        0.3 * (math.sqrt(3.0) * first + math.sqrt(2.0) * second)
    )
    assert GroupLasso(0.3, groups, [0.5, 2.0]).value(w) == pytest.approx(0.3 * (0.5 * first + 2.0 * second))


def test_the_default_weights_are_those_of_benjamini_and_hochberg() -> None:
    # Normal quantiles of 1 - j q/(2 p) over that of j = 1, for q = 0.1 and p = 4, from the normal law.
    z = [NormalDist().inv_cdf(1.0 - j * 0.1 / 8.0) for j in (1, 2, 3, 4)]
    w = np.array([1.0, -3.0, 2.0, 0.5])
    wanted = 0.7 * (3.0 * z[0] + 2.0 * z[1] + 1.0 * z[2] + 0.5 * z[3]) / z[0]
    assert SortedL1(0.7).value(w) == pytest.approx(wanted, rel=1e-12)
