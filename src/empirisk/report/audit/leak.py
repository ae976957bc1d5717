"""Whether a column predicts the target suspiciously well alone."""

from __future__ import annotations

import numpy as np

from empirisk.report.audit.checks import Audited, NotRunError, Outcome
from empirisk.report.audit.dominance import dominance_p_values
from empirisk.report.audit.single_column import ColumnScore, Screen, column_scores
from empirisk.report.read.table import option
from empirisk.results import Finding
from empirisk.wording import p_value, percent

__all__ = ["leak_suspects"]

_STRONG = 0.5  # share from which it is asked whether the other columns add anything


def leak_suspects(a: Audited) -> Outcome:
    """Return the columns that alone tell nearly everything: two tests at 5 %, each Bonferroni over the
    columns.

    Serious: the column takes away more than 90 % of the baseline's loss. Warning: it takes away more than
    half (the simultaneous interval says so) and keeps more than 95 % of what all columns together
    explain (the better of a linear model and boosted trees).
    """
    _enough_rows(a)
    screen = Screen.of(a)
    scores = column_scores(a, screen=screen)
    out = [_finding(a, s, f"{p_value(p)} against 90 % or less", "serious") for s, p in _beyond(scores)]
    named = {f.where[0] for f in out}
    strong = {s.name: s.losses for s in scores if (s.explained.low or 0.0) > _STRONG and s.name not in named}
    if strong and len(a.table.features) > 1:
        p_values = dominance_p_values(a, screen, strong)
        for s in scores:
            if p_values.get(s.name, 1.0) <= 0.05:
                text = (
                    f"{p_value(p_values[s.name])} against keeping 95 % or less of what all columns together "
                    "explain (the better of a linear model and boosted trees)"
                )
                out.append(_finding(a, s, text, "warning"))
    best = scores[0] if scores else None
    told = (
        f"the best single column, {best.name!r}, explains {best.explained} of the baseline's loss"
        if best
        else ""
    )
    return Outcome(out, told)


def _enough_rows(a: Audited) -> None:
    if len(a.target) < 50:
        raise NotRunError(f"{len(a.target)} training rows are too few (50 needed)")
    if a.table.task != "regression" and (np.bincount(a.target) >= 10).sum() < 2:
        raise NotRunError("fewer than two classes have 10 training rows")


def _beyond(scores: list[ColumnScore]) -> list[tuple[ColumnScore, float]]:
    corrected = [(s, min(1.0, len(scores) * s.p_value)) for s in scores]
    return [(s, p) for s, p in corrected if p <= 0.05]


def _finding(a: Audited, s: ColumnScore, test: str, level: str) -> Finding:
    kind = "squared error" if a.table.task == "regression" else "log-loss"
    share = f"{percent(s.explained.value)} of the baseline's {kind}"
    if a.table.time is not None:
        share += " in folds that ignore the time"
    tells = (
        f"alone predicts the target almost completely: it takes away {share}"
        if level == "serious"
        else f"alone takes away {share}, and the other columns add next to nothing"
    )
    return Finding(
        "ER113",
        level,
        f"Column {s.name!r} {tells}. A leak, or a column that is the answer?",
        f"share explained {s.explained}, n = {s.explained.n:,}, {s.explained.method}; {test}",
        f"Ask when its value becomes known; if only after the target, give {option('--drop', s.name)}.",
        (s.name,),
    )
