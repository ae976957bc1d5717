"""Inference for maximum-likelihood logistic regression, binary and multinomial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy import stats
from scipy.special import expit

from empirisk.estimators.information import Information, term_names
from empirisk.estimators.summary_linear import (
    check_level,
    order_terms,
    penalty_reason,
    solution_array,
    undetermined_note,
)
from empirisk.estimators.summary_table import Fact, Summary, blank
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import Separation, find_separation
from empirisk.results import Solution
from empirisk.typing import Array

__all__ = ["summarise_logistic"]

_MAX_PARAMETERS = 4000


def summarise_logistic(
    problem: LinearProblem,
    w: Array | Solution,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[object] | None = None,
    level: float = 0.95,
    separation: Separation | None = None,
    blocked: str = "",
) -> Summary:
    """Coefficient table of a logistic fit: ``Var = (X' diag(s q (1-q)) X)^-1``, the inverse information.

    Parameters
    ----------
    problem : LinearProblem
        With the logistic or the softmax loss.
    w : Solution or array
        Its solution, in the problem's layout.
    names : sequence of str, optional
        Column names; ``x0, x1, ...`` otherwise.
    classes : sequence, optional
        Class labels; the coefficients are log odds of a class against the first one.
    level : float
        Confidence level, in (0, 1), default 0.95.
    separation : Separation, optional
        Result of :func:`find_separation` when it is known already.
    blocked : str, optional
        A reason that the caller knows why there can be no standard errors.

    Returns
    -------
    Summary
        NaN instead of standard errors, with the reason in `notes`, for penalised fits, separable classes,
        and coefficients that the columns leave undetermined.

    Notes
    -----
    Weights count repetitions.  O(n p^2) for two classes, O(n p^2 K^2) for K.
    """
    if problem.loss.name not in ("logistic", "softmax"):
        raise ValueError(f"summarise_logistic is for logistic losses; the loss is {problem.loss.name!r}")
    check_level(level)
    terms = term_names(names, problem.data.n_cols, problem.intercept)
    w = solution_array(problem, w)
    labels, coef = _contrasts(problem, w, classes)
    reason = blocked or _why_not(problem, separation, names, classes, coef.size)
    q = coef.size
    se, matrix, notes = blank(q), None, [reason] if reason else []
    facts = _base_facts(problem, w)
    known = np.ones(q, dtype=bool)
    if not reason:
        info, matrix = _inverse_information(problem, w)
        se, known_terms = np.sqrt(np.diag(matrix)), info.estimable()
        known = np.tile(known_terms, len(labels))
        facts += _likelihood_facts(problem, w, info.rank * len(labels))
        notes.append(
            "standard errors come from the observed information: they hold for many rows, "
            "independent, when the model is right"
        )
        if not known_terms.all():
            notes.append(undetermined_note(terms, known_terms, info))
    flat = np.concatenate(list(coef))
    estimate = np.where(known, flat, math.nan)
    se = np.where(known, se, math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimate / se
    width = float(stats.norm.ppf(0.5 + 0.5 * level)) * se
    notes += _labels_note(problem, labels, classes)
    return Summary(
        title=("Penalised logistic" if penalty_reason(problem) else "Logistic") + " regression",
        terms=terms * len(labels),
        groups=tuple(label for label in labels for _ in terms),
        coef=estimate,
        se=se,
        statistic=z,
        p=2.0 * stats.norm.sf(np.abs(z)),
        low=estimate - width,
        high=estimate + width,
        statistic_name="z",
        level=level,
        facts=tuple(facts),
        notes=tuple(notes),
        valid=matrix is not None,
        covariance=matrix,
    )


def _contrasts(problem: LinearProblem, w: Array, classes: Sequence[object] | None) -> tuple[list[str], Array]:
    """Group labels and coefficients (one row per group), each class against the first."""
    ordered = order_terms(w, problem.intercept)
    if ordered.ndim == 1:
        return [""], ordered[None, :]
    named = [str(v) for v in (range(ordered.shape[1]) if classes is None else classes)]
    return named[1:], (ordered[:, 1:] - ordered[:, :1]).T


def _labels_note(problem: LinearProblem, labels: list[str], classes: Sequence[object] | None) -> list[str]:
    if problem.loss.name == "softmax":
        first = "0" if classes is None else str(classes[0])
        return [f"coefficients are changes of the log odds of each class against class {first}"]
    if classes is None:
        return ["coefficients are changes of the log odds of the positive class"]
    return [f"coefficients are changes of the log odds of {classes[1]} against {classes[0]}"]


def _why_not(
    problem: LinearProblem,
    separation: Separation | None,
    names: Sequence[str] | None,
    classes: Sequence[object] | None,
    n_parameters: int,
) -> str:
    reason = penalty_reason(problem)
    if reason:
        return reason
    found = find_separation(problem, names, classes) if separation is None else separation
    if found.separable:
        return f"no standard errors: {found.sentence}"
    if n_parameters > _MAX_PARAMETERS:
        return (
            f"no standard errors: {n_parameters} coefficients, more than the {_MAX_PARAMETERS} handled here"
        )
    return ""


def _inverse_information(problem: LinearProblem, w: Array) -> tuple[Information, Array]:
    """What the columns determine, and the covariance of the coefficients."""
    scores = problem.scores(w)
    weight = np.asarray(problem.data.weight, dtype=np.float64)
    if problem.loss.name == "logistic":
        info = Information(problem.design, weight * expit(scores) * expit(-scores), problem.intercept)
        return info, info.half @ info.half.T
    info = Information(problem.design, weight, problem.intercept)
    return info, _multinomial_covariance(info, weight, problem.loss.mean(scores)[:, 1:])


def _multinomial_covariance(info: Information, weight: Array, probability: Array) -> Array:
    """Inverse of the information of classes 1 .. K-1, in coordinates where the columns are orthonormal."""
    r, k = info.half.shape[1], probability.shape[1]
    K = np.zeros((k, r, k, r))
    for part, E in info.coordinates():
        s, q = weight[part], probability[part]
        for a in range(k):
            for b in range(a, k):
                v = s * q[:, a] * ((1.0 - q[:, a]) if a == b else -q[:, b])
                K[a, :, b, :] += (E.T * v) @ E
    for a in range(k):
        for b in range(a):
            K[a, :, b, :] = K[b, :, a, :].T
    flat = K.reshape(k * r, k * r)
    scale = np.sqrt(np.maximum(np.diag(flat), 1e-300))
    inverse = sla.pinvh(flat / np.outer(scale, scale)) / np.outer(scale, scale)
    H = np.kron(np.eye(k), info.half)
    return np.asarray(H @ inverse @ H.T)


def _base_facts(problem: LinearProblem, w: Array) -> list[Fact]:
    S = problem.data.total_weight
    log_lik = -S * problem.mean_loss(problem.scores(w))
    return [
        Fact("n", S, "rows (sum of the weights)"),
        Fact("log_likelihood", log_lik, "log-likelihood"),
        Fact("deviance", -2.0 * log_lik, "minus twice the log-likelihood"),
    ]


def _likelihood_facts(problem: LinearProblem, w: Array, k: int) -> list[Fact]:
    S = problem.data.total_weight
    if S == 0.0:
        return []
    log_lik = -S * problem.mean_loss(problem.scores(w))
    null = -S * problem.null_evaluation.loss
    constants = max(problem.n_outputs - 1, 1) if problem.intercept else 0
    df = k - constants
    out = [
        Fact("rank", float(k), "free coefficients, intercepts included"),
        Fact("null_deviance", -2.0 * null, "deviance of the model without columns"),
        Fact("pseudo_r2", 1.0 - log_lik / null if null != 0.0 else math.nan, "McFadden's pseudo R squared"),
        Fact("aic", 2.0 * k - 2.0 * log_lik, "Akaike's criterion; less is better"),
        Fact("bic", k * math.log(S) - 2.0 * log_lik, "Bayesian (Schwarz) criterion; less is better"),
    ]
    if df > 0:
        ratio = max(2.0 * (log_lik - null), 0.0)
        p: Any = stats.chi2.sf(ratio, df)
        out += [
            Fact("LR", ratio, f"likelihood-ratio statistic on {df} degrees of freedom: all slopes are 0"),
            Fact("LR_p", float(p), "how often an LR this large would occur if all slopes were 0"),
        ]
    return out
