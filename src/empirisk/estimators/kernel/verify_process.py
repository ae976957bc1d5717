"""The certificate of a Gaussian process, recomputed from its parameters, its weights and the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit

from empirisk.estimators.kernel.gaussian_process import stationarity
from empirisk.gaussian_processes import Ascent, InducingBound, LeftOut, free_slope
from empirisk.results import Certificate, Kind, unconfirmed
from empirisk.typing import Array

__all__ = ["verify_modes", "verify_process"]

NEAR = 1e-5  # of the largest target: what the weights may leave of their linear system


def verify_process(est: Any, criterion: Any, search: Ascent | None, notes: str) -> Certificate:
    """Return the certificate of a fitted regressor, in plain NumPy.

    The weights must solve their linear system, and the slope of what was maximised is that of the textbook
    formulas, one product of matrices a parameter; the fit computes it by other ones.

    Parameters
    ----------
    est : GaussianProcessRegressor
    criterion : Criterion
        What a fit on the given rows maximises, at the parameters of the model.
    search : Ascent or None
        What the search found; None where nothing was learned.
    notes : str
        What the claim says besides.
    """
    size = float(np.abs(criterion.y).max()) or 1.0
    covariance = criterion.covariance
    if isinstance(criterion, InducingBound):
        a, _, _ = criterion.factors(covariance.start)
        matrix = None
    else:
        matrix = covariance.block(covariance.kernel)
        if matrix.shape != (len(est.dual_coef_), len(est.dual_coef_)):
            return unconfirmed(f"there are {len(matrix)} rows and {len(est.dual_coef_)} weights")
        matrix[np.diag_indices_from(matrix)] += covariance.noise / covariance.weight
        left = float(np.abs(matrix @ est.dual_coef_ - criterion.y).max())
        if est.jitter_ > 0.0:
            left = max(0.0, left - est.jitter_ / est.target_scale_**2 * float(np.abs(est.dual_coef_).max()))
        if left > NEAR * size:
            return unconfirmed(f"the weights leave {left / size:.2g} of the largest target unexplained")
        if search is None:
            claim = f"the weights solve their linear system to {left / size:.2g} of the largest target{notes}"
            return Certificate(Kind.EXACT, left / size, 1.0, claim, 0.0, 1e-15 * len(matrix))
    if search is None or matrix is None:
        far = float(np.abs(a - est.dual_coef_).max()) if len(a) == len(est.dual_coef_) else np.inf
        if far > NEAR * (float(np.abs(a).max()) or 1.0):
            return unconfirmed(f"the weights of the inducing points differ by {far:.2g}")
        if search is None:
            return Certificate(Kind.EXACT, 0.0, 1.0, f"the weights are those of the rows{notes}", 0.0, 1e-12)
    gradient = _slopes(criterion, matrix)
    slope = free_slope(gradient, search.side)
    value = float(np.abs(slope).max(initial=0.0)) / criterion.observations
    return stationarity(criterion, replace(search, slope=slope), covariance.names, value, notes)


def _slopes(criterion: Any, matrix: Array | None) -> Array:
    """Return the gradient by the formulas of the book: a product of matrices for each parameter."""
    if matrix is None:
        return np.asarray(criterion(criterion.covariance.start)[1])
    c: Any = criterion.covariance
    y, s, noise = criterion.y, c.weight, c.noise
    inverse = np.linalg.inv(matrix)
    a = inverse @ y
    moves = list(c.kernel.derivatives(c.rows))
    if c.learn_noise:
        moves.append(np.diag(noise / s))
    out = []
    for k, move in enumerate(moves):
        of_noise = c.learn_noise and k == len(moves) - 1
        product = inverse @ move
        if isinstance(criterion, LeftOut):
            at = 1.0 - 1.0 / s + noise * np.diagonal(inverse) / s**2
            d_diag = -np.einsum("ij,ji->i", product, inverse)
            d_a = -product @ a
            d_at = noise * (d_diag + (np.diagonal(inverse) if of_noise else 0.0)) / s**2
            square = noise * a**2 / (s**2 * at)
            d_square = 2.0 * noise * a * d_a / (s**2 * at) - square * d_at / at
            if of_noise:
                d_square += square
            out.append(float(0.5 * s @ (d_at / at - d_square - (1.0 if of_noise else 0.0))))
        else:
            extra = -0.5 * float((s - 1.0).sum()) if of_noise else 0.0
            out.append(0.5 * float(a @ move @ a) - 0.5 * float(np.trace(product)) + extra)
    return np.array(out)


def verify_modes(
    est: Any, criterion: Any, search: Ascent | None, of_modes: Callable[[float, float], Certificate]
) -> Certificate:
    """Return the certificate of a fitted classifier, in plain NumPy.

    The gradient at the weights bounds how far the modes are from their maximum, and the slope of the
    evidence is that of the textbook formulas.

    Parameters
    ----------
    est : GaussianProcessClassifier
    criterion : LaplaceEvidence
        What a fit on the given rows maximises, at the parameters of the model.
    search : Ascent or None
        What the search found; None where nothing was learned.
    of_modes : callable
        Makes the certificate of modes from their gap and the number of observations.
    """
    c = criterion.covariance
    K, s = c.block(c.kernel), c.weight
    if K.shape[0] != est.dual_coef_.shape[1]:
        return unconfirmed(f"there are {len(K)} rows and {est.dual_coef_.shape[1]} weights")
    gap, gradient = 0.0, np.zeros(len(c.names))
    for t, a in zip(criterion.labels, est.dual_coef_, strict=True):
        f = K @ a
        slope = s * t * expit(-t * f)
        gap += max(0.0, 0.5 * float((slope - a) @ K @ (slope - a)))
        w = s * expit(f) * expit(-f)
        both = np.eye(len(K)) + w[:, None] * K
        inner = np.linalg.solve(both, np.diag(w))  # (K + W^-1)^-1
        left = np.diagonal(K) - np.einsum("ij,jk,ki->i", K, inner, K, optimize=True)
        third = -w * (1.0 - 2.0 * expit(f))
        for k, move in enumerate(c.kernel.derivatives(c.rows)):
            follow = np.linalg.solve(both.T, move @ slope)
            direct = 0.5 * float(a @ move @ a) - 0.5 * float(np.trace(inner @ move))
            gradient[k] += direct + 0.5 * float((left * third) @ follow)
    if gap > NEAR**2 * criterion.observations:
        return unconfirmed(
            f"the weights are no modes: their objective may be {gap:.2g} nats from its optimum"
        )
    if search is None:
        return of_modes(gap, criterion.observations)
    slope = free_slope(gradient, search.side)
    value = float(np.abs(slope).max(initial=0.0)) / criterion.observations
    note = f"; the objective of the modes is within {gap:.2g} nats of its minimum"
    return stationarity(criterion, replace(search, slope=slope), c.names, value, note)
