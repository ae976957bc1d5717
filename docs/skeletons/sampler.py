"""Hamiltonian paths of one step: a copy-me file for a sampler.

Copy to src/empirisk/samplers/<name>.py, rename, change the formulas, and add one row to REGISTRY of that
folder and one to SAMPLES in tests/conformance/test_samplers.py.  The tests then compare means and
covariances with exact Gaussians and a skew law, turn transitions round, and hold the draws to seed, chain
and step.

A sampler is a compiled transition and how its step is tuned.  This one takes a transition that there is
(`move`).  A new one is a header in cpp/samplers/ beside random_walk.hpp, which asks its target for U and the
gradient and nothing else, with a row in `Move`, `move_names` and `one_move` of chains.hpp there and in
`move_of` of cpp/bind/samplers.cpp.  One that is never refused says ``exact = False``.  Its formula in NumPy
goes to tests/oracles/transitions.py, and its step to STEP in tests/samplers/test_twins.py, where both are
held to the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_chance

__all__ = ["OneLeap"]


@dataclass(frozen=True)
class OneLeap(Sampler):
    """``p ~ N(0, C^-1)``, one leapfrog step of length h, accepted with chance ``min(1, exp(-change of H))``.

    Parameters
    ----------
    target_acceptance : float in (0, 1), default 0.65
        Mean chance of acceptance that the warm-up tunes h for.

    Examples
    --------
    >>> OneLeap().limits
    (1, 1.0)
    """

    target_acceptance: float = 0.65

    name = "one_leap"

    def __post_init__(self) -> None:
        check_chance("target_acceptance", self.target_acceptance)

    @property
    def move(self) -> str:
        """The compiled transition: a Hamiltonian path, which has one step where 1 is the most."""
        return "hmc"

    @property
    def wanted(self) -> float:
        """The given target acceptance that the warm-up aims at."""
        return self.target_acceptance

    @property
    def limits(self) -> tuple[int, float]:
        """At most one step of a path of length 1."""
        return 1, 1.0
