"""A solution: the parameters of the end of a solve, how it ended, and the certificate beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from empirisk.results.certificate import Certificate
from empirisk.results.form import Form, Formed
from empirisk.results.named import NamedEnum

__all__ = ["ConvergenceError", "Solution", "Status", "TracePoint"]


class Status(NamedEnum):
    """How a solve ended; the value is the sentence that the user reads."""

    CERTIFIED = "The certificate is within the tolerance."
    FLOOR = (
        "Stopped at the rounding floor: the certificate is as small as floating-point arithmetic can "
        "make it for this problem, although above the tolerance."
    )
    MAX_STEPS = (
        "Stopped at the step limit before the certificate reached the tolerance: (a) raise max_iter, or "
        "n_epochs where steps are counted in epochs, (b) raise tol if the printed certificate is good "
        "enough, (c) standardise the columns or raise alpha, where the problem is ill-conditioned."
    )
    STALLED = (
        "Stopped because further steps bring next to nothing although the certificate is above the "
        "tolerance: the problem is ill-conditioned at this precision; standardise the columns, "
        "use float64, or raise alpha."
    )
    DIVERGED = (
        "Stopped because the objective became infinite or NaN: (a) a given step is too long, (b) the "
        "columns have extreme scales, (c) the starting point is too far away; take a shorter step, or "
        "standardise the columns."
    )
    UNBOUNDED = "No finite minimiser exists for this objective; add a penalty (alpha > 0)."
    COMPLETED = "Took all the steps that it was told to; the certificate says how good the result is."
    INTERRUPTED = "Interrupted before the certificate reached the tolerance."

    @property
    def ok(self) -> bool:
        """Whether the solution may be used without a warning."""
        return self in (Status.CERTIFIED, Status.FLOOR)


class TracePoint(NamedTuple):
    """What one look at a running solver saw.

    Parameters
    ----------
    step : int
        Steps taken.
    objective : float
        ``F(w)`` at the iterate, NaN when the solver did not know it.
    certificate : float
        Value of the certificate.
    passes : float
        Passes over the data.
    seconds : float
        Time since the solve began, the certificates included.

    Examples
    --------
    >>> TracePoint(3, 0.51, 1e-4, 6.0, 0.002).passes
    6.0
    """

    step: int
    objective: float
    certificate: float
    passes: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class Solution(Formed):
    """What a solver returns.

    Parameters
    ----------
    w : array
        Parameters of the problem that was solved, in the problem's own layout.
    status : Status
        How the solve ended.
    certificate : Certificate
        How far from the optimum.
    n_steps : int
        Steps taken.
    n_passes : float
        Equivalent passes over the data.
    trace : tuple of TracePoint
        One row per certificate check.
    state : Any
        What the solver can be resumed from.
    note : str
        What the user should know beside the status.
    solver : str
        Name of the solver that ran.
    dual : array or None
        Dual values, one a score, that prove the certificate where the scores alone do not tell them (losses
        with kinks); pass them to ``problem.certify(w, theta=dual)``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> solution = er.Ridge().fit(np.eye(3), [1.0, 2.0, 3.0]).solution_
    >>> solution.status.ok, solution.solver
    (True, 'least_squares')
    """

    w: Any
    status: Status
    certificate: Certificate
    n_steps: int = 0
    n_passes: float = 0.0
    trace: tuple[TracePoint, ...] = ()
    state: Any = field(default=None, repr=False)
    note: str = ""
    solver: str = ""
    dual: Any = field(default=None, repr=False)

    @property
    def sentence(self) -> str:
        """The status of the solve and the claim of its certificate, in words."""
        parts = [self.status.value, self.certificate.claim, self.note]
        return " ".join(p if p.endswith(".") else p + "." for p in parts if p)

    def require(self) -> Self:
        """Return self when certified, else raise ConvergenceError that carries this solution."""
        if not self.status.ok:
            raise ConvergenceError(self)
        return self

    def _form(self) -> Form:
        columns: dict[str, list[Any]] = {
            "solver": [self.solver],
            "status": [self.status.name.lower()],
            "steps": [self.n_steps],
            "passes over the data": [self.n_passes],
            "relative to the null model": [self.certificate.relative],
        }
        return Form(self.sentence, columns)

    def __repr__(self) -> str:
        what = f"{self.status.name}, {self.solver!r}, n_steps={self.n_steps}"
        return f"Solution({what}, w of shape {getattr(self.w, 'shape', ())})  # {self.certificate.claim}"


class ConvergenceError(RuntimeError):
    """Raised by :meth:`Solution.require`; the solution is in ``.solution``."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.sentence)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.solution,)
