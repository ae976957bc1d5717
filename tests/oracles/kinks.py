"""The exact optimum of a small problem whose loss is piecewise linear, with a proof in rational arithmetic.

    sum_i max(low_i r_i, high_i r_i) + l2 ||w||^2 / 2 + constant,    r = A w - at

An approximate answer (SciPy's) only suggests which kinks the optimum lies on.  With them the parameters and
the multipliers solve linear equations, in fractions; signs of all other residuals and bounds of the
multipliers are then the optimality conditions, and they are checked exactly.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize

from tests.oracles.rational import Row, dot, echelon

KINKED = ("absolute", "quantile", "epsilon_insensitive", "hinge", "perceptron")


def kinks(case: Any) -> tuple[list[Row], Row, Row, Row]:
    """Rows of A, places, slopes below and above, the weights and the L1 penalty included."""
    p = case.X.shape[1]
    total = sum(map(Fraction, case.s))
    A, at, low, high = [], [], [], []
    for x, label, weight in zip(case.X, case.y, case.s, strict=True):
        row, y, s = (
            [*map(Fraction, x)] + [Fraction(1)] * case.intercept,
            Fraction(label),
            Fraction(weight) / total,
        )
        q = Fraction(case.level)
        parts = {
            "absolute": [(y, Fraction(-1), Fraction(1))],
            "quantile": [(y, -q, 1 - q)],
            "epsilon_insensitive": [(y + Fraction(0.1), 0, 1), (y - Fraction(0.1), -1, 0)],
            "hinge": [(y, -1, 0) if y > 0 else (y, 0, 1)],
            "perceptron": [(Fraction(0), -1, 0) if y > 0 else (Fraction(0), 0, 1)],
        }[case.loss]
        for place, below, above in parts:
            A.append(row)
            at.append(place)
            low.append(s * below)
            high.append(s * above)
    for j in range(p if case.l1 else 0):
        A.append([Fraction(int(k == j)) for k in range(p + int(case.intercept))])
        at.append(Fraction(0))
        low.append(-Fraction(case.l1))
        high.append(Fraction(case.l1))
    return A, at, low, high


def exact_optimum(case: Any) -> tuple[list[Fraction], Fraction]:
    """Parameters and minimum; an AssertionError when the optimality conditions do not hold."""
    A, at, low, high = kinks(case)
    q = len(A[0])
    if case.loss == "perceptron":  # never negative, and 0 at 0
        return [Fraction(0)] * q, Fraction(0)
    ridge = [Fraction(case.l2)] * case.X.shape[1] + [Fraction(0)] * int(case.intercept)
    near = _near(*(np.array(v, dtype=float) for v in (A, at, low, high)), np.array(ridge, dtype=float))
    r = np.abs(np.array(A, dtype=float) @ near - np.array(at, dtype=float))
    alive = np.array([h > b for h, b in zip(high, low, strict=True)])
    on = [int(i) for i in np.flatnonzero((r < 1e-5) & alive)]
    base = [Fraction(0)] * q
    for i in (i for i in range(len(A)) if i not in on):
        slope = high[i] if dot(A[i], list(map(Fraction, near))) > at[i] else low[i]
        base = [b + slope * a for b, a in zip(base, A[i], strict=True)]
    # ridge w + sum_on u_i a_i = -base,  a_i . w = at_i
    system = [
        [ridge[j] if k == j else Fraction(0) for k in range(q)] + [A[i][j] for i in on] + [-base[j]]
        for j in range(q)
    ]
    system += [[*A[i], *[Fraction(0)] * len(on), at[i]] for i in on]
    solved, pivots = echelon(system)
    assert pivots == list(range(q + len(on))), "the optimum is not at an isolated point"
    w, u = [row[-1] for row in solved[:q]], [row[-1] for row in solved[q:]]
    assert all(low[i] <= v <= high[i] for i, v in zip(on, u, strict=True)), "a multiplier is outside"
    for i in (i for i in range(len(A)) if i not in on):
        slope = high[i] if dot(A[i], list(map(Fraction, near))) > at[i] else low[i]
        residual = dot(A[i], w) - at[i]
        assert residual * slope == max(low[i] * residual, high[i] * residual), "a residual changed its sign"
    value = sum(
        max(b * (dot(a, w) - t), h * (dot(a, w) - t)) for a, t, b, h in zip(A, at, low, high, strict=True)
    )
    return w, Fraction(value) + sum(c * v * v for c, v in zip(ridge, w, strict=True)) / 2


def _near(A: np.ndarray, at: np.ndarray, low: np.ndarray, high: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """Some digits of the optimum, from the epigraph ``t_i >= low_i r_i, t_i >= high_i r_i``."""
    m, q = A.shape
    left = np.vstack([np.hstack([A * low[:, None], -np.eye(m)]), np.hstack([A * high[:, None], -np.eye(m)])])
    right = np.concatenate([low * at, high * at])
    cost = np.concatenate([np.zeros(q), np.ones(m)])
    if not ridge.any():
        return np.asarray(linprog(cost, A_ub=left, b_ub=right, bounds=(None, None)).x[:q])
    full = np.concatenate([ridge, np.zeros(m)])
    start = np.concatenate([np.zeros(q), np.maximum(-low * at, -high * at)])
    found = minimize(
        lambda v: (cost @ v + full @ v**2 / 2, cost + full * v),
        start,
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: right - left @ v, "jac": lambda v: -left},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return np.asarray(found.x[:q])
