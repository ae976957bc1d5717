"""Convexity, Lagrangians, duality and optimality conditions, for problems given as functions or as ours."""

from empirisk.convex.constraints import as_convex_problem
from empirisk.convex.convexity import Convexity, Witness, check_convexity
from empirisk.convex.duality import WeakDuality, weak_duality
from empirisk.convex.kkt import KKT, kkt_residual
from empirisk.convex.lagrangian import DualValue, dual_function, lagrangian
from empirisk.convex.linear_program import LinearProgram
from empirisk.convex.problem import ConvexProblem
from empirisk.convex.slater import SlaterPoint, slater_point

__all__ = [
    "KKT",
    "ConvexProblem",
    "Convexity",
    "DualValue",
    "LinearProgram",
    "SlaterPoint",
    "WeakDuality",
    "Witness",
    "as_convex_problem",
    "check_convexity",
    "dual_function",
    "kkt_residual",
    "lagrangian",
    "slater_point",
    "weak_duality",
]


def __dir__() -> list[str]:
    return sorted(__all__)
