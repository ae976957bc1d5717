"""Chains that run together: where each stands, its step and its shape, and how a warm-up finds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from empirisk import _loops
from empirisk.samplers.base import Sampler, Target
from empirisk.samplers.warm_up import default_length, windows
from empirisk.typing import Array

__all__ = ["TOLD", "Chains"]

# What each transition tells, in the order of its columns.
TOLD = ("acceptance", "gradients", "depth", "divergent", "potential", "step", "energy")
# Starts are drawn this much wider than the guess, so that chains that agree have found the same mass.
_SPREAD = 1.5
# The number of the stream of the starts, which no step has.
_STARTS = 2**63
# Seconds that one call of the loops may take, about: so long an interrupt waits.
_PATIENCE = 0.2
_UNSTABLE = 2.0  # steps that are always taken, in units of the covariance
_MOST = 10_000  # transitions of any call; the first takes one, since a function may take long
_DENSE = 10  # draws for each parameter from which a covariance is learnt
# The search for a first step doubles and halves up to 100 times: beyond these it has found no end.
_LONGEST, _SHORTEST = 2.0**90, 2.0**-90


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
            if guess.places is not None:
                self.w[c] = self.target.inside(guess.places[c % len(guess.places)])
                continue
            z = _loops.stream_normals(self.seed, c, _STARTS, d)
            move = z if guess.factor is None else _SPREAD * (guess.factor @ z)
            self.w[c] = self.target.inside(guess.place + move)
        self._refuse_long_step()
        self._settle(guess.place)
        look = getattr(self.target, "look_at_gradient", None)
        if look is not None and self.sampler.gradient:
            look(self.w)

    def _refuse_long_step(self) -> None:
        """Refuse steps that are always taken and too long for a Gaussian of the known shape."""
        step = self.sampler.given_step
        if step is not None and step >= _UNSTABLE and self.shaped and not self.sampler.exact:
            raise ValueError(
                f"the step of {self.sampler.name} must be below {_UNSTABLE:g} in units of the covariance of "
                f"{self.target.title}, got {step:g}: with longer ones a Gaussian is never settled to, and "
                f"with h variances are 1 / (1 - h / 2) times too large"
            )

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
            "the support, which start= of a function gives, or sample a model with a stronger penalty"
        )

    @property
    def default_warm_up(self) -> int:
        """How many transitions a warm-up has where none is given."""
        return default_length(self.shaped, self.sampler.gradient)

    def find_step(self) -> None:
        """Begin the search for the step anew, from one that is accepted about as often as not."""
        given = self.sampler.given_step
        first = 1.0 if given is None else given
        args = (self.call, self.sampler.move, self.w, self.grad, self.u, self.step, self.scale, self.factor)
        _loops.start_steps(*args, self.seed, self.taken, first, given is None)
        if given is None:
            self._check_steps(np.exp(self.step[:, 0]) / first)

    def _check_steps(self, found: Array) -> None:
        """Refuse targets on which no step is too long, or none is short enough."""
        if found.max() > _LONGEST:
            raise ValueError(
                f"{self.target.title} is flat as far as steps can go: exp(-U) has no finite mass there, so "
                "that it is no density; give the parameters a prior"
                f"{', or a covariance that is not far too small' if self.shaped else ''}"
            )
        if found.min() < _SHORTEST:
            raise ValueError(
                f"no step of {self.sampler.name} is accepted, however short: U jumps at the start of a "
                "chain, or the gradient is not that of U, or the chains ran away because exp(-U) has no "
                "finite mass; give a start inside of the support, and check the gradient by differences"
            )

    def advance(self, count: int, thin: int = 1, search: bool = False) -> Iterator[tuple[Array, Array]]:
        """Yield draws (chains, rows, d) and what transitions tell (chains, rows, 7), piece by piece."""
        left, piece = count, thin
        while left:
            now, began = min(piece, left), perf_counter()
            draws, told = self._run(now, thin, search and self.sampler.given_step is None)
            self.taken += now
            left -= now
            shape = (self.count, now // thin)
            yield draws.reshape(*shape, -1), told.reshape(*shape, -1)
            # Draws are functions of the step's number, so that the length of the pieces changes none.
            took = perf_counter() - began
            if took < 0.5 * _PATIENCE:
                piece = min(2 * piece, max(1, _MOST // thin) * thin)
            elif took > 2.0 * _PATIENCE:
                piece = max(1, piece // (2 * thin)) * thin

    def _run(self, now: int, thin: int, search: bool) -> tuple[Array, Array]:
        """Take `now` transitions, and return the kept draws and what was told of them."""
        state = (self.call, self.sampler.move, self.w, self.grad, self.u, self.step, self.scale, self.factor)
        most, length = self.sampler.limits
        plan = (self.seed, self.taken, now, thin, search, self.sampler.wanted, most, length)
        return _loops.run_chains(*state, *plan)

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
        """Take each chain's shape from its draws: their covariance, or variances where draws are few.

        Nothing is drawn towards a unit, so that the shape follows any change of units; a chain that did not
        move along some line keeps the shape that it has.
        """
        k, n, d = draws.shape
        variance = draws.var(axis=1, ddof=1) if n > 1 else np.zeros_like(self.scale)
        self.scale = np.where(variance > 0.0, np.sqrt(variance), self.scale)
        if n >= _DENSE * d:
            self.factor = np.array([_lower(draws[c], self.scale[c]) for c in range(k)])
        self.find_step()  # from a unit of the new shape, whatever the other chains have found


def _lower(draws: Array, scale: Array) -> Array:
    """The lower factor of the covariance of draws (n, d), or of their scales where that is singular."""
    unit = (draws - draws.mean(axis=0)) / scale
    try:
        return np.asarray(scale[:, None] * np.linalg.cholesky(unit.T @ unit / (len(draws) - 1.0)))
    except np.linalg.LinAlgError:
        return np.diag(scale)
