"""Lower bounds on the k-means optimum: below the best of all partitions, equal to it where they can be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from empirisk.clustering import axis_bound, inertia_lower_bound, semidefinite_bound
from empirisk.clustering.semidefinite_bound import bound_of_multipliers, semidefinite_costs
from tests.oracles.ruspini import OPTIMA, RUSPINI


def inertia(X: np.ndarray, s: np.ndarray, labels: np.ndarray) -> float:
    """Return the weighted sum of squares about the means of the groups."""
    means = np.array([np.average(X[labels == k], axis=0, weights=s[labels == k]) for k in np.unique(labels)])
    place = np.unique(labels, return_inverse=True)[1]
    return float(s @ ((X - means[place]) ** 2).sum(axis=1))


def optimum(X: np.ndarray, s: np.ndarray, n_clusters: int) -> float:
    """Return the least inertia over all partitions into at most K groups; the first row is in group 0."""
    labels = itertools.product(range(n_clusters), repeat=len(X) - 1)
    return min(inertia(X, s, np.array([0, *rest])) for rest in labels)


@pytest.mark.parametrize("n_clusters", [1, 2, 3])
@pytest.mark.parametrize("p", [2, 4, 11])
def test_no_bound_is_above_the_optimum(n_clusters: int, p: int, rng: np.random.Generator) -> None:
    for trial in range(4):
        X = rng.normal(size=(7, p)) * 10.0 ** rng.integers(-1, 2, p)
        s = np.ones(7) if trial % 2 else rng.exponential(size=7)
        right = optimum(X, s, n_clusters)
        for bound in (axis_bound, semidefinite_bound):
            found = bound(X, n_clusters, s)
            assert found <= right
            if n_clusters == 1:
                assert found == pytest.approx(right, rel=1e-12)
        best = inertia_lower_bound(X, n_clusters, s)
        assert 0.0 <= best.value <= right
        assert right <= (1.0 + best.ratio(right)) * best.value * (1 + 1e-12)
        assert semidefinite_bound(X, n_clusters, s) >= 0.7 * right, "the relaxation is tight for few rows"


def test_any_multipliers_prove_a_bound(rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(7, 2)), rng.exponential(size=7)
    cost, unit = semidefinite_costs(X, s)
    right = optimum(X, s, 3)
    for size in (0.0, 0.01, 0.1, 1.0):
        for _ in range(20):
            half = size * rng.exponential(size=(7, 7))
            assert bound_of_multipliers(cost, unit, 3, half + half.T) <= right
    # Without multipliers it is the spectral bound: the scatter less its K - 1 largest eigenvalues.
    rows = (X - np.average(X, axis=0, weights=s)) * np.sqrt(s)[:, None]
    values = np.linalg.eigvalsh(rows.T @ rows)
    assert bound_of_multipliers(cost, unit, 2, np.zeros((7, 7))) == pytest.approx(values[0], rel=1e-10)


def test_groups_that_lie_apart_are_proved_optimal(rng: np.random.Generator) -> None:
    for n_clusters in (2, 4):
        label = np.arange(40) % n_clusters
        X = 12.0 * rng.normal(size=(n_clusters, 5))[label] + rng.normal(size=(40, 5))
        s = rng.integers(1, 4, 40).astype(float)
        right = inertia(X, s, label)
        bound = inertia_lower_bound(X, n_clusters, s, upper=right)
        assert (1.0 - 2e-4) * right <= bound.value <= right * (1.0 + 1e-13)
        assert f"{1.0 + bound.ratio(right):.6g} * optimum" in bound.sentence(right)


@pytest.mark.parametrize("n_clusters", sorted(OPTIMA))
def test_published_optima_are_bounded_from_below(n_clusters: int) -> None:
    right = OPTIMA[n_clusters]
    bound = inertia_lower_bound(RUSPINI, n_clusters, max_steps=60)
    assert 0.4 * right < bound.value <= right * (1.0 + 1e-12)
    if n_clusters == 4:
        assert bound.value >= 0.995 * right, "these groups lie apart"


def test_many_rows_are_bounded_along_axes(rng: np.random.Generator) -> None:
    label = np.arange(3000) % 3
    X = 8.0 * np.eye(3, 6)[label] + rng.normal(size=(3000, 6))
    right = inertia(X, np.ones(3000), label)
    bound = inertia_lower_bound(X, 3)
    # The spectral bound alone is the scatter without its two largest eigenvalues.
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True) * 3000)
    assert bound.method == "axes"
    assert values[:-2].sum() * (1.0 - 1e-9) <= bound.value <= right
    # In the plane with K = 3 the spectral bound is 0, and axes alone prove something.
    plane = rng.uniform(size=(500, 2))
    assert axis_bound(plane, 3, np.ones(500)) > 0.5 * np.var(plane, axis=0).sum() * 500 / 9.0


@pytest.mark.parametrize("power", [-300, 300])
def test_units_and_weights_change_nothing(power: int, rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(20, 3)), rng.integers(0, 3, 20)
    s[0] = 1
    for method in ("axes", "semidefinite"):
        one = inertia_lower_bound(X, 3, s, method=method)
        other = inertia_lower_bound(np.ldexp(X, power), 3, np.ldexp(s.astype(float), 9), method=method)
        assert other.value == np.ldexp(one.value, 2 * power + 9)
        again = inertia_lower_bound(np.repeat(X, s, axis=0), 3, method=method)
        assert again.value == pytest.approx(one.value, rel=1e-3)


def test_nothing_is_claimed_where_nothing_is_known() -> None:
    same = inertia_lower_bound(np.ones((5, 2)), 2)
    assert (same.value, same.method, same.ratio(0.0)) == (0.0, "exact", 0.0)
    none = inertia_lower_bound(np.eye(4)[:, :3], 3, method="axes")
    assert none.sentence(2.0) == "no lower bound on the optimum is at hand" or none.value > 0.0
    line = inertia_lower_bound(np.array([[0.0], [1.0], [4.0]]), 2)
    assert (line.method, line.value) == ("exact", pytest.approx(0.5))


def test_wrong_input_is_named() -> None:
    X = np.eye(3)
    for arguments, words in (
        ({"n_clusters": 0}, "n_clusters must be an integer >= 1, got 0"),
        (
            {"n_clusters": 2, "method": "sdp"},
            "method must be one of 'auto', 'axes', 'semidefinite', got 'sdp'",
        ),
        ({"n_clusters": 2, "sample_weight": [1.0, -1.0, 1.0]}, "one finite number >= 0 for each row"),
        ({"n_clusters": 2, "sample_weight": [0.0, 0.0, 0.0]}, "zero for every row"),
    ):
        with pytest.raises(ValueError, match=words):
            inertia_lower_bound(X, **arguments)
    with pytest.raises(ValueError, match="NaN in column 0, row 0"):
        inertia_lower_bound(np.full((2, 2), np.nan), 1)
