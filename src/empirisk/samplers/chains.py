"""Chains that run together: where each stands, its step and its shape, and how a warm-up finds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from empirisk import _loops
from empirisk.samplers.base import Sampler, Target
from empirisk.samplers.warm_up import windows
from empirisk.typing import Array

__all__ = ["TOLD", "Chains"]

# What each transition tells, in the order of its columns.
TOLD = ("acceptance", "gradients", "depth", "divergent", "potential", "step")
# Starts are drawn this much wider than the guess, so that chains that agree have found the same mass.
_SPREAD = 1.5
# Numbers that one call of the loops hands back at most, so that an interrupt waits for no more.
_PIECE = 200


@dataclass(eq=False)
class Chains:
    """The state of all chains, which a run changes in place.

    Parameters
    ----------
    target : Target
    sampler : Sampler
    count : int
        How many chains.
    seed : int
        Below 2^64.
    """

    target: Target
    sampler: Sampler
    count: int
    seed: int
    taken: int = 0
    w: Array = field(init=False)
    grad: Array = field(init=False)
    u: Array = field(init=False)
    step: Array = field(init=False)
    scale: Array = field(init=False)
    factor: Array | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        guess, k, d = self.target.guess(), self.count, self.target.size
        self.call = self.target.call
        self.shaped = guess.factor is not None
        self.scale = np.ones((k, d))
        if guess.factor is not None:
            self.factor = np.ascontiguousarray(np.broadcast_to(guess.factor, (k, d, d)))
        self.w = np.empty((k, d))
        self.grad, self.u, self.step = np.zeros((k, d)), np.zeros(k), np.zeros((k, 5))
        for c in range(k):
            z = _loops.stream_normals(self.seed, c, 2**64 - 1, d)
            move = z if guess.factor is None else _SPREAD * (guess.factor @ z)
            self.w[c] = guess.place + move
        self._settle(guess.place)

    def _settle(self, place: Array) -> None:
        """Move starts without mass towards the guess until each has some."""
        for _ in range(60):
            _loops.ask_places(self.call, self.w, self.grad, self.u)
            bad = ~np.isfinite(self.u)
            if not bad.any():
                return
            self.w[bad] = 0.5 * (self.w[bad] + place)
        raise ValueError(
            f"{self.target.title} has no mass at its start: U is not finite there; start from a point of "
            "the support"
        )

    def find_step(self, guess: float = 1.0) -> None:
        """Begin the search for the step anew, from one that is accepted about as often as not."""
        given = self.sampler.given_step
        first = guess if given is None else given
        args = (self.call, self.sampler.name, self.w, self.grad, self.u, self.step, self.scale, self.factor)
        _loops.start_steps(*args, self.seed, self.taken, first, given is None)

    def advance(self, count: int, thin: int = 1, search: bool = False) -> Iterator[tuple[Array, Array]]:
        """Yield draws (chains, rows, d) and what transitions tell (chains, rows, 6), piece by piece."""
        most, length = self.sampler.limits
        piece = max(1, _PIECE // thin) * thin
        left = count
        while left:
            now = min(piece, left)
            draws, told = _loops.run_chains(
                self.call,
                self.sampler.name,
                self.w,
                self.grad,
                self.u,
                self.step,
                self.scale,
                self.factor,
                self.seed,
                self.taken,
                now,
                thin,
                search and self.sampler.given_step is None,
                self.sampler.wanted,
                most,
                length,
            )
            self.taken += now
            left -= now
            shape = (self.count, now // thin)
            yield draws.reshape(*shape, -1), told.reshape(*shape, -1)

    def warm_up(self, count: int) -> None:
        """Run transitions that are not kept, which find the step, and the shape where it is not known."""
        self.find_step()
        # A step that is given is one in units that do not change: no shape is learnt beside it.
        for window in windows(count, self.shaped or self.sampler.given_step is not None):
            parts = [draws for draws, _ in self.advance(window.count, search=True)]
            if window.shape:
                self._learn(np.concatenate(parts, axis=1))
        # What is sampled with is the mean of the steps that were tried, which settles.
        tried = self.step[:, 4] > 0.0
        self.step[tried, 0] = self.step[tried, 1]

    def _learn(self, draws: Array) -> None:
        """Take each chain's scales from its draws, drawn towards 0.03 as Stan does while they are few."""
        n = draws.shape[1]
        variance = draws.var(axis=1, ddof=1) if n > 1 else np.ones_like(self.scale)
        self.scale = np.ascontiguousarray(np.sqrt((n * variance + 5.0 * 1e-3) / (n + 5.0)))
        self.find_step(float(np.exp(self.step[:, 0]).mean()))
