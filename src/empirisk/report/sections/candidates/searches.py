"""What the search for the settings of boosting and forests did: one sentence for each."""

from __future__ import annotations

from collections.abc import Sequence

from empirisk.report.fit.choose import Choice, Row
from empirisk.report.fit.searched import Searched
from empirisk.report.sections import prose
from empirisk.wording import count, counted, listed

__all__ = ["search_sentences"]

ENDS = {"lowest": "lower", "highest": "upper"}


def search_sentences(searches: Sequence[Searched], choice: Choice) -> list[str]:
    """Return a sentence for each search: what was searched, with how many fits, and what was chosen.

    Parameters
    ----------
    searches : sequence of Searched
    choice : Choice
        Holds the rows of the candidates, and the number of rounds that was chosen.
    """
    rows = {row.result.candidate.name: row for row in choice.rows}
    return [_told(s, rows[s.candidate.name]) for s in searches if s.candidate.name in rows]


def _told(s: Searched, row: Row) -> str:
    """Return what became of one search, in a sentence."""
    if not s.fits:
        return f"The settings of {s.label} were not searched: {s.why}."
    path = ["the number of rounds"] if row.result.candidate.parameter == "rounds" else []
    fits = counted(s.fits, "fit") + (f" of {count(s.planned)} planned" if s.fits < s.planned else "")
    said = (
        f"Of {s.label}, {listed([*s.drawn, *path])} were searched in the ranges of er.tune, with {fits} on"
        f" the first repeat of the folds{f', {s.rows:,} rows each,' if s.rows else ''} for"
        f" {counted(s.trials, 'choice')} of settings"
    )
    if s.why:
        return f"{said}; the settings stayed as given, because {s.why}."
    if s.lost:
        said += "; fitted on all rows, what it chose was not better than the settings as given, which stayed"
        return f"{said}{_rounds(row)}."
    chosen = row.result.candidate.settings
    named = ", ".join(f"{name} = {prose.setting(value)}" for name, value in chosen)
    said += f"; chosen were {named}" if chosen else "; the settings as given stayed the best"
    at = [f"{name} at the {ENDS[end]} end" for name, end in (s.ends or {}).items()]
    if chosen:
        said += f", {listed(at)} of its range" if at else ", none at an end of its range"
    return f"{said}{_rounds(row)}."


def _rounds(row: Row) -> str:
    """Return how many rounds were chosen, and whether that is the edge of what was tried."""
    result = row.result
    if result.candidate.parameter != "rounds":
        return ""
    at, most = int(result.alphas[row.at]), int(result.alphas[-1])
    edge = "the most" if at == most else "the fewest" if row.at == 0 else ""
    tried = (
        f"{edge} that were tried"
        if edge
        else f"inside the {count(int(result.alphas[0]))} to {count(most)} that were tried"
    )
    return f"; {counted(at, 'round')} were chosen, {tried}"
