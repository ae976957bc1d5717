"""Distances that are NaN or infinite, and rows without weight: the loops end in a tree or in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from empirisk import _loops
from empirisk.linkage import REGISTRY

POISON = (np.nan, np.inf, 1e200, 1e-200)


def grown(linker: Any) -> str:
    """Return what a loop said, or nothing where its merges are a tree."""
    try:
        while linker.step(10**4):
            pass
    except ValueError as error:
        with pytest.raises(ValueError, match="no nearest one"):  # and it stays where it is
            linker.step(10**4)
        return str(error)
    try:
        _loops.merge_tree(*linker.result(), "given")
    except ValueError as error:
        return str(error)
    return ""


def poisoned(X: Any, value: float, cells: str) -> Any:
    """Return rows or distances with one row, one cell, or all in the place of which stands a value."""
    out = X.copy()
    if cells == "all":
        out[:] = value
    elif cells == "row":
        out[3] = value
        if out.shape[0] == out.shape[1]:
            out[:, 3] = value
    else:
        out[3, 1] = out[1, 3 % out.shape[1]] = value
    return out


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "precomputed"])
@pytest.mark.parametrize("cells", ["cell", "row", "all"])
@pytest.mark.parametrize("boxes", [0, 1])
def test_no_loop_follows_a_neighbour_that_there_is_not(
    name: str, metric: str, cells: str, boxes: int, rng: np.random.Generator
) -> None:
    if REGISTRY[name].centroids and metric in ("manhattan", "cosine"):
        return
    for n in (2, 5, 40, 300):
        X = rng.normal(size=(n, 3)) if n < 300 else np.cumsum(1.02 ** np.arange(900.0)).reshape(n, 3)
        given = cdist(X, X) if metric == "precomputed" else X
        if n < 5:
            given = np.full_like(given, np.nan)
        for value in POISON:
            table = poisoned(given, value, cells) if n >= 5 else given
            said = grown(_loops.Linker(table, name, metric, np.ones(n), boxes))
            assert said == "" or "no nearest one" in said or "no tree" in said


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("weight", [0.0, 1e-320, 1e-200, 1e200, 1.7e308])
def test_weights_beyond_all_products_end_in_a_tree_or_in_words(
    name: str, given: bool, weight: float, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(60, 2))
    table, metric = (cdist(X, X), "precomputed") if given else (X, "euclidean")
    for some in (slice(None), slice(0, 20)):
        mass = np.ones(60)
        mass[some] = weight
        for boxes in (0, 1):
            said = grown(_loops.Linker(table, name, metric, mass, boxes))
            assert said == "" or "no nearest one" in said or "no tree" in said
        starts, ends = np.arange(61), (np.arange(60) + 1) % 60
        held = table.copy() if given else table
        if given or REGISTRY[name].centroids:
            grown(_loops.ConnectedLinker(held, name, given, mass, starts, ends))


def test_matrices_that_are_not_symmetric_end_in_a_tree_or_in_words(rng: np.random.Generator) -> None:
    """Ties of small integers in one triangle and others in the other one: nearest ones run in circles."""
    for trial in range(200):
        n = 3 + trial % 40
        D = rng.integers(1, 4, size=(n, n)).astype(float)
        for name in sorted(REGISTRY):
            said = grown(_loops.Linker(D, name, "precomputed", np.ones(n)))
            assert said == "" or "no nearest one" in said or "no tree" in said
