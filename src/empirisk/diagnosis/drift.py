"""ER209: do the test rows follow the law of the training rows?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.columns import columns_of, n_columns
from empirisk.diagnosis.features import Features, features_of
from empirisk.diagnosis.recalibrate import fit_scale, scaled
from empirisk.diagnosis.two_sample import TwoSample, two_sample
from empirisk.evaluation.rows import take_rows
from empirisk.typing import Array
from empirisk.wording import number, p_value, percent

__all__ = ["CODE", "drift"]

CODE = "ER209"
MOST_ROWS = 5000  # on each side; the test permutes them many times
_MOST_COLUMNS = 300  # drawn at random from more
_FEWEST = 20  # rows on each side
SMALL = 0.2  # standard deviations


def drift(ctx: Context) -> Answer:
    """Null: training and test rows are drawn from one law (seen through the features that the answer names).

    Permutation test (:func:`empirisk.diagnosis.two_sample.two_sample`) on at most 5,000 rows of each side and
    300 columns, drawn by the seed; no fits.  CLEAR when no single-column feature moved by more than 0.2
    standard deviations, with 95 % confidence for all of them together.
    """
    if ctx.X_test is None:
        raise NotRun("no test rows were given (X_test)")
    ctx.count_rows_once("the comparison with the test rows")
    if n_columns(ctx.X_test) != n_columns(ctx.X):
        raise ValueError(
            f"X_test has {n_columns(ctx.X_test)} columns but X has {n_columns(ctx.X)}; give the same "
            "columns in the same order."
        )
    rng = np.random.default_rng(ctx.seed)
    n_test = int(ctx.X_test.shape[0]) if hasattr(ctx.X_test, "shape") else len(ctx.X_test)
    if min(ctx.n, n_test) < _FEWEST:
        raise NotRun(f"{min(ctx.n, n_test)} rows on one side are fewer than {_FEWEST}")
    rows, test = _some(_independent(ctx, rng), MOST_ROWS, rng), _some(np.arange(n_test), MOST_ROWS, rng)
    if len(rows) < _FEWEST:
        raise NotRun(f"{len(rows)} groups are fewer than {_FEWEST}")
    which = _some(np.arange(n_columns(ctx.X)), _MOST_COLUMNS, rng)
    features = _features(ctx, rows, test, which)
    if not features.names:
        raise NotRun("no column varies")
    second = np.arange(len(rows) + len(test)) >= len(rows)
    found = two_sample(features, second, rng)
    return _answer(ctx, features, found, rows, second, len(which))


def _answer(
    ctx: Context, features: Features, found: TwoSample, rows: NDArray[Any], second: NDArray[Any], d: int
) -> Answer:
    m, k = len(rows), int(second.sum())
    some = f" ({d} of {n_columns(ctx.X)} columns, drawn by the seed)" if d < n_columns(ctx.X) else ""
    evidence = (
        f"{found.draws} permutations of {m:,} training and {k:,} test rows{some}, {p_value(found.p)}; looked "
        "for: "
        f"{features.looked_for}; a cross-fitted discriminant ranks a test row above a training row in "
        f"{percent(found.auc)} of the pairs"
    )
    if found.p <= ctx.level:
        sentence = f"Test rows differ from training rows, most in the {found.where} ({p_value(found.p)})."
        advice = (
            "Refit on recent rows, and judge on rows like those to come: the score holds for rows like the "
            "training rows."
        )
        where = tuple(c for c in ctx.columns if f"'{c}'" in found.where)
        evidence += _effect(ctx, found, rows)
        return Answer(CODE, Outcome.FIRES, sentence, found.p, evidence=evidence, advice=advice, where=where)
    bound, need = _bound(features, second)
    if bound < SMALL:
        sentence = (
            f"Test rows look like training rows: no column moved by more than {number(bound, 2)} standard "
            "deviations."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, found.p, evidence=evidence)
    sentence = "No difference between training and test rows was seen, which these rows cannot exclude."
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, found.p, evidence=evidence, rows_needed=need)


def _bound(features: Features, second: NDArray[Any]) -> tuple[float, int]:
    """Return the simultaneous 95 % bound on the moves of single columns, and the rows that bring it to
    0.2.
    """
    linear = features.values[:, : features.n_linear]
    m = int(second.sum())
    moved = np.abs(linear[second].mean(axis=0) - linear[~second].mean(axis=0))
    spread = np.sqrt(linear[second].var(axis=0) / m + linear[~second].var(axis=0) / (len(second) - m))
    z = float(special.ndtri(1.0 - 0.05 / max(1, features.n_linear)))
    return float((moved + z * spread).max()), int(math.ceil(4.0 * (z / SMALL) ** 2 * 2 / 100) * 100)


def _effect(ctx: Context, found: TwoSample, rows: NDArray[Any]) -> str:
    """Return the loss on rows like the test rows: training rows weighted by the odds of being a test row."""
    try:
        losses = ctx.losses[rows]
    except NotRun:
        return ""
    m = len(rows)
    label = (np.arange(len(found.score)) >= m).astype(np.intp)
    z = np.column_stack([np.zeros(len(label)), found.score])
    odds = scaled(z, fit_scale(z, label))[:m]
    weight = odds[:, 1] / np.maximum(odds[:, 0], 1e-12)
    mean, size = weighted_mean(losses, weight)
    return (
        f"; the out-of-fold {ctx.loss_name} is {number(losses.mean())}, weighted to look like the test rows "
        f"{number(mean)} "
        f"(worth {size:,.0f} rows)"
    )


def weighted_mean(values: Array, weight: Array) -> tuple[float, float]:
    """``sum w l / sum w`` and the effective sample size ``(sum w)^2 / sum w^2``.

    Examples
    --------
    >>> weighted_mean(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    (2.0, 2.0)
    """
    total = float(weight.sum())
    return float(weight @ values) / total, total**2 / float(weight @ weight)


def _features(ctx: Context, rows: NDArray[Any], test: NDArray[Any], which: NDArray[Any]) -> Features:
    first, second = take_rows(ctx.X, rows), take_rows(ctx.X_test, test)
    columns = []
    for a, b in zip(columns_of(first, which.tolist()), columns_of(second, which.tolist()), strict=True):
        same = a.dtype == b.dtype
        columns.append(np.concatenate([a, b] if same else [a.astype(object), b.astype(object)]))
    return features_of(columns, [ctx.columns[j] for j in which])


def _independent(ctx: Context, rng: np.random.Generator) -> NDArray[Any]:
    """Return all training rows, or one of each group at random: the test rows have no groups to exchange."""
    rows = np.arange(ctx.n)
    if ctx.groups is None:
        return rows
    shuffled = rng.permutation(rows)
    return np.sort(shuffled[np.unique(ctx.groups[shuffled], return_index=True)[1]])


def _some(rows: NDArray[Any], most: int, rng: np.random.Generator) -> NDArray[Any]:
    """Return all of the rows, or `most` of them drawn at random, in order."""
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
