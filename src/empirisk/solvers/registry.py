"""The solvers by name.  Adding one is a file beside this one, and a row of REGISTRY."""

from __future__ import annotations

from empirisk.solvers.augmented_newton import AugmentedNewton
from empirisk.solvers.barrier import Barrier
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
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.least_squares import LeastSquares
from empirisk.solvers.linear_program import LinearProgram
from empirisk.solvers.lloyd import LloydSteps
from empirisk.solvers.newton import Newton
from empirisk.solvers.pass_newton import PassNewton
from empirisk.solvers.projected_gradient import ProjectedGradient
from empirisk.solvers.prox_newton import ProxNewton
from empirisk.solvers.quadratic_penalty import QuadraticPenalty
from empirisk.solvers.sdca import SDCA
from empirisk.solvers.sgd import SGD
from empirisk.solvers.smo import SMO
from empirisk.solvers.subgradient import Subgradient
from empirisk.solvers.svrg import SVRG

__all__ = ["REGISTRY"]

REGISTRY: dict[str, type] = {
    "augmented_newton": AugmentedNewton,
    "barrier": Barrier,
    "block_coordinate": BlockCoordinate,
    "conjugate_gradient": ConjugateGradient,
    "coordinate": Coordinate,
    "expectation_maximization": ExpectationMaximization,
    "eigen": Eigen,
    "fista": FISTA,
    "frank_wolfe": FrankWolfe,
    "gradient_descent": GradientDescent,
    "grid_search": GridSearch,
    "interior_point": InteriorPoint,
    "joint_newton": JointNewton,
    "kernel_cg": KernelCG,
    "kernel_newton": KernelNewton,
    "kept_newton": KeptNewton,
    "lbfgs": LBFGS,
    "least_squares": LeastSquares,
    "linear_program": LinearProgram,
    "lloyd": LloydSteps,
    "newton": Newton,
    "pass_newton": PassNewton,
    "projected_gradient": ProjectedGradient,
    "prox_newton": ProxNewton,
    "quadratic_penalty": QuadraticPenalty,
    "sdca": SDCA,
    "sgd": SGD,
    "smo": SMO,
    "subgradient": Subgradient,
    "svrg": SVRG,
}
