"""Secants of EM: the direction is that of BFGS in matrices, and pairs of negative curvature are left out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from empirisk.solvers.em_secants import KEPT, Secants


def quadratic(rng: np.random.Generator, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a Hessian and the inverse information of complete data, which bounds its inverse from below."""
    B, C = rng.normal(size=(2, p, p))
    hessian = B @ B.T + np.eye(p)
    return hessian, np.linalg.inv(hessian + C @ C.T)


def test_the_direction_is_that_of_bfgs_on_the_information_of_complete_data(rng: np.random.Generator) -> None:
    p = 6
    hessian, h0 = quadratic(rng, p)
    points = rng.normal(size=(4, p))
    known, dense = Secants(), h0
    for w in points:
        known = known.after(w, -h0 @ hessian @ w, hessian @ w)
    for before, after in pairwise(points):
        s = after - before
        y = hessian @ s
        left = np.eye(p) - np.outer(s, y) / (s @ y)
        dense = left @ dense @ left.T + np.outer(s, s) / (s @ y)
    g = hessian @ points[-1]
    np.testing.assert_allclose(known.direction(-h0 @ g, g), -dense @ g, rtol=1e-9, atol=1e-9)


def test_as_many_pairs_as_columns_along_best_steps_find_the_minimum(rng: np.random.Generator) -> None:
    """Exact line searches end after p steps on a quadratic, by the theory of BFGS."""
    p = 5
    hessian, h0 = quadratic(rng, p)
    w, known = rng.normal(size=p), Secants()
    begun = np.linalg.norm(hessian @ w)
    for _ in range(p):
        g = hessian @ w
        known = known.after(w, -h0 @ g, g)
        way = known.direction(-h0 @ g, g)
        w = w - way * (g @ way) / (way @ hessian @ way)
    assert np.linalg.norm(hessian @ w) <= 1e-9 * begun


def test_without_a_pair_it_is_the_step_of_em_and_the_last_pairs_are_kept(rng: np.random.Generator) -> None:
    hessian, h0 = quadratic(rng, 3)
    w = rng.normal(size=3)
    g = hessian @ w
    np.testing.assert_array_equal(Secants().after(w, -h0 @ g, g).direction(-h0 @ g, g), -h0 @ g)
    known = Secants()
    for w in rng.normal(size=(KEPT + 5, 3)):
        known = known.after(w, -h0 @ hessian @ w, hessian @ w)
    assert len(known.pairs) == KEPT
    downwards = Secants().after(w, -w, -hessian @ w).after(2.0 * w, -2.0 * w, -2.0 * hessian @ w)
    assert downwards.pairs == ()
