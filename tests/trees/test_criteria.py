"""Criteria: scores against the definition of heterogeneity, leaves against a search, gains never negative."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.trees.criteria import REGISTRY, AbsoluteError, Criterion, NewtonGain

KINDS_OF_TARGETS = ("classes", "numbers", "derivatives")
OF_SUMS = [c for c in REGISTRY.values() if c.sums != "order" and c.targets != "derivatives"]


def rows(kind: Any, rng: np.random.Generator, n: int = 30) -> tuple[Any, Any, Any]:
    """A criterion with targets and weights that suit it."""
    criterion = kind(n_classes=3) if kind.targets == "classes" else kind()
    y: Any = rng.standard_normal(n)
    if kind.targets == "derivatives":
        y = np.column_stack([y, rng.exponential(size=n)])
    elif kind.targets == "classes" or kind.non_negative:
        y = rng.integers(0, 3, n).astype(float)
    return criterion, y, rng.exponential(size=n)


def of(rule: str, holds: bool, kind: Any) -> None:
    """Fail with what to change, and where."""
    assert holds, f"{kind.name}: change {kind.__name__} in {kind.__module__.replace('.', '/')}.py: {rule}"


@pytest.mark.parametrize("kind", REGISTRY.values(), ids=list(REGISTRY))
def test_a_criterion_answers_what_estimators_ask(kind: Any) -> None:
    of("add the members that Criterion of trees/criteria/base.py names", isinstance(kind(), Criterion), kind)
    of("targets is classes, numbers or derivatives", kind.targets in KINDS_OF_TARGETS, kind)
    of("sums is two, classes or order", kind.sums in ("two", "classes", "order"), kind)
    of("scale is a number > 0", 0.0 < kind.scale < np.inf, kind)
    others = {n for c in REGISTRY.values() if c is not kind for n in (c.name, *c.aliases)}
    of("its names are taken by another criterion", not others & {kind.name, *kind.aliases}, kind)


@pytest.mark.parametrize("kind", REGISTRY.values(), ids=list(REGISTRY))
def test_the_mean_loss_of_the_rows_of_a_leaf_is_its_heterogeneity(
    kind: Any, rng: np.random.Generator
) -> None:
    c, y, s = rows(kind, rng)
    median = c.predicts == "median"
    leaf = np.atleast_1d(c.median(y, s)) if median else c.leaf(c.statistics(y, s).sum(axis=0))
    h = c.heterogeneity(y, s)
    mean = float(np.average(c.row_loss(y, np.tile(leaf, (len(y), 1))), weights=s))
    of(f"row_loss has the mean {mean:g} in a leaf of heterogeneity {h:g}", np.isclose(mean, h), kind)
    if c.targets != "derivatives":  # whose heterogeneity is minus a decrease
        node = float(c.node_loss(leaf[None, :], np.array([s.sum()]), np.array([h]))[0])
        of(f"node_loss is {node:g}, not weight times {h:g}", np.isclose(node, s.sum() * h), kind)
    # No other prediction has a smaller mean loss; the error rate is flat, so that equal is enough.
    for _ in range(20):
        other = leaf + 0.05 * rng.standard_normal(leaf.shape)
        if c.predicts == "shares":
            other = rng.dirichlet(20.0 * leaf + 0.1)
        worse = float(
            np.average(
                c.row_loss(y, np.tile(np.abs(other) if c.non_negative else other, (len(y), 1))), weights=s
            )
        )
        of("another prediction than the leaf's has a smaller mean row_loss", worse >= h - 1e-12, kind)


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
