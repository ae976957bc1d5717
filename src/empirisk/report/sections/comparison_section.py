"""The section on the candidates: one row each, the rule, and a curve for each tuned family."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.evaluation.intervals import best_of
from empirisk.evaluation.intervals.bbc import SELECTION
from empirisk.report.fit.choose import Choice, Row
from empirisk.report.fit.families import Family
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.sections.estimates import Scoring, band, estimate, maybe, number
from empirisk.wording import number as written

__all__ = ["candidate_rows", "selection_curves", "selection_section", "tuned_metric"]

Json = dict[str, Any]
COMPLEXITY = "non-zero coefficients"
LEAVES = "leaves"
MAX_BOOTSTRAP_ROWS = 50_000  # up to which the winner's correction is bootstrapped


def tuned_metric(task: str) -> str:
    """Return the name of the loss that models are tuned by."""
    return "mse" if task == "regression" else "log_loss"


def selection_section(
    choice: Choice,
    task: str,
    unit: str | None,
    scoring: Scoring,
    seed: int,
    held_out: Json | None,
    family: Family | None = None,
) -> Json:
    """Return ``report["selection"]``: the rule, what it chose, and what the other would have chosen.

    Parameters
    ----------
    held_out : dict or None
        Loss of the chosen model on the test part, an estimate.
    family : Family or None
        What the target suggested beside straight lines.
    """
    name, row = tuned_metric(task), choice.row
    lowest = choice.rows[choice.by_minimum]
    other = lowest.result
    same = lowest is row and row.at == row.lowest
    parts = [
        "Within one standard error of the best score (of the difference on the same rows), the candidate"
        " that holds the fewest numbers (non-zero coefficients, or leaves) is chosen:"
        f" {row.result.candidate.label}."
    ]
    if scoring.rows is not None:
        parts.append(
            f"Scores are those of fits on {scoring.rows[0]:,} of the {scoring.rows[1]:,} training rows; with"
            " more rows the order of close candidates may change."
        )
    if family is not None:
        parts.append(
            f"{family.label} ({family.how}) was tried because of the target: {family.why}. All candidates"
            " predict the mean and are compared by its squared error, which suits every family."
        )
    winner = _winner(choice, scoring, seed, held_out)
    if winner is not None:
        value = max(0.0, winner["corrected"]["value"] - winner["naive"]["value"])
        size = written(value, 2) if value > 0.0 else "nothing measurable"
        parts.append(
            f"Having tried {winner['n_candidates']} fits on the same folds flatters the best score by about"
            f" {size} (bootstrap);"
            " the test part is untouched."
        )
    return {
        "metric": name,
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": False,
        "rule": "one-standard-error",
        "sentence": " ".join(parts),
        "other_rule": (
            "The smallest mean score chooses the same: "
            if same
            else "The smallest mean score would have chosen "
        )
        + other.candidate.label
        + (
            f" with {other.candidate.parameter} = {written(float(other.alphas[lowest.lowest]))}."
            if other.candidate.parameter
            else "."
        ),
        "best_probability_method": (
            "normal draws with the mean and covariance of the out-of-fold losses; the reference is left out"
        ),
        "winner": winner,
    }


def _winner(choice: Choice, scoring: Scoring, seed: int, held_out: Json | None) -> Json | None:
    """Return the smallest of all scores, plain and corrected by the bootstrap of Tsamardinos et al.
    (2018).
    """
    own = [r.result.losses for r in choice.rows if r.result.candidate.role != "reference"]
    every = np.concatenate(own, axis=2)
    table = every.mean(axis=0)
    if not 30 <= table.shape[0] <= MAX_BOOTSTRAP_ROWS or table.shape[1] < 2 or scoring.groups is not None:
        return None
    corrected = best_of(
        table,
        scoring.folds,
        scoring.level,
        n_bootstrap=200,
        random_state=seed,
        target=scoring.target(who=SELECTION),
        errors=scoring.errors,
    )
    naive = scoring.loss(every[:, :, int(np.argmin(table.mean(axis=0)))])
    return {
        "n_candidates": table.shape[1],
        "candidates": sorted(float(v) for v in table.mean(axis=0)),
        "naive": estimate(naive),
        "corrected": estimate(corrected),
        "held_out": held_out,
    }


def candidate_rows(choice: Choice, certificates: dict[str, Json]) -> list[Json]:
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
                    "unit": COMPLEXITY if c.linear else LEAVES,
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
    if row.at == 0:
        few = (
            "nearly all coefficients are zero or close to it"
            if candidate.linear
            else "hardly a split is left"
        )
        return f"The largest penalty that was tried was chosen: {few}."
    if richest:
        return "The smallest penalty that was tried was chosen: less might be better still."
    return None


def selection_curves(choice: Choice, scoring: Scoring) -> list[Json]:
    """Return ``report["selection_curves"]``: score against penalty for each tuned family."""
    out = []
    for row in choice.rows:
        result = row.result
        if not result.candidate.parameter or result.alphas.size < 2:
            continue
        order = np.argsort(result.alphas)
        points = [scoring.loss(result.losses[:, :, i]) for i in order]
        method = f"pointwise; {points[0].method}"
        train = result.train.mean(axis=0)[order]
        out.append(
            {
                "candidate": result.candidate.name,
                "parameter": result.candidate.parameter,
                "scale": "log",
                "x": [float(a) for a in result.alphas[order]],
                "train": {
                    "value": [float(v) for v in train],
                    "low": None,
                    "high": None,
                    "level": scoring.level,
                    "n": points[0].n,
                    "method": f"mean over {result.train.shape[0]} fits",
                },
                "validation": band(points, method),
                "chosen": float(result.alphas[row.at]),
                "minimum": float(result.alphas[row.lowest]),
            }
        )
    return out
