"""The samplers by name: the one list that functions of the room and users look at."""

from __future__ import annotations

from typing import Any

from empirisk.samplers.gibbs import Gibbs
from empirisk.samplers.hmc import HMC
from empirisk.samplers.mala import MALA
from empirisk.samplers.nuts import NUTS
from empirisk.samplers.proximal_langevin import ProximalLangevin
from empirisk.samplers.random_walk import RandomWalk
from empirisk.samplers.sgld import SGLD
from empirisk.samplers.ula import ULA

__all__ = ["REGISTRY"]

REGISTRY: dict[str, Any] = {
    "gibbs": Gibbs,
    "hmc": HMC,
    "mala": MALA,
    "nuts": NUTS,
    "proximal_langevin": ProximalLangevin,
    "random_walk": RandomWalk,
    "sgld": SGLD,
    "ula": ULA,
}
