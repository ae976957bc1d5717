"""What became of the feature steps that a table suggested: tried, with what score, and why taken or not."""

from __future__ import annotations

from collections.abc import Sequence

from empirisk import wording
from empirisk.evaluation.scoring import Scoring
from empirisk.report.estimates import estimate
from empirisk.report.fit.choose import Choice, Row
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.fit.plan import Plan
from empirisk.report.fit.steps import Suggestion, step_of

__all__ = ["step_sentences"]


def step_sentences(
    choice: Choice, plan: Plan, scoring: Scoring, unit: str | None, cuts: Sequence[str] = ()
) -> list[str]:
    """Return a passage for each step that the table suggested.

    Parameters
    ----------
    choice : Choice
        Of all candidates that have scores.
    plan : Plan
        Says which steps were suggested, and why.
    scoring : Scoring
        Makes the interval of a difference.
    unit : str or None
        Of the target.
    cuts : sequence of str
        What had to leave, each with its label and a reason.
    """
    rows = {row.result.candidate.step: row for row in choice.rows if row.result.candidate.step}
    labels = {c.step: c.label for c in plan.rows}
    return [
        _told(s, rows[s.step], choice, scoring, unit)
        if s.step in rows
        else _left(s, next((c for c in cuts if c.startswith(f"{labels.get(s.step)}: ")), ""))
        for s in plan.steps
    ]


def _left(s: Suggestion, cut: str) -> str:
    """Return why a step that the table suggests has no score."""
    why = cut.partition(": ")[2] or "they were left out to keep the time limit"
    return (
        f"Before a linear model, {step_of(s.step).title} have no score, though the table suggests them"
        f" ({s.why}): {why}."
    )


def _told(s: Suggestion, row: Row, choice: Choice, scoring: Scoring, unit: str | None) -> str:
    title = step_of(s.step).title
    metric = scoring.metric.name
    named = LABELS[metric] + (f" ({unit_of(metric, unit)})" if unit_of(metric, unit) else "")
    end = _taken if row is choice.row else _not_taken
    return (
        f"Before a linear model, {title} were tried because {s.why}: cross-validated {named}"
        f" {wording.estimate(estimate(row.score))}. {end(row, choice, scoring)}"
    )


def _taken(row: Row, choice: Choice, scoring: Scoring) -> str:
    """Return what the step gains over the best candidate without one that the rule may choose."""
    rows = (r for r in choice.rows if not r.result.candidate.step)
    others = [r for r in rows if r.result.candidate.role != "reference"]
    best = min(others, key=lambda r: scoring.value(r.losses))
    gain = wording.estimate(estimate(scoring.difference(best.losses, row.losses)))
    return (
        "They were taken: the loss of the best candidate without such a step,"
        f" {best.result.candidate.label}, is higher by {gain}."
    )


def _not_taken(row: Row, choice: Choice, scoring: Scoring) -> str:
    """Return by how much its loss differs from that of the chosen candidate, and what the rule says."""
    chosen = choice.row
    label = chosen.result.candidate.label
    more = scoring.difference(row.losses, chosen.losses)
    told = f"their loss less that of the chosen candidate, {label}, is {wording.estimate(estimate(more))}"
    if more.value >= 0.0:
        return f"They were not taken: {told}."
    if chosen.complexity <= row.complexity:
        why = f"within one standard error {label} holds fewer numbers"
        why += f" ({chosen.complexity:,} in the place of {row.complexity:,})"
    else:
        why = "they are more than one standard error away from the best score"
    return f"They were not taken, because {why}; {told}."
