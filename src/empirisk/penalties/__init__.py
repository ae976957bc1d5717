"""Penalties on the coefficients and constraint sets.  Adding one is a file and a row of REGISTRY."""

from empirisk.penalties.affine_set import AffineSet
from empirisk.penalties.base import ConstraintSet, Penalty
from empirisk.penalties.box import Box
from empirisk.penalties.elastic_net import ElasticNetPenalty
from empirisk.penalties.group_lasso import GroupLasso
from empirisk.penalties.half_space import HalfSpace
from empirisk.penalties.intersection import Intersection, Projected
from empirisk.penalties.l1 import L1
from empirisk.penalties.l1_ball import L1Ball
from empirisk.penalties.l2 import L2
from empirisk.penalties.l2_ball import L2Ball
from empirisk.penalties.non_negative import NonNegative
from empirisk.penalties.simplex import Simplex
from empirisk.penalties.sorted_l1 import SortedL1
from empirisk.penalties.zero import Zero

REGISTRY: dict[str, type] = {
    "affine_set": AffineSet,
    "box": Box,
    "elastic_net": ElasticNetPenalty,
    "group_lasso": GroupLasso,
    "half_space": HalfSpace,
    "intersection": Intersection,
    "l1": L1,
    "l1_ball": L1Ball,
    "l2": L2,
    "l2_ball": L2Ball,
    "non_negative": NonNegative,
    "simplex": Simplex,
    "sorted_l1": SortedL1,
    "zero": Zero,
}

__all__ = [
    "L1",
    "L2",
    "REGISTRY",
    "AffineSet",
    "Box",
    "ConstraintSet",
    "ElasticNetPenalty",
    "GroupLasso",
    "HalfSpace",
    "Intersection",
    "L1Ball",
    "L2Ball",
    "NonNegative",
    "Penalty",
    "Projected",
    "Simplex",
    "SortedL1",
    "Zero",
]


def __dir__() -> list[str]:
    return sorted(__all__)
