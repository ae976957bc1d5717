"""Descent over groups: one cycle is its NumPy twin, by Gram matrix and on columns; the gap is a bound."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import brentq

from empirisk import _loops

SIZES = [3, 1, 4, 2]
START = np.concatenate([[0], np.cumsum(SIZES)]).astype(np.int64)
STRENGTH = np.array([0.5, 0.4, 3.0, 0.0])


def case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    A = rng.standard_normal((65, 10)) + 0.5
    A[rng.random(A.shape) < 0.3] = 0.0
    return A, rng.uniform(0.1, 1.0, 65), rng.standard_normal(65)


def twin(B: np.ndarray, h: np.ndarray, r: np.ndarray, cycles: int, strength: np.ndarray) -> np.ndarray:
    """Exact minimisation over one group after the other; the norm of a group by bracketing."""
    w = np.zeros(B.shape[1])
    for _ in range(cycles):
        for g, s in enumerate(strength):
            at = slice(START[g], START[g + 1])
            H = (B[:, at] * h[:, None]).T @ B[:, at]
            a = B[:, at].T @ (h * (r - B @ w)) + H @ w[at]
            if s == 0.0:
                w[at] = np.linalg.solve(H, a)
            elif np.linalg.norm(a) <= s:
                w[at] = 0.0
            else:

                def short(t: float, H: np.ndarray = H, a: np.ndarray = a, s: float = s) -> float:
                    return float(np.linalg.norm(np.linalg.solve(t * H + s * np.eye(len(a)), a)) - 1.0)

                t = brentq(short, 0.0, 1e6, xtol=1e-15, rtol=1e-15)
                w[at] = np.linalg.solve(H + s / t * np.eye(len(a)), a)
    return w


def axes(B: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    sizes, frames = [], []
    for first, last in pairwise(START):
        d, V = np.linalg.eigh((B[:, first:last] * h[:, None]).T @ B[:, first:last])
        sizes.append(d)
        frames.append(V)
    return np.concatenate(sizes), frames


def rotate(v: np.ndarray, frames: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([V.T @ v[a:b] for V, a, b in zip(frames, START[:-1], START[1:], strict=True)])


def back(v: np.ndarray, frames: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([V @ v[a:b] for V, a, b in zip(frames, START[:-1], START[1:], strict=True)])


@pytest.mark.parametrize("form", ["gram", "F", "C", "csc"])
@pytest.mark.parametrize("centred", [True, False])
def test_cycles_are_the_twin(form: str, centred: bool) -> None:
    A, h, r = case()
    mean = h @ A / h.sum() if centred else np.zeros(10)
    r = r - h @ r / h.sum() if centred else r
    B = A - mean
    wanted = twin(B, h, r, 3, STRENGTH)
    curvature, frames = axes(B, h)
    w = np.zeros(10)
    if form == "gram":
        R = np.zeros((10, 10))
        for V, a, b in zip(frames, START[:-1], START[1:], strict=True):
            R[a:b, a:b] = V
        G = np.ascontiguousarray(R.T @ ((B * h[:, None]).T @ B) @ R)
        q = R.T @ B.T @ (h * r)
        _loops.descend_groups(G, float(h @ r**2), q, w, START, STRENGTH, 3, 0.0, 0.0)
    else:
        X: Any = {"F": np.asfortranarray, "C": np.ascontiguousarray, "csc": sp.csc_array}[form](A)
        u, flat = np.append(h * r, 0.0), np.concatenate([V.ravel() for V in frames])
        _loops.descend_group_columns(
            X,
            np.arange(10),
            h,
            mean if centred else None,
            curvature,
            u,
            w,
            START,
            STRENGTH,
            flat,
            3,
            0.0,
            0.0,
        )
        assert np.abs(u[:-1] - h * (r - B @ back(w, frames))).max() <= 1e-11
    np.testing.assert_allclose(back(w, frames), wanted, atol=1e-10)


def test_the_gap_bounds_the_distance_to_the_optimum() -> None:
    A, h, r = case()
    strength = np.array([0.5, 0.4, 3.0, 1.0])
    curvature, frames = axes(A, h)
    flat = np.concatenate([V.ravel() for V in frames])

    def value(w: np.ndarray) -> float:
        norms = [np.linalg.norm(w[a:b]) for a, b in pairwise(START)]
        return float(0.5 * h @ (r - A @ w) ** 2 + strength @ norms)

    best = value(twin(A, h, r, 400, strength))
    gap = np.inf
    for cycles in (1, 2, 5, 40, 300):
        w, u = np.zeros(10), np.append(h * r, 0.0)
        _, gap, _, _ = _loops.descend_group_columns(
            np.asfortranarray(A),
            np.arange(10),
            h,
            None,
            curvature,
            u,
            w,
            START,
            strength,
            flat,
            cycles,
            0.0,
            0.0,
        )
        assert -1e-12 <= value(back(w, frames)) - best <= gap + 1e-12
    assert gap <= 1e-10


def test_wrong_groups_are_refused() -> None:
    G, w = np.eye(4), np.zeros(4)
    for start in ([0, 2, 3], [1, 4], [0, 3, 2, 4]):
        with pytest.raises(ValueError, match="start must"):
            _loops.descend_groups(
                G, 1.0, np.ones(4), w, np.array(start, dtype=np.int64), np.ones(len(start) - 1), 1, 0.0, 0.0
            )
