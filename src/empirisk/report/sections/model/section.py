"""The section on what the model uses: coefficients or trees, importances, dependence, the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import plots
from empirisk.evaluation.outputs import Outputs, outputs_of
from empirisk.report.estimates import estimate
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.final import FinalModel, certificate_json, linear_parts
from empirisk.report.fit.grown import trees_of
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.sections.base import Chart, Material, Section
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.model.coefficients import coefficient_rows
from empirisk.report.sections.model.dependence import dependence_curves
from empirisk.report.sections.model.importance import Moved, importances, linear_move, predicted_move
from empirisk.report.sections.model.laws import compared_sentence, laws_sentence, network_sentence
from empirisk.report.sections.model.markdown import model_markdown
from empirisk.report.sections.prose import first_words
from empirisk.report.shapes.checkers import (
    Record,
    boolean,
    fraction,
    integer,
    list_of,
    nullable,
    number,
    string,
    strings,
)
from empirisk.report.shapes.values import certificate as certified
from empirisk.report.shapes.values import estimate as estimated
from empirisk.report.shapes.values import maybe_estimate, numbers, same_length
from empirisk.wording import counted

__all__ = ["MODEL"]

Json = dict[str, Any]
# Test rows at most that a model which compares rows is asked about for the importances.
COMPARED = 1_000
IN_PICTURE = 10  # columns or terms


coefficient = Record(
    {
        "term": string,
        "column": nullable(string),
        "class": nullable(string),
        "value": estimated,
        "per_sd": maybe_estimate,
        "zero": boolean,
        "sign_stability": nullable(number),
    }
)

dependence = Record(
    {
        "column": string,
        "scale": string,
        "x": nullable(numbers),
        "labels": strings,
        "value": numbers,
        "low": numbers,
        "high": numbers,
        "band_low": numbers,
        "band_high": numbers,
        "level": fraction,
        "n": integer,
        "method": string,
    },
    also=same_length("labels", "value", "low", "high", "band_low", "band_high"),
)

model = Record(
    {
        "name": string,
        "label": string,
        "sentence": string,
        "coefficients": nullable(list_of(coefficient)),
        "coefficients_unit": nullable(string),
        "coefficients_note": nullable(string),
        "importances": nullable(list_of(Record({"column": string, "value": estimated}))),
        "importances_label": nullable(string),
        "importances_note": nullable(string),
        "dependence": nullable(list_of(dependence, most=6)),
        "certificate": nullable(certified),
    }
)


def _model(m: Material) -> Json:
    """Return the coefficients or trees, importances and the optimality certificate of the chosen model."""
    a, unit, absent, loss = m.analysis, m.unit, m.absent, m.tuned
    p, model = a.prepared, a.model
    certificate = m.part("model.certificate", lambda: certificate_json(model))
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
    elif model.candidate.compares:
        absent["model.coefficients"] = "A model that compares rows has no coefficients of columns."
        out["sentence"] = compared_sentence(model, len(p.table.features))
    elif model.candidate.kind == "network":
        absent["model.coefficients"] = "The weights of a network are no coefficients of columns."
        out["sentence"] = network_sentence(model, len(p.table.features))
    elif not model.linear:
        absent["model.coefficients"] = "A model of the rows of each class has no coefficients of columns."
        out["sentence"] = laws_sentence(model, len(p.table.features))
    else:
        out |= _linear_part(m)
    ranked = m.part("model.importances", lambda: _ranked(a)) or []
    used = [row["column"] for row in ranked if row["value"]["value"] > 0.0]
    curves = m.part(
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
    own, move, weights = _shuffled(a)
    found = importances(
        own,
        move,
        [o.source for o in model.encoded],
        level=p.level,
        repeats=20 if model.weighted else 5,
        seed=p.seed,
        weights=weights,
    )
    ranked = sorted(found.items(), key=lambda item: -item[1].value)
    return [{"column": name, "value": estimate(e)} for name, e in ranked]


def _scale(a: Analysis) -> str:
    """Return what the model predicts, in words."""
    table = a.prepared.table
    if table.task == "binary":
        return f"probability of {table.positive}"
    at = "" if table.exposure is None else " at the exposures of the rows"
    return f"predicted {table.target}{at}"


def _shuffled(a: Analysis) -> tuple[NDArray[np.float64], Moved, NDArray[np.float64] | None]:
    """Return the losses of the test rows, what they are when a column is shuffled, by the metric that judges
    the candidates, and the weights of these rows.
    """
    model, test, X = a.model, a.prepared.test, a.X_test
    y, known, weights = test.y, test.known, test.weights
    if model.candidate.compares and test.n > COMPARED:
        some = np.sort(np.random.default_rng(a.prepared.seed).choice(test.n, COMPARED, replace=False))
        X, y = X[some], y[some]
        weights = None if weights is None else weights[some]
        known = {name: values[some] for name, values in known.items()}
    classes = np.arange(test.n_classes) if test.n_classes else None

    def losses(out: Outputs, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        found = a.scoring.metric.losses(out.over(classes).against(y[rows]))
        return np.asarray(found, dtype=np.float64)

    def again(X: NDArray[np.float64], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        of_these = {name: values[rows] for name, values in known.items()}
        return losses(outputs_of(model.pipeline[1:], X, a.scoring.metric.needs, **of_these), rows)

    every = np.arange(len(X))
    own = again(X, every)

    if model.weighted:
        z = model.sums(X) + test.shift
        move = linear_move(X, linear_parts(model)[0], z, lambda z: losses(model.outputs(z), every))
        return own, move, weights
    used = np.full(X.shape[1], not model.candidate.grown)
    if model.candidate.grown:
        feature = trees_of(model.estimator).feature
        used[np.unique(feature[feature >= 0])] = True
    return own, predicted_move(X, own, again, used), weights


def _grown_sentence(model: FinalModel, n_columns: int) -> str:
    leaves, trees = model.n_numbers, len(trees_of(model.estimator))
    columns = f"{n_columns:,} column{'' if n_columns == 1 else 's'}"
    one = "A decision tree" if trees == 1 else f"{trees:,} trees"
    how = {"boosting": ", added up", "forest": ", averaged"}.get(model.candidate.kind, "")
    whole = "" if trees == 1 else " in all"
    return (
        f"{one} with {leaves:,} lea{'f' if leaves == 1 else 'ves'}{whole}{how}, over {columns};"
        " levels and missing values are used as they are."
    )


def _linear_part(m: Material) -> Json:
    """Return the sentence and the coefficients of a linear model."""
    a, unit = m.analysis, m.unit
    p, model, row = a.prepared, a.model, a.choice.row
    target, task, family = p.table.target, p.table.task, model.candidate.family
    coef, _ = linear_parts(model)
    rate = "" if p.table.exposure is None else f" per unit of {p.table.exposure}"
    through = (
        (", passed through the exponential function" if family else "")
        + (f", times the exposure {p.table.exposure}" if p.table.exposure else "")
        if task == "regression"
        else (
            ", passed through the logistic function"
            if task == "binary"
            else " for each class, passed through the softmax function"
        )
    )
    made = m.attempt("model.coefficients", lambda: coefficient_rows(model, row.result, row.at, p.level))
    rows, note = (None, None) if made is None else made
    return {
        "sentence": (
            f"A weighted sum of {model.n_numbers:,} of {counted(coef.shape[0], 'term')} made from"
            f" {counted(len(p.table.features), 'column')}{through}."
            + ("" if model.step is None else f" {model.step[0].sentence(model.step[1], model.encoded)}")
            + ("" if model.candidate.linear else f" {laws_sentence(model, len(p.table.features))}")
        ),
        "coefficients": rows,
        "coefficients_unit": {
            "binary": f"log-odds of {p.table.positive}",
            "multiclass": f"score of each class of {target}",
            "regression": f"log of the mean of {target}{rate}" if family else unit or f"{target}",
        }[task],
        "coefficients_note": note,
    }


def _estimates(report: Json) -> dict[str, Pairs]:
    model = report["model"]
    kinds = (("value", "coefficients per unit"), ("per_sd", "coefficients per standard deviation"))
    return {
        "coefficients": [(said, c[key]) for key, said in kinds for c in model["coefficients"] or []],
        "importances": [("importances", i["value"]) for i in model["importances"] or []],
    }


def _charts(report: Json) -> Iterator[Chart]:
    model = report["model"]
    if model["coefficients"]:
        shown = partial(
            plots.CoefficientsDisplay, model["coefficients"], model["coefficients_unit"], IN_PICTURE
        )
        yield Chart("coefficients", "the coefficients", shown, model["coefficients"][-1]["value"], "model")
    if model["importances"]:
        words = model["importances_label"] or "rise of the loss"
        shown = partial(plots.ImportancesDisplay, model["importances"], words, IN_PICTURE)
        yield Chart("importances", "the importances", shown, model["importances"][0]["value"], "model")
    for i, d in enumerate(model["dependence"] or []):
        shown = partial(plots.DependenceDisplay, _drawable(d))
        yield Chart(f"dependence{i}", "the partial dependence", shown, d, "dependence")


def _drawable(d: Json) -> Json:
    """Return a curve of the report as the chart of partial dependence takes it."""
    grid = [[v] for v in (range(len(d["labels"])) if d["x"] is None else d["x"])]
    return d | {"features": [d["column"]], "grid": grid, "categorical": d["x"] is None, "rows": []}


def _names(report: Json) -> Json:
    model = report["model"]
    known = [i for i in model["importances"] or [] if i["value"]["value"] is not None]
    beside = 1 if model["importances"] else 0  # the first curve stands beside the importances
    return {
        "first_words": first_words,
        "further": sorted(known, key=lambda i: -float(i["value"]["value"]))[IN_PICTURE:],
        "dependence_keys": [f"dependence{i}" for i in range(beside, len(model["dependence"] or []))],
    }


MODEL = Section(
    "model",
    "What does it use?",
    {"model": model},
    lambda m: {"model": _model(m)},
    model_markdown,
    "model/model.html.j2",
    charts=_charts,
    estimates=_estimates,
    names=_names,
    parts={
        "model.certificate": "The certificate",
        "model.coefficients": "The table of coefficients",
        "model.importances": "The table of importances",
        "model.dependence": "The chart of partial dependence",
    },
    long=frozenset({"model.importances", "model.dependence"}),
    needs=("test",),
)
