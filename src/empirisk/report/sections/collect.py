"""Put the sections of ``report.json`` together; everything in it is computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.audit.formula import CODE as FORMULA
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.final import UNPROVED, certificate_json
from empirisk.report.fit.held_out_scores import LABELS
from empirisk.report.fit.tuning import CrossValidated
from empirisk.report.render.schema import SCHEMA_NAME, validate_report
from empirisk.report.sections.bounds_section import bounds_section
from empirisk.report.sections.comparison_section import (
    candidate_rows,
    selection_curves,
    selection_section,
    tuned_metric,
)
from empirisk.report.sections.data_section import data_section, split_section
from empirisk.report.sections.estimates import maybe, number
from empirisk.report.sections.headline import headline_name
from empirisk.report.sections.held_out_section import held_out_section
from empirisk.report.sections.limits import limits
from empirisk.report.sections.model_section import learning_section, model_section
from empirisk.report.sections.provenance import provenance
from empirisk.report.sections.verdict import Situation, next_step, rooted, verdict_sentence, worst_findings
from empirisk.results import Finding
from empirisk.wording import counted, spelled

__all__ = ["collect", "target_unit"]

Json = dict[str, Any]
FOLD_TOLERANCE = 1e-4  # of fits in folds: their noise is far larger
RICH = ("boosting", "forest")


def target_unit(a: Analysis) -> str | None:
    """Return the unit of a regression target, as the file wrote it."""
    table = a.prepared.table
    return (table.column(str(table.target)).unit or None) if table.task == "regression" else None


def collect(a: Analysis, *, command: str, seconds: float, settings: Json) -> Json:
    """Return the report of an analysis, checked against the schema.

    Parameters
    ----------
    a : Analysis
    command : str
        The command line, without folders.
    seconds : float
        Wall time.
    settings : dict
        Machine-independent settings.
    """
    p, unit, guard = a.prepared, target_unit(a), a.guard
    absent: dict[str, str] = {}
    task = _task(a, unit)
    section = guard.section
    certificate = section("model.certificate", lambda: certificate_json(a.model))
    test = held_out_section(a, unit, absent)
    model = model_section(a, certificate, unit, absent)
    ends = _certificates(a, certificate)
    report: Json = {
        "schema": SCHEMA_NAME,
        "level": p.level,
        "task": task,
        "verdict": _verdict(a, task, test["metrics"], certificate, unit),
        "data": data_section(p.table, p.split),
        "split": split_section(p.table, p.split, p.train, p.test, a.folds),
        "selection": selection_section(
            a.choice,
            p.table.task,
            unit,
            a.scoring,
            p.seed,
            _tested(test["metrics"], p.table.task),
            p.plan.family,
        ),
        "candidates": candidate_rows(a.choice, ends),
        "selection_curves": section("selection_curves", lambda: selection_curves(a.choice, a.scoring)) or [],
        "test": test,
        "model": model,
        "learning_curve": section("learning_curve", lambda: learning_section(a, unit, absent)),
        "attribution": section("attribution", lambda: _attribution(a, unit, absent)),
        "bounds": section("bounds", lambda: bounds_section(a.model, p.train, p.test, p.level, absent)),
        "findings": [_finding(f) for f in a.findings],
        "checks": [
            {
                "code": c.code,
                "name": _sentence(c.name, stop=False),
                "outcome": c.outcome,
                "sentence": _sentence(c.sentence),
            }
            for c in (*p.audit.checks, *(a.diagnosed.checks if a.diagnosed else ()))
        ],
        "limits": limits(p.table, p.split, p.train, p.test),
        "absent": absent,
        "failed": [],
        "provenance": provenance(command, p.seed, seconds, p.table.fingerprint, settings, "model.empirisk"),
    }
    guard.tell(report)
    if a.left_out:
        report["limits"].append(f"What was left out to keep the time limit: {'; '.join(a.left_out)}.")
    report["provenance"]["settings"]["left_out_for_time"] = "; ".join(a.left_out) or None
    validate_report(report)
    return report


def _tested(metrics: list[Json], task: str) -> Json | None:
    """Return the loss that models are tuned by, on the test part."""
    loss = tuned_metric(task)
    return next((m["model"] for m in metrics if m["name"] == loss), None)


def _sentence(text: str, *, stop: bool = True) -> str:
    text = text if text.startswith("p = ") else text[:1].upper() + text[1:]
    return text if not stop or text.endswith((".", "?")) else f"{text}."


def _task(a: Analysis, unit: str | None) -> Json:
    table = a.prepared.table
    k = len(table.features)
    what = {
        "binary": f"whether {table.target} is {table.positive}",
        "multiclass": f"which of {len(table.classes)} classes {table.target} is",
        "regression": f"the number {table.target}",
    }[table.task]
    return {
        "kind": table.task,
        "target": table.target,
        "unit": unit,
        "classes": list(a.prepared.train.classes) or None,
        "positive": table.positive or None,
        "sentence": f"Predict {what} from {counted(k, 'column')} of {table.source.name}.",
    }


def _finding(f: Finding) -> Json:
    return {
        "code": f.code,
        "level": f.level,
        "sentence": f.sentence,
        "evidence": _sentence(f.evidence),
        "doubt": None,
        "advice": f.advice,
        "where": list(f.where),
    }


def _attribution(a: Analysis, unit: str | None, absent: dict[str, str]) -> Json | None:
    """Return where the loss of the chosen model comes from, or why that is not said."""
    if a.diagnosed is None and "diagnosis" in a.guard.failed:
        return None
    if a.diagnosed is None:
        absent["attribution"] = "The constant prediction was chosen: there is no fit whose error has parts."
        return None
    found = a.diagnosed.attribution(unit, tuned_metric(a.prepared.table.task), a.choice.row.score)
    if found is None:
        absent["attribution"] = "The loss could not be taken apart on these rows."
    return found


def _verdict(
    a: Analysis, task: Json, metrics: list[Json], certificate: Json | None, unit: str | None
) -> Json:
    choice, name = a.choice, tuned_metric(task["kind"])
    loss = LABELS[name]
    row = choice.row
    # Our own boosting; without it that from outside.
    boosted = [r for r in choice.rows if r.result.candidate.grown == "boosting"]
    boosted += [r for r in choice.rows if r.result.candidate.role == "reference"]
    reference = boosted[0] if boosted else None
    baseline = next((r for r in choice.rows if r.result.candidate.role == "baseline"), None)
    # Boosting that found no split on few rows is the baseline again and says nothing about richer classes.
    idle = reference is None or (
        baseline is not None and np.allclose(reference.losses, baseline.losses, rtol=1e-6, atol=0.0)
    )
    richer = None if idle or reference is None else a.scoring.difference(row.losses - reference.losses)
    gain = None if a.curve is None else a.curve.gain
    serious = [f for f in a.findings if f.level == "serious"]
    diagnosed = "" if a.diagnosed is None else a.diagnosed.best_step
    claim = None
    if certificate is not None:
        proved = "Fit certified" if certificate["verified"] else "Fit not certified"
        said = str(certificate["claim"]).removeprefix(UNPROVED)
        claim = _sentence(spelled(f"{proved}: {said}"))
    root = task["kind"] == "regression"  # a gain of squares has no unit that a reader knows
    table, wanted = a.prepared.table, headline_name(a.prepared.train)
    texts = table.left_out_texts
    situation = Situation(
        row.result.candidate.label,
        task,
        metrics,
        wanted,
        name,
        a.model.fitted,
        table.source.name,
        texts,
        next((f.sentence for f in a.findings if f.code == FORMULA), ""),
        maybe(row.versus_baseline),
    )
    return {
        "sentence": verdict_sentence(situation),
        "model": row.result.candidate.name,
        "headline": situation.metric(wanted) or metrics[0],
        "certificate": claim,
        "next_step": next_step(
            rooted(richer, row.score.value) if root else richer,
            rooted(gain, row.score.value) if root else gain,
            f"root {loss}" if root else loss,
            row.score.value**0.5 if root else row.score.value,
            serious,
            diagnosed,
            row.result.candidate.grown in RICH,
            texts,
            unit or "",
        ),
        "findings": worst_findings(a.findings),
    }


def _certificates(a: Analysis, final: Json | None) -> dict[str, Json]:
    """Return the final fit's certificate for the chosen row, the worst of the folds' for the others."""
    out = {}
    for row in a.choice.rows:
        if any(row.result.ends):
            out[row.result.candidate.name] = _worst(row.result, row.at)
    if final is not None:
        out[a.model.candidate.name] = final
    return out


def _worst(result: CrossValidated, at: int) -> Json:
    fitted = [end for end in result.ends if end]  # a fold whose rows hold one class has a constant and no fit
    certificate, status = max((end[at] for end in fitted), key=lambda e: e[0].relative)
    return {
        "kind": certificate.kind.name,
        "value": number(certificate.value),
        "scale": number(certificate.scale),
        "relative": number(certificate.relative),
        "tolerance": FOLD_TOLERANCE,
        "claim": spelled(f"worst of {len(fitted)} fits: {certificate.claim}"),
        "status": status.value,
        "verified": None,
    }
