"""The section on the candidates as Markdown: the choice, a table of all candidates, what else was done."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.candidates.certified import certified
from empirisk.report.sections.candidates.reasons import best_label, left_told
from empirisk.report.sections.prose import esc
from empirisk.wording import count, places

__all__ = ["candidates_markdown"]

Json = dict[str, Any]


def candidates_markdown(r: Json) -> prose.Lines:
    """Return the lines of the section, from the whole report."""
    s = r["selection"]
    unit = f" ({s['unit']})" if s["unit"] else ""
    better = "higher" if s["greater_is_better"] else "lower"
    head = ["Candidate", esc(f"{s['label']}{unit}, {better} is better"), best_label(s.get("left_out", []))]
    head += ["Complexity", "Certified to"]
    within = {c["label"]: c["within"] for c in certified(r["candidates"])}
    return [
        esc(" ".join(filter(None, (s["sentence"], s["other_rule"])))),
        "",
        *prose.table(head, [_row(c, within.get(c["label"], "–")) for c in r["candidates"]]),
        *_left(s.get("left_out", [])),
        *prose.more_in_json(len(s.get("notes", [])), "notes on the search and the scores", "selection.notes"),
        *prose.absent(r, "selection_curves"),
    ]


def _left(left_out: list[Json]) -> prose.Lines:
    """Return a point for each kind of reason to leave, with the candidates that it made leave.

    Where a candidate stood is told; what its fits would have taken stands on the page.
    """
    told = left_told(left_out)
    if not told:
        return []
    said = (
        f"{kind['sentence']} "
        + "; ".join(f"{c['label']} ({c['reason'].split('; ')[0]})" for c in kind["rows"])
        + "."
        for kind in told
    )
    return [f"Left out ({len(left_out)}):", "", *prose.bullets(map(esc, said))]


def _row(c: Json, within: str) -> list[str]:
    """Return what the table says of one candidate."""
    settings = (
        ", ".join(f"{k} = {prose.setting(v)}" for k, v in c["parameters"].items()) if c["chosen"] else ""
    )
    tags = [t for t, on in (("chosen", c["chosen"]), (c["role"], c["role"] == "reference")) if on]
    name = c["label"] + (f" ({', '.join([*tags, settings] if settings else tags)})" if tags else "")
    size = f"{count(c['complexity']['value'])} {c['complexity']['unit']}" if c["complexity"] else "–"
    more = prose.difference(c["versus_best"], places(c["score"]))
    return [esc(name), prose.told(c["score"]), more, esc(size), within]
