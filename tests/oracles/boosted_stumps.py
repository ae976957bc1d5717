"""AdaBoost in plain NumPy with stumps by brute force, and all stumps as columns of signs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

__all__ = ["all_sides", "boost", "samme"]


def all_sides(X: Any, n_categories: Any) -> list[Any]:
    """The left sides of all stumps: thresholds and sets of categories, with missing values on either side.

    In the order of the columns and of the thresholds; the whole set comes first.
    """
    sides = [np.ones(len(X), dtype=bool)]
    for j, c in enumerate(n_categories):
        x, gone = X[:, j], np.isnan(X[:, j])
        if c:
            seen = sorted(set(x[~gone].astype(int)))
            cuts = [np.isin(x, s) for size in range(1, len(seen) + 1) for s in combinations(seen, size)]
        else:
            cuts = [x <= v for v in np.unique(x[~gone])]
        for left in cuts:
            for side in (left, left | gone) if gone.any() else (left,):
                if side.any() and not side.all():
                    sides.append(side)
    return sides


def boost(sides: list[Any], y: Any, base: Any, n_rounds: int, real: bool, smoothing: float) -> dict[str, Any]:
    """Two classes (0, 1): scores, weighted errors and Z of each round by the formulas of the papers."""
    sign, w, F = np.where(y == 1, 1.0, -1.0), base / base.sum(), np.zeros(len(y))
    out: dict[str, Any] = {"F": [], "error": [], "Z": []}
    for _ in range(n_rounds):
        scores = []
        for left in sides:
            plus = np.array([w[left & (sign > 0)].sum(), w[~left & (sign > 0)].sum()])
            minus = np.array([w[left & (sign < 0)].sum(), w[~left & (sign < 0)].sum()])
            scores.append(-2.0 * np.sqrt(plus * minus).sum() if real else np.abs(plus - minus).sum())
        best = int(np.flatnonzero(np.array(scores) > max(scores) - 1e-12)[0])
        side = sides[best]
        f = np.zeros(len(y))
        for part in (side, ~side):
            plus, minus = w[part & (sign > 0)].sum(), w[part & (sign < 0)].sum()
            f[part] = (
                0.5 * np.log((plus + smoothing) / (minus + smoothing)) if real else np.sign(plus - minus)
            )
        error = w[f * sign < 0].sum()
        if not real:
            f *= 0.5 * np.log((1.0 - error) / error)
        out["Z"].append((w * np.exp(-sign * f)).sum())
        out["error"].append(error)
        F = F + f
        out["F"].append(F)
        w = w * np.exp(-sign * f)
        w /= w.sum()
    return out


def samme(sides: list[Any], y: Any, k: int, n_rounds: int) -> Any:
    """Zhu et al. (2009), algorithm 2: ``sum_t alpha_t 1[T_t(x) = c]`` after each round, (rounds, n, K)."""
    w, votes, out = np.full(len(y), 1.0 / len(y)), np.zeros((len(y), k)), []
    for _ in range(n_rounds):
        best, named = -1.0, np.zeros(len(y), dtype=int)
        for left in sides:
            mass = [np.bincount(y[part], weights=w[part], minlength=k) for part in (left, ~left)]
            right = sum(m.max() for m in mass)
            if right > best + 1e-12:
                best, named = right, np.where(left, mass[0].argmax(), mass[1].argmax())
        error = w[named != y].sum() / w.sum()
        alpha = np.log((1.0 - error) / error) + np.log(k - 1.0)
        w = w * np.exp(alpha * (named != y))
        w /= w.sum()
        votes = votes + alpha * np.eye(k)[named]
        out.append(votes)
    return np.array(out)
