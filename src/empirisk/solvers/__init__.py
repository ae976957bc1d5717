"""Solvers: init and step; the one loop is :func:`solve`.  Adding one is a file and a row of the registry."""

from empirisk.solvers.augmented_newton import AugmentedNewton
from empirisk.solvers.auto import choose
from empirisk.solvers.barrier import Barrier
from empirisk.solvers.base import Solver, State
from empirisk.solvers.block_coordinate import BlockCoordinate
from empirisk.solvers.conjugate_gradient import ConjugateGradient
from empirisk.solvers.coordinate import Coordinate
from empirisk.solvers.eigen import Eigen
from empirisk.solvers.expectation_maximization import ExpectationMaximization
from empirisk.solvers.fista import FISTA
from empirisk.solvers.frank_wolfe import FrankWolfe
from empirisk.solvers.gradient_descent import GradientDescent
from empirisk.solvers.grid_search import GridSearch
from empirisk.solvers.interior_point import InteriorPoint
from empirisk.solvers.joint_newton import JointNewton
from empirisk.solvers.kept_newton import KeptNewton
from empirisk.solvers.kernel_cg import KernelCG
from empirisk.solvers.kernel_newton import KernelNewton
from empirisk.solvers.latent_starts import expectation_maximization
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.least_squares import LeastSquares
from empirisk.solvers.linear_program import LinearProgram
from empirisk.solvers.lloyd import LloydSteps
from empirisk.solvers.newton import Newton
from empirisk.solvers.pass_newton import PassNewton
from empirisk.solvers.projected_gradient import ProjectedGradient
from empirisk.solvers.prox_newton import ProxNewton
from empirisk.solvers.quadratic_penalty import QuadraticPenalty
from empirisk.solvers.registry import REGISTRY
from empirisk.solvers.sdca import SDCA
from empirisk.solvers.sgd import SGD
from empirisk.solvers.smo import SMO
from empirisk.solvers.solve import solve
from empirisk.solvers.subgradient import Subgradient
from empirisk.solvers.svrg import SVRG

__all__ = [
    "FISTA",
    "LBFGS",
    "REGISTRY",
    "SDCA",
    "SGD",
    "SMO",
    "SVRG",
    "AugmentedNewton",
    "Barrier",
    "BlockCoordinate",
    "ConjugateGradient",
    "Coordinate",
    "Eigen",
    "ExpectationMaximization",
    "FrankWolfe",
    "GradientDescent",
    "GridSearch",
    "InteriorPoint",
    "JointNewton",
    "KeptNewton",
    "KernelCG",
    "KernelNewton",
    "LeastSquares",
    "LinearProgram",
    "LloydSteps",
    "Newton",
    "PassNewton",
    "ProjectedGradient",
    "ProxNewton",
    "QuadraticPenalty",
    "Solver",
    "State",
    "Subgradient",
    "choose",
    "expectation_maximization",
    "solve",
]


def __dir__() -> list[str]:
    return sorted(__all__)
