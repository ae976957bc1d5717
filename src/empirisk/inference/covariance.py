"""The covariance matrix of the coefficients, by what may be assumed of the noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.inference.cluster import cluster_covariance
from empirisk.inference.fit import Fit
from empirisk.inference.heteroscedastic import effective_rows, hc_covariance
from empirisk.inference.weights import WEIGHTS
from empirisk.typing import Array

__all__ = [
    "COVARIANCES",
    "Covariance",
    "check_covariance",
    "covariance_of",
    "information_of",
    "joint_degrees",
]

HC = ("HC0", "HC1", "HC2", "HC3")
CR = {"cluster": "CR2", "CR0": "CR0", "CR1": "CR1", "CR2": "CR2"}
EXPECTED = ("classical", *HC, *CR)
COVARIANCES = (*EXPECTED, "observed", *(f"{kind}-observed" for kind in (*HC, *CR)))
# Below so many effective rows HC0 and HC1 cover less than 93 % of the time.
FEW = 30.0


@dataclass(frozen=True, eq=False)
class Covariance:
    """A covariance matrix, the degrees of freedom of each t, and what it rests on.

    Parameters
    ----------
    matrix : array, shape (q, q)
        Covariance of the terms, the intercept first.
    df : array, shape (q,)
        Degrees of freedom; infinite where the normal distribution is used.
    joint_df : float
        Denominator degrees of freedom for tests of several coefficients.
    note : str
        In words.
    """

    matrix: Array
    df: Array
    joint_df: float
    note: str


def check_covariance(covariance: str, groups: Any, weights: str | None = None) -> str:
    """Return what the weights are; refuses unknown kinds, and groups without a clustered kind or the
    reverse.
    """
    if covariance not in COVARIANCES:
        raise ValueError(f"covariance must be one of {COVARIANCES}, got {covariance!r}")
    covariance = information_of(covariance)[0]
    if (covariance in CR) != (groups is not None):
        raise ValueError(
            'covariance="cluster" (or "CR0" to "CR2") and groups go together: give both or neither'
        )
    if weights is None:
        return "frequency" if covariance == "classical" else "sampling"
    if weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {WEIGHTS}, or None, got {weights!r}")
    if weights == "sampling" and covariance == "classical":
        raise ValueError(
            'weights="sampling" needs a robust covariance ("HC0" to "HC3", or "cluster" with groups): the '
            "classical one takes the noise for equal in all rows, however they were drawn"
        )
    return weights


def information_of(covariance: str) -> tuple[str, bool]:
    """Return the kind of the noise, and whether the information is the observed one.

    Examples
    --------
    >>> information_of("observed"), information_of("HC0-observed"), information_of("HC0")
    (('classical', True), ('HC0', True), ('HC0', False))
    """
    if covariance == "observed":
        return "classical", True
    return covariance.removesuffix("-observed"), covariance.endswith("-observed")


def covariance_of(fit: Fit, covariance: str, groups: Any = None) -> Covariance:
    """Classical ``phi K^-1``, or a sandwich, with the expected or the observed information K.

    Parameters
    ----------
    fit : Fit
        q terms.
    covariance : str
        One of COVARIANCES; ``"cluster"`` is CR2.
    groups : array, shape (n,), optional
        For the clustered kinds.

    Returns
    -------
    Covariance
    """
    check_covariance(covariance, groups, fit.weights if fit.weights in WEIGHTS else None)
    covariance, observed = information_of(covariance)
    expected = _with_expected(fit, covariance, groups)
    if not observed or fit.linear:  # least squares: the two are equal
        return expected
    return _with_observed(fit, covariance, expected)


def _with_observed(fit: Fit, kind: str, expected: Covariance) -> Covariance:
    """Return the matrix with ``sum_i s_i l''(y_i, z_i) x_i x_i'`` in the place of its expectation.

    In coordinates in which the expected information is the identity it is G: both sides of a sandwich,
    and the classical matrix, take G^-1.  The two are equal for canonical links.
    """
    bend = fit.weight * fit.trials * fit.law.loss.hess(fit.y, fit.score)
    half = fit.info.half
    G = np.zeros((half.shape[1], half.shape[1]))
    for part, E in fit.info.coordinates():
        G += E.T @ (E * bend[part][:, None])
    values, U = np.linalg.eigh(G)
    if len(values) and values[0] <= 1e-10 * max(values[-1], 1.0):
        raise ValueError(
            "the observed information is not positive definite, so that the fit is no isolated maximum of "
            f'its likelihood; use the expected information, covariance="{kind}"'
        )
    root = half @ (U / values) @ U.T
    if kind == "classical":
        matrix = fit.dispersion * (root @ half.T)
        return replace(expected, matrix=0.5 * (matrix + matrix.T), note=_OBSERVED)
    side = root @ np.linalg.pinv(half)
    return replace(
        expected, matrix=side @ expected.matrix @ side.T, note=f"{expected.note}; observed information"
    )


def _with_expected(fit: Fit, covariance: str, groups: Any) -> Covariance:
    """Return the covariance by the expected information, for one of the kinds of noise."""
    q = len(fit.terms)
    if fit.perfect:
        return Covariance(np.zeros((q, q)), np.full(q, fit.df), fit.df, _PERFECT)
    if covariance == "classical":
        half = np.sqrt(fit.dispersion) * fit.info.half
        note = _EQUAL_NOISE if fit.linear else _INFORMATION
        return Covariance(half @ half.T, np.full(q, fit.t_df), fit.t_df, note)
    if covariance in HC:
        return _robust(fit, covariance)
    matrix, df, note = cluster_covariance(fit, CR[covariance], groups)
    # A sandwich of G independent sums has about G - 1 degrees of freedom, however many rows they hold.
    return Covariance(matrix, df, float(len(np.unique(np.asarray(groups)[fit.weight > 0.0])) - 1), note)


def _robust(fit: Fit, kind: str) -> Covariance:
    """Return HC2 and HC3 with effective degrees of freedom; HC0 and HC1, for many rows, say where they
    fail.
    """
    matrix, note = hc_covariance(fit, kind)
    known = fit.info.estimable()
    rows = np.where(known, effective_rows(fit, np.eye(len(fit.terms))), fit.df)
    least = int(np.argmin(rows))
    if kind in ("HC2", "HC3"):
        note += f"; t with effective degrees of freedom (the least: {rows[least]:.3g}, of {fit.terms[least]})"
        return Covariance(matrix, rows, float(rows[least]), note)
    if rows[least] < FEW:
        note += (
            f"; {kind} is for many rows, and {fit.terms[least]} rests on {rows[least]:.3g} of them in "
            'effect: its interval is too short, use "HC3"'
        )
    return Covariance(matrix, np.full(len(rows), fit.t_df), fit.t_df, note)


def joint_degrees(fit: Fit, covariance: str, V: Covariance, R: Array) -> float:
    """Return the denominator degrees of freedom of a test of ``R b``: with HC2 and HC3 those of its weakest
    row.
    """
    if information_of(covariance)[0] not in ("HC2", "HC3") or fit.perfect:
        return V.joint_df
    return float(effective_rows(fit, R).min())


_EQUAL_NOISE = "standard errors assume independent rows with noise of equal variance"
_INFORMATION = (
    "standard errors come from the expected information: they hold for many rows, independent, when the "
    "model is right"
)
_OBSERVED = (
    "standard errors come from the observed information: they hold for many rows, independent, when the "
    "model is right"
)
_PERFECT = (
    "the fit is perfect up to rounding: the residual variance is 0, and so is every standard error; there is "
    "no noise to test a coefficient against"
)
