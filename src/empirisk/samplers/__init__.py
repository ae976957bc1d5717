"""Samplers: Markov chains for a posterior.  Adding one is a file, a transition and a row of REGISTRY."""

from __future__ import annotations

from typing import Any

from empirisk.samplers.base import Guess, Sampler, Target
from empirisk.samplers.draws import Draws, DrawsSummary
from empirisk.samplers.hmc import HMC
from empirisk.samplers.mala import MALA
from empirisk.samplers.nuts import NUTS
from empirisk.samplers.random_walk import RandomWalk
from empirisk.samplers.sample import sample
from empirisk.samplers.targets import FunctionTarget, LinearTarget
from empirisk.samplers.ula import ULA

REGISTRY: dict[str, Any] = {"hmc": HMC, "mala": MALA, "nuts": NUTS, "random_walk": RandomWalk, "ula": ULA}

__all__ = [
    "HMC",
    "MALA",
    "NUTS",
    "REGISTRY",
    "ULA",
    "Draws",
    "DrawsSummary",
    "FunctionTarget",
    "Guess",
    "LinearTarget",
    "RandomWalk",
    "Sampler",
    "Target",
    "sample",
]


def __dir__() -> list[str]:
    return sorted(__all__)
