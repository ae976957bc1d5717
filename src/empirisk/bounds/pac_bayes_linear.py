"""PAC-Bayes for linear classifiers: a Gaussian around the weights, its error computed exactly."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from empirisk.bounds.base import check_real
from empirisk.bounds.pac_bayes import pac_bayes_kl
from empirisk.results import Assumption, RiskCertificate
from empirisk.typing import Array

__all__ = ["gibbs_error", "normalised_margins", "pac_bayes_linear"]

LENGTHS = tuple(2.0**k for k in range(12))  # of a prior's mean, fixed here for all data
LARGEST_SCALE = 1e4  # KL = scale^2/2: beyond this no sample makes the bound small


def gibbs_error(margins: ArrayLike, scale: float) -> float:
    """``mean_i Phi(-scale margin_i)``: how often a draw from ``N(scale w/||w||, I)`` errs.

    Parameters
    ----------
    margins : array, shape (n,)
        ``y_i w.x_i / (||w|| ||x_i||)`` in [-1, 1]; 0 for a row x = 0, which counts as half an error.
    scale : float >= 0
        Distance of the posterior's mean from 0 in units of its standard deviation.

    Returns
    -------
    float

    Examples
    --------
    >>> gibbs_error([1.0, -1.0, 0.5], 0.0)
    0.5
    """
    return float(np.mean(special.ndtr(-scale * np.asarray(margins, dtype=np.float64))))


def normalised_margins(X: Any, y: ArrayLike, w: ArrayLike, deviations: ArrayLike = 1.0) -> Array:
    """``y_i w.x_i / (||w/d|| ||d x_i||)`` for the prior N(0, diag(d^2)); X dense or sparse, y in {-1, +1}."""
    X = X if hasattr(X, "multiply") else np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns, got shape {X.shape}.")
    d = np.broadcast_to(np.asarray(deviations, dtype=np.float64), (X.shape[1],))
    if not (np.isfinite(d).all() and (d > 0.0).all()):
        raise ValueError("prior_scale must hold positive, finite standard deviations.")
    weights, signs = np.asarray(w, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if weights.shape != (X.shape[1],):
        raise ValueError(
            f"w must have one weight for each of the {X.shape[1]} columns, got shape {weights.shape}."
        )
    if signs.shape != (X.shape[0],) or not np.isin(signs, (-1.0, 1.0)).all():
        raise ValueError(f"y must hold -1 or +1 for each of the {X.shape[0]} rows.")
    length = float(np.linalg.norm(weights / d))
    if not 0.0 < length < math.inf:
        raise ValueError("w must be finite and not zero: its direction is the centre of the posterior.")
    squares = X.multiply(X) @ d**2 if hasattr(X, "multiply") else np.square(X) @ d**2
    norms = np.sqrt(np.asarray(squares, dtype=np.float64).ravel())
    raw = signs * np.asarray(X @ weights, dtype=np.float64).ravel() / length
    return np.clip(np.divide(raw, norms, out=np.zeros_like(raw), where=norms > 0.0), -1.0, 1.0)


def pac_bayes_linear(
    X: Any,
    y: ArrayLike,
    w: ArrayLike,
    delta: float = 0.05,
    *,
    prior_scale: ArrayLike = 1.0,
    prior_mean: ArrayLike | None = None,
) -> RiskCertificate:
    """``kl(mean Phi(-m margin) || risk) <= (m^2/2 + log(xi(n)/delta))/n``, at the best m >= 0.

    Prior N(0, diag(d^2)), posterior the same Gaussian moved by m along w. The sign of ``w.x`` does not depend
    on the length of w, and the theorem holds for all posteriors at once: m costs nothing to choose, and how w
    was found (with which penalty, by which cross-validation) does not matter. What matters is that the prior,
    and so the scale d of each column, was fixed without the rows.

    Parameters
    ----------
    X : array or sparse matrix, shape (n, p)
        Rows; append a column of ones for an intercept.
    y : array of -1 and +1, shape (n,)
        Classes.
    w : array, shape (p,)
        Weights of the classifier ``sign(w.x)``, however they were found.
    delta : float in (0, 1), default 0.05
        Probability with which the statement may fail.
    prior_scale : float, array of shape (p,) or (K, p), default 1
        d: standard deviations of the prior, fixed before the rows were seen. One number for all columns
        changes nothing (see above); ratios between columns do. K rows are a grid of priors: the best, by a
        union bound.
    prior_mean : array of shape (p,), optional
        Weights found on other rows: the prior is moved along them, by the best of twelve lengths (a union
        bound), and ``m^2/2`` becomes half the squared distance between the two centres.

    Returns
    -------
    RiskCertificate
        Of the randomised classifier. The fitted classifier is the majority vote of the same Gaussian, so its
        risk is at most twice that (:func:`empirisk.bounds.first_order_vote`).

    Raises
    ------
    ValueError
        When shapes disagree, w or prior_mean is zero, or prior_scale is not positive.

    Notes
    -----
    Cost O(n p) and about sixty passes over n margins for each scale. Sources: Langford and Shawe-Taylor,
    Advances in Neural Information Processing Systems 15 (2003); Langford, Journal of Machine Learning
    Research 6 (2005), corollary 5.4; priors from other rows: Ambroladze, Parrado-Hernandez and Shawe-Taylor,
    Advances in Neural Information Processing Systems 19 (2007).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 400)
    >>> X = np.column_stack([x, 0.1 * np.cos(9.0 * x)])
    >>> bound = pac_bayes_linear(X, np.where(x > 0.0, 1.0, -1.0), [1.0, 0.0])
    >>> round(bound.value, 2), bound.vacuous
    (0.06, False)
    """
    scales = np.asarray(prior_scale, dtype=np.float64)
    grid = scales if scales.ndim == 2 else [scales]
    if scales.size == 0:
        raise ValueError("prior_scale is empty; leave it out for the prior N(0, I).")
    best = min((_best(X, y, w, d, prior_mean, delta, len(grid)) for d in grid), key=lambda r: r.value)
    plain = scales.ndim == 0 and scales == 1.0
    words = "prior N(0, I)" if plain else "prior N(0, d^2) with d fixed before the rows were seen"
    if prior_mean is not None:
        words = f"{words}, moved along weights that were found on other rows"
    if len(grid) > 1:
        words += f" (union over {len(grid)} such priors)"
    known = plain and prior_mean is None
    return replace(
        best,
        bound="PAC-Bayes-kl with a Gaussian",
        assumptions=(best.assumptions[0], Assumption(words, "computed" if known else "declared")),
        risk="0-1 loss",
    )


def _best(
    X: Any, y: ArrayLike, w: ArrayLike, d: Array, mean: ArrayLike | None, delta: float, candidates: int
) -> RiskCertificate:
    """Return the smallest bound over the distance m and the length of the prior's mean, for one prior
    scale.
    """
    margins = normalised_margins(X, y, w, d)
    if mean is None:
        return _best_distance(margins, delta, candidates, 0.0, 0.0)
    u, v = np.asarray(w, dtype=np.float64) / d, np.asarray(mean, dtype=np.float64) / d
    if v.shape != u.shape or not 0.0 < float(np.linalg.norm(v)) < math.inf:
        raise ValueError(f"prior_mean must hold {u.size} finite weights that are not all zero.")
    cosine = float(np.clip(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)), -1.0, 1.0))
    each = candidates * len(LENGTHS)
    return min((_best_distance(margins, delta, each, c, cosine) for c in LENGTHS), key=lambda r: r.value)


def _best_distance(
    margins: Array, delta: float, candidates: int, length: float, cosine: float
) -> RiskCertificate:
    """Return the smallest bound over m; any m is valid, so that an imperfect search costs only tightness."""
    n = margins.size

    def at(log_distance: float) -> RiskCertificate:
        m = math.exp(log_distance)
        apart = max(0.0, m * m - 2.0 * m * length * cosine + length * length)
        return pac_bayes_kl(gibbs_error(margins, m), 0.5 * apart, n, delta, candidates=candidates)

    check_real(delta, "delta", 0.0, 1.0)
    starts = np.linspace(math.log(0.1), math.log(LARGEST_SCALE), 25)
    values = [at(s).value for s in starts]
    k = int(np.argmin(values))
    low, high = starts[max(0, k - 1)], starts[min(24, k + 1)]
    found = optimize.minimize_scalar(lambda s: at(s).value, bounds=(low, high), method="bounded")
    return min((at(float(found.x)), at(float(starts[k]))), key=lambda r: r.value)
