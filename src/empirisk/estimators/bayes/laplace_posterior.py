"""Laplace's approximation: a normal law at the mode of a posterior, with the curvature there.

Tierney and Kadane, Journal of the American Statistical Association 81 (1986); Bishop 2006, Pattern
Recognition and Machine Learning, sections 4.4 and 4.5.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.estimators.bayes.gaussian_coefficients import GaussianCoefficients, inverted
from empirisk.inference.law import Law
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["LaplacePosterior", "curvatures", "inverse_curvature"]


def curvatures(problem: LinearProblem, w: Array) -> Array:
    """Return ``s_i loss''(y_i, z_i)`` at the scores of some parameters; 0 for rows of weight 0."""
    s = problem.data.weight
    bent = problem.loss.hess(problem.data.y, _scores(problem, w))
    return np.where(s > 0.0, s * bent, 0.0)


@dataclass(frozen=True, eq=False)
class LaplacePosterior(GaussianCoefficients):
    """``w, b ~ N(mode, (Z' diag(v) Z + precision I)^-1)``, Z the columns with a constant, v the curvatures.

    Parameters
    ----------
    mean, root, center, offset, level, intercept_weight
        As in :class:`GaussianCoefficients`; ``intercept_weight`` is the sum of the curvatures.
    condition : float
        Condition number of the matrix of the coefficients, with a diagonal scaled to 1.
    effective : float
        ``tr((X'VX + precision I)^-1 X'VX)``, the effective number of coefficients.
    log_evidence : float or None
        Laplace's approximation of the log-density of the targets; None under a flat prior.
    """

    condition: float
    effective: float
    log_evidence: float | None

    @classmethod
    def of(cls, problem: LinearProblem, w: Array, precision: float, labels: list[str]) -> LaplacePosterior:
        """Return the approximation at a mode.

        Parameters
        ----------
        problem : LinearProblem
            A likelihood with a squared L2 penalty of strength ``precision / S``.
        w : array
            Its minimiser, in the layout of the problem.
        precision : float
            Of the prior, >= 0.
        labels : list of str
            Names of the columns, for refusals.
        """
        coef, b = problem.split(w)
        coef, p = np.asarray(coef, dtype=np.float64), len(coef)
        v = curvatures(problem, w)
        total = float(v.sum())
        if not (total > 0.0 and math.isfinite(total)):
            raise ValueError(
                "the posterior has no curvature at its mode, and no normal law is near it: the scores are "
                "extreme; standardise the columns, or give a larger prior_precision"
            )
        center = problem.design.moments(v)[0] if problem.intercept else np.zeros(p)
        G = _products(problem.design.X, v, center)
        root, condition, log_det = inverted(G + precision * np.eye(p), precision, labels)
        evidence = None
        if precision > 0.0:
            z = _scores(problem, w)
            evidence = Law(problem.loss).log_likelihood(problem.data.y, z, problem.data.weight, 1.0)
            evidence += 0.5 * (p * math.log(precision) - precision * float(coef @ coef) - log_det)
            evidence += 0.5 * math.log(2.0 * math.pi / total) if problem.intercept else 0.0
        return cls(
            coef,
            root,
            center,
            np.zeros(p),
            float(coef @ center + float(b)) if problem.intercept else 0.0,
            total if problem.intercept else math.inf,
            condition,
            float(np.sum(root * (G @ root))),
            evidence,
        )


def _scores(problem: LinearProblem, w: Array) -> Array:
    """Return the scores of the rows in float64, 0 for rows of weight 0, which may hold anything."""
    z = np.asarray(problem.scores(w), dtype=np.float64)
    return np.where(problem.data.weight > 0.0, z, 0.0)


def _products(X: Any, v: Array, center: Array) -> Array:
    """Return ``(X - 1 m')' diag(v) (X - 1 m')``, m the means by v; sparse ones by a difference."""
    if isinstance(X, np.ndarray):
        return np.asarray(_loops.gram(X, v, center, True), dtype=np.float64)
    G = np.asarray((X.T @ (sp.diags_array(v) @ X)).toarray(), dtype=np.float64)
    return np.asarray(G - float(v.sum()) * np.outer(center, center))


def inverse_curvature(problem: LinearProblem, w: Array, precision: float) -> Array:
    """Return the inverse of the curvature of all coefficients, by the plain product of the table."""
    X: Any = problem.design.X
    table = np.asarray(X.toarray() if problem.design.sparse else X, dtype=np.float64)
    p = table.shape[1]
    v = curvatures(problem, w)
    center = v @ table / v.sum() if problem.intercept else np.zeros(p)
    bent = np.sqrt(v)[:, None] * (table - center)
    inner = np.linalg.pinv(np.vstack([bent, math.sqrt(precision) * np.eye(p)]))
    half = np.vstack([inner, -center @ inner])
    out = half @ half.T
    out[-1, -1] += 1.0 / v.sum() if problem.intercept else 0.0
    return np.asarray(out)
