"""Criteria: scores against the definition of heterogeneity, leaves against a search, gains never negative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.trees.criteria import REGISTRY, AbsoluteError, NewtonGain
from empirisk.trees.criteria.shares import ClassCriterion

OF_SUMS = [REGISTRY[name] for name in REGISTRY if name not in ("absolute_error", "newton")]


def rows(kind: Any, rng: np.random.Generator, n: int = 30) -> tuple[Any, Any, Any]:
    """A criterion with targets and weights that suit it."""
    criterion = kind(n_classes=3) if issubclass(kind, ClassCriterion) else kind()
    y = rng.integers(0, 3, n).astype(float) if criterion.name != "squared_error" else rng.standard_normal(n)
    return criterion, y, rng.exponential(size=n)


@pytest.mark.parametrize("kind", OF_SUMS, ids=lambda k: k.name)
def test_gain_is_the_decrease_of_the_total_heterogeneity(kind: Any, rng: np.random.Generator) -> None:
    c, y, s = rows(kind, rng)
    left = rng.random(len(y)) < 0.4
    terms = c.statistics(y, s)
    by_sums = (
        c.score(terms[left].sum(axis=0)) + c.score(terms[~left].sum(axis=0)) - c.score(terms.sum(axis=0))
    )
    by_definition = (
        s.sum() * c.heterogeneity(y, s)
        - s[left].sum() * c.heterogeneity(y[left], s[left])
        - s[~left].sum() * c.heterogeneity(y[~left], s[~left])
    )
    assert by_sums == pytest.approx(by_definition, abs=1e-12)
    assert by_sums >= -1e-12


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gini", 1 - (0.5**2 + 0.25**2 + 0.25**2)),
        ("entropy", 0.5 * np.log(2) + 0.5 * np.log(4)),
        ("misclassification", 0.5),
    ],
)
def test_heterogeneity_of_known_shares(name: str, value: float) -> None:
    y = np.array([0.0, 0.0, 1.0, 2.0])
    assert REGISTRY[name](n_classes=3).heterogeneity(y, np.ones(4)) == pytest.approx(value)
    assert REGISTRY[name](n_classes=3).heterogeneity(y[:2], np.ones(2)) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("name", ["squared_error", "poisson"])
def test_mean_leaf_has_the_smallest_cost(name: str, rng: np.random.Generator) -> None:
    c, y, s = rows(REGISTRY[name], rng)
    leaf = float(c.leaf(c.statistics(y, s).sum(axis=0))[0])

    def cost(m: float) -> float:
        if name == "squared_error":
            return float(np.average((y - m) ** 2, weights=s))
        return float(
            2.0 * np.average(np.where(y > 0, y * np.log(np.maximum(y, 1e-9) / m), 0.0) - y + m, weights=s)
        )

    assert cost(leaf) == pytest.approx(c.heterogeneity(y, s))
    assert all(cost(leaf) <= cost(leaf + step) for step in (-0.1, -1e-3, 1e-3, 0.1))


def test_median_minimises_the_absolute_error(rng: np.random.Generator) -> None:
    c, s, y = AbsoluteError(), rng.integers(1, 4, 25).astype(float), rng.integers(0, 9, 25).astype(float)
    costs = [np.average(np.abs(y - m), weights=s) for m in np.unique(y)]
    assert c.heterogeneity(y, s) == pytest.approx(min(costs))
    assert c.median(y, s) == np.median(np.repeat(y, s.astype(int)))
    assert AbsoluteError.median(np.array([1.0, 3.0]), np.ones(2)) == 2.0


def test_newton_leaf_minimises_the_quadratic_model(rng: np.random.Generator) -> None:
    g, h, s = rng.standard_normal(20), rng.exponential(size=20), rng.exponential(size=20)
    c = NewtonGain(l2=0.7)
    sums = c.statistics(np.column_stack([g, h]), s).sum(axis=0)
    v = float(c.leaf(sums)[0])

    def model(v: float) -> float:
        return float((s * (g * v + h * v**2 / 2)).sum() + 0.7 * v**2 / 2)

    assert -2.0 * model(v) == pytest.approx(float(c.score(sums)))
    assert all(model(v) < model(v + step) for step in (-0.1, 0.1))
