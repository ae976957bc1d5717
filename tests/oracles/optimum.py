"""The optimum of a small linear problem in 50 digits, by Newton's method in mpmath.

Independent of the library: the objective is written out here from its definition.  L1 is settled by
brute force: for each pattern of signs (-, 0, +) the penalty is linear on the free coefficients, so that
Newton's method gives the only candidate, and the optimality conditions say which candidate is the one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
from scipy.optimize import minimize as quasi_newton

from tests.oracles.kinks import KINKED, exact_optimum

DIGITS = 50


@dataclass(frozen=True)
class Optimum:
    """Parameters (p + 1 rows with an intercept, else p; k columns for softmax) and the minimum."""

    w: np.ndarray
    value: float


@dataclass(frozen=True)
class Case:
    """What is minimised: ``sum_i s_i l(y_i, z_i)/S + l1 ||w||_1 + l2 ||w||^2/2``, z = X w + b."""

    loss: str
    X: np.ndarray
    y: np.ndarray
    s: np.ndarray
    l1: float
    l2: float
    intercept: bool
    k: int = 1
    level: float = 0.5  # of the quantile loss

    @property
    def columns(self) -> list[list[Any]]:
        """Columns of X, with the constant one last, in high precision."""
        X = np.asarray(self.X, dtype=float)
        if self.intercept:
            X = np.column_stack([X, np.ones(len(X))])
        return [[mp.mpf(float(v)) for v in column] for column in X.T]


def pointwise(loss: str, y: float, z: list[Any]) -> tuple[Any, list[Any], list[list[Any]]]:
    """Value, gradient and Hessian in the scores of one row."""
    if loss == "half_squared":
        r = z[0] - mp.mpf(float(y))
        return r * r / 2, [r], [[mp.mpf(1)]]
    if loss in ONE_SCORE:
        value, grad, hess = ONE_SCORE[loss](mp.mpf(float(y)), z[0])
        return value, [grad], [[hess]]
    if loss == "logistic":
        q = 1 / (1 + mp.exp(y * z[0]))  # probability of the other label
        return mp.log1p(mp.exp(-y * z[0])), [-y * q], [[q * (1 - q)]]
    top = max(z)
    e = [mp.exp(v - top) for v in z]
    total = mp.fsum(e)
    q = [v / total for v in e]
    grad = [v - (c == int(y)) for c, v in enumerate(q)]
    hess = [[q[a] * ((a == b) - q[b]) for b in range(len(z))] for a in range(len(z))]
    return top + mp.log(total) - z[int(y)], grad, hess


def _exponential_parts(y: Any, z: Any, *parts: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """``sum c exp(r z)`` over the parts (c, r), and its derivatives."""
    terms = [(c * mp.exp(r * z), r) for c, r in parts]
    return tuple(mp.fsum(t * r**k for t, r in terms) for k in range(3))


def _plus(linear: Any, z: Any, parts: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    return parts[0] + linear * z, parts[1] + linear, parts[2]


def _softplus(c: Any, t: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Return ``c log(1 + e^t) - y z`` with ``dt/dz = 1``, and its two derivatives."""
    q = 1 / (1 + mp.exp(-t))
    return c * mp.log1p(mp.exp(t)) - y * z, c * q - y, c * q * (1 - q)


def _huber(y: Any, z: Any) -> tuple[Any, Any, Any]:
    r, d = z - y, mp.mpf(1.35)
    return (r * r / 2, r, mp.mpf(1)) if abs(r) <= d else (d * abs(r) - d * d / 2, d * mp.sign(r), mp.mpf(0))


def _squared_tube(y: Any, z: Any) -> tuple[Any, Any, Any]:
    r, tube = z - y, mp.mpf(0.1)
    if abs(r) <= tube:
        return mp.mpf(0), mp.mpf(0), mp.mpf(0)
    over = r - mp.sign(r) * tube
    return over * over / 2, over, mp.mpf(1)


def _squared_hinge(y: Any, z: Any) -> tuple[Any, Any, Any]:
    short = 1 - y * z
    return (short * short / 2, -y * short, mp.mpf(1)) if short > 0 else (mp.mpf(0), mp.mpf(0), mp.mpf(0))


def _modified_huber(y: Any, z: Any) -> tuple[Any, Any, Any]:
    return (-2 * y * z, mp.mpf(-2 * y), mp.mpf(0)) if y * z < -1 else _squared_hinge(y, z)


def _probit(y: Any, z: Any) -> tuple[Any, Any, Any]:
    t = y * z
    r = mp.npdf(t) / mp.ncdf(t)
    return -mp.log(mp.ncdf(t)), -y * r, r * (r + t)


def _cloglog(y: Any, z: Any) -> tuple[Any, Any, Any]:
    q = mp.exp(z)
    if y < 0:
        return q, q, q
    s = q / mp.expm1(q)
    return -mp.log(-mp.expm1(-q)), -s, s * (q - 1 + s)


# Value and two derivatives of losses with one score, at the parameters that the registry has by default.
ONE_SCORE: dict[str, Any] = {
    "poisson": lambda y, z: _plus(-y, z, _exponential_parts(y, z, (1, 1))),
    "gamma": lambda y, z: _plus(1, z, _exponential_parts(y, z, (y, -1))),
    "tweedie": lambda y, z: _exponential_parts(y, z, (2, mp.mpf(1) / 2), (2 * y, -mp.mpf(1) / 2)),
    "inverse_gaussian": lambda y, z: _exponential_parts(y, z, (y / 2, -2), (-1, -1)),
    "negative_binomial": lambda y, z: _softplus(y + 1, z, y, z),
    "cost_sensitive": lambda y, z: _softplus(1, z, (y + 1) / 2, z),
    "exponential": lambda y, z: _exponential_parts(y, z, (1, -y)),
    "huber": _huber,
    "squared_epsilon_insensitive": _squared_tube,
    "squared_hinge": _squared_hinge,
    "modified_huber": _modified_huber,
    "probit": _probit,
    "cloglog": _cloglog,
}


def minimise(case: Case, signs: np.ndarray) -> tuple[np.ndarray, Any, Any]:
    """Newton on the coefficients whose sign is not 0; returns them all, the gradient, and F.

    `signs` has shape (p, k): the slope of the L1 part on the free coefficients; entries of 0 stay 0 when
    there is an L1 penalty.
    """
    C, S = case.columns, mp.mpf(float(case.s.sum()))
    p, k = case.X.shape[1], case.k
    m = len(C)
    l1, l2 = mp.mpf(case.l1), mp.mpf(case.l2)
    free = [(j, c) for c in range(k) for j in range(m) if j == p or l1 == 0 or signs[j, c] != 0]
    # From 0 Newton's full steps may cycle (Huber) or run off (exponentials): start near the answer.
    near = _quasi_newton(case) if case.loss in ONE_SCORE and case.l1 == 0 else np.zeros((m, k))
    w = {(j, c): mp.mpf(float(near[j, c])) for c in range(k) for j in range(m)}
    for _ in range(60):
        value, grad, H = mp.mpf(0), dict.fromkeys(w, mp.mpf(0)), mp.zeros(len(free))
        for i in range(len(case.y)):
            s = mp.mpf(float(case.s[i])) / S
            z = [mp.fsum(C[j][i] * w[j, c] for j in range(m)) for c in range(k)]
            v, g, h = pointwise(case.loss, case.y[i], z)
            value += s * v
            for j, c in w:
                grad[j, c] += s * C[j][i] * g[c]
            for a, (j, c) in enumerate(free):
                for b, (i2, c2) in enumerate(free):
                    H[a, b] += s * C[j][i] * C[i2][i] * h[c][c2]
        for j, c in w:
            if j < p:
                value += l1 * abs(w[j, c]) + l2 * w[j, c] ** 2 / 2
                grad[j, c] += l2 * w[j, c]
        for a, (j, _) in enumerate(free):
            H[a, a] += l2 if j < p else 0
            for b, (i2, _) in enumerate(free):
                # Equal shifts of all softmax intercepts change nothing: pin their sum at 0.
                H[a, b] += 1 if k > 1 and j == p and i2 == p else 0
        rhs = mp.matrix([-(grad[j, c] + (l1 * int(signs[j, c]) if j < p else 0)) for j, c in free])
        if not free:
            break
        step = mp.lu_solve(H, rhs)
        largest = max(abs(v) for v in step)
        for a, key in enumerate(free):
            w[key] += step[a] * min(1, 5 / largest) if largest else 0  # far steps of Newton's method diverge
        if largest < mp.mpf(10) ** (-DIGITS + 10):
            break
        if max(abs(v) for v in w.values()) > 100:
            raise OverflowError("the objective has no minimum on these coefficients")
    return w, grad, value


def likely_signs(case: Case) -> np.ndarray:
    """Signs after some thousand proximal gradient steps in float64: where the search starts, no more."""
    X = np.column_stack([case.X, np.ones(len(case.y))]) if case.intercept else case.X
    p, k = case.X.shape[1], case.k
    if case.loss in ONE_SCORE:
        w = _quasi_newton(case)[:p]
        return np.sign(np.where(np.abs(w) > 1e-6, w, 0.0))
    w, share = np.zeros((X.shape[1], k)), case.s / case.s.sum()
    step = 1.0 / (np.linalg.norm(X.T * share @ X, 2) + case.l2)
    target = np.eye(k)[case.y.astype(int)] if case.loss == "softmax" else case.y[:, None]
    for _ in range(5000):
        z = X @ w
        if case.loss == "half_squared":
            slope = z - target
        elif case.loss == "logistic":
            slope = -target / (1.0 + np.exp(np.clip(target * z, -50.0, 50.0)))
        else:
            e = np.exp(z - z.max(axis=1, keepdims=True))
            slope = e / e.sum(axis=1, keepdims=True) - target
        w -= step * (X.T @ (share[:, None] * slope))
        shrunk = np.sign(w[:p]) * np.maximum(np.abs(w[:p]) - step * case.l1, 0.0)
        w[:p] = shrunk / (1.0 + step * case.l2)
    return np.sign(w[:p])


def _quasi_newton(case: Case) -> np.ndarray:
    """Parameters to some digits, by L-BFGS-B on the positive and the negative parts of w."""
    p = case.X.shape[1]
    X = np.column_stack([case.X, -case.X, np.ones(len(case.y))])[:, : 2 * p + int(case.intercept)]

    def objective(v: np.ndarray) -> tuple[float, np.ndarray]:
        rows = [
            pointwise(case.loss, y, [mp.mpf(float(t))])
            for y, t in zip(case.y, np.clip(X @ v, -50, 50), strict=True)
        ]
        share, w = case.s / case.s.sum(), v[:p] - v[p : 2 * p]
        value = share @ [float(r[0]) for r in rows] + case.l1 * v[: 2 * p].sum() + case.l2 * (w @ w) / 2
        grad = X.T @ (share * np.array([float(r[1][0]) for r in rows]))
        grad[: 2 * p] += case.l1 + case.l2 * np.concatenate([w, -w])
        return float(value), grad

    bounds = [(0.0, None)] * (2 * p) + [(None, None)] * int(case.intercept)
    with mp.workdps(20):
        v = quasi_newton(
            objective, np.zeros(X.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B", tol=1e-13
        ).x
    return np.concatenate([v[:p] - v[p : 2 * p], v[2 * p :]])[:, None]


def optimum(case: Case) -> Optimum:
    """The minimiser and the minimum, rounded to float64 at the end."""
    if case.loss in KINKED:
        exact, least = exact_optimum(case)
        return Optimum(np.array([float(v) for v in exact]), float(least))
    p, k = case.X.shape[1], case.k
    with mp.workdps(DIGITS):
        if case.l1 == 0.0:
            w, _, value = minimise(case, np.ones((p, k)))
            return Optimum(_array(case, w), float(value))
        every = (np.array(t).reshape(p, k) for t in itertools.product((1, -1, 0), repeat=p * k))
        for signs in itertools.chain([likely_signs(case)], every):
            try:
                w, grad, value = minimise(case, signs)
            except (ZeroDivisionError, OverflowError):  # no minimum, or a flat one, under this pattern
                continue
            if _optimal(case, signs, w, grad):
                return Optimum(_array(case, w), float(value))
    raise AssertionError("no pattern of signs satisfies the optimality conditions")


def _optimal(case: Case, signs: np.ndarray, w: Any, grad: Any) -> bool:
    p, k = signs.shape
    for j, c in itertools.product(range(p), range(k)):
        if signs[j, c] * w[j, c] < 0:
            return False
        if signs[j, c] == 0 and abs(grad[j, c]) > mp.mpf(case.l1) * (1 + mp.mpf(10) ** -30):
            return False
    return True


def _array(case: Case, w: Any) -> np.ndarray:
    m = case.X.shape[1] + int(case.intercept)
    out = np.array([[float(w[j, c]) for c in range(case.k)] for j in range(m)])
    return out if case.loss == "softmax" else out[:, 0]
