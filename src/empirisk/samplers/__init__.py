"""Samplers: Markov chains for a posterior.  Adding one is a file, a transition and a row of REGISTRY."""

from __future__ import annotations

from empirisk.samplers.base import Guess, Sampler, Target
from empirisk.samplers.draws import Draws
from empirisk.samplers.draws_summary import DrawsSummary
from empirisk.samplers.function_target import FunctionTarget
from empirisk.samplers.hmc import HMC
from empirisk.samplers.linear_target import LinearTarget
from empirisk.samplers.mala import MALA
from empirisk.samplers.nuts import NUTS
from empirisk.samplers.proximal_langevin import ProximalLangevin
from empirisk.samplers.random_walk import RandomWalk
from empirisk.samplers.registry import REGISTRY
from empirisk.samplers.sample import sample
from empirisk.samplers.sgld import SGLD
from empirisk.samplers.softmax_target import SoftmaxTarget
from empirisk.samplers.ula import ULA

__all__ = [
    "HMC",
    "MALA",
    "NUTS",
    "REGISTRY",
    "SGLD",
    "ULA",
    "Draws",
    "DrawsSummary",
    "FunctionTarget",
    "Guess",
    "LinearTarget",
    "ProximalLangevin",
    "RandomWalk",
    "Sampler",
    "SoftmaxTarget",
    "Target",
    "sample",
]


def __dir__() -> list[str]:
    return sorted(__all__)
