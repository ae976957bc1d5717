"""The first screen: what the model is worth, whether its fit is proved, and what to do next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from empirisk.report.sections.estimates import maybe
from empirisk.report.sections.headline import state
from empirisk.results import Estimate, Finding
from empirisk.wording import amount, brief, percent, quoted

__all__ = ["Situation", "next_step", "rooted", "verdict_sentence", "worst_findings"]

Json = dict[str, Any]
_ORDER = {"serious": 0, "warning": 1, "note": 2}


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
    """Return what the test says, in a few sentences that hold for rows drawn like these.

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
    base = "the mean" if s.task["kind"] == "regression" else "the most frequent class"
    target = s.task["target"]
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
        "the mean" if s.task["kind"] == "regression" else "with the class shares"
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


def next_step(
    richer: Estimate | None,
    more: Estimate | None,
    label: str,
    score: float,
    serious: list[Finding],
    diagnosed: str = "",
    richest: bool = False,
    texts: Sequence[str] = (),
    unit: str = "",
) -> Json | None:
    """Return the most useful thing to do, with its expected gain; None where nothing was measured that could
    tell.

    Parameters
    ----------
    richer : Estimate or None
        Fall of the loss by gradient boosting against the chosen model, paired.
    more : Estimate or None
        Fall of the loss by twice the rows.
    label : str
        Name of the loss.
    score : float
        Loss of the chosen model, which a gain is compared with (one percent of it counts as useful).
    serious : list of Finding
        Findings that come before any gain.
    diagnosed : str
        What the diagnosis of the model advises, when a finding of it gains something.
    richest : bool, default False
        Whether the chosen model is of the richest class that was tried.
    texts : sequence of str
        Columns of text that were left out.
    unit : str
        Unit of the loss; "" where it has none (nats are not named).
    """
    if serious:
        return {"sentence": f"Settle the serious finding first: {serious[0].sentence}", "gain": None}
    useful, measured = 0.01 * abs(score), f"{label} (in {unit})" if unit else label
    rows = _more_rows(more, label, useful, score, unit)
    classes = RICHEST if richest else _richer(richer, useful)
    if richer is not None and richer.low is not None and richer.low > 0.0 and richer.value >= useful:
        less = f"boosting has a {_of(richer, score)} lower {measured}"
        return {"sentence": f"A richer class of models would help: {less}; {rows}.", "gain": maybe(richer)}
    if more is not None and more.low is not None and more.low > 0.0 and more.value >= useful:
        less = f"twice the rows would lower the {measured} by {_of(more, score)}"
        return {"sentence": f"More rows would help: {less}; {classes}.", "gain": maybe(more)}
    if diagnosed:
        return {"sentence": diagnosed, "gain": None}
    if texts:
        make = f"Make columns from the text in {quoted(texts)} (its length, words that occur)"
        return {"sentence": f"{make}: it was left out; {classes}, and {rows}.", "gain": None}
    if not richest and _unknown(richer) and _unknown(more):
        reason = next((e.reason for e in (richer, more) if e is not None and e.reason), "")
        if not reason:
            return None
        unclear = "whether a richer class of models or more rows would cannot be told yet"
        return {
            "sentence": f"More data are needed to tell what would help: {unclear} ({reason}).",
            "gain": None,
        }
    return {"sentence": f"Look for new columns: {classes}, and {rows}.", "gain": None}


def rooted(gain: Estimate | None, score: float) -> Estimate | None:
    """Return a fall of a mean square as the fall of its root, which has the unit of the target.

    Examples
    --------
    >>> rooted(Estimate(19.0, 0.0, 36.0, 0.95, 50, "paired"), 100.0)
    Estimate(value=1.0, low=0.0, high=2.0, level=0.95, n=50, method='paired; as a root', reason='', target='')
    """
    if gain is None:
        return None

    def fall(g: float | None) -> float | None:
        return None if g is None else math.sqrt(score) - math.sqrt(max(0.0, score - g))

    value = fall(gain.value)
    return replace(
        gain, value=value or 0.0, low=fall(gain.low), high=fall(gain.high), method=f"{gain.method}; as a root"
    )


def _unknown(e: Estimate | None) -> bool:
    return e is None or e.low is None or e.high is None


RICHEST = "the model is of the richest class that was tried"


def _of(e: Estimate, score: float) -> str:
    """Return a gain as a share of the loss that it is taken from."""
    return f"{percent(e.value / score)}" if score > 0.0 else brief(maybe(e))


def _richer(e: Estimate | None, useful: float) -> str:
    if e is None or e.low is None or e.high is None:
        return "whether a richer class would help cannot be told"
    if e.high < useful:
        return "a richer class (boosting) would not help"
    return "a richer class (boosting) was not shown to help"


def _more_rows(e: Estimate | None, label: str, useful: float, score: float, unit: str) -> str:
    if e is None or e.low is None or e.high is None:
        return "whether more rows would help cannot be told"
    shown = f"{brief(maybe(e))}{unit and f' {unit}'} lower {label} with twice the rows"
    if score > 0.0:
        shown += f", {percent(e.value / score)} of it"
    if e.high <= 0.0:
        return "more rows would not"
    if e.high < useful:
        little = "would help little" if e.low > 0.0 else "would not"
        return f"more rows {little} ({shown})"
    if e.low > 0.0 and e.value >= useful:
        return f"more rows would too ({shown})"
    if e.low > 0.0:
        return f"more rows would help, perhaps little ({shown})"
    return f"more rows were not shown to help ({shown})"


def worst_findings(findings: list[Finding], most: int = 3) -> list[str]:
    """Return the codes of the findings for the first screen: the most serious first, notes left out, each
    code once.
    """
    ordered = sorted((f for f in findings if f.level != "note"), key=lambda f: _ORDER[f.level])
    return list(dict.fromkeys(f.code for f in ordered))[:most]
