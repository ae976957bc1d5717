"""The words of an exact formula: for the finding of a diagnosis and for that of an audit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from empirisk.diagnosis.cuts import Cuts
from empirisk.diagnosis.relation import Relation

__all__ = ["cut_words", "named", "relation_words"]


def named(name: str) -> str:
    """Return a name as it stands in a formula: in quotes unless it is one word."""
    return name if name.replace("_", "a").isalnum() else repr(name)


def relation_words(r: Relation, target: str, names: Sequence[str]) -> tuple[str, str]:
    """Sentence and evidence.

    Examples
    --------
    >>> r = Relation("linear", (0, 1), (1.0, 1.0), 0.0, 0.0, 0.01, -250.0, 500)
    >>> relation_words(r, "total", ["net", "tax"])[0]
    'The target is a formula of other columns in all 500 rows: total = net + tax.'
    """
    formula = r.formula(named(target), [named(n) for n in names])
    columns = "another column" if len(r.columns) == 1 else "other columns"
    exact = r.tolerance <= 1e-6 * max(1.0, abs(r.constant)) or r.error == 0.0
    within = "" if exact else ", up to the rounding of the cells"
    sentence = f"The target is a formula of {columns} in all {r.n:,} rows: {formula}{within}."
    size = "0" if r.error == 0.0 else f"below 10^{math.ceil(math.log10(r.error))}"
    return sentence, f"largest deviation {size} in {r.n:,} rows; {_chance(r.log10_chance)}"


def cut_words(c: Cuts, target: str, column: str, labels: Sequence[str], n: int) -> tuple[str, str]:
    """Sentence and evidence.

    Examples
    --------
    >>> c = Cuts((49.5,), (0, 1), -80.0)
    >>> cut_words(c, "grade", "points", ["fail", "pass"], 300)[0].partition(": ")[2]
    "grade is 'fail' where points < 49.5, 'pass' above."
    """
    limits = [f"{v:,.10g}" for v in c.limits]
    shown = [
        f"{labels[k]!r} {'where ' + named(column) if i == 0 else 'up'} {'<' if i == 0 else 'to'} {limit}"
        for i, (k, limit) in enumerate(zip(c.order, limits, strict=False))
    ][:4]
    more = " and so on" if len(limits) > 4 else f"{labels[c.order[-1]]!r} above"
    sentence = (
        f"The target is a formula of another column in all {n:,} rows: {named(target)} is "
        f"{', '.join([*shown, more])}."
    )
    return sentence, f"no row is on the wrong side; {_chance(c.log10_chance)}"


def _chance(log10: float) -> str:
    """Return the chance of such a formula when target and columns have nothing to do with each other."""
    power = max(3, math.floor(-log10))
    return f"chance makes such a formula at most once in 10^{power} tables whose target means nothing"
