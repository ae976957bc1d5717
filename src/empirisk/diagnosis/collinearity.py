"""ER212: is a column of a linear model nearly determined by the others?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from empirisk.data.collinear import Collinearity, Relation, find_collinear
from empirisk.data.design import Design
from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.linear_matrix import LinearMatrix, linear_matrix
from empirisk.diagnosis.r2_law import r2_survival
from empirisk.typing import Array
from empirisk.wording import p_value, percent

__all__ = ["CODE", "DETERMINED", "collinearity", "column_p_values"]

CODE = "ER212"
DETERMINED = 0.9  # R2 of a column on the others above which its coefficient means little
_SHOWN = 3  # ties that a sentence can name and still be read


def collinearity(ctx: Context) -> Answer:
    """Null: in the population no column has R2 above 0.9 on the other columns of the model.

    For models with coefficients, on the columns that those multiply (after the steps of a pipeline); exact
    law of R2 for normal columns, Holm over the columns.  Exact rank deficiency is a fact without a p-value.
    No fits.
    """
    view = linear_matrix(ctx)
    if view.p < 2:
        raise NotRun("the model has one column")
    found = find_collinear(view.design, np.ones(ctx.n), view.intercept, view.names)
    if found.reason:
        raise NotRun(found.reason)
    if ctx.n < view.p + 2:
        return Answer(
            CODE,
            Outcome.FACT,
            f"With {ctx.n:,} rows any {view.p:,} columns determine each other.",
            evidence=f"rank {found.rank} of {view.p} columns",
            advice="Take fewer columns, or read no coefficients.",
        )
    fact = _deficient(view, found, ctx.columns)
    tied = {r.column for r in found.relations if r.exact}
    kept = [j for j in range(view.p) if j not in tied]
    if tied and len(kept) > 1 and found.factor is not None:
        part = np.array(kept)
        design = Design(view.design.columns(part))
        found = find_collinear(design, np.ones(ctx.n), view.intercept, factor=found.factor.of(part))
    if len(kept) < 2 or found.inflation is None or not np.isfinite(found.inflation).all():
        return fact or Answer(
            CODE, Outcome.CANNOT_TELL, "Rounding leaves open which columns determine each other."
        )
    near = _near(ctx, tuple(view.names[j] for j in kept), found.inflation)
    if fact is None:
        return near
    if near.outcome is not Outcome.FIRES:
        return fact
    return replace(near, evidence=f"{near.evidence}; {fact.sentence}", fact=fact.sentence)


def column_p_values(inflation: Array, n: int, *, population: float = DETERMINED) -> Array:
    """``P(R2 >= 1 - 1/VIF_j)`` when the column's R2 in the population is `population`, one p-value a column.

    Parameters
    ----------
    inflation : array, shape (p,)
        Variance inflation factors.
    n : int
        Rows, more than p + 1.

    Examples
    --------
    >>> column_p_values(np.array([1.2, 40.0]), 100).round(4).tolist()
    [1.0, 0.0]
    """
    q = len(inflation) - 1
    r2 = 1.0 - 1.0 / inflation
    # A column that is less determined than the boundary in the sample need not be looked at closely.
    return np.array([r2_survival(v, population, n, q) if v > population else 1.0 for v in r2])


def _near(ctx: Context, names: tuple[str, ...], inflation: Array) -> Answer:
    p_columns = len(names)
    p_values = column_p_values(inflation, ctx.n)
    order = np.argsort(p_values, kind="stable")
    holm = np.minimum(1.0, np.maximum.accumulate(p_values[order] * (p_columns - np.arange(p_columns))))
    p = float(holm[0])
    named = [int(j) for j, v in zip(order, holm, strict=True) if v <= ctx.level]
    r2 = 1.0 - 1.0 / inflation
    top = int(order[0]) if p < 1.0 else int(inflation.argmax())
    evidence = (
        f"R2 of {names[top]!r} on the other {p_columns - 1} columns {r2[top]:.3f} in {ctx.n:,} rows; "
        f"{p_value(p)} against "
        f"{DETERMINED} in the population (law of R2, Holm over {p_columns} columns)"
    )
    if named:
        more = f" ({len(named)} such columns)" if len(named) > 1 else ""
        sentence = (
            f"Column {names[top]!r} is {percent(r2[top])} determined by the others{more}; the interval "
            "of its "
            f"coefficient is {math.sqrt(inflation[top]):.1f} times wider than with unrelated columns."
        )
        advice = (
            "Drop it or the columns that repeat it, or read the group of them only; predictions need not "
            "suffer."
        )
        where = tuple(names[j] for j in named)
        return Answer(CODE, Outcome.FIRES, sentence, p, evidence=evidence, advice=advice, where=where)
    lower = 1.0 - r2_survival(float(r2.max()), DETERMINED, ctx.n, p_columns - 1)
    if lower <= 0.05 / p_columns:  # an R2 this small would be rare if the column's were 0.9
        sentence = (
            f"No column is more than {percent(DETERMINED)} determined by the others (most: "
            f"{percent(r2.max())})."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, p, evidence=evidence)
    sentence = f"Whether a column is more than {percent(DETERMINED)} determined by the others cannot be told."
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, p, evidence=evidence)


def _deficient(view: LinearMatrix, found: Collinearity, given: Sequence[str]) -> Answer | None:
    """Return the columns that repeat others exactly; levels that sum to one are no fault under a penalty."""
    exact = [r for r in found.relations if r.exact and not (view.penalised and _levels(view, r, given))]
    if not exact:
        return None
    constant = [r for r in exact if not r.others]
    tied = [r for r in exact if r.others]
    told = tied or constant
    shown = "; ".join(r.sentence for r in told[:_SHOWN])
    more = f"; and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    where = tuple(view.names[r.column] for r in told)
    evidence = f"rank {found.rank} of {view.p} columns (residual at the size of rounding)"
    if not tied:
        return Answer(
            CODE,
            Outcome.FACT,
            f"Constant in the model: {shown}{more}.",
            evidence=evidence,
            advice="Drop them.",
            where=where,
        )
    free = (
        "the penalty alone decides how a coefficient is shared out"
        if view.penalised
        else "their coefficients are not determined"
    )
    return Answer(
        CODE,
        Outcome.FACT,
        f"Exactly collinear: {shown}{more}; {free}.",
        evidence=evidence,
        advice="Drop one column of each relation before reading coefficients; predictions do not suffer.",
        where=where,
    )


def _levels(view: LinearMatrix, r: Relation, given: Sequence[str]) -> bool:
    """Return whether the relation says that marks of levels sum to one, or chances of groups that a step of
    the pipeline made; shares among the given columns are the table's own.
    """
    if not r.others or abs(r.constant - 1.0) > 1e-9 or not np.allclose(r.coefficients, -1.0):
        return False
    marks = view.design.columns(np.array([r.column, *r.others]))
    made = not {view.names[j] for j in (r.column, *r.others)} & set(given)
    return bool(np.isin(marks, (0.0, 1.0)).all() or (made and (marks >= 0.0).all()))
