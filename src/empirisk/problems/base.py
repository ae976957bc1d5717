"""The contract of problems: what the one loop, certificates, samplers and streams may ask of any problem.

Nothing here knows linear scores, rows or losses.  A problem answers by its methods, names what else it has by
its capabilities, and a solver refuses by name what it needs and does not find there.  What most problems have
no special answer to (a refusal before the first step, another telling of the same problem, a second look at a
certificate) has a default here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from empirisk.results import Certificate, Solution, Status
from empirisk.typing import Array, Capability

__all__ = ["Evaluated", "Layout", "Part", "Problem", "Rewriting", "SummedProblem", "Want", "judged"]


@dataclass(frozen=True)
class Part:
    """A named block of the parameters: consecutive entries along their first axis.

    Parameters
    ----------
    name : str
        What the block is.
    rows : int
        Its entries along the first axis.
    penalised : bool
        Whether the penalty of the problem looks at it.
    """

    name: str
    rows: int
    penalised: bool = True


@dataclass(frozen=True)
class Layout:
    """How the parameters lie in their one array.

    Parameters
    ----------
    shape : tuple of int
        Shape of the array.
    parts : tuple of Part
        Its blocks, in order.

    Examples
    --------
    >>> layout = Layout((4,), (Part("coefficients", 3), Part("intercept", 1, penalised=False)))
    >>> layout.part(np.arange(4.0), "intercept")
    array([3.])
    """

    shape: tuple[int, ...]
    parts: tuple[Part, ...]

    def part(self, w: Array, name: str) -> Array:
        """Return the named block of w, as a view."""
        start = 0
        for part in self.parts:
            if part.name == name:
                return w[start : start + part.rows]
            start += part.rows
        raise KeyError(f"no part of the parameters is called {name!r}: {[p.name for p in self.parts]}")

    def check_start(self, w0: Array) -> None:
        """Refuse a starting point of another shape, or one without numbers."""
        if np.shape(w0) != self.shape:
            raise ValueError(f"w0 must have shape {self.shape}, got {np.shape(w0)}")
        if not np.isfinite(w0).all():
            raise ValueError("w0 holds NaN or infinity; start from finite numbers, or leave it out")


class Evaluated(Protocol):
    """What one pass over the data tells about a point.  Problems add what their certificates use."""

    @property
    def loss(self) -> float:
        """The differentiable part of the objective that the data make, without the penalty."""
        ...

    @property
    def grad(self) -> Array:
        """Its gradient, in the shape of the parameters."""
        ...


class Want:
    """What :meth:`Problem.evaluate` can be asked for beside value and gradient."""

    HESSIAN = "hessian"


@dataclass(frozen=True)
class Rewriting:
    """The same problem in other parameters, in which it is better solved.

    Parameters
    ----------
    problem : Problem
        The problem that is solved.
    there, back : callable
        Parameters of the given problem to those of `problem`, and the way back.
    told : callable(solution, tol)
        A solution of `problem` as one of the given problem, with a certificate of its own.
    """

    problem: Problem
    there: Callable[[Array], Array]
    back: Callable[[Array], Array]
    told: Callable[[Solution, float], Solution]


class Problem(Protocol):
    """Something to be minimised over one array of parameters; frozen."""

    @property
    def title(self) -> str:
        """What errors call the problem, for example ``loss 'logistic', penalty 'l2'``."""
        return type(self).__name__

    @property
    def layout(self) -> Layout:
        """Names and shapes of the parameters."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What solvers may use of the problem beyond this contract."""
        ...

    def start(self) -> Array:
        """Return a sensible first point, which is also what is returned when a solver finds no numbers."""
        ...

    def preflight(self) -> Solution | None:
        """The solution that ends the fit before its first step (no minimum, with the reason), or None.

        Data that the objective is not made for are refused here with an error.
        """
        return None

    def rewritten(self) -> Rewriting | None:
        """Another telling of the problem that the loop shall solve in its place, or None."""
        return None

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> Any:
        """Return an :class:`Evaluated`: value, gradient and what `want` names, in one pass over the data."""
        ...

    def objective(self, w: Array, evaluation: Any, /) -> float:
        """``F(w)``, penalties included, from the evaluation of w."""
        ...

    def certify(
        self, w: Array, evaluation: Any = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """How far w can be from the optimum, and by which argument.

        Parameters
        ----------
        w : array
            The point.
        evaluation : Evaluated, optional
            What a pass at w has found, when one was made.
        target : float
            The relative value that is asked for: while it is out of reach a cheap bound will do.
        hint : object, optional
            What a solver knows besides w: dual values, responsibilities, eigenvectors.  Whatever it is,
            what the certificate claims is true.
        """
        ...

    def sharpen(
        self, w: Array, certificate: Certificate, hint: Any, tol: float, /
    ) -> tuple[Array, Certificate, Any]:
        """Return a better proof for w, or a better point near it; asked for when a solver makes no
        progress.
        """
        return w, certificate, hint

    def finish(self, solution: Solution, tol: float, /) -> Solution:
        """Return a last look at a solution, before it is returned."""
        return solution

    def scale(self) -> float:
        """Return what the objective's certificates are compared with: the null model's excess."""
        ...

    def with_strength(self, alpha: float, /) -> Self:
        """Return the same problem with another strength of its penalty; facts of the data are handed on."""
        raise ValueError(f"this problem ({self.title}) has no penalty whose strength could be changed")

    def potential(self, temperature: float = 1.0, /) -> Any:
        """``U(w) = (S / (dispersion * temperature)) F(w)``, for samplers: only this multiplies by S."""
        raise ValueError(f"this problem ({self.title}) stands for no likelihood that could be sampled")


class SummedProblem(Problem, Protocol):
    """A smooth problem whose pass sums up its Hessian too, as ``Capability.SUMMED_HESSIAN`` says."""

    def gradient(self, w: Array, evaluation: Any, /) -> Array:
        """Return the gradient of F, penalties included, from the evaluation of w."""
        ...

    def hessian(self, evaluation: Any, /) -> Array:
        """Return the Hessian of F, from an evaluation for which ``Want.HESSIAN`` was wanted."""
        ...


def judged(solution: Solution, certificate: Certificate, tol: float) -> Solution:
    """Return the solution with another certificate, and a status that agrees with it."""
    status = solution.status
    if certificate.within(tol) and status in (Status.FLOOR, Status.STALLED, Status.MAX_STEPS):
        status = Status.CERTIFIED
    elif status is Status.CERTIFIED and not certificate.within(tol):
        status = Status.FLOOR
    return replace(solution, status=status, certificate=certificate)
