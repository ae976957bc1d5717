"""ER213: does a plane separate the classes, all rows or all but a few?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.linear_matrix import LinearMatrix, linear_matrix
from empirisk.diagnosis.near_separation import rows_to_remove
from empirisk.diagnosis.shuffled import Shuffles, separated_shuffles
from empirisk.losses import Logistic, Softmax
from empirisk.penalties import Zero
from empirisk.problems import LinearProblem
from empirisk.problems.separation import Separation, find_separation
from empirisk.wording import number

__all__ = ["CODE", "separation"]

CODE = "ER213"
_SHARE = 0.01  # of the rows that a plane may fail on
_MOST_CELLS = 20_000_000  # of X
_WORTH_IT = 1_000_000  # cells; with a penalty separation does no harm


def separation(ctx: Context) -> Answer:
    """A fact, not a test: whether a plane separates the classes, found by linear programming with a proof.

    What it means is a probability: how often shuffled labels, which mean nothing, are separated by these
    columns (counted where the table is small enough for 19 shuffles or more).
    Near-separation: the same after removing at most 1 % of the rows.  For linear classifiers; no fits.
    """
    if ctx.classes is None:
        raise NotRun("the target is a number, so there are no classes")
    if len(ctx.classes) < 2:
        raise NotRun("there is one class only")
    view = linear_matrix(ctx)
    if view.design.size > _MOST_CELLS:
        raise NotRun(f"{view.design.size:,} cells are too many for this check")
    if view.penalised and ctx.n * view.p > _WORTH_IT:
        raise NotRun("the penalty keeps the coefficients finite, and many cells make the proof slow")
    labels = [str(c) for c in ctx.classes]
    found = find_separation(_problem(ctx, view, ctx.oof.y), view.names, labels)
    if found.separable:
        shuffles = separated_shuffles(
            lambda y: find_separation(_problem(ctx, view, y), view.names, labels).separable,
            ctx.oof.y,
            view.design.size,
            ctx.seed,
        )
        return _separable(ctx, view, found, shuffles)
    if found.kind == "unknown":
        raise NotRun(found.sentence)
    return _nearly(ctx, view)


def _problem(ctx: Context, view: LinearMatrix, labels: NDArray[Any]) -> LinearProblem:
    two = ctx.task == "binary"
    y = np.where(labels == 1, 1.0, -1.0) if two else labels.astype(np.float64)
    outputs = 0 if two else len(ctx.classes if ctx.classes is not None else ())
    data = ArrayBlocks(view.design, y, np.ones(ctx.n))
    return LinearProblem(Logistic() if two else Softmax(), Zero(), data, view.intercept, n_outputs=outputs)


def _separable(ctx: Context, view: LinearMatrix, found: Separation, shuffles: Shuffles | None) -> Answer:
    names = tuple(view.names[j] for j in found.columns)
    by = (
        f" by {', '.join(repr(v) for v in names[:3])}{' and others' if len(names) > 3 else ''}"
        if names
        else ""
    )
    how = (
        "perfectly separated"
        if found.kind == "complete"
        else f"separated on {ctx.n - found.n_boundary:,} rows (the others lie on the plane: quasi-separation)"
    )
    meaning = (
        f"; so were {shuffles.separated} of {shuffles.draws} shuffles of the labels, which mean nothing"
        if shuffles is not None and shuffles.often
        else ""
    )
    tail = (
        "the penalty alone decides how large the coefficients are"
        if view.penalised
        else "the coefficients have no finite value"
    )
    evidence = f"{found.sentence}; {_by_chance(shuffles)}"
    advice = (
        "Choose the penalty by cross-validation, and read no standard errors."
        if view.penalised
        else "Add a penalty (alpha > 0), and ask whether these columns are known before the class is."
    )
    return Answer(
        CODE,
        Outcome.FACT,
        f"The classes are {how}{by}: {tail}{meaning}.",
        evidence=evidence,
        advice=advice,
        where=names,
    )


def _by_chance(shuffles: Shuffles | None) -> str:
    if shuffles is None:
        return "how often meaningless labels would be separated was not counted: the table is too large"
    low, high = shuffles.interval
    return (
        f"{shuffles.separated} of {shuffles.draws} shuffles of the labels were separated, too (95 % interval "
        f"of that chance {number(low, 2)} to {number(high, 2)})"
    )


def _nearly(ctx: Context, view: LinearMatrix) -> Answer:
    """Return one class against the others, each in turn: a plane that fails on at most 1 % of the rows."""
    most = int(_SHARE * ctx.n)
    labels = [str(c) for c in (ctx.classes if ctx.classes is not None else ())]
    tried = [1] if len(labels) == 2 else range(min(len(labels), 10))
    for k in tried:
        positive = np.asarray(ctx.oof.y == k)
        rest = min(int(positive.sum()), int((~positive).sum()))
        # A plane that puts all rows on one side fails on the rarer class only: that is no separation.
        limit = min(most, rest // 10)
        if limit == 0 or not _worth_a_look(ctx, k):
            continue
        rows = rows_to_remove(view.design, positive, view.intercept, limit, np.random.default_rng(ctx.seed))
        if rows is not None:
            one = f"Class {labels[k]!r}" if len(labels) > 2 else "One class"
            shown = ", ".join(str(i) for i in rows[:5])
            sentence = (
                f"{one} is separated from the rest by a plane but for {len(rows)} of {ctx.n:,} rows (row "
                f"{shown})."
            )
            return Answer(
                CODE,
                Outcome.FACT,
                sentence,
                evidence="linear programme with the smallest sum of slacks, checked on every row",
                advice="Check those rows: coefficients hang on them alone, and without them they have no "
                "finite value.",
                where=tuple(str(i) for i in rows[:5]),
            )
    sentence = (
        f"No plane separates the classes; none was found that fails on at most {100 * _SHARE:.0f} % of the "
        "rows."
    )
    return Answer(CODE, Outcome.CLEAR, sentence)


def _worth_a_look(ctx: Context, k: int) -> bool:
    """Return whether at most 10 % are wrong out of fold: with a plane that fails on 1 %, fewer would be."""
    wrong = (ctx.oof.y == k) != (ctx.oof.output("pred") == k)
    return bool(wrong.mean() <= 10 * _SHARE)
