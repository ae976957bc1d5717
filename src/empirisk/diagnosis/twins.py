"""ER207: does the score rest on rows that also stand in the training part?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.identical import BY_CHANCE, pairs_by_chance, twin_pairs, with_target
from empirisk.diagnosis.paired import FACTOR
from empirisk.evaluation.folds import plan_folds
from empirisk.evaluation.ratio import linearised
from empirisk.results import Estimate
from empirisk.typing import Array
from empirisk.wording import p_value, percent

__all__ = ["CODE", "twin_effect", "twins_across_folds"]

CODE = "ER207"
_FEWEST = 10  # rows with a twin
_ADVICE = "Remove the copies, or give groups so that equal rows stay in one fold."
_FEW = 4  # below margin/4, each twin would have to cost more than four times the baseline's loss


def twins_across_folds(ctx: Context) -> Answer:
    """Null: keeping equal rows in one fold changes the out-of-fold risk by at most the margin.

    Rows are equal when all cells and the target are.  That rows of different folds are equal is a fact, told
    as one whatever the test says; the test is about what they do to the score.  K fits, only when twins lie
    in different folds.
    """
    code = with_target(ctx.equal_rows, ctx.y)
    twin, straddle = _twins(code, ctx.fold)
    k = int(straddle.sum())
    if not twin.any():
        raise NotRun("no row equals another one in all cells and in the target")
    if k == 0:
        sentence = f"{int(twin.sum()):,} rows have twins, all of them in the same fold."
        return Answer(CODE, Outcome.FACT, sentence)
    if _FEW * k < ctx.margin_share * ctx.n:
        sentence = f"{k:,} of {ctx.n:,} rows have twins in other folds: too few to matter."
        return Answer(CODE, Outcome.FACT, sentence, evidence=_count(k, ctx.n))
    if pairs_by_chance(ctx.X, ctx.y, code) > BY_CHANCE * twin_pairs(code):
        sentence = (
            f"{k:,} rows have twins in other folds, but so few different rows are possible that chance "
            "makes them."
        )
        return Answer(CODE, Outcome.FACT, sentence, evidence=_count(k, ctx.n))
    if ctx.n < 50 or (ctx.rarest is not None and ctx.rarest < 10):
        sentence = f"{k} rows have twins in other folds; with so few rows their effect cannot be tested."
        return Answer(CODE, Outcome.FACT, sentence, evidence=_count(k, ctx.n), advice=_ADVICE)
    units = code if ctx.groups is None else _joined(code, ctx.groups)
    strata = None if ctx.classes is None else np.asarray(ctx.oof.y)
    plan = plan_folds(strata, ctx.n, len(ctx.plan.splits), units, 1, ctx.seed)
    together = ctx.out_of_fold(ctx.est, plan=plan)
    d = np.where(straddle, ctx.row_losses(together, np.arange(ctx.n)) - ctx.losses, 0.0)
    d = linearised(d, ctx.weights)
    gain, se, p = twin_effect(d, code if ctx.groups is None else units, ctx.margin)
    return _answer(ctx, k, gain, se, p)


def twin_effect(d: Array, unit: NDArray[Any], margin: float) -> tuple[float, float, float]:
    """Return the mean of d, its standard error, and the p-value of "above the margin".

    ``se = 1.25 sd(D_g) sqrt(G)/n`` over the sums D_g of the G units.

    Examples
    --------
    >>> gain, se, p = twin_effect(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 2]), 0.1)
    >>> gain, round(se, 3)
    (0.5, 0.625)
    """
    sums = np.bincount(unit, weights=d)
    n, gain = len(d), float(d.mean())
    se = FACTOR * float(sums.std(ddof=1)) * math.sqrt(len(sums)) / n
    p = float(special.ndtr(-(gain - margin) / se)) if se > 0.0 else float(gain <= margin)
    return gain, se, p


def _answer(ctx: Context, k: int, gain: float, se: float, p: float) -> Answer:
    r0 = ctx.baseline_risk
    share = Estimate(
        gain / r0,
        (gain - 1.96 * se) / r0,
        (gain + 1.96 * se) / r0,
        0.95,
        k,
        "rows with twins, standard error over groups of equal rows",
        target="optimism of the score, as a share of the baseline's loss",
    )
    evidence = f"{_count(k, ctx.n)}; kept together, the loss rises by {share} of the baseline's; {p_value(p)}"
    fact = (
        f"{k:,} rows have twins in other folds; whether they flatter the score by more than "
        f"{100 * ctx.margin_share:g} % cannot be told."
    )
    if p <= ctx.level:
        sentence = (
            f"{k:,} rows have twins in other folds and make the error look {percent(share.value)} of the "
            "baseline's better than it is."
        )
        return Answer(CODE, Outcome.FIRES, sentence, p, evidence=evidence, advice=_ADVICE, fact=fact)
    below = float(special.ndtr((gain - ctx.margin) / se)) if se > 0.0 else 1.0
    if below <= 0.05 and k >= _FEWEST:
        sentence = (
            f"{k:,} rows have twins in other folds, which flatter the score by less than "
            f"{percent(ctx.margin_share)}."
        )
        return replace(Answer(CODE, Outcome.CLEAR, sentence, p), evidence=evidence)
    return Answer(CODE, Outcome.FACT, fact, p, evidence=evidence, advice=_ADVICE)


def _twins(code: NDArray[Any], fold: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the rows with a twin, and rows with a twin in another fold."""
    count = np.bincount(code)
    folds = int(fold.max()) + 1
    inside = np.bincount(code * folds + fold, minlength=len(count) * folds)
    return count[code] > 1, count[code] > inside[code * folds + fold]


def _joined(code: NDArray[Any], groups: NDArray[Any]) -> NDArray[Any]:
    """Return the finest units that hold both equal rows and groups together."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_codes = int(code.max()) + 1
    size = n_codes + int(groups.max()) + 1
    links = coo_array((np.ones(len(code)), (code, n_codes + groups)), shape=(size, size))
    return np.unique(connected_components(links, directed=False)[1][code], return_inverse=True)[1]


def _count(k: int, n: int) -> str:
    return f"{k:,} of {n:,} rows equal a row of another fold in all cells and in the target"
