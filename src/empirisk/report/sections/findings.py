"""The section "Findings": what was found, and what was checked and found nothing or could not be checked."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import Record, list_of, nullable, one_of, string, strings
from empirisk.results import Finding

__all__ = ["FINDINGS"]

Json = dict[str, Any]


finding = Record(
    {
        "code": string,
        "level": one_of("note", "warning", "serious"),
        "sentence": string,
        "evidence": string,
        "doubt": nullable(string),
        "advice": string,
        "where": strings,
    }
)


checked = Record(
    {
        "code": nullable(string),
        "name": string,
        "outcome": one_of("nothing", "found", "cannot_tell", "not_run"),
        "sentence": string,
    }
)


def _collect(m: Material) -> Json:
    a = m.analysis
    return {
        "findings": [_finding(f) for f in a.findings],
        "checks": [
            {
                "code": c.code,
                "name": prose.sentence(c.name, stop=False),
                "outcome": c.outcome,
                "sentence": prose.sentence(c.sentence),
            }
            for c in (*a.prepared.audit.checks, *(a.diagnosed.checks if a.diagnosed else ()))
        ],
    }


def _finding(f: Finding) -> Json:
    return {
        "code": f.code,
        "level": f.level,
        "sentence": f.sentence,
        "evidence": prose.sentence(f.evidence),
        "doubt": None,
        "advice": f.advice,
        "where": list(f.where),
    }


_HEADINGS = (
    ("nothing", "Checked, nothing found"),
    ("cannot_tell", "Checked, and these rows cannot tell"),
    ("not_run", "Could not be checked"),
)


def _markdown(r: Json) -> prose.Lines:
    lines: prose.Lines = []
    for f in r["findings"]:
        lines += [f"### {esc(f['code'])} ({f['level']}): {esc(f['sentence'])}", ""]
        pairs = [
            ("Where", ", ".join(f["where"])),
            ("Evidence", f["evidence"]),
            ("Wrong if", f["doubt"]),
            ("What to do", f["advice"]),
        ]
        lines += prose.bullets(f"{key}: {esc(said)}" for key, said in pairs if said)
    if not r["findings"]:
        lines += ["The checks found nothing to report.", ""]
    for outcome, heading in _HEADINGS:
        some = [c for c in r["checks"] if c["outcome"] == outcome]
        if some:
            lines += [
                f"### {heading}",
                "",
                *prose.bullets(f"{esc(c['name'])}: {esc(c['sentence'])}" for c in some),
            ]
    return lines


FINDINGS = Section(
    "findings",
    "Findings",
    {"findings": list_of(finding), "checks": list_of(checked)},
    _collect,
    _markdown,
    "findings.html.j2",
)
