"""ER206: does one column alone carry nearly all of the model's skill?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.diagnosis.alone import KEEPS, Alone, dominance_p
from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.columns import columns_of, n_columns
from empirisk.results import Estimate
from empirisk.typing import Array
from empirisk.wording import p_value, percent

__all__ = ["CODE", "dominating_feature"]

CODE = "ER206"
_TRIED = 5  # columns that are looked at closely
_LIKELY = 0.8  # share of the skill from which the model itself is fitted on the column, K small fits
_BINS = 10  # tenths of the column: a step function of it, whatever its shape


def dominating_feature(ctx: Context) -> Answer:
    """Null: every column alone keeps at most 95 % of what the model explains.

    Columns alone are means (shares) by level or tree leaf, or a line, on the same folds; for the best column
    the model itself is fitted on it, too, when it keeps 80 % or more, and the better of the two counts.  The
    five columns that go best with the target in ten bins are tried, with the factor p of all columns.  K fits
    at most.
    """
    ctx.count_rows_once("this comparison with what one column predicts")
    if ctx.rates:
        raise NotRun("the rows have exposures or offsets, which what one column predicts does not know")
    p = n_columns(ctx.X)
    if p < 2:
        raise NotRun("there is one column")
    if ctx.n < 50 or (ctx.rarest is not None and ctx.rarest < 10):
        raise NotRun("fewer than 50 rows, or fewer than 10 of a class")
    if ctx.classes is not None and ctx.oof.n_classes > len(ctx.classes):
        raise NotRun("some folds hold a class that the model never saw")
    if ctx.compare(ctx.baseline_losses, 0.0).p_clear > 0.05:
        raise NotRun(
            "the model is not shown to be better than the baseline, so there is no skill to share out"
        )
    units = np.arange(ctx.n) if ctx.groups is None else np.unique(ctx.groups, return_inverse=True)[1]
    screen = Alone(ctx.oof.y, units, ctx.fold, 0 if ctx.classes is None else len(ctx.classes), _loss(ctx))
    tried = _best(ctx, p)
    losses = {j: screen.losses(c) for j, c in zip(tried, columns_of(ctx.X, tried), strict=True)}
    best = min(losses, key=lambda j: float(losses[j].mean()))
    by = "means by level or tree leaf, or a line"
    alone = losses[best]

    def p_value() -> float:
        m = int(units.max()) + 1
        return min(1.0, p * dominance_p(alone, ctx.losses, ctx.baseline_losses, screen.standard_error, m))

    if p_value() > ctx.level and (own := _by_the_model(ctx, best, alone)) is not None:
        alone, by = own, f"{ctx.name} on the column alone"
    return _answer(ctx, ctx.columns[best], p_value(), _share(ctx, alone, screen), by, p)


def _answer(ctx: Context, name: str, p: float, share: Estimate, by: str, columns: int) -> Answer:
    evidence = (
        f"{name!r} alone ({by}) keeps {share} of the loss that the model saves, on {ctx.n:,} rows; "
        f"{p_value(p)} against "
        f"{percent(KEEPS)} or less (paired t-test, factor {columns} for the columns)"
    )
    low, high = share.low or 0.0, share.high if share.high is not None else np.inf
    if p <= ctx.level:
        least = min(max(low, KEEPS), 1.0)  # the test has rejected KEEPS and less
        sentence = (
            f"{name!r} alone gives {percent(min(max(share.value, least), 1.0))} of the model's skill (at "
            f"least {percent(least)}): a leak, or a column that is the answer."
        )
        advice = (
            "Ask when its value becomes known; if only after the target, leave it out. If not, the other "
            "columns can go."
        )
        return Answer(
            CODE,
            Outcome.FIRES,
            sentence,
            p,
            evidence=evidence,
            advice=advice,
            where=(name,),
            keeps=share.value,
        )
    if high < KEEPS:
        sentence = (
            f"No column carries the model alone: the best, {name!r}, keeps at most {percent(high)} of "
            "its skill."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, p, evidence=evidence)
    sentence = f"Whether {name!r} alone keeps more than {percent(KEEPS)} of the model's skill cannot be told."
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, p, evidence=evidence)


def _loss(ctx: Context) -> Callable[[Array], Array]:
    return lambda predicted: ctx.losses_of(np.asarray(predicted, dtype=np.float64))


def _share(ctx: Context, alone: Array, screen: Alone) -> Estimate:
    """``1 - mean(l_j - l)/mean(l_0 - l)`` with the interval of a ratio of means (delta method)."""
    skill = ctx.baseline_losses - ctx.losses
    value = 1.0 - float((alone - ctx.losses).mean()) / float(skill.mean())
    error = screen.standard_error(ctx.baseline_losses - alone - value * skill) / float(skill.mean())
    return Estimate(value, value - 1.96 * error, value + 1.96 * error, 0.95, ctx.n, "ratio of paired losses")


def _by_the_model(ctx: Context, column: int, alone: Array) -> Array | None:
    """Return the losses of the model fitted on one column, where that works and does better than cells and
    lines.
    """
    skill = float((ctx.baseline_losses - ctx.losses).mean())
    if float((ctx.baseline_losses - alone).mean()) < _LIKELY * skill or len(ctx.scored) < ctx.n:
        return None
    try:
        out = ctx.out_of_fold(ctx.est, _one_column(ctx.X, column))
        losses = ctx.row_losses(out, ctx.scored)
    except NotRun:  # a pipeline that names other columns
        return None
    return losses if float(losses.mean()) < float(alone.mean()) else None


def _one_column(X: Any, j: int) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[:, [j]]
    if hasattr(X, "columns"):
        return X[[X.columns[j]]]
    return X[:, [j]] if hasattr(X, "shape") else [[row[j]] for row in X]


def _best(ctx: Context, p: int) -> list[int]:
    """Return the columns whose ten bins (or levels) explain most of the target, adjusted for their number."""
    if p <= _TRIED:
        return list(range(p))
    y = ctx.oof.y.astype(np.float64)
    target = y[:, None] if ctx.classes is None else np.eye(len(ctx.classes))[ctx.oof.y]
    target = target - target.mean(axis=0)
    strength = [_explained(column, target) for column in columns_of(ctx.X)]
    return [int(j) for j in np.argsort(-np.array(strength), kind="stable")[:_TRIED]]


def _explained(column: NDArray[Any], target: Array) -> float:
    """Return the adjusted share of the sum of squares between the bins."""
    n = len(target)
    if column.dtype.kind == "f":
        known = ~np.isnan(column)
        codes = np.zeros(n, dtype=np.intp)
        if known.any():
            edges = np.unique(np.quantile(column[known], np.arange(1, _BINS) / _BINS))
            codes[known] = 1 + np.searchsorted(edges, column[known], side="right")
    else:
        codes = np.unique([str(v) for v in column.tolist()], return_inverse=True)[1]
    used, codes = np.unique(codes, return_inverse=True)
    count = np.bincount(codes)
    if len(used) >= n:
        return 0.0
    sums = np.column_stack([np.bincount(codes, weights=t) for t in target.T])
    between = float(((sums**2).sum(axis=1) / count).sum())
    total = float((target**2).sum())
    return 1.0 - (1.0 - between / total) * (n - 1) / (n - len(used)) if total > 0.0 else 0.0
