"""The section "Findings": what was found, and what was checked and found nothing or could not be checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import Record, list_of, nullable, one_of, string, strings
from empirisk.results import Finding
from empirisk.wording import counted, listed

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


# What became of checks that found nothing, in a line; their sentences are folded.
_OUTCOMES = (
    ("nothing", "found nothing"),
    ("cannot_tell", "cannot tell on these rows"),
    ("not_run", "could not be made"),
)
OPEN = 4  # findings that the page shows with their advice; more notes than that are folded


def told_of(checks: Sequence[Json]) -> list[Json]:
    """Return, for each outcome of the checks that found nothing, how many they are, in words, and which."""
    out = []
    for outcome, said in _OUTCOMES:
        some = [c for c in checks if c["outcome"] == outcome]
        if some:
            out.append({"sentence": f"{counted(len(some), 'check')} {said}", "checks": some})
    return out


def unfolded(findings: Sequence[Json]) -> int:
    """Return how many of the findings, the gravest of which come first, a page shows without folding."""
    grave = sum(f["level"] != "note" for f in findings)
    return len(findings) if len(findings) <= OPEN else max(grave, OPEN)


def _markdown(r: Json) -> prose.Lines:
    """Return the lines of the section; what the verdict said in full about what to do is not said again."""
    lines: prose.Lines = []
    top = r["verdict"]["findings"] if "test" in r else []  # that of groups of rows does not say what to do
    shown = r["findings"][: unfolded(r["findings"])]
    for f in shown:
        lines += [f"### {esc(f['code'])} ({f['level']}): {esc(f['sentence'])}", ""]
        known = f["code"] in top and prose.first_step(f["advice"]) == f["advice"]
        top = [code for code in top if code != f["code"]]  # a second one of a code may not stand there
        lines += [f"Do: {esc(f['advice'])}", ""] if f["advice"] and not known else []
    if not r["findings"]:
        lines += ["The checks found nothing to report.", ""]
    lines += prose.more_in_json(len(r["findings"]) - len(shown), "more findings", "findings")
    said = listed([told["sentence"] for told in told_of(r["checks"])] or ["No check was left"])
    return [
        *lines,
        f"{esc(said)}: {prose.code('checks')} of report.json; evidence: {prose.code('findings')}.",
        "",
    ]


FINDINGS = Section(
    "findings",
    "What should worry me?",
    {"findings": list_of(finding), "checks": list_of(checked)},
    _collect,
    _markdown,
    "findings.html.j2",
    names=lambda report: {"told_of": told_of(report["checks"]), "unfolded": unfolded(report["findings"])},
)
