"""Standard errors of linear quantiles: sparsity, kernel and bootstrap.

With f(0|x) the density of the noise at its q-quantile, ``J = X' diag(s) X / S`` and
``H = E f(0|x) x x'``, the coefficients are nearly normal with covariance ``q (1 - q) H^-1 J H^-1 / S``
(Koenker 2005, Quantile Regression, section 3.2.3).  Where f is the same in all rows this is
``q (1 - q) s^2 J^-1 / S`` with the sparsity ``s = 1 / f(0)``, the slope of the quantile function of
the noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.inference.bands import Bands
from empirisk.inference.information import Information, term_names
from empirisk.inference.likelihood_table import LikelihoodFit
from empirisk.inference.refusal import no_freedom, penalty_reason, solution_array, undetermined_note
from empirisk.inference.table import Fact, Summary, blank
from empirisk.losses.quantile import weighted_quantile
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.results.estimate import check_level
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["BANDWIDTHS", "QUANTILE_COVARIANCES", "bandwidth_of", "quantile_bands", "summarise_quantiles"]

BANDWIDTHS = ("hall_sheather", "bofinger")
QUANTILE_COVARIANCES = ("classical", "kernel", "bootstrap")


def bandwidth_of(n: float, q: float, rule: str = "hall_sheather", level: float = 0.95) -> float:
    """Return how far from q two quantiles are taken, as a share of the rows.

    ``hall_sheather``: ``n^(-1/3) z^(2/3) (1.5 phi(t)^2 / (2 t^2 + 1))^(1/3)``, z the normal quantile of the
    level; ``bofinger``: ``n^(-1/5) (4.5 phi(t)^4 / (2 t^2 + 1)^2)^(1/5)``; t is the normal quantile of q.
    Halved until q +- h lies in (0, 1).

    Examples
    --------
    >>> round(bandwidth_of(235, 0.5), 4), round(bandwidth_of(235, 0.5, "bofinger"), 4)
    (0.1574, 0.2173)
    """
    t = stats.norm.ppf(q)
    density, bend = stats.norm.pdf(t), 2.0 * t * t + 1.0
    if rule == "hall_sheather":
        z = stats.norm.ppf(0.5 + 0.5 * level)
        h = n ** (-1.0 / 3.0) * z ** (2.0 / 3.0) * (1.5 * density**2 / bend) ** (1.0 / 3.0)
    elif rule == "bofinger":
        h = n ** (-1.0 / 5.0) * (4.5 * density**4 / bend**2) ** (1.0 / 5.0)
    else:
        raise ValueError(f"bandwidth must be one of {', '.join(BANDWIDTHS)}, got {rule!r}")
    while q - h <= 0.0 or q + h >= 1.0:
        h *= 0.5
    return float(h)


def summarise_quantiles(
    parts: Sequence[LinearProblem],
    problem: Any,
    w: Array | Solution,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.95,
    covariance: str = "classical",
    bandwidth: str = "hall_sheather",
    n_resamples: int = 200,
    seed: Any = None,
) -> Summary:
    """Return the coefficient table of one level, or of several one below the other.

    Parameters
    ----------
    parts : sequence of LinearProblem
        The problem of each level alone.
    problem : LinearProblem or OrderedQuantiles
        The problem that was solved; with one level the first of `parts`.
    w : Solution or array
        Its solution.
    names : sequence of str, optional
        Column names.
    level : float
        Confidence level.
    covariance : {"classical", "kernel", "bootstrap"}
        Noise of one law in all rows; any noise, by the kernel of Powell; any noise, by refits on drawn rows.
    bandwidth : {"hall_sheather", "bofinger"}
        Of the first two.
    n_resamples : int
        Refits of the bootstrap.
    seed : int, Generator or None
        Of the bootstrap.

    Returns
    -------
    Summary
    """
    check_level(level)
    if covariance not in QUANTILE_COVARIANCES:
        raise ValueError(
            f"covariance of quantiles must be one of {', '.join(QUANTILE_COVARIANCES)}, got {covariance!r}"
        )
    found = solution_array(problem, w).reshape(parts[0].n_params, -1)
    first = parts[0]
    q = first.n_params
    terms = term_names(names, first.data.n_cols, first.intercept)
    order = np.r_[q - 1, : q - 1] if first.intercept else np.arange(q)
    total = first.data.total_weight
    info = Information(first.design, first.data.weight, first.intercept)
    known = info.estimable()
    df = total - info.rank
    reason = penalty_reason(first) or ("" if df > 0.0 else no_freedom(total, info.rank, False))
    coef, se = found[order].T, np.full((len(parts), q), math.nan)
    matrices: list[Array] = []
    facts = [Fact("n", total, "rows (sum of the weights)")]
    if not reason and covariance == "bootstrap":
        matrices = _resampled(parts, order, n_resamples, seed)
    elif not reason:
        for j, part in enumerate(parts):
            levels = float(part.loss.quantile_level or 0.5)
            h = bandwidth_of(total, levels, bandwidth, level)
            r = np.asarray(part.data.y, dtype=np.float64) - part.scores(found[:, j])
            make = _even if covariance == "classical" else _kernel
            matrix, sparsity = make(part, info, r, levels, h)
            matrices.append(matrix)
            suffix = f" [{levels:g}]" if len(parts) > 1 else ""
            facts.append(
                Fact(f"sparsity{suffix}", sparsity, "slope of the quantile function of the noise at q")
            )
    for j, matrix in enumerate(matrices):
        se[j] = np.where(known, np.sqrt(np.maximum(np.diag(matrix), 0.0)), math.nan)
    if matrices:
        coef = np.where(known, coef, math.nan)
    notes = [reason] if reason else [_WORDS[covariance].format(n_resamples)]
    if matrices and not known.all():
        notes.append(undetermined_note(terms, known, info))
    if matrices and len(parts) > 1:
        notes.append(
            "the errors of each level are those of its fit alone, which for many rows is the joint one"
        )
    if isinstance(w, Solution) and not w.status.ok:
        notes.append(f"the fit is not certified, so that all numbers are about a point near it: {w.sentence}")
    with np.errstate(divide="ignore", invalid="ignore"):
        t = coef / se
    half = stats.t.ppf(0.5 + 0.5 * level, df) * se if df > 0.0 else blank(se.size).reshape(se.shape)
    labels = [f"q = {float(part.loss.quantile_level or 0.5):g}" for part in parts] if len(parts) > 1 else [""]
    return Summary(
        title=_title(parts),
        terms=terms * len(parts),
        groups=tuple(label for label in labels for _ in terms),
        coef=coef.ravel(),
        se=se.ravel(),
        statistic=t.ravel(),
        p=np.asarray(2.0 * stats.t.sf(np.abs(t.ravel()), df)) if df > 0.0 else blank(t.size),
        low=(coef - half).ravel(),
        high=(coef + half).ravel(),
        level=level,
        facts=tuple(facts),
        notes=tuple(notes),
        valid=bool(matrices),
        covariance=matrices[0] if matrices else None,
        loss=first.loss.name,
    )


def quantile_bands(fit: LikelihoodFit, X: Any, level: float) -> Bands:
    """Return confidence intervals of the quantile at rows X, ``x.w + b +- t se``.

    Parameters
    ----------
    fit : LikelihoodFit
        Coefficients of one level with their covariance, the intercept first where there is one.
    X : array or sparse matrix, shape (m, p)
        New rows.
    level : float
        Of each interval.
    """
    lost = [t for t, v in zip(fit.terms, fit.coef, strict=True) if math.isnan(v)]
    if lost:
        raise ValueError(
            f"no interval: the rows do not determine {', '.join(lost[:8])} (collinear columns); drop columns"
        )
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    rows = dense if dense.shape[1] == len(fit.terms) else np.column_stack([np.ones(len(dense)), dense])
    value = rows @ fit.coef
    se = np.sqrt(np.maximum(((rows @ fit.matrix) * rows).sum(axis=1), 0.0))
    half = float(stats.t.ppf(0.5 + 0.5 * level, fit.df)) * se
    return Bands("confidence", level, value, value - half, value + half, se, fit.note, "the quantile")


_WORDS = {
    "classical": (
        "errors by the sparsity of the residuals, which hold when the noise has the same law in all rows; "
        'covariance="kernel" or "bootstrap" needs no such law'
    ),
    "kernel": "errors by Powell's kernel, for noise that may differ between rows, and many rows",
    "bootstrap": "errors are the spread of {} refits on rows drawn with replacement",
}


def _title(parts: Sequence[LinearProblem]) -> str:
    """Return the heading of the table, with the levels in it."""
    levels = ", ".join(f"{float(part.loss.quantile_level or 0.5):g}" for part in parts)
    return f"Linear quantile regression, q = {levels}"


def _live(part: LinearProblem, r: Array) -> tuple[Array, Array]:
    """Return residuals and weights of rows off the fitted plane: those on it were put there by the fit."""
    size = np.abs(r)
    on = size <= 1e-9 * float(size @ part.data.weight) / part.data.total_weight
    off = ~on & (part.data.weight > 0.0)
    return r[off], part.data.weight[off]


def _even(part: LinearProblem, info: Information, r: Array, q: float, h: float) -> tuple[Array, float]:
    """Return ``q (1 - q) s^2 (X' S X)^-1``: s is the difference of two quantiles of residuals over 2 h."""
    r, s = _live(part, r)
    if not len(r):
        return np.zeros((len(info.half), len(info.half))), 0.0
    low, high = (float(weighted_quantile(r, s, level)) for level in (q - h, q + h))
    sparsity = (high - low) / (2.0 * h)
    return q * (1.0 - q) * sparsity**2 * (info.half @ info.half.T), sparsity


def _kernel(part: LinearProblem, info: Information, r: Array, q: float, h: float) -> tuple[Array, float]:
    """Return ``q (1 - q) H^-1 J H^-1 / S``, ``H = sum_i s_i K(r_i / c) x_i x_i' / (c S)``, K normal.

    ``c = min(sd, interquartile range / 1.34) (t(q + h) - t(q - h))``, t the normal quantile function (Koenker
    2005, section 3.4.2; Powell 1991).
    """
    live, s = part.data.weight > 0.0, part.data.weight
    middle = float(s @ r) / part.data.total_weight
    sd = math.sqrt(float(s @ (r - middle) ** 2) / part.data.total_weight)
    quarters = [float(weighted_quantile(r[live], s[live], level)) for level in (0.25, 0.75)]
    spread = min(sd, (quarters[1] - quarters[0]) / 1.34) or sd
    c = spread * float(stats.norm.ppf(q + h) - stats.norm.ppf(q - h))
    if not c > 0.0:
        return np.zeros((len(info.half), len(info.half))), 0.0
    density = stats.norm.pdf(r / c) / c
    # In the coordinates E = X half, in which J is the identity over S, H keeps its digits.
    H = np.zeros((info.half.shape[1],) * 2)
    for rows, E in info.coordinates():
        H += (E.T * (s[rows] * density[rows])) @ E
    inverse = info.half @ np.linalg.pinv(H, hermitian=True)
    sparsity = part.data.total_weight / float(s @ density)
    return q * (1.0 - q) * (inverse @ inverse.T), sparsity


def _resampled(parts: Sequence[LinearProblem], order: Any, n_resamples: int, seed: Any) -> list[Array]:
    """Return the covariance of refits on rows drawn with replacement, with chances that their weights say."""
    rng = np.random.default_rng(seed)
    weight = parts[0].data.weight
    size = max(round(parts[0].data.total_weight), 1)
    drawn = [[] for _ in parts]  # type: list[list[Array]]
    for _ in range(n_resamples):
        counts = rng.multinomial(size, weight / weight.sum()).astype(np.float64)
        for found, part in zip(drawn, parts, strict=True):
            again = replace(part, data=ArrayBlocks(part.design, part.data.y, counts))
            found.append(np.asarray(solve(again).w)[order])
    return [np.atleast_2d(np.cov(np.stack(found), rowvar=False)) for found in drawn]
