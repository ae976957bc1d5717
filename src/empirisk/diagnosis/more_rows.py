"""ER203: what twice the rows would gain, from the last doubling."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import TARGET, Context
from empirisk.diagnosis.model_parts import is_linear
from empirisk.diagnosis.paired import FACTOR, Paired
from empirisk.diagnosis.words import cannot_tell, evidence
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.metrics.probabilities import brier_bound
from empirisk.evaluation.ratio import effective, linearised
from empirisk.results import Estimate
from empirisk.wording import percent

__all__ = ["CODE", "Doubling", "last_doubling", "mean_loss", "more_rows"]

CODE = "ER203"


@dataclass(frozen=True)
class Doubling:
    """What the last doubling of the rows gained.

    Parameters
    ----------
    d : Paired
        Mean loss of two models on disjoint halves of the training rows, minus the loss of the model.
    ratio : float or None
        Training rows for each coefficient; None for models without coefficients.
    most, least : float
        Limits of the 95 % interval of the loss of the model: no gain is larger, and none is shown beyond the
        lower one.
    """

    d: Paired
    ratio: float | None
    most: float = math.inf
    least: float = math.inf

    @property
    def factor(self) -> float:
        """The share of this gain that the next doubling brings at least: ``min(1/4, (r-2)/(2r-1))``.

        A risk ``a + b n^-c`` with c <= 1 halves its gain at worst, least squares with r rows for each
        coefficient multiplies it by (r-2)/(2r-1); a quarter leaves room for the luck of the two halves, which
        the row error does not see.
        """
        if self.ratio is None:
            return 0.25
        return min(0.25, max(0.0, (self.ratio - 2.0) / (2.0 * self.ratio - 1.0)))

    def next_gain(self) -> tuple[float, float]:
        """Return a 95 % bracket of the gain of the next doubling, in units of the loss."""
        low, high = self.d.low, max(self.d.high, 0.0)
        return min(self.factor * low if low > 0.0 else low, self.least), min(high, self.most)


def last_doubling(ctx: Context) -> Doubling:
    """Train on two disjoint halves of each training fold and compare; cached."""
    if "last_doubling" not in ctx.cache:
        first, second = _halves(ctx)
        losses = [ctx.row_losses(ctx.out_of_fold(ctx.est, plan=half), ctx.scored) for half in (first, second)]
        d = ctx.compare(ctx.losses[ctx.scored], model=(losses[0] + losses[1]) / 2.0)
        ratio = ctx.plan.n_train / max(1, len(ctx.columns)) if is_linear(ctx.est) else None
        loss, half = mean_loss(ctx)
        ctx.cache["last_doubling"] = Doubling(d, ratio, loss + half, max(0.0, loss - half))
    made: Doubling = ctx.cache["last_doubling"]
    return made


def mean_loss(ctx: Context) -> tuple[float, float]:
    """Return the mean loss and half the width of its 95 % interval (1.25 times the row error; by groups).

    Losses of 0 in all n units have no spread, and are no proof of a loss of 0: a Brier score of at most
    ``1 - 0.05^(1/n)`` of its largest value shows none of itself in one sample of twenty.
    """
    units, worth = linearised(ctx.losses, ctx.weights), effective(ctx.weights, ctx.n)
    if ctx.groups is not None:
        units = np.bincount(ctx.groups, units) * (ctx.groups.max() + 1) / ctx.n
    if ctx.loss_name == "Brier score" and not units.any():
        return 0.0, (1.0 - 0.05 ** (1.0 / min(float(units.size), worth))) * brier_bound(ctx.oof)
    spread = float(units.std(ddof=1)) / math.sqrt(units.size)
    free = max(1.0, min(float(units.size), worth) - 1.0)
    return ctx.mean(ctx.losses), float(special.stdtrit(free, 0.975)) * FACTOR * spread


def _halves(ctx: Context) -> tuple[Plan, Plan]:
    """Return the scored folds with each training part halved, within classes or by whole groups."""
    rng = np.random.default_rng(ctx.seed)
    splits: tuple[list[tuple[NDArray[np.intp], NDArray[np.intp]]], ...] = ([], [])
    for train, test in ctx.scored_plan.splits:
        if ctx.groups is not None:
            units = rng.permutation(np.unique(ctx.groups[train]))
            first = np.isin(ctx.groups[train], units[: units.size // 2])
        else:
            strata = np.zeros(train.size) if ctx.classes is None else ctx.oof.y[train]
            order = np.lexsort((rng.random(train.size), strata))
            first = np.zeros(train.size, dtype=bool)
            first[order[::2]] = True
        for made, kept in zip(splits, (first, ~first), strict=True):
            made.append((train[kept], test))
    a, b = (Plan(ctx.n, tuple(s), None, 0) for s in splits)
    return a, b


def more_rows(ctx: Context) -> Answer:
    """Measure the last doubling of the rows and bracket the next.

    The answer is an interval and stands outside the family of tests.  It fires when even the low end of the
    bracket (one-sided 95 %, and never more than the loss that is surely left) exceeds the margin, and is
    clear when the last doubling gained less than that, or less than that is left.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> more_rows(context(Ridge(), X, X[:, 0] + rng.normal(size=2000), random_state=0)).outcome.value
    'clear'
    """
    if ctx.n < 8:
        raise NotRun(f"{ctx.n} rows cannot be halved and still be fitted")
    doubling = last_doubling(ctx)
    d, r0 = doubling.d, ctx.baseline_risk
    shown = evidence(ctx, d, "the model against the same on half the rows")
    low, high = doubling.next_gain()
    bracket = (low / r0, high / r0)
    limits = (None, None) if d.refused else bracket
    middle = 0.0 if d.refused else min(max(0.0, 0.5 * d.gain / r0), bracket[1])
    gain = Estimate(middle, limits[0], limits[1], 0.95, d.n, "last doubling of the rows", d.refused, TARGET)
    if d.refused:
        return Answer(CODE, Outcome.CANNOT_TELL, cannot_tell(ctx, d, _QUESTION), None, gain, shown)
    one_sided = float(special.stdtrit(d.n - 1, 0.95)) * d.se
    if min(doubling.factor * (d.gain - one_sided), doubling.least) > d.margin:
        sentence = f"Twice the rows ({2 * ctx.n:,}) would save {_range(bracket)} of the baseline's loss."
        return Answer(CODE, Outcome.FIRES, sentence, None, gain, shown, "Collect more rows.")
    if d.may_clear and min(d.gain + one_sided, doubling.most) < d.margin:
        limit = f"{100 * ctx.margin_share:g} % of the baseline's loss"
        instead = ": change the model or the columns instead" if doubling.most >= d.margin else ""
        sentence = f"Twice the rows would not save {limit}{instead}."
        return Answer(CODE, Outcome.CLEAR, sentence, None, gain, shown)
    asked = f"the {100 * ctx.margin_share:g} % that a finding asks for"
    than = "less" if bracket[1] < ctx.margin_share else "not surely more"
    sentence = (
        f"Twice the rows ({2 * ctx.n:,}) would save {_range(bracket)} of the baseline's loss, {than} than "
        f"{asked}."
    )
    return Answer(CODE, Outcome.INTERVAL, sentence, None, gain, shown)


_QUESTION = "what more rows would bring"


def _range(bracket: tuple[float, float]) -> str:
    """Return the bracket in words; an end that is printed as nothing is no end.

    Examples
    --------
    >>> _range((0.02, 0.1)), _range((-0.1, 0.04)), _range((0.0, 0.0001))
    ('between 2 % and 10 %', 'at most 4 %', 'less than 0.1 %')
    """
    low, high = bracket
    if high < 0.0005:
        return "less than 0.1 %"
    return f"at most {percent(high)}" if low < 0.0005 else f"between {percent(low)} and {percent(high)}"
