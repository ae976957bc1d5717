"""A certificate: how far returned parameters can be from the optimum, and by which argument.

It is about the optimum of a stated problem and says nothing about new data; that is what a
:class:`empirisk.results.RiskCertificate` and an :class:`empirisk.results.Estimate` are for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from empirisk.results.form import Form, Formed
from empirisk.results.named import NamedEnum

__all__ = ["Certificate", "Kind", "unconfirmed"]


class Kind(NamedEnum):
    """By which argument a certificate holds."""

    DUALITY_GAP = "the duality gap"
    KKT_RESIDUAL = "the KKT residual"
    STATIONARITY = "the gradient norm"
    CURVATURE = "the curvature around the point"
    MONOTONE = "monotone ascent"
    EIGEN_RESIDUAL = "the eigen-residual"
    MONTE_CARLO = "the Monte-Carlo error"
    EXACT = "an exact finite computation"
    NONE = "no argument"


@dataclass(frozen=True)
class Certificate(Formed):
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

    @classmethod
    def told_later(cls, kind: Kind, value: float, scale: float, claim: Callable[[], str]) -> Self:
        """Return a certificate whose sentence is written when it is first read, and kept from then on.

        For sentences that cost more than the fit; kind and numbers are known at once.

        Parameters
        ----------
        kind, value, scale
            As above.
        claim : callable
            Returns the sentence; asked once, at the latest before the certificate is pickled.

        Examples
        --------
        >>> Certificate.told_later(Kind.NONE, math.inf, 1.0, lambda: "none: asked for").claim
        'none: asked for'
        """
        made = cls(kind, value, scale, "")
        vars(made).pop("claim")
        object.__setattr__(made, "_writes", claim)
        return made

    def __getattr__(self, name: str) -> Any:
        # Called for what is not there yet: of the fields that can only be a sentence that is still to write.
        writes = vars(self).get("_writes") if name == "claim" else None
        if writes is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        object.__setattr__(self, "claim", writes())
        vars(self).pop("_writes", None)
        return self.claim

    def __getstate__(self) -> dict[str, Any]:
        return {"claim": self.claim, **vars(self)}

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
        if self.kind in (Kind.DUALITY_GAP, Kind.CURVATURE, Kind.EXACT):
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

    def _form(self) -> Form:
        columns: dict[str, list[Any]] = {
            "argument": [self.kind.value],
            "value": [self.value],
            "compared with": [self.scale],
            "relative": [self.relative],
            "rounding": [self.floor],
        }
        return Form(f"{self.claim[:1].upper()}{self.claim[1:]}", columns)

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
