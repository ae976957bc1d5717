"""Inference for multinomial logistic regression: a vector of scores for each row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy import stats

from empirisk.inference.cluster import cluster_rows
from empirisk.inference.covariance import information_of
from empirisk.inference.facts import criteria
from empirisk.inference.fit import order_terms
from empirisk.inference.information import Information, term_names
from empirisk.inference.refusal import undetermined_note
from empirisk.inference.table import Fact, Summary, blank
from empirisk.inference.weights import observations, weights_words
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["summarise_multinomial"]

_MAX_PARAMETERS = 4000  # their covariance matrix takes 128 MB
_SANDWICHES = ("classical", "HC0", "HC1", "CR0", "CR1")


def summarise_multinomial(
    problem: LinearProblem,
    w: Array,
    names: Sequence[str] | None,
    classes: Sequence[object] | None,
    level: float,
    covariance: str,
    groups: Any,
    weights: str,
    reason: str,
) -> Summary:
    """Return the table of :func:`summarise_glm` for the softmax loss: log odds of each class against the
    first.

    Parameters
    ----------
    problem, w, names, classes, level, covariance, groups
        As there; leverages of a row with several scores are matrices, so that of the sandwiches only HC0,
        HC1, CR0 and CR1 exist (``"cluster"`` is CR1).
    weights : str
        One of WEIGHTS.
    reason : str
        Why there are no standard errors; empty if there are.

    Returns
    -------
    Summary

    Notes
    -----
    O(n p^2 K^2) for K classes.
    """
    covariance = information_of(covariance)[0]  # a canonical link: both informations are equal
    kind = "CR1" if covariance == "cluster" else covariance
    if kind not in _SANDWICHES:
        raise ValueError(f"for several classes covariance must be one of {_SANDWICHES}, got {covariance!r}")
    terms = term_names(names, problem.data.n_cols, problem.intercept)
    labels, coef = _contrasts(problem, w, classes)
    q = coef.size
    if not reason and q > _MAX_PARAMETERS:
        reason = f"no standard errors: {q} coefficients, more than the {_MAX_PARAMETERS} handled here"
    known, se, matrix, notes, facts = (
        np.ones(q, dtype=bool),
        blank(q),
        None,
        [reason],
        _base(problem, w, weights),
    )
    df = math.inf
    if not reason:
        weight = observations(problem.data.weight, weights)
        info = Information(problem.design, weight, problem.intercept)
        known = np.tile(info.estimable(), len(labels))
        matrix, df, note = _covariance(problem, info, w, kind, groups, weights)
        se = np.sqrt(np.diag(matrix))
        if weights != "sampling" or np.ptp(weight[weight > 0.0]) <= 1e-12:
            facts += _likelihood(problem, w, info.rank * len(labels), float(weight.sum()))
        notes = [note]
        if not known.all():
            notes.append(undetermined_note(terms, info.estimable(), info))
    estimate = np.where(known, np.concatenate(list(coef)), math.nan)
    se = np.where(known, se, math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimate / se
    width = float(stats.t.ppf(0.5 + 0.5 * level, df)) * se
    first = "0" if classes is None else str(classes[0])
    notes.append(f"coefficients are changes of the log odds of each class against class {first}")
    words = weights_words(observations(problem.data.weight, weights), weights)
    notes += [words] if words else []
    return Summary(
        title="Penalised logistic regression" if "penalty" in notes[0] else "Logistic regression",
        terms=terms * len(labels),
        groups=tuple(label for label in labels for _ in terms),
        coef=estimate,
        se=se,
        statistic=z,
        p=np.asarray(2.0 * stats.t.sf(np.abs(z), df)),
        low=estimate - width,
        high=estimate + width,
        statistic_name="z" if math.isinf(df) else "t",
        level=level,
        facts=tuple(facts),
        notes=tuple(notes),
        valid=matrix is not None,
        covariance=matrix,
        loss=problem.loss.name,
        ratio=problem.loss.ratio,
    )


def _contrasts(problem: LinearProblem, w: Array, classes: Sequence[object] | None) -> tuple[list[str], Array]:
    """Group labels and coefficients (one row per group), each class against the first."""
    ordered = order_terms(w, problem.intercept)
    named = [str(v) for v in (range(ordered.shape[1]) if classes is None else classes)]
    return named[1:], (ordered[:, 1:] - ordered[:, :1]).T


def _covariance(
    problem: LinearProblem, info: Information, w: Array, kind: str, groups: Any, weights: str
) -> tuple[Array, float, str]:
    """Return the matrix in the order of the table, degrees of freedom, and what it rests on."""
    weight = info.weight
    q = problem.loss.mean(problem.scores(w))
    bread = _inverse_information(info, q[:, 1:])
    H = np.kron(np.eye(q.shape[1] - 1), info.half)
    if kind == "classical":
        return np.asarray(H @ bread @ H.T), math.inf, (
            "standard errors come from the observed information: they hold for many rows, independent, when "
            "the model is right"
        )  # fmt: skip
    slope = (q - np.eye(q.shape[1])[problem.data.codes])[:, 1:]
    E = np.vstack([block for _, block in info.coordinates()])
    U = (slope[:, :, None] * E[:, None, :]).reshape(len(E), -1)
    S, free, df = float(weight.sum()), U.shape[1], math.inf
    if kind.startswith("HC"):
        once = weight if weights == "frequency" else weight * weight
        meat = (U.T * once) @ U * (S / (S - free) if kind == "HC1" else 1.0)
        note = f"standard errors are a sandwich ({kind}): rows must be independent, and many"
    else:
        live, parts = cluster_rows(groups, weight)
        sums = np.array([(weight[live, None] * U[live])[rows].sum(axis=0) for rows in parts])
        G = len(parts)
        meat = sums.T @ sums * (G / (G - 1.0) * (S - 1.0) / (S - free) if kind == "CR1" else 1.0)
        df = G - 1.0
        note = (
            f"standard errors allow any dependence within the {G} groups ({kind}, t with {G - 1} degrees of "
            "freedom); groups must be many, and independent of each other"
        )
    half = H @ bread
    return np.asarray(half @ meat @ half.T), df, note


def _inverse_information(info: Information, probability: Array) -> Array:
    """Return the inverse of the information of classes 1 .. K-1, in coordinates where the columns are
    orthonormal.
    """
    r, k = info.half.shape[1], probability.shape[1]
    K = np.zeros((k, r, k, r))
    for part, E in info.coordinates():
        s, q = info.weight[part], probability[part]
        for a in range(k):
            for b in range(a, k):
                v = s * q[:, a] * ((1.0 - q[:, a]) if a == b else -q[:, b])
                K[a, :, b, :] += (E.T * v) @ E
    for a in range(k):
        for b in range(a):
            K[a, :, b, :] = K[b, :, a, :].T
    flat = K.reshape(k * r, k * r)
    scale = np.sqrt(np.maximum(np.diag(flat), 1e-300))
    return np.asarray(sla.pinvh(flat / np.outer(scale, scale)) / np.outer(scale, scale))


def _base(problem: LinearProblem, w: Array, weights: str) -> list[Fact]:
    S = float(observations(problem.data.weight, weights).sum())
    counted = "sum of the weights" if weights == "frequency" else "those with weight"
    log_lik = -S * problem.mean_loss(problem.scores(w))
    return [
        Fact("n", S, f"rows ({counted})"),
        Fact("log_likelihood", log_lik, "log-likelihood"),
        Fact("deviance", -2.0 * log_lik, "minus twice the log-likelihood"),
    ]


def _likelihood(problem: LinearProblem, w: Array, k: int, S: float) -> list[Fact]:
    log_lik = -S * problem.mean_loss(problem.scores(w))
    null = -S * problem.null_evaluation.loss
    df = k - (problem.n_outputs - 1 if problem.intercept else 0)
    out = [
        Fact("rank", float(k), "free coefficients, intercepts included"),
        Fact("null_deviance", -2.0 * null, "deviance of the model without columns"),
        Fact("pseudo_r2", 1.0 - log_lik / null if null != 0.0 else math.nan, "McFadden's pseudo R squared"),
        *criteria(log_lik, k, S),
    ]
    if df > 0:
        ratio = max(2.0 * (log_lik - null), 0.0)
        p = float(stats.chi2.sf(ratio, df))
        out += [
            Fact("LR", ratio, f"likelihood-ratio statistic on {df} degrees of freedom: all slopes are 0"),
            Fact("LR_p", p, "how often an LR this large would occur if all slopes were 0"),
        ]
    return out
