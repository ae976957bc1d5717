"""The section "Verdict": the task, the headline, the certificate, the next step, the worst findings."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.audit.formula import CODE as FORMULA
from empirisk.report.estimates import maybe
from empirisk.report.fit.candidates import COMPARES
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.held_out_scores import LABELS, about_groups, against
from empirisk.report.fit.sample import Sample
from empirisk.report.read.named_units import with_unit
from empirisk.report.read.table import Table
from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.prose import esc, first_sentence, first_step
from empirisk.report.sections.verdict.certificate import certificate_line
from empirisk.report.sections.verdict.headline import headline, headline_name
from empirisk.report.sections.verdict.near import near
from empirisk.report.sections.verdict.next_step import after_findings, more_time, next_step, rooted
from empirisk.report.sections.verdict.versus import versus
from empirisk.report.sections.verdict.words import Situation, verdict_sentence
from empirisk.report.shapes.checkers import (
    Record,
    ReportSchemaError,
    list_of,
    nullable,
    one_of,
    string,
    strings,
)
from empirisk.report.shapes.values import comparison, estimate, maybe_estimate
from empirisk.results import Finding
from empirisk.wording import counted, number, share, shorten, year, years

__all__ = ["VERDICT", "named_findings", "top_findings", "worst_findings"]

Json = dict[str, Any]
RICH = ("boosting", "forest", *COMPARES, "network")
_ORDER = {"serious": 0, "warning": 1, "note": 2}


def _classes(value: dict[str, Any], path: str) -> None:
    if value["kind"] == "regression":
        return
    if not value["classes"] or len(value["classes"]) < 2:
        raise ReportSchemaError(f"{path}.classes", "must name at least two classes")
    if value["kind"] == "binary" and value["positive"] not in value["classes"]:
        raise ReportSchemaError(f"{path}.positive", "must be one of task.classes")


task = Record(
    {
        "kind": one_of("binary", "multiclass", "regression"),
        "target": string,
        "unit": nullable(string),
        "classes": nullable(strings),
        "positive": nullable(string),
        "exposure": nullable(string),
        "weight": nullable(string),
        "title": string,
        "sentence": string,
    },
    also=_classes,
)


verdict = Record(
    {
        "sentence": string,
        "model": string,
        "headline": comparison,
        "simplest": nullable(
            Record({"model": string, "label": string, "estimate": estimate, "difference": estimate})
        ),
        "certificate": nullable(string),
        "next_step": nullable(Record({"sentence": string, "gain": maybe_estimate})),
        "findings": list_of(string, most=3),
    }
)


def named_findings(report: Json) -> None:
    """The verdict names findings that the report has."""
    codes = {f["code"] for f in report["findings"]}
    for i, code in enumerate(report["verdict"]["findings"]):
        if code not in codes:
            raise ReportSchemaError(f"verdict.findings[{i}]", f"{code} is not among the findings")


def _collect(m: Material) -> Json:
    told = _task(m.analysis, m.unit)
    metrics, certificate = m.made["test"]["metrics"], m.made["model"]["certificate"]
    return {"task": told, "verdict": _verdict(m, told, metrics, certificate)}


def _task(a: Analysis, unit: str | None) -> Json:
    table = a.prepared.table
    k = len(table.features)
    what = {
        "binary": f"whether {table.target} is {table.positive}",
        "multiclass": f"which of {len(table.classes)} classes {table.target} is",
        "regression": f"the number {table.target}",
    }[table.task]
    what += "" if table.exposure is None else f" at the exposure {table.exposure} of each row"
    counts = "" if table.weight is None else f"; rows count by {table.weight}"
    return {
        "kind": table.task,
        "target": table.target,
        "unit": unit,
        "classes": list(a.prepared.train.classes) or None,
        "positive": table.positive or None,
        "exposure": table.exposure,
        "weight": table.weight,
        "title": _title(
            table.task, str(table.target), table.positive, len(table.classes), unit, table.exposure
        ),
        "sentence": f"Predict {what} from {counted(k, 'column')} of {table.source.name}{counts}.",
    }


def _title(task: str, target: str, positive: str, k: int, unit: str | None, exposure: str | None) -> str:
    """Return what is predicted, in a few words."""
    if task == "binary":
        return f"Predict whether {target} is {positive}"
    if task == "multiclass":
        return f"Predict {target}, one of {k} classes"
    said = f"Predict {with_unit(target, unit)}"
    return f"{said}, given {exposure}" if exposure else said


# What the test part stands for, by what was held out as a whole.
ROWS = {"time": "later rows", "group": "rows of new groups"}


def _simplest(m: Material, name: str) -> Json | None:
    """Return the headline of the simplest model on the test part, and that of the chosen one minus it."""
    a = m.analysis
    found = a.simplest and against(a.scores, a.simplest.scores, name)
    if not found or a.simplest is None or found[0]["value"] is None:
        return None
    candidate = a.simplest.row.result.candidate
    made = {"model": candidate.name, "label": candidate.label, "estimate": found[0], "difference": found[1]}
    return about_groups(made, a.prepared.train, a.prepared.test)


def _verdict(m: Material, task: Json, metrics: list[Json], certificate: Json | None) -> Json:
    a, row = m.analysis, m.analysis.choice.row
    table, head = a.prepared.table, headline(metrics, headline_name(a.prepared.train))
    situation = Situation(
        row.result.candidate.label,
        task,
        [head, *(x for x in metrics if x["name"] != head["name"])],
        head["name"],
        m.tuned,
        a.model.fitted,
        table.source.name,
        table.left_out_texts,
        next((f.sentence for f in a.findings if f.code == FORMULA), ""),
        maybe(row.versus_baseline),
        a.prepared.train.time is not None,
        ROWS.get(a.prepared.split.unit, "new rows"),
        any(r.result.candidate.fitted for r in a.choice.rows),
        a.prepared.split.horizon,
        _limited(m),
        _scale(a.prepared.train, table, m.unit),
    )
    return {
        "sentence": verdict_sentence(situation),
        "model": row.result.candidate.name,
        "headline": head,
        "simplest": _simplest(m, head["name"]),
        "certificate": certificate_line(certificate, row.result.candidate.kind),
        "next_step": _next_step(m) if situation.tried else more_time(_kinds(m), _limited(m)),
        "findings": worst_findings(a.findings),
    }


def _scale(train: Sample, table: Table, unit: str | None) -> str:
    """Return between which values nine in ten targets lie, or all where these are one.

    An error is large or small beside them.
    """
    if train.task != "regression" or train.exposure is not None:
        return ""
    y = np.asarray(train.y, dtype=np.float64)
    low, high = np.quantile(y, [0.05, 0.95], method="inverted_cdf")
    inner = low < high
    low, high = (low, high) if inner else (y.min(), y.max())
    held = share(float(np.mean((y >= low) & (y <= high)))) if inner else "all"
    ends = [year(v) if years((low, high)) else number(v) for v in (low, high)]
    between = " and ".join(ends) + (f" {unit}" if unit else "")
    of = f"of the values of {shorten(str(table.target))} in the training rows"
    return f"For scale: {held} {of} lie between {between}."


def _kinds(m: Material) -> tuple[str, ...]:
    """Return the kinds of models that were asked for."""
    return tuple(m.settings["models"].split(", "))


def _limited(m: Material) -> bool:
    """Return whether the user gave a time limit."""
    return m.settings["time_limit"] is not None


def _untried(a: Analysis) -> list[str]:
    """Return the models that time took, by their labels, but for those that were seen to be behind."""
    cut = [label for label, colon, _ in (said.partition(": ") for said in a.cuts) if colon]
    raced = [one.candidate.label for one in a.left if one.why == "time" and not one.trailing]
    return list(dict.fromkeys([*raced, *cut]))


def _next_step(m: Material) -> Json | None:
    """Return the most useful thing to do next, by the folds of the training part."""
    a, name = m.analysis, m.tuned
    choice, row = a.choice, a.choice.row
    # Our own boosting; without it that from outside.
    boosted = [r for r in choice.rows if r.result.candidate.kind == "boosting"]
    boosted += [r for r in choice.rows if r.result.candidate.role == "reference"]
    reference = boosted[0] if boosted else None
    baseline = next((r for r in choice.rows if r.result.candidate.role == "baseline"), None)
    # Boosting that found no split on few rows is the baseline again and says nothing about richer classes.
    idle = reference is None or (
        baseline is not None
        and np.allclose(reference.losses, baseline.losses, rtol=1e-6, atol=0.0, equal_nan=True)
    )
    richer = None if idle or reference is None else a.scoring.difference(row.losses, reference.losses)
    root = name == "mse"  # a gain of squares has no unit that a reader knows
    top = worst_findings(a.findings)
    step = next_step(
        rooted(richer, row.score.value) if root else richer,
        rooted(a.gain, row.score.value) if root else a.gain,
        row.score.value**0.5 if root else row.score.value,
        [f for f in a.findings if f.level == "serious"],
        "" if a.diagnosed is None else first_step(a.diagnosed.best_step),
        row.result.candidate.kind in RICH,
        a.prepared.table.left_out_texts,
        _untried(a),
        _limited(m),
        "root mean squared error" if root else LABELS[name],
    )
    return after_findings(step, any(f.advice for f in a.findings if f.code in top))


def worst_findings(findings: list[Finding], most: int = 3) -> list[str]:
    """Return the codes of the findings for the first screen: the most serious first, notes left out, each
    code once.
    """
    ordered = sorted((f for f in findings if f.level != "note"), key=lambda f: _ORDER[f.level])
    return list(dict.fromkeys(f.code for f in ordered))[:most]


def top_findings(report: Json) -> list[tuple[int, Json]]:
    """Return the findings that the verdict names, each with its place; a code named twice takes two of
    them.
    """
    places, out = list(enumerate(report["findings"], 1)), []
    for code in report["verdict"]["findings"]:
        found = next((place for place in places if place[1]["code"] == code), None)
        if found is not None:
            places.remove(found)
            out.append(found)
    return out


def _markdown(r: Json) -> prose.Lines:
    v, shown = r["verdict"], versus(r)
    rows = [
        [esc(f"{x.label}{x.note and f' ({x.note})'}"), f"{x.value} {x.interval}".rstrip()]
        for x in shown.marks
    ]
    lines = [esc(v["sentence"]), "", *prose.table(["Model", esc(shown.title)], rows)]
    lines += [esc(f"{shown.said} {shown.made}. {near(r)}".strip()), ""]
    lines += prose.bullets(
        f"**{f['level']}** {esc(f['code'])}: {esc(first_sentence(f['sentence']))}"
        + (f" Do: {esc(first_step(f['advice']))}" if f["advice"] else "")
        for _, f in top_findings(r)
    )
    if v["certificate"]:
        lines += [esc(v["certificate"]), ""]
    if v["next_step"]:
        lines += [f"Next step: {esc(v['next_step']['sentence'])}", ""]
    return lines + [line for part in r.get("failed", []) for line in (esc(part["sentence"]), "")]


SHORT = {"first_sentence": first_sentence, "first_step": first_step}

VERDICT = Section(
    "verdict",
    "Verdict",
    {"task": task, "verdict": verdict},
    _collect,
    _markdown,
    "verdict/verdict.html.j2",
    cross=named_findings,
    names=lambda report: {
        "badges": top_findings(report),
        "versus": versus(report),
        "near": near(report),
        **SHORT,
    },
    needs=("test", "model"),
)
