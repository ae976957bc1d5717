"""Certificates from multipliers of the rows: losses with kinks, and sets without a finite gap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Absolute, Gamma, HalfSquared, Quantile
from empirisk.penalties import L1, GroupLasso, L2Ball, NonNegative, Simplex, Zero
from empirisk.problems import LinearProblem
from empirisk.results import Kind


def quantile_by_programme(X, y, q, alpha, intercept):
    """The optimum and its multipliers from a linear programme written out here."""
    n, p = X.shape
    A = np.column_stack([X, np.ones(n)]) if intercept else X
    k = A.shape[1]
    cost = np.concatenate([np.zeros(2 * k), np.full(n, q / n), np.full(n, (1.0 - q) / n)])
    cost[:p] = cost[k : k + p] = alpha
    found = linprog(cost, A_eq=np.hstack([A, -A, np.eye(n), -np.eye(n)]), b_eq=y, method="highs")
    w = found.x[:k] - found.x[k : 2 * k]
    # The programme keeps its multipliers in their box up to a tolerance of its own.
    return w, found.fun, np.clip(np.asarray(found.eqlin.marginals) * n, q - 1.0, q)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.05, 0.0])
@pytest.mark.parametrize("q", [0.5, 0.8])
def test_multipliers_close_the_gap_of_a_loss_with_kinks(q, alpha, intercept, rng):
    X = rng.normal(size=(41, 3))
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=41)
    penalty = L1(alpha) if alpha else Zero()
    problem = LinearProblem(Quantile(q), penalty, ArrayBlocks(Design(X), y, np.ones(41)), intercept)
    w, best, theta = quantile_by_programme(X, y, q, alpha, intercept)
    assert problem.value(w) == pytest.approx(best, rel=1e-12)
    with_theta, without = problem.certify(w, theta=theta), problem.certify(w)
    assert with_theta.kind is (Kind.DUALITY_GAP if alpha else Kind.KKT_RESIDUAL)
    assert with_theta.within(1e-9)
    assert not without.within(1e-9)
    away = w + 0.1 * rng.normal(size=w.shape)
    assert not problem.certify(away, theta=theta).within(1e-3)
    if alpha:
        assert problem.value(away) - best <= problem.certify(away, theta=theta).value + 1e-12


def test_false_multipliers_prove_nothing(rng):
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    problem = LinearProblem(Absolute(), Zero(), ArrayBlocks(Design(X), y, np.ones(20)))
    assert not problem.certify(problem.zeros(), theta=np.full(20, 3.0)).within(1.0)
    assert problem.certify(problem.zeros(), theta=np.full(20, 3.0)).kind is Kind.NONE
    assert not problem.certify(problem.zeros(), theta=np.zeros(20)).within(0.1)


@pytest.mark.parametrize(
    "penalty", [L2Ball(0.3), Simplex(), GroupLasso(0.05, [[0, 1], [2]])], ids=lambda p: p.name
)
def test_bounded_sets_and_groups_are_certified_by_the_gap(penalty, rng):
    X, y = rng.normal(size=(25, 3)), rng.normal(size=25)
    problem = LinearProblem(HalfSquared(), penalty, ArrayBlocks(Design(X), y, np.ones(25)))
    w = np.append(penalty.prox(np.array([0.4, 0.5, 0.1]), 1.0), y.mean())
    best = problem.value(w)
    for _ in range(3000):  # proximal gradient with a small step
        _, g = problem.smooth(w)
        w = np.append(penalty.prox(w[:3] - 0.1 * g[:3], 0.1), w[3] - 0.1 * g[3])
    first, last = problem.certify(np.append(penalty.prox(np.ones(3), 1.0), 0.0)), problem.certify(w)
    assert first.kind is last.kind is Kind.DUALITY_GAP
    assert last.within(1e-9)
    assert best - problem.value(w) <= first.value + 1e-12 or best <= problem.value(w)


def test_an_unbounded_set_is_certified_by_its_normal_cone(rng):
    X = rng.normal(size=(25, 2))
    y = X @ np.array([1.0, -1.0])
    problem = LinearProblem(
        HalfSquared(), NonNegative(), ArrayBlocks(Design(X), y, np.ones(25)), intercept=False
    )
    slope = float(X[:, 0] @ y / (X[:, 0] @ X[:, 0]))
    best = np.array([max(slope, 0.0), 0.0])
    c = problem.certify(best)
    assert c.kind is Kind.KKT_RESIDUAL
    assert "unbounded set" in c.claim
    assert c.within(1e-12)
    assert not problem.certify(best + 0.1).within(1e-3)
    assert problem.certify(best - 0.5).kind is Kind.NONE


@pytest.mark.parametrize("factor", [1e-12, 1e12, 1e15])
def test_the_units_of_the_target_hide_no_distance_from_the_optimum(factor, rng):
    """With a log link the derivative has no units: its size is none of rounding, however large y is."""
    X = rng.normal(size=(50, 2))
    y = np.exp(X @ [1.0, -0.5]) * rng.gamma(2.0, 0.5, size=50)
    at = [LinearProblem(Gamma(), Zero(), ArrayBlocks(Design(X), c * y, np.ones(50))) for c in (1.0, factor)]
    w = er.solve(at[0], tol=1e-10).w + np.array([0.06, 0.0, 0.0])
    plain, scaled = at[0].certify(w), at[1].certify(w + np.array([0.0, 0.0, np.log(factor)]))
    assert plain.relative > 1e-3
    assert scaled.relative == pytest.approx(plain.relative, rel=1e-6)
    assert scaled.floor < 1e-9 * scaled.value
