"""Shapley values word for word: all subsets, by the definition of the games."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np

from empirisk.trees.structure import Trees

__all__ = ["background_game", "path_game", "shapley_by_subsets"]

Game = Callable[[frozenset[int]], Any]


def shapley_by_subsets(game: Game, p: int) -> Any:
    """``sum_S |S|! (p-|S|-1)!/p! (v(S + i) - v(S))`` for each player, shape (p, k)."""
    v = {frozenset(s): game(frozenset(s)) for m in range(p + 1) for s in combinations(range(p), m)}
    out = np.zeros((p, len(v[frozenset()])))
    for i in range(p):
        for s, value in v.items():
            if i not in s:
                share = factorial(len(s)) * factorial(p - len(s) - 1) / factorial(p)
                out[i] += share * (v[s | {i}] - value)
    return out


def path_game(trees: Trees, x: Any) -> Game:
    """Mean of the trees when only the columns S of x are known: both branches by weight elsewhere."""

    def value(known: frozenset[int]) -> Any:
        def below(root: int, at: int) -> Any:
            node = root + at
            if trees.feature[node] < 0:
                return trees.value[node]
            left = int(trees.left[node])
            j = int(trees.feature[node])
            if j in known:
                goes = trees.goes_left(np.array([node]), np.asarray(x, dtype=float)[[j]])[0]
                return below(root, left if goes else left + 1)
            w = trees.weight[root + left], trees.weight[root + left + 1]
            return (w[0] * below(root, left) + w[1] * below(root, left + 1)) / (w[0] + w[1])

        return sum(below(int(root), 0) for root in trees.start[:-1])

    return value


def background_game(trees: Trees, x: Any, background: Any) -> Game:
    """Mean over background rows with the columns S of x put in."""

    def value(known: frozenset[int]) -> Any:
        rows = np.array(background, dtype=float)
        rows[:, list(known)] = np.asarray(x)[list(known)]
        return trees.predict(rows).mean(axis=0)

    return value
