"""Recalibration by one slope and one intercept a class: Platt's method, and temperature scaling."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.diagnosis.base import Context
from empirisk.typing import Array

__all__ = ["cross_fitted", "fit_scale", "likelihood_ratio", "recalibrated", "scaled"]

_STEPS = 50  # Newton's method needs a few; the rest is for steps that are halved
_RIDGE = 1e-3  # keeps the slope finite when the scores separate the classes
_SMALLEST = 1e-12  # probability whose logarithm is taken


def scaled(z: Array, parameters: Array) -> Array:
    """``softmax(b z + a)`` for parameters ``(b, a_2, ..., a_C)``, a_1 = 0; shape (n, C)."""
    t = parameters[0] * z
    t[:, 1:] += parameters[1:]
    t -= _largest(t)[:, None]
    np.exp(t, out=t)
    return np.asarray(t / _total(t)[:, None])


def _total(t: Array) -> Array:
    """Return the row sums column by column: ten times as fast as along the short axis."""
    return np.asarray(t @ np.ones(t.shape[1]))


def _largest(t: Array) -> Array:
    return np.asarray(reduce(np.maximum, t.T))


def fit_scale(z: Array, label: NDArray[Any], weights: Array | None = None) -> Array:
    """Minimise ``-sum w_i log softmax(b z_i + a)_{y_i} + 0.0005 (b^2 + |a|^2)`` over b and a.

    Parameters
    ----------
    z : array, shape (n, C)
        Scores; logarithms of the probabilities to be recalibrated.
    label : int array, shape (n,)
        Class codes.
    weights : array, shape (n,), optional
        What each row counts, 1 by default; only their ratios matter.

    Returns
    -------
    array, shape (C,)
        ``(b, a_2, ..., a_C)``.

    Notes
    -----
    Newton's method from slope 0 with step halving: from slope 1 it diverges on saturated probabilities.
    O(n C^2) a step.

    Examples
    --------
    >>> z = np.column_stack([np.zeros(4), [-1.0, 1.0, -1.0, 1.0]])
    >>> fit_scale(z, np.array([0, 1, 1, 0])).round(6).tolist()
    [0.0, 0.0]
    """
    n, count = z.shape
    z = z - _largest(z)[:, None]
    theta = np.zeros(count)
    mark = np.eye(count)[label]
    w = np.ones(n) if weights is None else weights / weights.mean()
    value = _objective(z, label, theta, w)
    for _ in range(_STEPS):
        p = scaled(z, theta)
        e = w[:, None] * (p - mark)
        g = np.append((e * z).sum(), e[:, 1:].sum(axis=0)) + _RIDGE * theta
        mean = _total(p * z)
        H = np.empty((count, count))
        held = w[:, None] * p
        H[0, 0] = (held * (z - mean[:, None]) ** 2).sum()
        H[0, 1:] = H[1:, 0] = (held * (z - mean[:, None])).sum(axis=0)[1:]
        H[1:, 1:] = np.diag(held.sum(axis=0))[1:, 1:] - (held.T @ p)[1:, 1:]
        H[np.diag_indices(count)] += _RIDGE
        step = np.linalg.solve(H, g)
        size, slope = 1.0, float(g @ step)
        while (
            size > 1e-8
            and (new := _objective(z, label, theta - size * step, w)) > value - 1e-4 * size * slope
        ):
            size *= 0.5
        if size <= 1e-8 or slope <= 1e-12 * n:
            break
        theta, value = theta - size * step, new
    return theta


def _objective(z: Array, label: NDArray[Any], theta: Array, w: Array) -> float:
    """Return what :func:`fit_scale` minimises, at one point."""
    t = theta[0] * z
    t[:, 1:] += theta[1:]
    top = _largest(t)
    total = top + np.log(_total(np.exp(t - top[:, None])))
    return float(w @ (total - t[np.arange(len(t)), label]) + 0.5 * _RIDGE * theta @ theta)


def log_scores(proba: Array) -> Array:
    """Return the logarithms of probabilities, 0 read as 1e-12."""
    return np.asarray(np.log(np.clip(proba, _SMALLEST, 1.0)))


def cross_fitted(
    proba: Array, label: NDArray[Any], fold: NDArray[Any], weights: Array | None = None
) -> tuple[Array, Array]:
    """Return the probabilities of each fold recalibrated on the other folds, (n, C); and the parameters on
    all rows (each counts as its weight).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=2000)
    >>> label = (rng.uniform(size=2000) < p).astype(int)
    >>> z = 2.0 * np.log(p / (1.0 - p))  # twice too sure
    >>> told = np.column_stack([1 / (1 + np.exp(z)), 1 / (1 + np.exp(-z))])
    >>> q, theta = cross_fitted(told, label, np.arange(2000) % 5)
    >>> round(float(theta[0]), 1)
    0.5
    """
    z = log_scores(proba)
    out = np.empty_like(z)
    for k in np.unique(fold):
        inside = fold != k
        held = None if weights is None else weights[inside]
        out[~inside] = scaled(z[~inside], fit_scale(z[inside], label[inside], held))
    return out, fit_scale(z, label, weights)


def recalibrated(ctx: Context) -> tuple[Array, Array]:
    """Return :func:`cross_fitted` of the model's out-of-fold probabilities; cached, because two findings use
    it.
    """
    if "recalibrated" not in ctx.cache:
        ctx.cache["recalibrated"] = cross_fitted(ctx.oof.output("proba"), ctx.oof.y, ctx.fold, ctx.weights)
    made: tuple[Array, Array] = ctx.cache["recalibrated"]
    return made


def likelihood_ratio(proba: Array, label: NDArray[Any]) -> float:
    """Return Cox's test of exact calibration: the p-value of slope 1 and intercepts 0, chi-square with C
    df.
    """
    from scipy import special

    z = log_scores(proba)
    exact = np.zeros(z.shape[1])
    exact[0] = 1.0
    once = np.ones(len(z))
    gain = _objective(z, label, exact, once) - _objective(z, label, fit_scale(z, label), once)
    return float(special.chdtrc(z.shape[1], max(0.0, 2.0 * gain)))
