"""ER220: is a row's nearest row hardly nearer than all the others?

Beyer, Goldstein, Ramakrishnan and Shaft, International Conference on Database Theory 1999.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import clone

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import last_step
from empirisk.evaluation.rows import take_rows
from empirisk.typing import Array
from empirisk.wording import number, p_value, percent

__all__ = ["CODE", "NEAR", "concentration_p", "distance_concentration"]

CODE = "ER220"
# Ratio of far to near distances below which neighbours mean little: with independent columns the best number
# of neighbours then explained at most a fifth of a linear target without noise (up to 1,600 rows).
NEAR = 1.15
FAR = 0.95  # share of the rows that are within the far distance: a few rows far away do not move it
# All rows that ask are answered by the same training rows, which moved the share that is below by 5 points
# (one standard deviation, 480 training rows): the test allows for two of them.
SHARED = 0.1
SKILL = 0.2  # share of the baseline's loss that shows that neighbours mean something all the same
_FEWEST = 20  # rows that ask
_MOST, _CELLS = 300, 10_000_000  # rows that ask, distances


def concentration_p(ratios: Array, near: float = NEAR) -> tuple[float, float]:
    """Return the p-values of "at most half of the ratios are below `near`", and of "at least half are".

    ``P(B >= b)`` with b the number below and B binomial of 0.6, and ``P(B <= b)`` with 0.4: a sign test that
    allows a tenth of the rows for what the training rows have in common.

    Examples
    --------
    >>> [round(p, 4) for p in concentration_p(np.array([1.1] * 9 + [1.3]))]
    [0.0464, 0.9999]
    """
    below, n = int(np.count_nonzero(ratios < near)), len(ratios)
    return float(stats.binom.sf(below - 1, n, 0.5 + SHARED)), float(stats.binom.cdf(below, n, 0.5 - SHARED))


def distance_concentration(ctx: Context) -> Answer:
    """Null: for at least half of all new rows the far training rows are 1.15 times as far as the nearest.

    For models that ask for neighbours.  Rows of a test fold ask the training rows of that fold, in the
    columns and by the distance that the model uses.  "Far" is the distance that 95 % of the training rows are
    within.  Where the ratio is below, but the neighbours predict (they save a fifth of the baseline's loss or
    more), it is a fact and no alarm: rows in clusters are told apart by small differences of distance.  One
    fit.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2000)), rng.normal(size=200)
    >>> distance_concentration(context(KNeighborsRegressor(), X, y, random_state=0)).outcome.value
    'fires'
    """
    ratios, n = _ratios(ctx)
    p, p_clear = concentration_p(ratios)
    middle = float(np.median(ratios))
    times = f"{number(middle, 3)} times" if math.isfinite(middle) else "infinitely many times"
    evidence = (
        f"the distance that {percent(FAR)} of {n:,} training rows are within, over that of the nearest: "
        f"median {number(middle, 3)} of {len(ratios)} rows of a test fold; {p_value(p)} against {NEAR:g} "
        "(sign test)"
    )
    if p <= ctx.level:
        saved = 1.0 - ctx.mean(ctx.losses) / ctx.baseline_risk
        close = f"the rows far from a row are only {times} as far from it as its nearest row"
        if saved >= SKILL:
            sentence = (
                f"Distances are concentrated ({close}), but neighbours mean something: they save "
                f"{percent(saved)} of the baseline's {ctx.loss_name}."
            )
            return Answer(CODE, Outcome.FACT, sentence, evidence=evidence)
        advice = (
            "Give the model fewer columns: those that matter, on one scale, or some components of them; or "
            "take a model that weighs its columns, such as a penalised linear one or trees."
        )
        sentence = f"Neighbours mean little here: {close} (distance concentration)."
        return Answer(CODE, Outcome.FIRES, sentence, p, evidence=evidence, advice=advice)
    if p_clear <= ctx.level:
        sentence = (
            f"The rows far from a row are {times} as far from it as its nearest row: neighbours are near."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, p, evidence=evidence)
    sentence = (
        f"Whether the far rows are {NEAR:g} times as far as the nearest cannot be told from {len(ratios)} "
        f"rows ({times})."
    )
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, p, evidence=evidence)


def _ratios(ctx: Context) -> tuple[Array, int]:
    """Return far over near distances of the rows that ask, and the number of rows that are asked."""
    if not callable(getattr(last_step(ctx.est), "kneighbors", None)):
        raise NotRun("the model does not ask for neighbours")
    if getattr(last_step(ctx.est), "metric", None) == "precomputed":
        raise NotRun("the distances were given, and not the columns")
    train, test = ctx.plan.splits[0]
    if ctx.groups is not None:  # rows of a group lie together: one of each asks
        test = np.sort(test[np.unique(ctx.groups[test], return_index=True)[1]])
    asking = test[: min(_MOST, max(_FEWEST, _CELLS // len(train)))]
    if len(asking) < _FEWEST:
        raise NotRun(f"{len(asking)} rows in a test fold are fewer than {_FEWEST}")
    model, X = _fitted(ctx, train), take_rows(ctx.X, asking)
    inner = model
    while hasattr(inner, "steps"):
        X, inner = inner[:-1].transform(X) if len(inner.steps) > 1 else X, inner.steps[-1][1]
    n = int(getattr(inner, "n_samples_fit_", len(train)))
    distance = np.asarray(inner.kneighbors(X, n)[0], dtype=np.float64)
    near, far = distance[:, 0], distance[:, math.ceil(FAR * n) - 1]
    if not far.any():
        raise NotRun("nearly all rows are equal in the columns that the model compares")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(near > 0.0, far / near, np.inf), n


def _fitted(ctx: Context, rows: Any) -> Any:
    """Return the model fitted on these rows; counted."""
    ctx.counts["fits"] += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were shown when the folds were fitted
        return ctx._sample(ctx.X).fit(clone(ctx.est), rows)
