"""The sentence of the verdict: what the test says the model is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.report.sections.verdict.headline import state
from empirisk.wording import amount, quoted

__all__ = ["Situation", "verdict_sentence"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Situation:
    """What the sentence of the verdict is made from.

    Parameters
    ----------
    label : str
        Of the chosen model.
    task : dict
        ``report["task"]``.
    metrics : list of dict
        ``report["test"]["metrics"]``.
    headline, loss : str
        Names of the metric at the top and of the loss that models are fitted and chosen by.
    fitted : bool
        Whether the model uses columns.
    source : str
        Name of the file.
    texts : tuple of str
        Columns of text that were left out.
    formula : str
        The sentence of a finding that the target is a formula of other columns, or "".
    in_folds : dict or None
        Cross-validated difference of the loss to the baseline, negative when the model is better.
    in_time : bool
        Whether models were chosen on rows later than those that they were fitted on.
    """

    label: str
    task: Json
    metrics: Sequence[Json]
    headline: str
    loss: str
    fitted: bool
    source: str
    texts: tuple[str, ...] = ()
    formula: str = ""
    in_folds: Json | None = None
    in_time: bool = False

    @property
    def constant(self) -> str:
        """What the baseline answers for a number: the mean, or one rate where rows have exposures."""
        return "the mean" if self.task["exposure"] is None else "one rate times the exposure"

    @property
    def in_r2(self) -> str:
        """What R² shows, as its difference to the baseline or, where rows are too few for that, its own sign.

        R² itself measures against the mean of the test rows, which no constant prediction does better than.
        """
        r2 = self.metric("r2")
        if r2 is None:
            return "unknown"
        difference = r2["difference"]
        known = difference is not None and difference["low"] is not None
        return state(difference if known else r2["model"], True)

    def metric(self, name: str) -> Json | None:
        """Return one of the metrics of the test part."""
        return next((m for m in self.metrics if m["name"] == name), None)


def verdict_sentence(s: Situation) -> str:
    """What the test says, in a few sentences that hold for rows drawn like these.

    The model is called better where the headline or the loss shows it, and the sentence says which of them
    does not: it never contradicts the table of the metrics.
    """
    parts = [_formula(s.formula)] if s.formula else []
    parts += [_nothing(s)] if not s.fitted else [_claim(s), _tomorrow(s)]
    if s.texts and s.fitted:
        parts.append(f"{_left_out(s.texts)}.")
    said = " ".join(part for part in parts if part)
    return said[:1].upper() + said[1:]


def _formula(sentence: str) -> str:
    return f"{sentence.rstrip('.')}: what follows is a formula, not a forecast."


def _left_out(texts: Sequence[str]) -> str:
    return f"The text in {quoted(texts)} {'was' if len(texts) == 1 else 'were'} left out"


def _nothing(s: Situation) -> str:
    base = s.constant if s.task["kind"] == "regression" else "the most frequent class"
    target = s.task["target"] + (" forward in time" if s.in_time else "")
    if s.formula:
        return (
            f"No model that was fitted was shown to predict {target} better than {base} does, so the constant"
            " prediction was chosen."
        )
    if s.texts:
        return (
            f"{_left_out(s.texts)}, and nothing in the other columns of {s.source} was shown to predict"
            f" {target} better than {base} does, so the constant prediction was chosen."
        )
    return (
        f"Nothing in the other columns of {s.source} was shown to predict {target} better than {base} does,"
        " so the constant prediction was chosen."
    )


def _claim(s: Situation) -> str:
    """Better, worse or unknown than the baseline, by the headline and by the loss."""
    names = dict.fromkeys((s.headline, s.loss))
    shown = [m for m in map(s.metric, names) if m is not None]
    states = {m["label"]: state(m["difference"], m["greater_is_better"]) for m in shown}
    n = shown[0]["model"]["n"] if shown else 0
    against = "always answering " + (
        s.constant if s.task["kind"] == "regression" else "with the class shares"
    )
    by = {
        what: [label for label, found in states.items() if found == what]
        for what in ("better", "worse", "unknown")
    }
    head = f"{s.label} predicts {s.task['target']}"
    if by["better"]:
        said = f"{head} better than {against}"
        if by["worse"]:
            return f"{said} by {by['better'][0]}, but worse by {by['worse'][0]}."
        if by["unknown"]:
            return f"{said} by {by['better'][0]}; by {by['unknown'][0]} these {n:,} test rows cannot tell."
        return f"{said}."
    if by["worse"]:
        return f"{head} worse than {against} by {' and '.join(by['worse'])}."
    if s.in_r2 == "better":
        others = f"by {' or '.join(states)} these {n:,} test rows cannot tell"
        return f"{head} better than {against} by R²; {others}."
    said = (
        f"Whether {head} better than {against} cannot be told by {' or '.join(states)} from {n:,} test rows"
    )
    if s.in_folds is not None and state(s.in_folds, False) == "better":
        return f"{said}; in cross-validation on the training rows it does."
    return f"{said}."


def _tomorrow(s: Situation) -> str:
    """Return what the headline means for one row, where the model is shown to be better."""
    head = s.metric(s.headline)
    if head is None or head["model"]["value"] is None:
        return ""
    found = state(head["difference"], head["greater_is_better"])
    rows = "If tomorrow's rows are drawn like these,"
    if found != "unknown" and head["name"] == "accuracy":
        return f"{rows} it is right on about {round(100 * head['model']['value'])} of 100."
    if found != "unknown" and head["name"] == "mae":
        unit = f" {s.task['unit']}" if s.task["unit"] else ""
        return f"{rows} it is off by about {amount(head['model'])}{unit} on average."
    auc = s.metric("roc_auc")
    if head["name"] == "log_loss" and auc is not None and (auc["model"]["low"] or 0.0) > 0.5:
        positive = s.task["positive"]
        which = (
            f"a {positive} row above another one" if positive else "a row of the class above one of another"
        )
        return f"{rows} it ranks {which} in about {round(100 * auc['model']['value'])} of 100 pairs."
    return ""
