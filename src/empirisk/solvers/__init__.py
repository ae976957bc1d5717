"""Solvers: init and step; the one loop is :func:`solve`.  Adding one is a file and a row of REGISTRY."""

from empirisk.solvers.auto import choose
from empirisk.solvers.base import Solver, State, solve
from empirisk.solvers.conjugate_gradient import ConjugateGradient
from empirisk.solvers.coordinate import Coordinate
from empirisk.solvers.joint_newton import JointNewton
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.least_squares import LeastSquares
from empirisk.solvers.newton import Newton
from empirisk.solvers.prox_newton import ProxNewton

REGISTRY: dict[str, type] = {
    "conjugate_gradient": ConjugateGradient,
    "coordinate": Coordinate,
    "joint_newton": JointNewton,
    "lbfgs": LBFGS,
    "least_squares": LeastSquares,
    "newton": Newton,
    "prox_newton": ProxNewton,
}

__all__ = [
    "LBFGS",
    "REGISTRY",
    "ConjugateGradient",
    "Coordinate",
    "JointNewton",
    "LeastSquares",
    "Newton",
    "ProxNewton",
    "Solver",
    "State",
    "choose",
    "solve",
]
