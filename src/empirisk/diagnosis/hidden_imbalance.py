"""ER211: is there a class whose rows are found far less often than those of the others?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import MIN_CLASS, one_figure
from empirisk.diagnosis.recall_gap import gap_bounds, gap_p
from empirisk.inference.limits import wilson_limits
from empirisk.typing import Array
from empirisk.wording import p_value, percent

__all__ = ["CODE", "GAP", "hidden_imbalance"]

CODE = "ER211"
GAP = 0.2  # in recall between a class and the other rows


@dataclass(frozen=True)
class _Class:
    label: str
    hits: int
    rows: int
    p: float
    high: float
    found: tuple[float, float]


def hidden_imbalance(ctx: Context) -> Answer:
    """Null: the recall of every class is at most 0.2 below that of all other rows together.

    ``accuracy - recall_c = (1 - share_c)(recall_rest - recall_c)``: a difference of two shares, Newcombe's
    one-sided bound, Bonferroni over the classes with ten rows or more when there are three or more; no fits.
    With groups the rows count for as many as the variance between groups says.
    """
    if ctx.classes is None:
        raise NotRun("the target is a number, so there are no classes")
    ctx.count_rows_once("the recall of each class")
    hit = np.asarray(ctx.oof.y == ctx.oof.output("pred"), dtype=np.float64)
    count = ctx.oof.class_counts
    tried = [k for k in range(len(ctx.classes)) if count[k] >= MIN_CLASS]
    if len(ctx.classes) < 2 or not tried:
        raise NotRun(f"no class has {MIN_CLASS} rows")
    looks = 1 if len(ctx.classes) == 2 else len(tried)  # of two classes only one can lie below the other
    critical = float(special.ndtri(1.0 - 0.05 / looks))
    both = float(special.ndtri(1.0 - 0.025 / looks))
    found = [_class(ctx, str(ctx.classes[k]), k, hit, critical, both) for k in tried]
    p = min(1.0, looks * min(c.p for c in found))
    worst = min(found, key=lambda c: (c.p, c.hits / c.rows))
    return _answer(
        ctx, worst, p, max(c.high for c in found), float(hit.mean()), len(ctx.classes) - len(tried)
    )


def _class(ctx: Context, label: str, k: int, hit: Array, critical: float, both: float) -> _Class:
    mine = ctx.oof.y == k
    x1, n1 = _effective(hit[mine], None if ctx.groups is None else ctx.groups[mine])
    x0, n0 = _effective(hit[~mine], None if ctx.groups is None else ctx.groups[~mine])
    found = wilson_limits(x1 / n1, n1, both)
    high = gap_bounds(x0, n0, x1, n1, critical)[1]
    return _Class(label, int(hit[mine].sum()), int(mine.sum()), gap_p(x0, n0, x1, n1, GAP), high, found)


def _effective(hit: Array, groups: NDArray[Any] | None) -> tuple[float, float]:
    """Return the hits and rows, both divided by how much the groups inflate the variance of the share."""
    n, share = len(hit), float(hit.mean())
    if groups is None or share in (0.0, 1.0):
        inflation = 1.0 if groups is None else n / len(np.unique(groups))
        return share * n / inflation, n / inflation
    codes = np.unique(groups, return_inverse=True)[1]
    sums = np.bincount(codes, weights=hit - share)
    m = len(sums)
    variance = float((sums**2).sum()) * m / max(1, m - 1) / n
    inflation = max(1.0, variance / (share * (1.0 - share)))
    return share * n / inflation, n / inflation


def _between(ends: tuple[float, float]) -> str:
    """Return both ends of an interval in per cent, the sign of which is written once.

    Examples
    --------
    >>> _between((0.637, 0.661))
    '64 to 66 %'
    """
    low, high = (percent(end) for end in ends)
    return f"{low.removesuffix(' %')} to {high}"


def _answer(ctx: Context, worst: _Class, p: float, high: float, accuracy: float, rare: int) -> Answer:
    recall = worst.hits / worst.rows
    among = "one-sided" if ctx.task == "binary" else "Bonferroni over the classes"
    evidence = (
        f"class {worst.label!r}: {worst.hits:,} of {worst.rows:,} rows found out of fold; {p_value(p)} "
        "against a gap "
        f"of {GAP} to the other rows (Newcombe's bound, {among})"
    )
    if p <= ctx.level:
        sentence = (
            f"In cross-validation {percent(accuracy)} of all rows are predicted right, but of the "
            f"{worst.rows:,} rows of class {worst.label!r} only {percent(recall)} ({_between(worst.found)})."
        )
        # The threshold first: it needs no new fit, and leaves the probabilities as they are.
        now = "it is predicted from a probability of 0.5 on, and " if ctx.task == "binary" else ""
        advice = (
            f"To find more rows of {worst.label!r}, weigh the classes: more of the others will be taken for "
            "it. Judge by the recall of each class."
            if ctx.oof.proba is None
            else f"To find more rows of {worst.label!r}, use a lower threshold: {now}a lower one takes more "
            "of the others for it too. Weighing the classes does the same, but its probabilities are no "
            "longer calibrated. Judge by the recall of each class."
        )
        return Answer(
            CODE, Outcome.FIRES, sentence, p, evidence=evidence, advice=advice, where=(worst.label,)
        )
    if high < GAP and rare == 0:
        sentence = (
            f"No class is found much less often than the others: no recall is {GAP} below (at most "
            f"{high:.2f})."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, p, evidence=evidence)
    why = f"{rare} classes have fewer than {MIN_CLASS} rows" if rare else "the rows of some class are too few"
    need = one_figure(ctx.n / worst.rows * (2.5 / GAP) ** 2 * max(recall * (1.0 - recall), 0.1))
    sentence = f"Whether accuracy hides a class cannot be told: {why}."
    return Answer(
        CODE,
        Outcome.CANNOT_TELL,
        sentence,
        p,
        evidence=evidence,
        rows_needed=max(need, one_figure(ctx.n + 1.0)),
    )
