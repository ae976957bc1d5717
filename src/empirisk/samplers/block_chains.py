"""Chains that draw blocks of parameters in turn, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.samplers.chains import TOLD, Chains
from empirisk.typing import Array

__all__ = ["BlockChains"]

# Sweeps that are left out by default.
_WARM_UP = 500
# The number of the stream of the starts, which no sweep has.
_STARTS = 2**63


class BlockChains(Chains):
    """The blocks of all chains of :class:`~empirisk.samplers.Gibbs`, as they stand.

    Each sweep has its own stream of random numbers, with the key of the seed and the counter of chain and
    sweep, so that draws are functions of seed, chain and sweep.
    """

    def __post_init__(self) -> None:
        target: Any = self.target
        self.states: list[dict[str, Array]] = [
            target.started(self._stream(c, _STARTS)) for c in range(self.count)
        ]

    def _stream(self, chain: int, step: int) -> np.random.Generator:
        """The random numbers of one sweep of a chain."""
        return np.random.Generator(np.random.Philox(key=[self.seed, 0], counter=[0, step, chain, 0]))

    @property
    def default_warm_up(self) -> int:
        """How many sweeps are left out where none is given."""
        return _WARM_UP

    def warm_up(self, count: int) -> None:
        """Take sweeps that are not kept, in which chains forget their starts."""
        for _ in self.advance(count):
            pass

    def _run(self, now: int, thin: int, search: bool) -> tuple[Array, Array]:
        """Take `now` sweeps of each chain, and return the kept draws and what was told of them."""
        target: Any = self.target
        draws = np.empty((self.count, now // thin, target.size))
        for c in range(self.count):
            for i in range(now):
                self._sweep(c, self._stream(c, self.taken + i))
                if (i + 1) % thin == 0:
                    draws[c, i // thin] = target.kept(self.states[c])
        told = np.full((*draws.shape[:2], len(TOLD)), np.nan)
        told[:, :, 0] = 1.0
        told[:, :, 1:4] = 0.0
        return draws, told

    def _sweep(self, chain: int, rng: np.random.Generator) -> None:
        """Draw every block once, given the others as they stand then."""
        target: Any = self.target
        sampler: Any = self.sampler
        state = self.states[chain]
        names = list(state)
        for j in rng.permutation(len(names)) if sampler.random_order else range(len(names)):
            state[names[j]] = target.drawn(names[j], state, rng)
