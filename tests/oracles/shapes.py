"""Optima under penalties that do not separate and over constraint sets, in 50 digits.

Near an optimum such a penalty is smooth in few variables: the active groups, the coefficients that are free,
one common size for tied ones, with an equation for each border that is met.  A float64 search proposes that
*face*; Newton's method in mpmath solves the equations on it, and the optimality conditions of the convex
problem, written out here, decide whether the answer is the optimum.  The search is trusted with nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import mpmath as mp
import numpy as np

from tests.oracles.optimum import DIGITS, Optimum, pointwise

Vector = list[Any]
SMALL = 1e-7  # what the search leaves of a coefficient that is 0, and of a border that is met


@dataclass
class Face:
    """``w = base + M u``, a smooth slope of the penalty on it, equations ``h(w) = 0``, and what to check."""

    M: np.ndarray
    base: np.ndarray
    holds: Callable[[Vector, Vector, Vector], bool]  # (w, gradient of the loss, multipliers)
    slope: Callable[[Vector], Vector] | None = None
    equations: list[tuple[Callable[[Vector], Any], Callable[[Vector], Vector]]] = field(default_factory=list)


def _numbers(values: Any) -> Vector:
    return [mp.mpf(float(v)) for v in values]


def _selection(free: np.ndarray) -> np.ndarray:
    return np.eye(len(free))[:, free]


def _sums(values: Vector) -> Vector:
    """Return the sums of the largest 1, 2, ... of the values."""
    return list(itertools.accumulate(sorted(values, reverse=True)))


EDGE = mp.mpf(10) ** -25


def group_lasso(groups: list[list[int]], strength: list[float], w: np.ndarray) -> Face:
    """``sum_g c_g ||w_g||``; groups name entries of the flat w."""
    active = [g for g, group in enumerate(groups) if np.linalg.norm(w[group]) > SMALL]
    free = np.ones(len(w), dtype=bool)
    for g in set(range(len(groups))) - set(active):
        free[groups[g]] = False
    c = _numbers(strength)

    def slope(v: Vector) -> Vector:
        out = [mp.mpf(0)] * len(v)
        for g in active:
            size = mp.norm([v[j] for j in groups[g]])
            for j in groups[g]:
                out[j] = c[g] * v[j] / size
        return out

    def holds(v: Vector, grad: Vector, _: Vector) -> bool:
        rest = set(range(len(groups))) - set(active)
        return all(mp.norm([grad[j] for j in groups[g]]) <= c[g] + EDGE for g in rest)

    return Face(_selection(free), np.zeros(len(w)), holds, slope)


def sorted_l1(strength: list[float], w: np.ndarray) -> Face:
    """``sum_j c_j |w|_(j)``: ties of equal size share a block of the c_j."""
    size, sign, c = np.abs(w), np.sign(w), _numbers(strength)
    order = np.argsort(-size, kind="stable")
    blocks: list[list[int]] = []
    for j in order:
        tied = blocks and abs(size[blocks[-1][0]] - size[j]) <= SMALL
        if tied:
            blocks[-1].append(int(j))
        else:
            blocks.append([int(j)])
    ends = np.cumsum([len(b) for b in blocks])
    shares = [c[end - len(b) : end] for b, end in zip(blocks, ends, strict=True)]
    zero = [size[b[0]] <= SMALL for b in blocks]
    M = np.zeros((len(w), zero.count(False)))
    pull = [mp.mpf(0)] * len(w)
    for column, (b, share) in enumerate(
        p for p, z in zip(zip(blocks, shares, strict=True), zero, strict=True) if not z
    ):
        for j, s in zip(b, share, strict=True):
            M[j, column], pull[j] = sign[j], mp.mpf(float(sign[j])) * s

    def holds(v: Vector, grad: Vector, _: Vector) -> bool:
        sizes = [abs(v[b[0]]) for b in blocks]
        right = all(a > b for a, b in itertools.pairwise(sizes))
        for b, share, z in zip(blocks, shares, zero, strict=True):
            against = [abs(grad[j]) if z else -mp.mpf(float(sign[j])) * grad[j] for j in b]
            right &= all(
                x <= y + EDGE for x, y in zip(_sums(against), itertools.accumulate(share), strict=True)
            )
            right &= all(mp.mpf(float(sign[j])) * v[j] > 0 for j in b) or z
        return bool(right)

    return Face(M, np.zeros(len(w)), holds, lambda v: pull)


def l2_ball(radius: float, w: np.ndarray) -> Face:
    """Return the face of the ball ``||w|| <= T`` that holds w."""
    T, every = mp.mpf(radius), np.eye(len(w))
    if np.linalg.norm(w) < radius - SMALL:
        return Face(every, np.zeros(len(w)), lambda v, grad, nu: mp.norm(v) <= T)
    border = (lambda v: (mp.fsum(x * x for x in v) - T * T) / 2, lambda v: v)
    return Face(every, np.zeros(len(w)), lambda v, grad, nu: nu[0] >= 0, equations=[border])


def l1_ball(radius: float, w: np.ndarray) -> Face:
    """Return the face of the ball ``||w||_1 <= T`` that holds w."""
    sign, T = np.where(np.abs(w) > SMALL, np.sign(w), 0.0), mp.mpf(radius)
    if np.abs(w).sum() < radius - SMALL:
        inside = lambda v, grad, nu: mp.fsum(abs(x) for x in v) <= T  # noqa: E731
        return Face(np.eye(len(w)), np.zeros(len(w)), inside)
    s = _numbers(sign)
    border = (lambda v: mp.fsum(a * x for a, x in zip(s, v, strict=True)) - T, lambda v: s)

    def holds(v: Vector, grad: Vector, nu: Vector) -> bool:
        kept = all(a * x > 0 for a, x in zip(s, v, strict=True) if a)
        return (
            kept and nu[0] >= 0 and all(abs(g) <= nu[0] + EDGE for g, a in zip(grad, s, strict=True) if not a)
        )

    return Face(_selection(sign != 0.0), np.zeros(len(w)), holds, equations=[border])


def linear(
    w: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    at_most: list[tuple[list[float], float]] = (),  # type: ignore[assignment]
    equal: list[tuple[list[float], float]] = (),  # type: ignore[assignment]
) -> Face:
    """``low <= w <= high``, ``a.w <= b`` for some (a, b) and ``a.w = b`` for others."""
    at_low, at_high = w <= low + SMALL, w >= high - SMALL
    met = [(a, b) for a, b in at_most if np.dot(a, w) >= b - SMALL]
    rows = [(_numbers(a), mp.mpf(b)) for a, b in [*met, *equal]]
    equations = [
        (lambda v, a=a, b=b: mp.fsum(x * y for x, y in zip(a, v, strict=True)) - b, lambda v, a=a: a)
        for a, b in rows
    ]
    base = np.where(at_low, low, np.where(at_high, high, 0.0))

    def holds(v: Vector, grad: Vector, nu: Vector) -> bool:
        right = all(n >= 0 for n in nu[: len(met)])
        for j, x in enumerate(v):
            pull = grad[j] + mp.fsum(n * a[j] for n, (a, _) in zip(nu, rows, strict=True))
            right &= bool(
                pull >= -EDGE if at_low[j] else pull <= EDGE if at_high[j] else low[j] <= x <= high[j]
            )
        inside = (mp.fsum(x * y for x, y in zip(_numbers(a), v, strict=True)) <= b + EDGE for a, b in at_most)
        return right and all(inside)

    return Face(
        _selection(~(at_low | at_high)), np.where(np.isfinite(base), base, 0.0), holds, equations=equations
    )


def face_of(penalty: Any, w: np.ndarray) -> Face:
    """The face of one of the library's penalties that holds w (its rows are flattened)."""
    flat, p = w.ravel(), w.size
    k = w.size // len(w)
    lowest, highest = np.full(p, -np.inf), np.full(p, np.inf)
    name = penalty.name
    if name == "group_lasso":
        groups = [[j * k + c for j in group for c in range(k)] for group in penalty.groups]
        weights = penalty.weights or [np.sqrt(len(group)) for group in groups]  # wide ones: all entries
        return group_lasso(groups, [penalty.alpha * c for c in weights], flat)
    if name == "sorted_l1":
        return sorted_l1([penalty.alpha * c for c in penalty.weights], flat)
    if name == "l2_ball":
        return l2_ball(penalty.radius, flat)
    if name == "l1_ball":
        return l1_ball(penalty.radius, flat)
    if name == "simplex":
        return linear(flat, np.zeros(p), highest, equal=[([1.0] * p, penalty.total)])
    if name == "box":
        return linear(flat, np.broadcast_to(penalty.lower, p), np.broadcast_to(penalty.upper, p))
    if name == "non_negative":
        return linear(flat, np.zeros(p), highest)
    if name == "half_space":
        return linear(flat, lowest, highest, [(penalty.normal, penalty.offset)])
    if name == "affine_set":
        return linear(flat, lowest, highest, equal=list(zip(penalty.matrix, penalty.values, strict=True)))
    assert name == "intersection", name
    box, half = penalty.sets
    low, high = np.broadcast_to(box.lower, p), np.broadcast_to(box.upper, p)
    return linear(flat, low, high, [(half.normal, half.offset)])


def optimum_near(case: Any, penalty: Any, near: np.ndarray) -> Optimum:
    """The minimiser of the mean loss plus one of the library's penalties, on the face of `near`."""
    p, k = case.X.shape[1], case.k
    face = face_of(penalty, near[:p].reshape(p, k))
    with mp.workdps(DIGITS):
        C, S = case.columns, mp.mpf(float(case.s.sum()))
        M, base = [_numbers(row) for row in face.M], _numbers(face.base)
        m, free, borders = len(C) - p, face.M.shape[1], len(face.equations)

        def parts(x: Vector) -> tuple[Vector, Vector, Any, Vector]:
            """Coefficients, gradient of the mean loss in them, the loss, and the equations of the face."""
            w = [
                b + mp.fsum(a * u for a, u in zip(row, x[:free], strict=True))
                for b, row in zip(base, M, strict=True)
            ]
            const = x[free : free + m * k]
            grad, grad_b, value = [mp.mpf(0)] * len(w), [mp.mpf(0)] * (m * k), mp.mpf(0)
            for i, s in enumerate(case.s):
                share = mp.mpf(float(s)) / S
                z = [
                    mp.fsum(C[j][i] * w[j * k + c] for j in range(p)) + (const[c] if m else 0)
                    for c in range(k)
                ]
                v, g, _ = pointwise(case.loss, case.y[i], z)
                value += share * v
                for c in range(k):
                    grad_b[c : c + m] = [grad_b[c] + share * g[c]] if m else []
                    for j in range(p):
                        grad[j * k + c] += share * g[c] * C[j][i]
            nu = x[free + m * k :]
            pull = list(grad)
            for n, (_, normal) in zip(nu, face.equations, strict=True):
                pull = [a + n * b for a, b in zip(pull, normal(w), strict=True)]
            if face.slope is not None:
                pull = [a + b for a, b in zip(pull, face.slope(w), strict=True)]
            along = [mp.fsum(M[j][u] * pull[j] for j in range(len(w))) for u in range(free)]
            # Equal shifts of all intercepts of softmax change nothing: pin their sum at 0.
            pinned = [g + (mp.fsum(const) if k > 1 else 0) for g in grad_b]
            return w, grad, value, [*along, *pinned, *(h(w) for h, _ in face.equations)]

        start = np.concatenate([np.linalg.lstsq(face.M, near[:p].ravel() - face.base)[0], near[p:].ravel()])
        x = _newton(lambda t: parts(t)[3], [*_numbers(start), *[mp.mpf(1) / 10] * borders])
        w, grad, value, _ = parts(x)
        assert face.holds(w, grad, x[free + m * k :]), f"no optimum on the face of {near}"
        coef = np.array([float(v) for v in w]).reshape(p, k)
        flat = np.concatenate([coef, np.array([float(v) for v in x[free : free + m * k]]).reshape(m, k)])
        value += _penalty_value(penalty, coef)
        return Optimum(flat if case.loss == "softmax" else flat[:, 0], float(value))


def _newton(f: Callable[[Vector], Vector], x: Vector) -> Vector:
    """A root of f in high precision; the Jacobian from differences over 1e-25."""
    h = mp.mpf(10) ** (-DIGITS // 2)
    for _ in range(40):
        here = f(x)
        if not x:
            return x
        ahead = [f([*x[:j], x[j] + h, *x[j + 1 :]]) for j in range(len(x))]
        J = mp.matrix([[(ahead[j][i] - here[i]) / h for j in range(len(x))] for i in range(len(x))])
        step = mp.lu_solve(J, -mp.matrix(here))
        x = [a + b for a, b in zip(x, step, strict=True)]
        if max(abs(v) for v in step) < mp.mpf(10) ** (-DIGITS + 12):
            return x
    raise AssertionError("Newton's method did not settle")


def _penalty_value(penalty: Any, coef: np.ndarray) -> Any:
    """The penalty at the optimum from its definition; sets cost nothing."""
    if penalty.name == "group_lasso":
        weights = penalty.weights or [np.sqrt(len(g) * coef.shape[1]) for g in penalty.groups]
        return sum(
            penalty.alpha * c * np.linalg.norm(coef[list(g)])
            for g, c in zip(penalty.groups, weights, strict=True)
        )
    if penalty.name == "sorted_l1":
        return penalty.alpha * float(np.sort(np.abs(coef).ravel())[::-1] @ np.asarray(penalty.weights))
    return 0
