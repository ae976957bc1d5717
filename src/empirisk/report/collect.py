"""Put the sections of ``report.json`` together; everything in it is computed elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.coefficients import coefficient_rows
from empirisk.report.comparison_section import candidate_rows, selection_curves, selection_section
from empirisk.report.curves import calibration, pr_curve, roc_curve, score_bins
from empirisk.report.data_section import data_section, split_section
from empirisk.report.engine import Analysis
from empirisk.report.estimates import band, estimate, maybe
from empirisk.report.final import certificate_json, linear_parts
from empirisk.report.importance import importances
from empirisk.report.limits import limits
from empirisk.report.provenance import provenance
from empirisk.report.residuals import coverage, normal_quantiles, spread
from empirisk.report.schema import SCHEMA_NAME, validate_report
from empirisk.report.subgroups import subgroups
from empirisk.report.test_scores import LABELS, comparison, confusion, metric_names, unit_of
from empirisk.report.tuning import CrossValidated
from empirisk.report.verdict import next_step, verdict_sentence, worst_findings
from empirisk.results import Finding

__all__ = ["collect", "target_unit"]

Json = dict[str, Any]
FOLD_TOLERANCE = 1e-4


def target_unit(a: Analysis) -> str | None:
    """Unit of a regression target, as the file wrote it."""
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
    p, unit, absent = a.prepared, target_unit(a), {}
    task = _task(a, unit)
    certificate = certificate_json(a.model)
    test = _test(a, unit, absent)
    model = _model(a, certificate, unit, absent)
    ends = _certificates(a, certificate)
    report: Json = {
        "schema": SCHEMA_NAME,
        "level": p.level,
        "task": task,
        "verdict": _verdict(a, task, test["metrics"][0], certificate, unit),
        "data": data_section(p.table, p.split),
        "split": split_section(p.table, p.split, p.train, p.test, a.folds),
        "selection": selection_section(a.choice, p.table.task, unit, a.folds.n_folds, p.seed),
        "candidates": candidate_rows(a.choice, ends),
        "selection_curves": selection_curves(a.choice, a.scoring),
        "test": test,
        "model": model,
        "learning_curve": _learning(a, unit, absent),
        "findings": [_finding(f) for f in a.findings],
        "checks": [
            {
                "code": c.code,
                "name": _sentence(c.name, stop=False),
                "outcome": c.outcome,
                "sentence": _sentence(c.sentence),
            }
            for c in p.audit.checks
        ],
        "limits": limits(p.table, p.split, p.train, p.test),
        "absent": absent,
        "provenance": provenance(command, p.seed, seconds, p.table.fingerprint, settings, "model.empirisk"),
    }
    validate_report(report)
    return report


def _sentence(text: str, *, stop: bool = True) -> str:
    text = text[:1].upper() + text[1:]
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
        "sentence": f"Predict {what} from {k} column{'' if k == 1 else 's'} of {table.source.name}.",
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


def _verdict(a: Analysis, task: Json, headline: Json, certificate: Json | None, unit: str | None) -> Json:
    choice, loss = a.choice, LABELS["mse" if task["kind"] == "regression" else "log_loss"]
    row = choice.row
    reference = next((r for r in choice.rows if r.result.candidate.role == "reference"), None)
    richer = None if reference is None else a.scoring.difference(row.losses - reference.losses)
    gain = None if a.curve is None else a.curve.gain
    serious = [f for f in a.findings if f.level == "serious"]
    claim = None
    if certificate is not None:
        proved = "Fit certified" if certificate["verified"] else "Fit not certified"
        claim = _sentence(f"{proved}: {certificate['claim']}")
    return {
        "sentence": verdict_sentence(
            row.result.candidate.label, task, headline, a.model.linear, a.prepared.table.source.name
        ),
        "model": row.result.candidate.name,
        "headline": headline,
        "certificate": claim,
        "next_step": next_step(richer, gain, loss, row.score.value, serious),
        "findings": worst_findings(a.findings),
    }


def _certificates(a: Analysis, final: Json | None) -> dict[str, Json]:
    """The final fit's certificate for the chosen row, the worst of the folds' for the others."""
    out = {}
    for row in a.choice.rows:
        if row.result.ends and row.result.ends[0]:
            out[row.result.candidate.name] = _worst(row.result, row.at)
    if final is not None:
        out[a.model.candidate.name] = final
    return out


def _worst(result: CrossValidated, at: int) -> Json:
    certificate, status = max((end[at] for end in result.ends), key=lambda e: e[0].relative)
    return {
        "kind": certificate.kind.name,
        "value": float(certificate.value),
        "scale": float(certificate.scale),
        "relative": float(certificate.relative),
        "tolerance": FOLD_TOLERANCE,
        "claim": f"worst of {len(result.ends)} fits: {certificate.claim}",
        "status": status.value,
        "verified": None,
    }


def _test(a: Analysis, unit: str | None, absent: dict[str, str]) -> Json:
    p, sample, level = a.prepared, a.prepared.test, a.prepared.level
    found = [comparison(a.scores, name, unit) for name in metric_names(sample.task)]
    model, classes = a.scores.model, sample.classes
    out: Json = {
        "n_rows": sample.n,
        "sentence": f"{sample.n:,} rows that played no part in fitting or choosing, used once.",
        "metrics": [m for m in found if m is not None],
        **dict.fromkeys(
            (
                "roc",
                "pr",
                "calibration",
                "confusion",
                "scores",
                "observed",
                "residuals",
                "quantiles",
                "coverage",
            )
        ),
        "subgroups": subgroups(sample, a.z_test, level, unit),
    }
    if sample.task == "regression":
        out |= _regression(a, absent)
    else:
        out["confusion"] = confusion(model, classes, level)
        out["calibration"] = calibration(model, classes, level)
    if sample.task == "binary":
        out["scores"] = score_bins(model, level)
        out["roc"], out["pr"] = roc_curve(model, level), pr_curve(model, level)
        if not a.model.linear:
            out["roc"] = out["pr"] = None
            absent |= dict.fromkeys(("test.roc", "test.pr"), "A constant prediction ranks nothing.")
        elif out["roc"] is None:
            absent |= dict.fromkeys(("test.roc", "test.pr"), "The test part holds one class only.")
    if out["subgroups"] is None:
        absent["test.subgroups"] = (
            "No categorical column has at least two and at most six levels with 100 test rows each."
        )
    return out


def _regression(a: Analysis, absent: dict[str, str]) -> Json:
    y, z, level, groups = a.prepared.test.y, a.z_test, a.prepared.level, a.prepared.test.groups
    residuals = y - z
    out_of_fold = np.sqrt(a.choice.row.losses[0])
    out: Json = {
        "observed": spread(z, y, level, groups),
        "residuals": spread(z, residuals, level, groups),
        "quantiles": normal_quantiles(residuals, level),
        "coverage": coverage(out_of_fold, residuals, level, groups),
    }
    for key in ("observed", "residuals", "quantiles"):
        if out[key] is None:
            absent[f"test.{key}"] = (
                f"The test part has {y.size} rows, and at least ten that differ are needed."
            )
    return out


def _model(a: Analysis, certificate: Json | None, unit: str | None, absent: dict[str, str]) -> Json:
    p, model, row = a.prepared, a.model, a.choice.row
    target, task = p.table.target, p.table.task
    loss = "mse" if task == "regression" else "log_loss"
    out: Json = {
        "name": model.candidate.name,
        "label": model.candidate.label,
        "sentence": "The same prediction for every row.",
        "certificate": certificate,
        **dict.fromkeys(("coefficients", "coefficients_unit", "coefficients_note")),
        **dict.fromkeys(("importances", "importances_label", "importances_note")),
    }
    if not model.linear:
        absent |= dict.fromkeys(
            ("model.coefficients", "model.importances"), "The constant prediction uses no column."
        )
        return out
    coef, _ = linear_parts(model)
    used = int(np.count_nonzero(coef.any(axis=1) if coef.ndim == 2 else coef))
    through = (
        ""
        if task == "regression"
        else ", passed through the logistic function"
        if task == "binary"
        else " for each class, passed through the softmax function"
    )
    rows, note = coefficient_rows(model, row.result, row.at, p.level)
    found = importances(
        a.X_test,
        p.test.y,
        coef,
        a.z_test,
        [o.source for o in model.origins],
        task,
        level=p.level,
        seed=p.seed,
    )
    ranked = sorted(found.items(), key=lambda item: -item[1].value)
    return out | {
        "sentence": f"A weighted sum of {used:,} of {coef.shape[0]:,} terms made from {len(p.table.features):,} columns{through}.",
        "coefficients": rows,
        "coefficients_unit": {
            "binary": f"log-odds of {p.table.positive}",
            "multiclass": f"score of each class of {target}",
            "regression": unit or f"{target}",
        }[task],
        "coefficients_note": note,
        "importances": [{"column": name, "value": estimate(e)} for name, e in ranked],
        "importances_label": f"rise of {LABELS[loss]}"
        + (f" ({unit_of(loss, unit)})" if unit_of(loss, unit) else ""),
        "importances_note": "Columns that carry the same information share their importance, "
        "and shuffling one makes rows that may not occur.",
    }


def _learning(a: Analysis, unit: str | None, absent: dict[str, str]) -> Json | None:
    curve = a.curve
    if curve is None:
        why = (
            "The constant prediction was chosen."
            if not a.model.linear
            else f"{a.prepared.train.n:,} training rows are too few to take parts of them."
        )
        if a.model.linear and a.prepared.plan.cuts:
            why = "Left out to keep the time limit."
        absent["learning_curve"] = why
        return None
    name = "mse" if a.prepared.table.task == "regression" else "log_loss"
    first = curve.validation[0]
    return {
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": False,
        "x": curve.sizes,
        "train": {
            "value": curve.train,
            "low": None,
            "high": None,
            "level": first.level,
            "n": first.n,
            "method": "mean over the fits",
        },
        "validation": band(curve.validation, f"pointwise; {first.method}"),
        "extrapolation": None
        if curve.gain is None
        else {"n_rows": 2 * a.prepared.train.n, "score": None, "gain": maybe(curve.gain)},
        "sentence": _curve_sentence(a, LABELS[name]),
    }


def _curve_sentence(a: Analysis, label: str) -> str:
    gain = None if a.curve is None else a.curve.gain
    if gain is None or gain.low is None:
        return "What more rows would bring cannot be told from so few sizes."
    shown = f"{gain.value:.2g} [{gain.low:.2g}, {gain.high:.2g}]"
    if gain.low > 0.0:
        return f"Twice the rows would lower the {label} by about {shown}."
    return f"Twice the rows were not shown to lower the {label} ({shown})."
