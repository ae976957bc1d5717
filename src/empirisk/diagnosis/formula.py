"""ER219: the target is a formula of the columns, so that nothing is forecast."""

from __future__ import annotations

import math

import numpy as np

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.columns import columns_of, n_columns
from empirisk.diagnosis.cuts import LEAST, exact_cuts
from empirisk.diagnosis.formula_words import cut_words, relation_words
from empirisk.diagnosis.relation import CHANCE, exact_relation
from empirisk.wording import counted

__all__ = ["CODE", "target_is_a_formula"]

CODE = "ER219"
ADVICE = (
    "Ask when the columns of the formula become known: if with the target, leave them out; if before it, "
    "compute the formula and forecast nothing."
)
_CELLS = 50_000_000  # of X; the search for a formula reads them several times


def target_is_a_formula(ctx: Context) -> Answer:
    """An exact sparse relation, up to the rounding of the cells, that chance does not make.

    It speaks when chance makes such a formula in at most one of 1,000 tables whose target has nothing to do
    with the columns (a union bound, see :func:`empirisk.diagnosis.relation.exact_relation` and
    :func:`empirisk.diagnosis.cuts.exact_cuts`); it has no p-value and stands outside Holm's correction.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from empirisk.diagnosis import context
    >>> X = np.random.default_rng(0).gamma(2.0, size=(100, 3)).round(2)
    >>> target_is_a_formula(context(Ridge(), X, X[:, 0] - X[:, 2], random_state=0)).where
    ('x0', 'x2')
    """
    if ctx.n * n_columns(ctx.X) > _CELLS:
        raise NotRun(f"{ctx.n * n_columns(ctx.X):,} cells are too many for this check")
    numbers = [
        (name, c) for name, c in zip(ctx.columns, columns_of(ctx.X), strict=True) if c.dtype.kind == "f"
    ]
    if not numbers:
        raise NotRun("no column holds numbers")
    names = [name for name, _ in numbers]
    nothing = "The target is no sum, difference, product, ratio, copy or cut of the columns."
    if ctx.classes is None:
        found = exact_relation(
            np.column_stack([c for _, c in numbers]), np.asarray(ctx.oof.y, float), ctx.seed
        )
        if found is None:
            return Answer(CODE, Outcome.CLEAR, nothing, evidence=f"{len(names)} columns, {ctx.n:,} rows")
        sentence, shown = relation_words(found, "y", names)
        where, log10 = tuple(names[j] for j in found.columns), found.log10_chance
    else:
        if (ctx.rarest or 0) < LEAST:
            raise NotRun(f"the rarest class has {counted(ctx.rarest or 0, 'row')}, fewer than {LEAST}")
        cut = [(name, c, exact_cuts(c, ctx.oof.y)) for name, c in numbers]
        best = next(((name, c, k) for name, c, k in cut if k is not None), None)
        log10 = 0.0 if best is None or best[2] is None else best[2].log10_chance + math.log10(len(names))
        if best is None or best[2] is None or log10 > math.log10(CHANCE):
            return Answer(CODE, Outcome.CLEAR, nothing, evidence=f"{len(names)} columns, {ctx.n:,} rows")
        labels = [str(c) for c in ctx.classes]
        sentence, shown = cut_words(best[2], "y", best[0], labels, int(np.isfinite(best[1]).sum()))
        where = (best[0],)
    return Answer(CODE, Outcome.FIRES, sentence, evidence=shown, advice=ADVICE, where=where)
