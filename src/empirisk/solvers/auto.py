"""Which solver ``solver="auto"`` takes.

====================  ===================================  ==========================================
loss                  penalty                              solver
====================  ===================================  ==========================================
half squared          none or L2, dense                    least_squares
half squared          none or L2, sparse, or              conjugate_gradient
                      min(n, p) > 8000
half squared          L1, elastic net, or positive         coordinate
piecewise linear      L2; rows >= 100 parameters, or      augmented_newton
                      dense, 2 parameters <= rows and
                      1000 < parameters <= 3000
piecewise linear      L2; rows <= columns, or columns >    sdca
                      1000, or > 200 and the penalty
                      strong or sparse, rows <= 10 columns
piecewise linear      none, L1, L2, elastic net;           interior_point
                      otherwise, parameters <= 1000
piecewise linear      none or L1, otherwise, or positive   linear_program
other, twice          none or L2; dense; parameters <=     newton
differentiable        300, rows * parameters^2 <= 3e8, and
                      with one score a row fewer than
                      25000 rows or 200 a column
other, differentiable none or L2, otherwise                lbfgs
softmax               L1, elastic net; dense; parameters   joint_newton
                      <= 600, rows * parameters^2 <= 3e8
other, twice diff.,   L1, elastic net; rows >= 2 columns;  kept_newton
convex                classes columns^2 <= 9e6; columns
                      <= 300 where X is sparse
other, twice diff.    L1, elastic net, otherwise           prox_newton
other, differentiable L1, elastic net                      fista
differentiable        constraint set                       projected_gradient
twice differentiable  group lasso                          block_coordinate
differentiable        group lasso, sorted L1, others       fista
====================  ===================================  ==========================================

Kernel problems: smo for piecewise linear losses; kernel_cg for the squared loss on 4000 rows or more, unless
the ridge is small beside the diagonal of K, and where K does not fit into memory; else kernel_newton.

Streamed rows, none of whose solvers sees a design matrix: pass_newton without a penalty or with L2, but
lbfgs where the Hessian of more than 8000 parameters would have to be stored; projected_gradient on a
constraint set, and fista with all other penalties.

Measured to relative gaps of 1e-6, in seconds of one core.  Projected gradients against FISTA and Frank-Wolfe,
5000 x 200 with one common factor, squared loss: ball 0.12, 0.60, over 8; L1 ball 0.5, 0.6, 4.6; simplex 0.02,
0.5, 0.03; box 0.2, 0.5, over 5.  Block coordinates against FISTA, logistic loss, 300 x 1000 in groups of 10,
common factor: 0.25, 0.32, and with 2000 x 20000 independent columns 0.8, 46.  L-BFGS after a subsample and
Newton, Poisson loss: 30000 x 20 0.008, 0.012; 100000 x 50 0.05, 0.1; with 79 events in all 0.08, 0.1.
"""

from __future__ import annotations

import math
from typing import Any, cast

from empirisk.problems.base import Problem
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import Solver
from empirisk.solvers.block_coordinate import BlockCoordinate
from empirisk.solvers.kept_newton import KeptNewton
from empirisk.solvers.kernel_cg import KernelCG, pays
from empirisk.solvers.precondition import subsamples
from empirisk.solvers.registry import REGISTRY
from empirisk.typing import Capability

__all__ = ["advice", "choose", "resolve"]

# Newton's Hessians cost rows * parameters^2 flops each; above this L-BFGS is measured to be faster.
NEWTON_PARAMETERS = 300
NEWTON_FLOPS = 3e8
# Multinomial losses with an L1 part: all classes at once up to here, class by class beyond.  Measured, joint
# against prox_newton: 400 x 50, 10 classes 0.13 s, 0.46; 600 x 5, 60 classes 0.7 s, over 2.7; 3000 x 2, 150
# classes (6e8) 6.7 s, 2.3.
JOINT_PARAMETERS = 600
JOINT_FLOPS = 3e8
# Numbers in the Gram matrices of all columns (64 MB), and rows a column, from which kept ones beat working
# sets.  Measured at a twentieth of the critical strength, kept_newton against prox_newton in seconds of one
# core: logistic loss 2000 x 100 0.004, 0.013; 20000 x 500 0.09, 0.34; 300000 x 50 0.11, 0.9; but 2000 x 2000
# 0.35, 0.38, 1000 x 5000 2.9, 0.4.  Softmax, 50000 x 50, 7 classes 0.2, 4.5; 20000 x 50, 100 classes 0.6, 16.
KEPT_NUMBERS = 9e6
KEPT_ROWS = 2
# Sparse columns up to which dense Gram matrices of a few rows cost little beside the passes.
KEPT_SPARSE = 300
# Matrices of parameters that an interior point factorises some 20 times.
INTERIOR_PARAMETERS = 1_000
EXACT_COLUMNS = 300  # wide problems up to this are solved exactly, in milliseconds
# Rows for each parameter from which Newton's method on a few of them is measured to beat the interior point,
# and parameters up to which its Hessian is worth factorising.
MANY_ROWS = 100
AUGMENTED_PARAMETERS = 3_000
# Columns from which passes over the rows beat the interior point if the penalty makes them converge fast.
SDCA_COLUMNS = 200
# A Gram matrix of this side takes 0.5 GB and its factorisation some 10 s on two cores.
DIRECT = 8_000


def choose(problem: Problem) -> str:
    """Return the name of the solver for this problem, by the table of this module."""
    return _linear(problem) if isinstance(problem, LinearProblem) else _by_passes(problem)


def _by_passes(problem: Problem) -> str:
    """Return the name of the solver for a problem that tells no more than the sums of its passes."""
    offered = problem.capabilities
    if Capability.OPERATOR in offered:
        return "eigen"
    if Capability.KERNEL in offered:
        if Capability.PIECEWISE_LINEAR in offered:
            return "smo"
        return "kernel_cg" if KernelCG.needs <= offered and pays(cast(Any, problem)) else "kernel_newton"
    if Capability.LINEAR in offered and Capability.SMOOTH_PENALTY not in offered:
        return "projected_gradient" if Capability.CONSTRAINT in offered else "fista"
    # The Hessian would have to be stored, and factorised in every step.
    wide = Capability.LINEAR in offered and math.prod(problem.layout.shape) > DIRECT
    return "lbfgs" if wide else "pass_newton"


def _linear(problem: LinearProblem) -> str:
    """Return the name of the solver for a linear problem whose design lies in memory."""
    smooth, offered = math.isfinite(problem.penalty.smoothness), problem.capabilities
    if Capability.GRAD in offered and not (smooth or Capability.SEPARABLE_PENALTY in offered):
        return _nonsmooth(problem)
    if problem.loss.quadratic:
        if not smooth:
            return "fista" if problem.n_outputs else "coordinate"
        large = min(problem.design.shape) > DIRECT
        return "conjugate_gradient" if problem.design.sparse or large else "least_squares"
    if Capability.PIECEWISE_LINEAR in offered:
        return _piecewise(problem)
    parameters = problem.n_params * max(problem.n_outputs, 1)
    flops = problem.design.shape[0] * float(parameters) ** 2
    if not smooth:
        if Capability.GRAD in offered and not {Capability.HESS, Capability.CONJUGATE} <= offered:
            return "fista"
        joint = problem.n_outputs and not problem.design.sparse
        few = parameters <= JOINT_PARAMETERS and flops <= JOINT_FLOPS
        if joint and few:
            return "joint_newton"
        return "kept_newton" if KeptNewton.needs <= offered and _keeps(problem) else "prox_newton"
    small = Capability.HESS in offered and parameters <= NEWTON_PARAMETERS and flops <= NEWTON_FLOPS
    small = small and not subsamples(problem)
    return "newton" if small and not problem.design.sparse else "lbfgs"


def _keeps(problem: LinearProblem) -> bool:
    """Return whether Gram matrices of all columns are small, and made of many more rows than columns."""
    n, p = problem.design.shape
    if problem.design.sparse and p > KEPT_SPARSE:
        return False
    return n >= KEPT_ROWS * p and max(problem.n_outputs, 1) * p**2 <= KEPT_NUMBERS


def _nonsmooth(problem: LinearProblem) -> str:
    """Return the name of the solver for a differentiable loss and a penalty that does not separate."""
    if Capability.CONSTRAINT in problem.capabilities:
        return "projected_gradient"
    return "block_coordinate" if BlockCoordinate.needs <= problem.capabilities else "fista"


def _piecewise(problem: LinearProblem) -> str:
    """Return the name of the solver for a loss with kinks, by the penalty and the number of parameters."""
    offered = problem.capabilities
    if Capability.FREE_SIGNS not in offered:
        return "linear_program"
    if Capability.L2_PENALTY in offered and Capability.SMOOTH_PENALTY in offered:
        return _ridged(problem)
    if problem.n_params <= INTERIOR_PARAMETERS:
        return "interior_point"
    return "linear_program" if Capability.POLYHEDRAL in offered else "interior_point"


def _ridged(problem: LinearProblem) -> str:
    """Return the name of the solver for a loss with kinks and the L2 penalty."""
    (n, p), parameters = problem.design.shape, problem.n_params
    if n >= MANY_ROWS * parameters:
        return "augmented_newton"
    if parameters > INTERIOR_PARAMETERS:
        tall = n >= 2 * parameters and parameters <= AUGMENTED_PARAMETERS and not problem.design.sparse
        return "augmented_newton" if tall else "sdca"
    if n <= p:
        return "sdca" if p > EXACT_COLUMNS else "interior_point"
    if problem.design.sparse and p >= SDCA_COLUMNS and n <= 10 * p:
        return "sdca"
    # Of the mean square of a row, over n: the share of its score that a single step of a row settles.
    mean, variance = problem.moments
    strong = n * problem.penalty.l2 >= float((variance + mean**2).sum())
    return "sdca" if p >= SDCA_COLUMNS and strong else "interior_point"


def advice(problem: Problem) -> str:
    """Return what to do about a solver that was refused."""
    chosen: Solver = REGISTRY[choose(problem)]()
    if chosen.needs <= problem.capabilities:
        return 'use solver="auto"'
    if not isinstance(problem, LinearProblem):
        return "hand `solve` a solver object that is made for problems of this kind"
    loss = problem.loss
    if not loss.offers:
        return (
            f"the loss {loss.name!r} is for evaluation only; minimise a convex surrogate (logistic, "
            "squared_hinge, exponential)"
        )
    if Capability.GRAD not in loss.offers:
        return (
            "piecewise linear losses of the library are solved with no penalty, L1, L2 or the elastic net; "
            'otherwise take solver="subgradient", which is slow, or a smooth relative of the loss (huber, '
            "squared_hinge, logistic)"
        )
    return "no solver here takes this pair; use L2 or no penalty, or a convex loss"


def resolve(problem: Problem, solver: str | Solver) -> Solver:
    """Return a solver object from a name, ``"auto"`` or an object."""
    if not hasattr(problem, "capabilities"):
        raise TypeError(f"problem must be a problem, such as est.problem(X, y); got {type(problem).__name__}")
    if not isinstance(solver, str):
        if isinstance(solver, type) or not all(hasattr(solver, a) for a in ("needs", "init", "step")):
            raise ValueError(
                f"solver must be one of {_known()}, or an object with init and step; got {solver!r}"
            )
        return solver
    name = choose(problem) if solver == "auto" else solver
    if name not in REGISTRY:
        raise ValueError(f"solver must be one of {_known()}, got {solver!r}")
    made: Solver = REGISTRY[name]()
    return made


def _known() -> str:
    """Return the names that a solver is asked for by, in the order of the alphabet."""
    return ", ".join(["auto", *sorted(REGISTRY)])
