"""The sections on what the model uses and on whether it is still learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.final import FinalModel, linear_parts
from empirisk.report.fit.grown import trees_of
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.sections.coefficients import coefficient_rows
from empirisk.report.sections.dependence import dependence_curves
from empirisk.report.sections.estimates import band, estimate, maybe
from empirisk.report.sections.importance import importances, linear_move, predicted_move
from empirisk.wording import brief

__all__ = ["learning_section", "model_section"]

Json = dict[str, Any]


def model_section(a: Analysis, certificate: Json | None, unit: str | None, absent: dict[str, str]) -> Json:
    """Return the coefficients or trees, importances and the optimality certificate of the chosen model."""
    p, model, section = a.prepared, a.model, a.guard.section
    task = p.table.task
    loss = "mse" if task == "regression" else "log_loss"
    out: Json = {
        "name": model.candidate.name,
        "label": model.candidate.label,
        "sentence": "The same prediction for every row.",
        "certificate": certificate,
        **dict.fromkeys(("coefficients", "coefficients_unit", "coefficients_note")),
        **dict.fromkeys(("importances", "importances_label", "importances_note", "dependence")),
    }
    if not model.fitted:
        absent |= dict.fromkeys(
            ("model.coefficients", "model.importances", "model.dependence"),
            "The constant prediction uses no column.",
        )
        return out
    if model.candidate.grown:
        absent["model.coefficients"] = "Trees have no coefficients."
        out["sentence"] = _grown_sentence(model, len(p.table.features))
    else:
        out |= _linear_part(a, unit)
    ranked = section("model.importances", lambda: _ranked(a)) or []
    used = [row["column"] for row in ranked if row["value"]["value"] > 0.0]
    curves = section(
        "model.dependence", lambda: dependence_curves(model, p.test, used, _scale(a), p.level, p.seed)
    )
    if not curves:
        absent["model.dependence"] = (
            "Curves of several classes, of groups, or over fewer than 30 test rows are not drawn."
            if curves is None
            else "No column lowers the loss on the test rows by itself."
        )
    return out | {
        "dependence": curves or None,
        "importances": ranked or None,
        "importances_label": (
            f"rise of {LABELS[loss]}" + (f" ({unit_of(loss, unit)})" if unit_of(loss, unit) else "")
        ),
        "importances_note": (
            "Columns that carry the same information share their importance, "
            "and shuffling one makes rows that may not occur."
        ),
    }


def _ranked(a: Analysis) -> list[Json]:
    """Return what shuffling each column costs on the test rows, the dearest first."""
    p, model = a.prepared, a.model
    found = importances(
        p.test.y,
        a.z_test,
        _move(a),
        [o.source for o in model.origins],
        p.table.task,
        level=p.level,
        repeats=5 if model.candidate.grown else 20,
        seed=p.seed,
    )
    ranked = sorted(found.items(), key=lambda item: -item[1].value)
    return [{"column": name, "value": estimate(e)} for name, e in ranked]


def _scale(a: Analysis) -> str:
    """Return what the model predicts, in words."""
    table = a.prepared.table
    return f"probability of {table.positive}" if table.task == "binary" else f"predicted {table.target}"


def _move(a: Analysis) -> Any:
    """Return what shuffling a column does to the scores of the test rows."""
    model = a.model
    if not model.candidate.grown:
        coef, _ = linear_parts(model)
        family = model.candidate.family
        return linear_move(
            a.X_test,
            coef,
            model.sums(a.X_test) if family else a.z_test,
            model.mean if family else np.asarray,
        )
    used = np.zeros(a.X_test.shape[1], dtype=bool)
    feature = trees_of(model.estimator).feature
    used[np.unique(feature[feature >= 0])] = True
    return predicted_move(a.X_test, model.scores, used)


def _grown_sentence(model: FinalModel, n_columns: int) -> str:
    leaves, trees = model.n_numbers, len(trees_of(model.estimator))
    columns = f"{n_columns:,} column{'' if n_columns == 1 else 's'}"
    one = "A decision tree" if trees == 1 else f"{trees:,} trees"
    how = {"boosting": ", added up", "forest": ", averaged"}.get(model.candidate.grown, "")
    whole = "" if trees == 1 else " in all"
    return (
        f"{one} with {leaves:,} lea{'f' if leaves == 1 else 'ves'}{whole}{how}, over {columns};"
        " levels and missing values are used as they are."
    )


def _linear_part(a: Analysis, unit: str | None) -> Json:
    """Return the sentence and the coefficients of a linear model."""
    p, model, row = a.prepared, a.model, a.choice.row
    target, task, family = p.table.target, p.table.task, model.candidate.family
    coef, _ = linear_parts(model)
    through = (
        (", passed through the exponential function" if family else "")
        if task == "regression"
        else (
            ", passed through the logistic function"
            if task == "binary"
            else " for each class, passed through the softmax function"
        )
    )
    made = a.guard("model.coefficients", lambda: coefficient_rows(model, row.result, row.at, p.level))
    rows, note = (None, None) if made is None else made
    return {
        "sentence": (
            f"A weighted sum of {model.n_numbers:,} of {coef.shape[0]:,} terms made from"
            f" {len(p.table.features):,} columns{through}."
        ),
        "coefficients": rows,
        "coefficients_unit": {
            "binary": f"log-odds of {p.table.positive}",
            "multiclass": f"score of each class of {target}",
            "regression": f"log of the mean of {target}" if family else unit or f"{target}",
        }[task],
        "coefficients_note": note,
    }


def learning_section(a: Analysis, unit: str | None, absent: dict[str, str]) -> Json | None:
    """Return the learning curve with bands, and what twice the rows would bring; None when there is no
    curve.
    """
    curve = a.curve
    if curve is None:
        why = (
            "The constant prediction was chosen."
            if not a.model.fitted
            else f"{a.prepared.train.n:,} training rows are too few to take parts of them."
        )
        if a.model.fitted and a.prepared.plan.cuts:
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
        "extrapolation": (
            None
            if curve.gain is None
            else {"n_rows": 2 * a.prepared.train.n, "score": None, "gain": maybe(curve.gain)}
        ),
        "sentence": _curve_sentence(a, LABELS[name]),
    }


def _curve_sentence(a: Analysis, label: str) -> str:
    gain = None if a.curve is None else a.curve.gain
    if gain is None or gain.low is None:
        return "What more rows would bring cannot be told from so few sizes."
    shown = brief(estimate(gain))
    if gain.low > 0.0:
        return f"Twice the rows would lower the {label} by about {shown}."
    return f"Twice the rows were not shown to lower the {label} ({shown})."
