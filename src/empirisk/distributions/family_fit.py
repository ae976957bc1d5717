"""Fits of written families by Newton's method, and whether what was written is true and within floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.distributions.base import SINGULAR
from empirisk.typing import Array

__all__ = ["check_given", "climb", "starved", "stopped"]

_STEPS, _STUCK = 200, 20
# A step that was cut at the edge of where A is known counts as so many that lead nowhere: sums there are
# long.
_CUT = 5
# What is left of the equations, in standard deviations, where they hold, and where rounding may rule.
_EXACT, _NEAR = 1e-13, 1e-8
# How far what is given beside h and phi may be from the integrals.
_AGREE = 1e-5
# Numbers below are next to nothing that floats hold; the share of a law that may lie where h is one.
_TINY, _STARVED = 1e-300, 1e-12


def climb(law: Any, mean: Array) -> tuple[Array, float]:
    """Return eta at which phi has this mean, and what is left, in standard deviations of phi.

    Each step is halved until ``A(eta) - eta . mean`` does not grow but by rounding; that is convex.

    Parameters
    ----------
    law : ExponentialFamily
        Its natural parameters are the start.
    mean : array, shape (k,)

    Raises
    ------
    ValueError
        Statistics that are constant or combinations of others under the law.
    """
    eta, left, stuck, cut = law.natural, math.inf, 0, False
    value = law.log_partition(eta) - float(eta @ mean)
    for _ in range(_STEPS):
        step, now = _scaled_step(law, eta, mean)
        # At the top values differ by rounding alone; there the gradient decides.
        if now < _EXACT or (now < _NEAR and now > 0.5 * left):
            break
        # Towards a border eta grows for ever, and what is left does not fall.
        stuck = stuck + (_CUT if cut else 1) if now > 0.5 * left else 0
        if stuck > _STUCK:
            break
        left = now
        scale, cut = 1.0, False
        while scale > 1e-10:
            new = eta + scale * step
            partition = law.log_partition(new)
            reached = partition - float(new @ mean)
            if math.isfinite(partition) and reached <= value + 4e-16 * (
                abs(partition) + float(abs(new) @ abs(mean))
            ):
                break
            scale, cut = 0.5 * scale, cut or not math.isfinite(partition)
        else:
            break
        eta, value = new, reached
    spread = np.sqrt(np.maximum(np.diag(law.covariance_statistics(eta)), 1e-300))
    return eta, float((np.abs(mean - law.mean_statistics(eta)) / spread).max())


def _scaled_step(law: Any, eta: Array, mean: Array) -> tuple[Array, float]:
    """The step of Newton's method, solved in units of the standard deviations of phi, and what is left."""
    C = law.covariance_statistics(eta)
    spread = np.sqrt(np.maximum(np.diag(C), 0.0))
    flat = np.flatnonzero(~(spread > 0.0))
    values, vectors = np.linalg.eigh(C / np.outer(spread, spread)) if not len(flat) else ([0.0], C)
    if not np.min(values) > SINGULAR:
        which = (
            f"column {flat[0]} of phi is constant"
            if len(flat)
            else "columns of phi are combinations of others"
        )
        raise ValueError(
            f"{which} under the law at eta = {eta.tolist()}, so that rows do not tell its natural parameters "
            "apart; leave such columns out"
        )
    gap = (mean - law.mean_statistics(eta)) / spread
    return np.asarray(vectors @ ((vectors.T @ gap) / values) / spread), float(np.abs(gap).max())


def check_given(law: Any, eta: Array, whole: float, x: Array, mass: Array) -> None:
    """Refuse an A that is not the logarithm of the integral, and other derivatives than its own.

    Parameters
    ----------
    law : ExponentialFamily
    eta : array, shape (k,)
    whole : float
        The logarithm of the integral at eta.
    x, mass : array, shape (n,)
        Its nodes and what they carry.
    """
    phi = law.statistics(x)
    mean = mass @ phi
    covariance = (mass[:, None] * (phi - mean)).T @ (phi - mean)
    spread = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    own = law.log_partition(eta)
    if law.A is not None and not abs(whole - own) <= _AGREE * max(1.0, abs(whole)):
        raise ValueError(
            f"A is {own:.6g} at eta = {eta.tolist()}, and the logarithm of the integral of h exp(eta phi) is "
            f"{whole:.6g}: the density would not sum to 1; correct A, h or phi"
        )
    for name, what, theirs, ours, unit in (
        ("gradient", "mean", law.mean_statistics(eta), mean, spread),
        ("hessian", "covariance", law.covariance_statistics(eta), covariance, np.outer(spread, spread)),
    ):
        if getattr(law, name) is not None and not (np.abs(theirs - ours) <= _AGREE * unit).all():
            raise ValueError(
                f"{name} is {theirs.tolist()} at eta = {eta.tolist()}, and the {what} of phi is "
                f"{ours.tolist()}; correct it, or leave it out"
            )


def starved(law: Any, grid: Any) -> str:
    """Return where h leaves what floats hold although the law has mass there, or nothing where it does not.

    Parameters
    ----------
    law : ExponentialFamily
    grid : Grid
        The nodes of its integral.
    """
    if law.h is None:
        return ""
    with np.errstate(all="ignore"):
        h = np.broadcast_to(np.asarray(law.h(grid.x), dtype=np.float64), grid.x.shape)
    wide = np.flatnonzero(np.isposinf(h))
    at = np.flatnonzero((h > 0.0) & (h < _TINY))
    if len(wide):
        where = int(wide[0])
    elif len(at) and grid.mass[at].sum() > _STARVED:
        where = int(at[np.argmax(grid.mass[at])])
    else:
        return ""
    return (
        f"h is {h[where]:.3g} at x = {grid.x[where]:g}, where the law has mass, and leaves what floats hold "
        "(1e-308 to 1e308); give log_h, its logarithm, instead of h"
    )


def stopped(whys: list[str]) -> str:
    """Return the end of the sentence about a search that found nothing: why its last steps were none.

    Parameters
    ----------
    whys : list of str
        Why A is not known at the eta that were tried last, where it is not.
    """
    if whys:
        return f"; A is not known beyond, where {whys[-1]}"
    return (
        ". It may lie at the border of what phi can be, where the likelihood has no maximum; start from "
        "other eta, or set centre and scale to where the rows are"
    )
