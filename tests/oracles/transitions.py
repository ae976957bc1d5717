"""The transitions of the samplers again, in plain NumPy, on the same random numbers.

A path of the no-U-turn sampler is a list of all its points here, and its weights and sums are taken of the
list, so that nothing of the compiled bookkeeping is repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array
from tests.oracles.philox import Stream

Potential = Callable[[Array], tuple[float, Array]]


def random_walk(f: Potential, w: Array, L: Array, h: float, rng: Stream) -> Array:
    """Return the next place of Metropolis's random walk."""
    there = w + h * (L @ rng.normals(len(w)))
    return there if rng.uniform() < math.exp(min(0.0, f(w)[0] - f(there)[0])) else w


def langevin(f: Potential, w: Array, L: Array, h: float, rng: Stream, adjusted: bool) -> Array:
    """Return the next place of a Langevin step, with the densities of both proposals by their covariance."""
    covariance = L @ L.T

    def log_density(to: Array, at: Array) -> float:
        off = to - at + h * (covariance @ f(at)[1])
        return -float(off @ np.linalg.solve(covariance, off)) / (4.0 * h)

    there = w - h * (covariance @ f(w)[1]) + math.sqrt(2.0 * h) * (L @ rng.normals(len(w)))
    log_ratio = f(w)[0] - f(there)[0] + log_density(w, there) - log_density(there, w)
    accepted = rng.uniform() < math.exp(min(0.0, log_ratio))
    return there if accepted or not adjusted else w


@dataclass
class Point:
    """A point of a Hamiltonian path: place, momentum, energy."""

    w: Array
    p: Array
    energy: float


def leapfrog(f: Potential, at: Point, C: Array, h: float) -> Point:
    """Return the point after one leapfrog step of length h, which may be negative."""
    p = at.p - 0.5 * h * f(at.w)[1]
    w = at.w + h * (C @ p)
    p = p - 0.5 * h * f(w)[1]
    return Point(w, p, f(w)[0] + 0.5 * float(p @ C @ p))


def started(f: Potential, w: Array, L: Array, rng: Stream) -> Point:
    """Return the place with a momentum of covariance ``(L L')^-1``."""
    p = np.linalg.solve(L.T, rng.normals(len(w)))
    return Point(w, p, f(w)[0] + 0.5 * float(p @ L @ L.T @ p))


def hamiltonian(f: Potential, w: Array, L: Array, h: float, length: float, rng: Stream) -> Array:
    """Return the next place of Hamiltonian Monte Carlo with paths of about a given length."""
    start = at = started(f, w, L, rng)
    step = h * (0.9 + 0.2 * rng.uniform())
    for _ in range(max(1, math.ceil(length / step))):
        at = leapfrog(f, at, L @ L.T, step)
    return at.w if rng.uniform() < math.exp(min(0.0, start.energy - at.energy)) else w


def no_u_turn(f: Potential, w: Array, L: Array, h: float, most: int, rng: Stream) -> Array:
    """Return the next place of the no-U-turn sampler with multinomial draws."""
    C = L @ L.T
    start = started(f, w, L, rng)

    def weight(path: list[Point]) -> float:
        return sum(math.exp(start.energy - point.energy) for point in path)

    def turns(path: list[Point]) -> bool:
        total = np.sum([point.p for point in path], axis=0)
        return not all(float((C @ end.p) @ total) > 0.0 for end in (path[0], path[-1]))

    def turns_at(left: list[Point], right: list[Point]) -> bool:
        return turns(left + right) or turns([*left, right[0]]) or turns([left[-1], *right])

    def grown(at: Point, sign: float, depth: int) -> tuple[list[Point], Point] | None:
        """Points in the order of time, and the one drawn; None where they turn back or diverge."""
        if depth == 0:
            there = leapfrog(f, at, C, sign * h)
            return None if not there.energy - start.energy <= 1000.0 else ([there], there)
        near = grown(at, sign, depth - 1)
        far = None if near is None else grown(near[0][-1 if sign > 0.0 else 0], sign, depth - 1)
        if near is None or far is None:
            return None
        chosen = far[1] if rng.uniform() < weight(far[0]) / weight(near[0] + far[0]) else near[1]
        left, right = (near[0], far[0]) if sign > 0.0 else (far[0], near[0])
        return None if turns_at(left, right) else (left + right, chosen)

    path, drawn = [start], start
    for depth in range(most):
        forth = rng.uniform() < 0.5
        part = grown(path[-1 if forth else 0], 1.0 if forth else -1.0, depth)
        if part is None:
            break
        if rng.uniform() < weight(part[0]) / weight(path):
            drawn = part[1]
        left, right = (path, part[0]) if forth else (part[0], path)
        stop, path = turns_at(left, right), left + right
        if stop:
            break
    return drawn.w
