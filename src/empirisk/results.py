"""What a computation returns: status, certificate, solution, bound, estimate, finding.

This module is the spine that every model shares; it imports nothing else of the package.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Self

__all__ = [
    "Assumption",
    "Certificate",
    "ConvergenceError",
    "Estimate",
    "Finding",
    "Kind",
    "RiskCertificate",
    "Solution",
    "Status",
    "TracePoint",
    "unconfirmed",
]


def __dir__() -> list[str]:
    return sorted(__all__)


class Status(Enum):
    """How a solve ended; the value is the sentence that the user reads."""

    CERTIFIED = "The certificate is within the tolerance."
    FLOOR = (
        "Stopped at the rounding floor: the certificate is as small as floating-point arithmetic can "
        "make it for this problem, although above the tolerance."
    )
    MAX_STEPS = (
        "Stopped at the step limit before the certificate reached the tolerance: (a) raise max_iter, "
        "(b) raise tol if the printed certificate is good enough, (c) standardise the columns or "
        "raise alpha, because the problem is ill-conditioned."
    )
    STALLED = (
        "Stopped because further steps bring next to nothing although the certificate is above the "
        "tolerance: the problem is ill-conditioned at this precision; standardise the columns, "
        "use float64, or raise alpha."
    )
    DIVERGED = (
        "Stopped because the objective became infinite or NaN: (a) the columns have extreme scales, "
        "(b) the starting point is too far away; standardise the columns."
    )
    UNBOUNDED = "No finite minimiser exists for this objective; add a penalty (alpha > 0)."
    COMPLETED = "Took all the steps that it was told to; the certificate says how good the result is."
    INTERRUPTED = "Interrupted before the certificate reached the tolerance."

    @property
    def ok(self) -> bool:
        """Whether the solution may be used without a warning."""
        return self in (Status.CERTIFIED, Status.FLOOR)


class Kind(Enum):
    """By which argument a certificate holds."""

    DUALITY_GAP = "the duality gap"
    KKT_RESIDUAL = "the KKT residual"
    STATIONARITY = "the gradient norm"
    MONOTONE = "monotone ascent"
    EIGEN_RESIDUAL = "the eigen-residual"
    MONTE_CARLO = "the Monte-Carlo error"
    EXACT = "an exact finite computation"
    NONE = "no argument"


@dataclass(frozen=True)
class Certificate:
    """How far the returned parameters can be from the optimum, and by which argument.

    Parameters
    ----------
    kind : Kind
        The argument.
    value : float
        The certified quantity, never negative and never below `floor`: a smaller number that is given is
        raised to it.  For a duality gap, ``F(w) - min F <= value``.
    scale : float
        What `value` is compared with; solvers stop when ``value / scale <= tol``.
    claim : str
        One readable sentence.
    strong_convexity : float
        Modulus ``mu`` of the objective in the penalised parameters (0 when there is none).
    floor : float
        Size of the rounding errors in what was computed: less than that cannot be certified, so that every
        number that the certificate gives, and its sentence, rest on ``max(value, floor)``.

    Examples
    --------
    >>> c = Certificate(Kind.DUALITY_GAP, 2e-9, 0.5, "F(w) - min F <= 2e-9, by the duality gap", 0.02)
    >>> c.relative
    4e-09
    >>> round(c.distance(), 6)
    0.000447
    """

    kind: Kind
    value: float
    scale: float
    claim: str
    strong_convexity: float = 0.0
    floor: float = 0.0

    def __post_init__(self) -> None:
        if self.value < self.floor:
            object.__setattr__(self, "value", self.floor)

    @property
    def at_floor(self) -> bool:
        """Whether nothing but rounding is left."""
        return self.value <= self.floor

    @property
    def relative(self) -> float:
        """``value / scale``, the number that `tol` bounds."""
        if self.value == 0.0:
            return 0.0
        return self.value / self.scale if self.scale > 0.0 else math.inf

    def within(self, tol: float) -> bool:
        """Return whether ``value / scale <= tol``: the one meaning that a tolerance has here."""
        return self.relative <= tol

    def suboptimality(self) -> float | None:
        """Upper bound on ``F(w) - min F``, or None when this kind of certificate gives none."""
        if self.kind in (Kind.DUALITY_GAP, Kind.EXACT):
            return self.value
        if self.kind is Kind.STATIONARITY and self.strong_convexity > 0.0:
            return self.value**2 / (2.0 * self.strong_convexity)
        return None

    def distance(self) -> float | None:
        """Upper bound on ``||w - w*||`` in the penalised parameters: ``sqrt(2 gap / mu)``."""
        gap = self.suboptimality()
        if gap is None or self.strong_convexity <= 0.0:
            return None
        return math.sqrt(2.0 * gap / self.strong_convexity)

    def __str__(self) -> str:
        return self.claim

    def __repr__(self) -> str:
        return f"Certificate({self.kind.name}, {self.value:.3g} of {self.scale:.3g})  # {self.claim}"


def unconfirmed(why: str) -> Certificate:
    """What a recomputation returns that does not find what a fit claims.

    Parameters
    ----------
    why : str
        What differs, in numbers.

    Returns
    -------
    Certificate
        Of kind NONE; it is within no tolerance.

    Examples
    --------
    >>> unconfirmed("2 of 10 rows are not on their side").within(1e6)
    False
    """
    return Certificate(Kind.NONE, math.inf, 1.0, f"none: not confirmed: {why}")


@dataclass(frozen=True)
class Assumption:
    """One condition of a theorem, and how it is known to hold.

    Parameters
    ----------
    text : str
        The condition in words.
    source : {"declared", "computed", "assumed"}, default "assumed"
        Told by the user; verified here from the model and the rows; or taken on trust (rows drawn
        independently, say), because no computation can verify it.

    Examples
    --------
    >>> print(Assumption("||x|| <= 3 for every row that can occur", "declared"))
    ||x|| <= 3 for every row that can occur (declared)
    """

    text: str
    source: str = "assumed"

    def __post_init__(self) -> None:
        if self.source not in ("declared", "computed", "assumed"):
            raise ValueError(f"source must be 'declared', 'computed' or 'assumed', got {self.source!r}")

    def __str__(self) -> str:
        return f"{self.text} ({self.source})"


@dataclass(frozen=True)
class RiskCertificate:
    """An upper bound on a risk (expected loss on new rows), or the reason why a theorem gives none.

    Parameters
    ----------
    bound : str
        Name of the theorem.
    value : float
        The risk is at most this; NaN when the theorem does not apply.
    measured : float or None
        The measured risk to hold beside it, None when there is none.
    delta : float or None
        Probability with which the statement may fail; None for a statement in expectation.
    n : int
        Number of rows that the theorem uses.
    assumptions : tuple of Assumption
        Its conditions, each with its source.
    vacuous : bool
        Whether the value says no more than the range of the loss does.
    applies : bool
        Whether the conditions hold as far as they can be checked.
    reason : str
        Why it does not apply, or what weakens it.
    kind : str
        What the statement is about: ``"the fitted model"``, ``"the algorithm, in expectation"``,
        ``"every model of the class"`` or ``"a randomised model"``.
    risk : str
        Which loss the risk is the mean of.
    measured_on : str
        Rows behind `measured`: ``"test rows"``, ``"training rows"`` or ``"out-of-bag rows"``.

    Examples
    --------
    >>> RiskCertificate("Hoeffding", 0.186, 0.1, 0.05, 200).claim
    'risk <= 0.186 with probability at least 0.95 (Hoeffding, n = 200)'
    """

    bound: str
    value: float
    measured: float | None
    delta: float | None
    n: int
    assumptions: tuple[Assumption, ...] = ()
    vacuous: bool = False
    applies: bool = True
    reason: str = ""
    kind: str = "the fitted model"
    risk: str = ""
    measured_on: str = ""

    @property
    def claim(self) -> str:
        """The statement about the risk in one sentence, with its probability and the name of the bound."""
        if not self.applies:
            return f"{self.bound} does not apply: {self.reason}"
        name = f"risk of {self.kind}" if self.kind != "the fitted model" else "risk"
        how = "" if self.delta is None else f" with probability at least {1.0 - self.delta:g}"
        vacuous = ", vacuous" if self.vacuous else ""
        return f"{name} <= {self.value:.4g}{how} ({self.bound}, n = {self.n}{vacuous})"

    def to_dict(self) -> dict[str, Any]:
        """Return the stable JSON form; `value` is None when the theorem does not apply."""
        return {
            "bound": self.bound,
            "value": self.value if math.isfinite(self.value) else None,
            "measured": self.measured,
            "measured_on": self.measured_on,
            "delta": self.delta,
            "n": self.n,
            "vacuous": self.vacuous,
            "applies": self.applies,
            "reason": self.reason,
            "kind": self.kind,
            "risk": self.risk,
            "assumptions": [{"text": a.text, "source": a.source} for a in self.assumptions],
            "claim": self.claim,
        }

    def __str__(self) -> str:
        return self.claim

    def __repr__(self) -> str:
        return f"RiskCertificate({self.bound!r}, value={self.value:.4g}, n={self.n})  # {self.claim}"


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
class Solution:
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


@dataclass(frozen=True)
class Estimate:
    """A number about the future with its interval.

    Parameters
    ----------
    value : float
        Point estimate (NaN when it is undefined).
    low, high : float or None
        Ends of the interval; None when the data cannot tell (then `reason` says why).
    level : float
        Nominal coverage, for example 0.95.
    n : int
        Number of rows (or of units that count as independent) behind the number.
    method : str
        How the interval was made.
    reason : str
        Why there is no interval, or a warning about it; empty otherwise.
    target : str
        What the interval is about (the estimand).

    Examples
    --------
    >>> print(Estimate(0.8526, 0.8437, 0.8611, 0.95, 6513, "Wilson"))
    0.853 [0.844, 0.861]
    >>> print(Estimate(1.0, None, None, 0.95, 5, "Wilson", reason="5 rows are fewer than 10"))
    1 [cannot tell: 5 rows are fewer than 10]
    """

    value: float
    low: float | None
    high: float | None
    level: float
    n: int
    method: str
    reason: str = ""
    target: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the stable JSON form: value, low, high, level, n, method (and reason, target when set)."""
        out: dict[str, Any] = {
            "value": self.value if math.isfinite(self.value) else None,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "n": self.n,
            "method": self.method,
        }
        if self.reason:
            out["reason"] = self.reason
        if self.target:
            out["target"] = self.target
        return out

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.value:.4g} [cannot tell: {self.reason}]"
        digits = _digits(self.high - self.low)
        numbers = (self.value, self.low, self.high)
        if max((abs(x) for x in numbers if math.isfinite(x)), default=0.0) >= 1e16:  # more than floats hold
            value, low, high = (f"{x:.4g}" for x in numbers)
        else:
            value, low, high = (f"{x:.{digits}f}" for x in numbers)
        return f"{value} [{low}, {high}]"


def _digits(width: float) -> int:
    """Decimals that an interval of this width justifies: two significant figures of the width."""
    if not (width > 0.0) or math.isinf(width):
        return 3
    return int(min(12, max(0, 1 - math.floor(math.log10(width)))))


@dataclass(frozen=True)
class Finding:
    """One diagnosis with its evidence.

    Parameters
    ----------
    code : str
        Stable code, ``ER101`` and so on.
    level : str
        ``"note"``, ``"warning"`` or ``"serious"``.
    sentence : str
        What was found, in one sentence.
    evidence : str
        What was tested, on how many rows, and the statistic, interval or p-value.
    advice : str
        What to do about it.
    where : tuple of str
        Columns, classes or rows concerned.

    Examples
    --------
    >>> Finding("ER101", "note", "column 'site' is constant").level
    'note'
    """

    code: str
    level: str
    sentence: str
    evidence: str = ""
    advice: str = ""
    where: tuple[str, ...] = ()
