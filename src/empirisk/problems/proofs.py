"""Certificates of linear problems from the numbers that prove them, wherever the rows are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss
from empirisk.penalties.base import ConstraintSet, Penalty
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = ["Constant", "NullModel", "gap_certificate", "standardised_residual", "why_no_gap"]


@dataclass(frozen=True)
class Constant:
    """A number, and whether it is a bound or a guess.

    Parameters
    ----------
    value : float
        The number; may be infinite.
    proved : bool
        Whether it is exact up to rounding, or on the safe side; else it is *estimated* and may be too small.
    how : str
        How it was found.
    """

    value: float
    proved: bool
    how: str

    def __str__(self) -> str:
        return f"{self.value:.6g} ({'proved' if self.proved else 'estimated'}: {self.how})"


class NullModel(Protocol):
    """What certificates are compared with; see :class:`empirisk.problems.facts.Facts` for each number."""

    @property
    def moments(self) -> tuple[Array, Array]: ...
    @property
    def null_loss(self) -> float: ...
    @property
    def null_excess(self) -> float: ...
    @property
    def null_slope(self) -> float: ...
    @property
    def null_slope_terms(self) -> float: ...
    @property
    def null_curvature(self) -> Any: ...


def gap_certificate(gap: float, size: float, scale: float, null: bool, mu: float) -> Certificate:
    """Return the certificate of a duality gap.

    Parameters
    ----------
    gap : float
        What was computed.
    size : float
        What was added up for it: its rounding is part of the gap, and the smallest that can be claimed.
    scale : float
        What the gap is compared with.
    null : bool
        Whether `scale` is the null model's excess, and not a size that stands in for it.
    mu : float
        Strong convexity of the penalty.
    """
    rounding = 4.0 * float(np.finfo(np.float64).eps) * size
    floor = 2.0 * rounding
    shown = max(gap + rounding, floor)
    of = f"the null model's {scale:.3g}" if null else f"{scale:.3g}, the null model being perfect"
    claim = f"F(w) - min F <= {shown:.2g} (relative {shown / scale:.1g} of {of}), by {Kind.DUALITY_GAP.value}"
    return Certificate(Kind.DUALITY_GAP, shown, scale, claim, mu, floor)


def standardised_residual(
    w: tuple[Array, Array],
    gradient: tuple[Array, Array],
    penalty: Penalty,
    intercept: bool,
    facts: NullModel,
    dtype: np.dtype,
    exact: bool,
    why: str,
) -> Certificate:
    """Return the KKT residual: ``max_j dist(-g_j, dP(w_j)) / sd_j`` against the slope of the null model.

    Parameters
    ----------
    w, gradient : pairs of arrays
        Coefficients and intercept, and the gradient of the mean loss in each.
    penalty : Penalty
        The penalty on the coefficients.
    intercept : bool
        Whether there is one: its part is projected out of the gradient then.
    facts : NullModel
        Moments of the columns, slope and curvature of the null model.
    dtype : dtype
        The precision of X, in which a column is constant or not.
    exact : bool
        Whether the gradient was summed in float64.
    why : str
        Why there is no duality gap.
    """
    (coef, b), (grad, grad_b) = w, gradient
    mean, variance = facts.moments
    if intercept:
        grad = grad - (mean * grad_b if grad.ndim == 1 else np.outer(mean, grad_b))
    # A column that is constant up to rounding carries no information beside the intercept.
    eps = float(np.finfo(dtype).eps)
    live = variance > (4.0 * eps * np.abs(mean)) ** 2
    all_live = bool(live.all())
    sd = np.sqrt(variance if all_live else np.where(live, variance, 1.0))
    distance = penalty.subdiff_distance(coef, grad)
    scaled = (distance.T / sd).T
    if not all_live:
        scaled[~live] = 0.0
    value = max(float(scaled.max(initial=0.0)), float(np.abs(grad_b).max(initial=0.0)))
    scale, size = facts.null_slope, facts.null_slope_terms
    # Slopes that cancel up to rounding are 0; what was added up is the scale then.
    if scale <= 1e-14 * size:
        scale = size or 1.0
    if not math.isfinite(value):
        return Certificate(Kind.NONE, math.inf, 1.0, "none: the gradient is not finite at this point")
    rms = np.sqrt(variance + mean**2)
    eps = float(np.finfo(np.float64 if exact else dtype).eps)
    # Terms of a column's mean cancel where the intercept's part is projected out.
    ratio = rms / sd
    cancel = float((ratio if all_live else ratio[live]).max(initial=1.0)) if exact else 1.0
    terms = float(weighted_sum(rms, np.abs(coef)).max(initial=0.0)) + float(np.abs(b).max(initial=0.0))
    bend = float(np.abs(facts.null_curvature).max(initial=0.0))
    floor = 8.0 * eps * (cancel * max(scale, size) + bend * terms)
    value = max(value, floor)
    claim = (
        f"the gradient is at most {value / scale:.1g} of its size at the null model in every column "
        f"(standardised), by {Kind.KKT_RESIDUAL.value}; {why}"
    )
    return Certificate(Kind.KKT_RESIDUAL, value, scale, claim, 0.0, floor)


def why_no_gap(loss: Loss, penalty: Penalty) -> str:
    """Return the sentence that says why a residual, and no duality gap, certifies this pair."""
    if loss.convex and isinstance(penalty, ConstraintSet):
        return "on an unbounded set, or one without a support function, there is no finite duality gap"
    if loss.convex:
        return "without a penalty there is no finite duality gap"
    return (
        f"the loss {loss.name!r} is not convex, so that this proves a stationary point and no "
        "minimum: start elsewhere to see whether there are others"
    )
