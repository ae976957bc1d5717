"""The posterior of a linear regression, recomputed from the rows by QR of rows and prior."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import gammaln

from empirisk.estimators.bayes.gaussian_coefficients import GaussianCoefficients
from empirisk.estimators.stated import disputed
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = ["other_law", "verify_posterior"]

EPS = float(np.finfo(float).eps)


def other_law(
    law: GaussianCoefficients, found: Mapping[str, Any], tol: float, slack: float
) -> Certificate | None:
    """Return why the normal law that answers read is not the one that was found again; None where it is.

    Parameters
    ----------
    law : GaussianCoefficients
        As the fit holds it: about a point near the rows, with a root of the covariance.
    found : dict
        Mean, intercept and covariance, and other attributes of the law by their names.
    tol : float
        Difference that is rounding, as a share of the largest number.
    slack : float
        Further difference of the intercept that is rounding.
    """
    stated = SimpleNamespace(**vars(law))
    stated.coef_, stated.intercept_, stated.covariance = law.mean, law.intercept, law.covariance()
    return disputed(stated, found, tol=tol, slack={"intercept_": slack})


def verify_posterior(est: Any, X: Array, y: Array, weight: Array) -> Certificate:
    """Return the certificate of a fitted regression, recomputed in plain NumPy.

    The rows about their means stand above ``sqrt(precision) I``; the triangular factor of that table gives
    the mean, the covariance and the determinant, without the products ``X'X`` of the fit.

    Parameters
    ----------
    est : BayesianLinearRegression
    X : array, shape (n, p)
    y, weight : array, shape (n,)
    """
    live = weight > 0.0
    X, y, s = X[live], y[live], weight[live]
    S, p, precision = float(s.sum()), X.shape[1], float(est.prior_precision_)
    n0 = float(bool(est.fit_intercept))
    center = s @ X / S if n0 else np.zeros(p)
    level = float(s @ y / S) if n0 else 0.0
    X, y = X - center, y - level
    if n0:  # a mean far from the origin is itself rounded
        off, up = s @ X / S, float(s @ y / S)
        X, y, center, level = X - off, y - up, center + off, level + up
    table = np.vstack([np.sqrt(s)[:, None] * X, math.sqrt(precision) * np.eye(p)])
    target = np.concatenate([np.sqrt(s) * y, np.zeros(p)])
    size = np.sqrt(np.square(table).sum(axis=0))
    size[size == 0.0] = 1.0
    Q, R = np.linalg.qr(table / size)
    singular = np.linalg.svd(R, compute_uv=False)
    slack = EPS * (p + 8.0) * float(singular[0] / max(singular[-1], EPS)) ** 2
    inverse = np.linalg.pinv(R) / size[:, None]
    mean = inverse @ (Q.T @ target)
    left = target - table @ mean
    shape = est.noise_shape + 0.5 * (S - n0 - (p if precision == 0.0 else 0))
    scale = est.noise_scale + 0.5 * float(left @ left)
    half = np.vstack([inverse, -center @ inverse])
    covariance = half @ half.T
    covariance[-1, -1] += n0 / S
    effective = float(np.sum(np.square((np.sqrt(s)[:, None] * X) @ inverse)))
    evidence = None
    if precision > 0.0:
        log_det = 2.0 * float(np.log(np.abs(np.diagonal(R))).sum() + np.log(size).sum())
        evidence = 0.5 * p * math.log(precision) - 0.5 * log_det
        evidence += float(gammaln(shape)) - shape * math.log(scale)
        evidence -= 0.5 * (S - n0) * math.log(2.0 * math.pi) + 0.5 * n0 * math.log(S)
        if est.noise_shape > 0.0:
            evidence += est.noise_shape * math.log(est.noise_scale) - float(gammaln(est.noise_shape))
    found = {
        "coef_": mean, "intercept_": level - center @ mean, "noise_shape_": shape, "noise_scale_": scale,
        "noise_": scale / shape, "effective_parameters_": effective, "log_evidence_": evidence,
        "covariance_": scale / (shape - 1.0) * covariance if shape > 1.0 else None,
    }  # fmt: skip
    single = 1e-6 if est.coef_.dtype == np.float32 else 0.0
    reach = float(np.abs(mean) @ np.abs(center)) + abs(level)
    tol, level_slack = max(1e-8, 10.0 * slack, single), (64.0 * EPS + single) * reach
    told = disputed(est, found, tol=tol, slack={"intercept_": level_slack})
    if told is None:
        law = {"coef_": mean, "intercept_": found["intercept_"], "covariance": covariance}
        law |= {"shape": shape, "scale": scale}
        told = other_law(est._posterior, law, tol, level_slack)
    if told is not None:
        return told
    stated: Certificate = est.certificate_
    if stated.kind is Kind.EXACT:
        gap = np.abs(table.T @ left).max(initial=0.0) / (np.abs(table.T @ target).max(initial=0.0) or 1.0)
        claim = f"the rows have this posterior: its equations are left open by {gap:.2g} of their size"
        return replace(stated, value=float(gap), floor=stated.floor, claim=claim)
    slope = 0.5 * (effective - precision * float(mean @ mean) * shape / scale)
    value = abs(slope) / S
    claim = f"the slope of the log evidence by the logarithm of the precision is {value:.2g} an observation"
    return replace(stated, value=value, floor=max(stated.floor, slack / S), claim=claim)
