"""Which labellings a class can make, decided one at a time by another route than the classes take."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.optimize import linprog


def all_labellings(n: int) -> list[np.ndarray]:
    return [np.array(y, dtype=bool) for y in itertools.product([0, 1], repeat=n)]


def runs(x: np.ndarray, y: np.ndarray) -> int | None:
    """Runs of positive labels along the line; None when equal points differ in label."""
    label = {}
    for at, positive in zip(x, y, strict=True):
        if label.setdefault(at, positive) != positive:
            return None
    word = [label[at] for at in sorted(label)]
    return sum(b and not a for a, b in zip([False, *word], word, strict=False))


def feasible(rows: np.ndarray, right: np.ndarray) -> bool:
    return bool(linprog(np.zeros(rows.shape[1]), rows, right, bounds=(None, None)).status == 0)


def half_space(V: np.ndarray, y: np.ndarray) -> bool:
    """Some nonzero w with ``w . v > 0`` where y, and ``<= 0`` elsewhere."""
    V = V / np.maximum(np.abs(V).max(axis=0), 1e-300)
    n, p = V.shape
    if y.any():
        return feasible(np.vstack([-V[y], V[~y]]), np.concatenate([-np.ones(y.sum()), np.zeros((~y).sum())]))
    pinned = (np.vstack([V, s * np.eye(p)[j : j + 1]]) for j in range(p) for s in (1, -1))
    return any(feasible(rows, np.append(np.zeros(n), -1.0)) for rows in pinned)


def lifted(c: Any, X: np.ndarray) -> np.ndarray:
    degree = {"halfspaces": 1, "polynomial_thresholds": getattr(c, "degree", 1)}[c.name]
    powers = [e for e in itertools.product(range(degree + 1), repeat=X.shape[1]) if sum(e) <= degree]
    columns = [np.prod(X ** np.array(e), axis=1) for e in powers]
    return np.column_stack(columns if getattr(c, "intercept", True) else columns[1:])


def in_ball(X: np.ndarray, y: np.ndarray) -> bool:
    """``b + w . x - a ||x||^2`` with a > 0, by a linear programme."""
    V = np.column_stack([np.ones(len(X)), X, -np.sum(X**2, axis=1)])
    side = np.where(y, -1.0, 1.0)[:, None]
    rows = np.vstack([side * V, [[0.0] * (X.shape[1] + 1) + [-1.0]]])
    return feasible(rows, -np.ones(len(X) + 1))


def waves(x: np.ndarray) -> set[tuple[bool, ...]]:
    """Labellings of small integers by sine waves, on a grid that is finer than the changes of sign."""
    # Signs change at multiples of 1/m, m up to 8, which divide 840.
    phase = np.arange(3360)[:, None] * x.astype(int) % 3360
    return {tuple(row) for row in ((phase > 0) & (phase < 1680)).tolist()}


def all_hold(X: np.ndarray, choice: tuple[int | None, ...]) -> np.ndarray:
    """Where every coordinate with a wanted value has it."""
    return np.all(
        [np.full(len(X), True) if v is None else X[:, j] == v for j, v in enumerate(choice)], axis=0
    )


def realisable(c: Any, X: np.ndarray, y: np.ndarray) -> bool:
    """Whether a hypothesis of the class labels the points so."""
    ones, zeros = X[y], X[~y]
    match c.name:
        case "thresholds":
            cuts = [*X[:, 0], np.inf]
            right = any(np.array_equal(X[:, 0] >= t, y) for t in cuts)
            return right or (c.two_sided and any(np.array_equal(X[:, 0] < t, y) for t in cuts))
        case "intervals":
            found = [runs(X[:, 0], z) for z in ((y, ~y) if c.two_sided else (y,))]
            return any(r is not None and r <= c.k for r in found)
        case "boxes":
            if not len(ones):
                return True
            low, high = ones.min(axis=0), ones.max(axis=0)
            return not any((low <= z).all() and (z <= high).all() for z in zeros)
        case "decision_stumps":
            cuts = [(j, t) for j in range(X.shape[1]) for t in [*X[:, j], np.inf]]
            return any(np.array_equal((X[:, j] >= t) != turn, y) for j, t in cuts for turn in (False, True))
        case "left_rays":  # of the skeleton
            return any(np.array_equal(X[:, 0] <= t, y) for t in [*X[:, 0], -np.inf])
        case "conjunctions":
            # Each variable is left out, or has to be 1, or (not monotone) has to be 0.
            choices = itertools.product((None, 1) if c.monotone else (None, 1, 0), repeat=X.shape[1])
            found = any(np.array_equal(all_hold(X, choice), y) for choice in choices)
            return found or not (c.monotone or y.any())
        case "annuli":
            found = runs(np.sum(X**2, axis=1), y)
            return found is not None and found <= 1
        case "nearest_neighbours":
            return not {tuple(a) for a in ones} & {tuple(b) for b in zeros}
        case "halfspaces" | "polynomial_thresholds":
            return half_space(lifted(c, X), y)
        case "balls":
            return in_ball(X, y)
        case "finite_class":
            return any(np.array_equal(np.array(row, bool)[X[:, 0].astype(int)], y) for row in c.members)
        case "sine":
            return tuple(y.tolist()) in waves(X[:, 0])
    raise AssertionError(f"add a case of {c.name!r} to `realisable` in tests/oracles/labellings.py")
