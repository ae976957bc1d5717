"""ER216: how precisely is the recall of each class known?"""

from __future__ import annotations

import math

import numpy as np

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import one_figure
from empirisk.evaluation.intervals.clopper_pearson import clopper_pearson
from empirisk.results import Estimate
from empirisk.wording import counted, number

__all__ = ["CODE", "HALF_WIDTH", "half_width", "recall_half_width", "rows_for", "rows_of_a_class"]

CODE = "ER216"
HALF_WIDTH = 0.1  # of the interval of a recall; wider ones are told
_SHOWN = 5


def rows_of_a_class(ctx: Context) -> Answer:
    """No test but a precision: Clopper-Pearson's half width of each class's recall, against 0.1.

    Also a fact: classes with fewer rows than folds are absent from some folds.  No fits.
    """
    if ctx.classes is None:
        raise NotRun("the target is a number, so there are no classes")
    ctx.count_rows_once("the exact interval of a recall")
    hit = ctx.oof.y == ctx.oof.output("pred")
    count = ctx.oof.class_counts[: len(ctx.classes)]
    hits = np.bincount(ctx.oof.y[hit], minlength=len(ctx.classes))[: len(ctx.classes)]
    recall = [clopper_pearson(int(x), int(n)) for x, n in zip(hits, count, strict=True)]
    widths = np.array([half_width(e) for e in recall])
    wide = [k for k in np.argsort(-widths, kind="stable") if widths[k] > HALF_WIDTH]
    labels = [str(c) for c in ctx.classes]
    if not wide:
        k = int(widths.argmax())
        sentence = f"The recall of every class is known within ±{number(widths[k], 2)} or better."
        return Answer(CODE, Outcome.INTERVAL, sentence, evidence=f"widest: {labels[k]!r} {recall[k]}")
    k = int(wide[0])
    need = rows_for(float(hits[k]) / count[k])
    told = "; ".join(f"{labels[j]!r} {recall[j]} from {counted(int(count[j]), 'row')}" for j in wide[:_SHOWN])
    more = f" and {len(wide) - _SHOWN} more classes" if len(wide) > _SHOWN else ""
    sentence = (
        f"Class {labels[k]!r} has {counted(int(count[k]), 'row')}: "
        f"its recall is known only within ±{widths[k]:.2f}; about "
        f"{one_figure(need):,} rows of it would give ±{HALF_WIDTH}."
    )
    return Answer(
        CODE,
        Outcome.INTERVAL,
        sentence,
        evidence="recall out of fold, exact binomial 95 % interval: "
        f"{told}{more}{_absent(ctx, count, labels)}",
        advice="Collect rows of these classes, or merge classes that may be merged.",
        where=tuple(labels[j] for j in wide),
        rows_needed=one_figure(max(ctx.n, need / count[k] * ctx.n)),
    )


def half_width(recall: Estimate) -> float:
    """Return half the length of an interval; 0.5 when there is none."""
    return 0.5 if recall.low is None or recall.high is None else 0.5 * (recall.high - recall.low)


def recall_half_width(k: int) -> float:
    """Half width of the Clopper-Pearson 95 % interval of a share of about one half out of `k`.

    Examples
    --------
    >>> round(recall_half_width(96), 3)
    0.104
    """
    return half_width(clopper_pearson(k // 2, k))


def rows_for(recall: float, width: float = HALF_WIDTH) -> int:
    """Return the rows of a class that give a half width: ``1.96^2 r (1 - r)/h^2``, r shrunk into [0.2,
    0.8].

    Examples
    --------
    >>> rows_for(0.5), rows_for(0.99)
    (97, 62)
    """
    r = min(0.8, max(0.2, recall))
    return math.ceil(1.96**2 * r * (1.0 - r) / width**2)


def _absent(ctx: Context, count: np.ndarray, labels: list[str]) -> str:
    """Return the classes that some fold cannot test."""
    folds = len(ctx.plan.splits)
    absent = [labels[k] for k in range(len(labels)) if len(np.unique(ctx.fold[ctx.oof.y == k])) < folds]
    if not absent:
        return ""
    return f"; absent from the test rows of some fold: {', '.join(absent[:_SHOWN])}"
