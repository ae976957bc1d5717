"""The section "Candidates": one row each, the rule, and a curve for each tuned family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from empirisk import plots
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.scoring import Scoring
from empirisk.report.estimates import estimate, maybe, number
from empirisk.report.fit.choose import Choice, Row
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.final import tolerance
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.fit.plan import Plan
from empirisk.report.fit.tuning import CrossValidated
from empirisk.report.sections.base import Chart, Material, Section
from empirisk.report.sections.candidates.certified import certified, confirmed
from empirisk.report.sections.candidates.curves import CURVE, penalty_charts, penalty_curves
from empirisk.report.sections.candidates.left import LEFT_ROW, left_losses
from empirisk.report.sections.candidates.markdown import candidates_markdown
from empirisk.report.sections.candidates.reasons import best_label, by_minimum, left_told
from empirisk.report.sections.candidates.searches import search_sentences
from empirisk.report.sections.candidates.settings import settings_told
from empirisk.report.sections.candidates.steps import step_sentences
from empirisk.report.sections.candidates.winner import WINNER, winner, winner_chart
from empirisk.report.sections.methods import Pairs
from empirisk.report.shapes.checkers import (
    Record,
    ReportSchemaError,
    boolean,
    integer,
    list_of,
    map_of,
    nullable,
    one_of,
    string,
    strings,
)
from empirisk.report.shapes.checkers import number as any_number
from empirisk.report.shapes.values import certificate, maybe_estimate, setting
from empirisk.wording import number as written
from empirisk.wording import singular, spelled

__all__ = ["CANDIDATES"]

Json = dict[str, Any]

# What is left of a model under a penalty as large as that.
FEW = {
    "linear": "nearly all coefficients are zero or close to it",
    "tree": "hardly a split is left",
    "kernel": "a larger one might do as well",
    "network": "a larger one might do as well",
}

candidate = Record(
    {
        "name": string,
        "label": string,
        "role": one_of("baseline", "candidate", "reference"),
        "chosen": boolean,
        "by_minimum": boolean,
        "parameters": map_of(setting),
        "score": maybe_estimate,
        "versus_baseline": maybe_estimate,
        "versus_best": maybe_estimate,
        "best_probability": nullable(any_number),
        "complexity": nullable(Record({"value": integer, "unit": string})),
        "fit_seconds": nullable(any_number),
        "certificate": nullable(certificate),
        "note": nullable(string),
    }
)


selection = Record(
    {
        "metric": string,
        "label": string,
        "unit": nullable(string),
        "greater_is_better": boolean,
        "rule": one_of("one-standard-error", "minimum"),
        "sentence": string,
        "other_rule": nullable(string),
        "best_probability_method": nullable(string),
        "winner": nullable(WINNER),
    },
    optional={
        "left_out": list_of(LEFT_ROW),
        "notes": strings,
    },
)


def _cross(report: Json) -> None:
    """One candidate is chosen, that of the verdict, and every curve belongs to a candidate."""
    chosen = [c["name"] for c in report["candidates"] if c["chosen"]]
    if chosen != [report["verdict"]["model"]]:
        raise ReportSchemaError("candidates", f"exactly verdict.model must be chosen, got {chosen}")
    names = {c["name"] for c in report["candidates"]}
    for i, curve in enumerate(report["selection_curves"]):
        path = f"selection_curves[{i}]"
        if curve["candidate"] not in names:
            raise ReportSchemaError(f"{path}.candidate", f"{curve['candidate']!r} is not a candidate")
        for key in ("train", "validation"):
            if curve[key] is not None and len(curve[key]["value"]) != len(curve["x"]):
                raise ReportSchemaError(f"{path}.{key}.value", "must be as long as x")


def _collect(m: Material) -> Json:
    a, held_out = m.analysis, m.made["test"]["metrics"]
    tested = next((metric["model"] for metric in held_out if metric["name"] == m.tuned), None)
    ends = _certificates(a.choice, a.model.candidate.name, m.made["model"]["certificate"])
    p = a.prepared
    found = _selection(
        a.choice,
        m.tuned,
        m.unit,
        a.scoring,
        p.seed,
        tested,
        [
            _family(a.choice, p.plan, m.tuned),
            *step_sentences(a.choice, p.plan, a.scoring, m.unit, a.cuts),
            *search_sentences(a.searches, a.choice),
        ],
        [*(s.losses for s in a.searches if s.losses is not None), *left_losses(a)],
    )
    said = " ".join(filter(None, (found["sentence"], settings_told(a.model.estimator))))
    return {
        "selection": found | {"sentence": said, "left_out": _left_out(a)},
        "candidates": _rows(a.choice, ends),
        "selection_curves": m.part("selection_curves", lambda: penalty_curves(a.choice, a.scoring)) or [],
    }


def _selection(
    choice: Choice,
    name: str,
    unit: str | None,
    scoring: Scoring,
    seed: int,
    held_out: Json | None,
    more: Sequence[str] = (),
    trials: Sequence[Floats] = (),
) -> Json:
    """Return ``report["selection"]``: the rule, what it chose, and what the other would have chosen.

    Parameters
    ----------
    held_out : dict or None
        Loss of the chosen model on the test part, an estimate.
    more : sequence of str
        What became of models that the table suggested beside straight lines; "" where it suggests none.
    trials : sequence of array of shape (n, t)
        Losses of what searches for settings tried.
    """
    row = choice.row
    lowest = choice.rows[choice.by_minimum]
    same = lowest is row and row.at == row.lowest
    why = (
        "no simpler candidate lies within one standard error of its score (of the difference on the same"
        " rows)."
        if same
        else "of the candidates within one standard error of the best score (of the difference on the same"
        " rows), it is the simplest."
    )
    said = f"{row.result.candidate.label} is chosen: {why}"
    notes = [
        "The simplest candidate is the one that holds the fewest numbers: non-zero coefficients, leaves,"
        " weights, or what is in the laws or the rows that it keeps.",
        f"Scores are those of fits on {scoring.rows[0]:,} of the {scoring.rows[1]:,} training rows; with"
        " more rows the order of close candidates may change.",
    ]
    if name == "brier_score":
        notes.append(
            "Some fits did not see every class and give it the probability 0, for which the log-loss is"
            " infinite: the Brier score judges in its place."
        )
    notes += [line for line in more if line]
    found = winner(choice, scoring, seed, held_out, trials)
    if found is not None:
        value = max(0.0, found["corrected"]["value"] - found["naive"]["value"])
        flatters = f"flatters the best score by about {written(value, 2)}"
        notes.append(
            f"Having tried {found['n_candidates']} fits on the same folds"
            f" {flatters if value > 0.0 else 'was not seen to flatter the best score'} (bootstrap);"
            " the test part is untouched."
        )
    return {
        "metric": name,
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": False,
        "rule": "one-standard-error",
        "sentence": said,
        "other_rule": by_minimum(lowest, same),
        "best_probability_method": _chances_made(choice),
        "winner": found,
        "notes": notes,
    }


def _chances_made(choice: Choice) -> str:
    """Return how the chances to be best were made, or why there are none."""
    if all(row.best_probability is None for row in choice.rows):
        return (
            "cannot be told, because up to three rows have losses out of all proportion to those of the"
            " others and decide who is ahead: no law of chance describes so few rows"
        )
    return (
        "draws of a Student t law with the mean and covariance of the out-of-fold losses; the reference is"
        " left out"
    )


def _left_out(a: Analysis) -> list[Json]:
    """Return which candidates have no row, with the reason of each."""
    cuts = dict(cut.split(": ", 1) for cut in a.cuts if ": " in cut)
    told = {**a.outrun, **dict(a.prepared.plan.unsuited), **cuts}
    raced = [one.json for one in a.left]
    return raced + [{"label": label, "reason": reason} for label, reason in told.items()]


def _family(choice: Choice, plan: Plan, metric: str) -> str:
    """Return whether the family that the target suggests was tried; "" where it suggests none."""
    family = plan.family
    if family is None:
        return ""
    named = f"{family.label} ({family.how})"
    if any(row.result.candidate.family for row in choice.rows):
        by = "its squared error, which suits every family"
        if metric != "mse":
            by = "its Poisson deviance: the variance of a count grows with its exposure"
        return (
            f"{named} was tried because of the target: {family.why}. All candidates predict the mean and are"
            f" compared by {by}."
        )
    planned = any(candidate.family for candidate in plan.rows)
    why = "it was left out to keep the time limit" if planned else "--models names no linear models"
    return f"{named}, which the target suggests ({family.why}), was not tried: {why}."


def _rows(choice: Choice, certificates: dict[str, Json]) -> list[Json]:
    """Return ``report["candidates"]``.

    Parameters
    ----------
    choice : Choice
    certificates : dict
        Certificate of a fit by name of its candidate, where there is one.
    """
    out = []
    for i, row in enumerate(choice.rows):
        c, result = row.result.candidate, row.result
        parameters: Json = {}
        if c.parameter:
            value = float(result.alphas[row.at])
            parameters = {c.parameter: int(value) if c.parameter == "rounds" else value}
            parameters |= {"l1_ratio": c.l1_ratio} if 0.0 < (c.l1_ratio or 0.0) < 1.0 else {}
        parameters |= dict(c.settings)
        out.append(
            {
                "name": c.name,
                "label": c.label,
                "role": c.role,
                "chosen": i == choice.chosen,
                "by_minimum": i == choice.by_minimum,
                "parameters": parameters,
                "score": estimate(row.score),
                "versus_baseline": maybe(row.versus_baseline),
                "versus_best": maybe(row.versus_best),
                "best_probability": row.best_probability,
                "complexity": {
                    "value": row.complexity,
                    "unit": singular(c.unit) if row.complexity == 1 else c.unit,
                }
                if c.fitted
                else None,
                "fit_seconds": number(result.seconds),
                "certificate": certificates.get(c.name),
                "note": _note(row),
            }
        )
    return out


def _note(row: Row) -> str | None:
    result = row.result
    if result.candidate.role == "reference":
        return "A reference from another library, with its default settings; not chosen from."
    candidate = result.candidate
    if not candidate.parameter or result.alphas.size < 2:
        return None
    richest = row.lowest == result.alphas.size - 1 and row.at == row.lowest
    if candidate.parameter == "rounds":
        return "The most rounds that were tried were chosen: more might be better still." if richest else None
    if candidate.parameter == "n_neighbors":
        return (
            "The most neighbours that were tried were chosen: more might be better still."
            if row.at == 0
            else None
        )
    if row.at == 0:
        return f"The largest penalty that was tried was chosen: {FEW[candidate.kind]}."
    if richest:
        return "The smallest penalty that was tried was chosen: less might be better still."
    return None


def _certificates(choice: Choice, chosen: str, final: Json | None) -> dict[str, Json]:
    """Return the final fit's certificate for the chosen row, the worst of the folds' for the others."""
    out = {}
    for row in choice.rows:
        if any(row.result.ends):
            out[row.result.candidate.name] = _worst(row.result, row.at)
    if final is not None:
        out[chosen] = final
    return out


def _worst(result: CrossValidated, at: int) -> Json:
    fitted = [end for end in result.ends if end]  # a fold whose rows hold one class has a constant and no fit
    certificate, status = max((end[at] for end in fitted), key=lambda e: e[0].relative)
    return {
        "kind": certificate.kind.name,
        "value": number(certificate.value),
        "scale": number(certificate.scale),
        "relative": number(certificate.relative),
        "tolerance": number(tolerance(result.recipe.estimator[-1])),
        "claim": spelled(f"worst of {len(fitted)} fits: {certificate.claim}"),
        "status": status.value,
        "verified": None,
    }


def _estimates(report: Json) -> dict[str, Pairs]:
    kinds = (
        ("score", "cross-validated scores of the candidates"),
        ("versus_baseline", "their differences from the baseline"),
        ("versus_best", "their differences from the best"),
    )
    told = [(said, c[key]) for key, said in kinds for c in report["candidates"]]
    raced = [one.get("versus_leader") for one in report["selection"].get("left_out", [])]
    return {"candidates": [*told, *(("differences of those that left from the leader", e) for e in raced)]}


def _charts(report: Json) -> Iterator[Chart]:
    selection, rows = report["selection"], report["candidates"]
    chosen = next(c for c in rows if c["chosen"])
    if any(c["score"] for c in rows):
        shown = partial(plots.CandidatesDisplay, rows, selection)
        yield Chart("candidates", "the candidates", shown, chosen["score"], "candidates")
    chances = [c for c in rows if c["best_probability"] is not None]
    if len(chances) > 1:
        best = [{"label": c["label"], "probability": c["best_probability"]} for c in chances]
        shown = partial(plots.BestProbabilityDisplay, best)
        yield Chart("best", "the probability of being best", shown, None, "candidates")
    yield from winner_chart(selection)
    yield from penalty_charts(report)


def _names(report: Json) -> Json:
    chosen = {c["name"] for c in report["candidates"] if c["chosen"]}
    own = [i for i, c in enumerate(report["selection_curves"]) if c["candidate"] in chosen]
    return {
        "curve_of_chosen": own,
        "other_curves": [f"selection{i}" for i in range(len(report["selection_curves"])) if i not in own],
        "left": left_told(report["selection"].get("left_out", [])),
        "best_label": best_label(report["selection"].get("left_out", [])),
        "certified": certified(report["candidates"]),
        "confirmed": confirmed(report["candidates"]),
    }


CANDIDATES = Section(
    "candidates",
    "Which model, and against what?",
    {
        "selection": selection,
        "candidates": list_of(candidate, least=1),
        "selection_curves": list_of(CURVE),
    },
    _collect,
    candidates_markdown,
    "candidates/candidates.html.j2",
    cross=_cross,
    charts=_charts,
    estimates=_estimates,
    names=_names,
    parts={"selection_curves": "The chart over the penalty"},
    needs=("test", "model"),
)
