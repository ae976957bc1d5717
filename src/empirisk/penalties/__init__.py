"""Penalties on the coefficients.  Adding one is a file and a row of REGISTRY."""

from empirisk.penalties.base import Penalty
from empirisk.penalties.elastic_net import ElasticNetPenalty
from empirisk.penalties.l1 import L1
from empirisk.penalties.l2 import L2
from empirisk.penalties.zero import Zero

REGISTRY: dict[str, type] = {
    "elastic_net": ElasticNetPenalty,
    "l1": L1,
    "l2": L2,
    "zero": Zero,
}

__all__ = ["L1", "L2", "REGISTRY", "ElasticNetPenalty", "Penalty", "Zero"]
