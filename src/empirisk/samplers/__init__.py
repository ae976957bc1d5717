"""Samplers: Markov chains for a posterior.  Adding one is a file, a transition and a row of REGISTRY."""

from __future__ import annotations

from empirisk.samplers.base import Guess, Sampler, Target
from empirisk.samplers.block_target import BlockTarget
from empirisk.samplers.draws import Draws
from empirisk.samplers.draws_summary import DrawsSummary
from empirisk.samplers.function_target import FunctionTarget
from empirisk.samplers.gaussian_blocks import gaussian_blocks
from empirisk.samplers.gibbs import Gibbs
from empirisk.samplers.hmc import HMC
from empirisk.samplers.linear_target import LinearTarget
from empirisk.samplers.mala import MALA
from empirisk.samplers.mixture_blocks import mixture_blocks
from empirisk.samplers.nuts import NUTS
from empirisk.samplers.predictive_check import PredictiveCheck
from empirisk.samplers.proximal_langevin import ProximalLangevin
from empirisk.samplers.random_walk import RandomWalk
from empirisk.samplers.registry import REGISTRY
from empirisk.samplers.regression_blocks import regression_blocks
from empirisk.samplers.sample import sample
from empirisk.samplers.sgld import SGLD
from empirisk.samplers.side_by_side import SideBySide
from empirisk.samplers.softmax_target import SoftmaxTarget
from empirisk.samplers.ula import ULA

__all__ = [
    "HMC",
    "MALA",
    "NUTS",
    "REGISTRY",
    "SGLD",
    "ULA",
    "BlockTarget",
    "Draws",
    "DrawsSummary",
    "FunctionTarget",
    "Gibbs",
    "Guess",
    "LinearTarget",
    "PredictiveCheck",
    "ProximalLangevin",
    "RandomWalk",
    "Sampler",
    "SideBySide",
    "SoftmaxTarget",
    "Target",
    "gaussian_blocks",
    "mixture_blocks",
    "regression_blocks",
    "sample",
]


def __dir__() -> list[str]:
    return sorted(__all__)
