"""The sentence of the verdict: what the test says the model is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.report.sections.verdict.headline import state
from empirisk.report.sections.verdict.measure import ends, measure_of
from empirisk.wording import counted, quoted

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
    rows : str
        What the test part stands for.
    tried : bool
        Whether any model was fitted in time.
    horizon : str
        How far after the training rows those of the test part lie, or "".
    limited : bool
        Whether the user gave a time limit.
    scale : str
        Between which values the target lies, in a sentence, or "".
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
    rows: str = "new rows"
    tried: bool = True
    horizon: str = ""
    limited: bool = True
    scale: str = ""

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
    """What the test says in the words of the task, for rows drawn like these.

    The model is called better where the headline or the loss shows it, and the sentence says which of them
    does not: it never contradicts the table of the metrics.
    """
    parts = [_formula(s.formula)] if s.formula else []
    if not s.fitted:
        parts.append(_nothing(s))
    else:
        parts.append(f"{s.label} {_measured(s)}{_against_nothing(s)}.")
        parts += [s.scale] if s.scale and s.headline == "mae" else []
        parts += [f"{_left_out(s.texts)}."] if s.texts else []
    parts += [f"{s.horizon[:1].upper()}{s.horizon[1:]}."] if s.horizon and s.fitted else []
    said = " ".join(part for part in parts if part)
    return said[:1].upper() + said[1:]


def _formula(sentence: str) -> str:
    return f"{sentence.rstrip('.')}: what follows is a formula, not a forecast."


def _left_out(texts: Sequence[str]) -> str:
    return f"The text in {quoted(texts)} {'was' if len(texts) == 1 else 'were'} left out"


def _nothing(s: Situation) -> str:
    if not s.tried:
        nothing = "No model was fitted within the time limit" if s.limited else "No model could be fitted"
        return f"{nothing}: the numbers are those of the baseline."
    target = s.task["target"] + (" forward in time" if s.in_time else "")
    end = f"was shown to predict {target} better than the baseline does: the constant prediction was chosen."
    if s.formula:
        return f"No model that was fitted {end}"
    if s.texts:
        return f"{_left_out(s.texts)}, and nothing in the other columns of {s.source} {end}"
    return f"Nothing in the other columns of {s.source} {end}"


def _measured(s: Situation) -> str:
    """Return what the headline means for new rows, with its interval; of few rows what they showed."""
    head = s.metric(s.headline)
    if head is None or head["model"]["value"] is None:
        return "could not be scored on the test rows"
    measure, model = measure_of(head["name"], s.task["unit"]), head["model"]
    value, between = measure.said(model), ends(measure.scaled(model))
    rows = f"{s.rows} weighted by {s.task['weight']}" if s.task["weight"] else s.rows
    if _counted(s, head):
        return f"is right on {round(model['value'] * model['n'])} of {counted(model['n'], 'test row')}"
    if head["name"] == "accuracy":
        said = f"is right on {value} of 100 {rows} on average{between}"
    elif head["name"] == "roc_auc":
        positive = s.task["positive"]
        pair = f"a {positive} row above another one" if positive else "a row of a class above one of another"
        said = f"ranks {pair} in {value} of 100 pairs of {rows} on average{between}"
    elif head["name"] == "mae":
        said = f"is off by {value} on average{between} on {rows}"
    else:
        said = f"has a {head['label']} of {value}{between} on {rows}"
    return f"{said}, if they are drawn like these" if between else said


def _counted(s: Situation, head: Json) -> bool:
    """Return whether the headline says how many of the test rows are right, so few are they."""
    return head["name"] == "accuracy" and head["model"]["low"] is None and not s.task["weight"]


def _against_nothing(s: Situation) -> str:
    """Return whether that is better than the baseline, by the headline and by the loss, as a clause.

    It is silent where both show that it is: the picture has the difference.
    """
    head, loss = s.metric(s.headline), s.metric(s.loss)
    shown = "unknown" if head is None else state(head["difference"], head["greater_is_better"])
    other = shown if loss is None else state(loss["difference"], loss["greater_is_better"])
    label = "" if loss is None else loss["label"]
    rows = counted(0 if head is None else head["model"]["n"], "test row")
    rows = "these" if head is not None and _counted(s, head) else rows
    if shown == other == "better":
        return ""
    if shown == "better":
        tells = (
            "it is worse than the baseline"
            if other == "worse"
            else f"{rows} cannot tell it from the baseline"
        )
        return f"; by {label} {tells}"
    if shown == "worse":
        constant = (head or {}).get("constant")
        baseline = "the baseline" + (f" (the {constant}; models are fitted to the mean)" if constant else "")
        return f": worse than {baseline}{f', but better by {label}' if other == 'better' else ''}"
    open_ = f"; {rows} do not show that this is better than the baseline"
    if other != "unknown":
        return f"{open_}, but by {label} it is {'' if other == 'better' else 'worse'}".rstrip()
    if s.in_r2 == "better":
        return f"{open_}, but by R² it is"
    if s.in_folds is not None and state(s.in_folds, False) == "better":
        return f"{open_}; in cross-validation it is, by {label}"
    return open_
