"""What to do next, in one line: the most useful step, with its expected gain."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from empirisk.report.estimates import maybe
from empirisk.results import Estimate, Finding
from empirisk.wording import listed, percent, quoted

__all__ = ["after_findings", "more_time", "next_step", "rooted"]

Json = dict[str, Any]
USEFUL, WORTH = 0.01, 0.05  # of the loss: gains worth a click, and worth the cost of more rows


def next_step(
    richer: Estimate | None,
    more: Estimate | None,
    score: float,
    serious: list[Finding],
    diagnosed: str = "",
    richest: bool = False,
    texts: Sequence[str] = (),
    untried: Sequence[str] = (),
    limited: bool = False,
    loss: str = "error",
) -> Json | None:
    """Return the most useful thing to do, with its expected gain; None where nothing was measured that could
    tell.

    Parameters
    ----------
    richer : Estimate or None
        Fall of the loss by gradient boosting against the chosen model, paired.
    more : Estimate or None
        Fall of the loss by twice the rows.
    score : float
        Loss of the chosen model, which a gain is compared with: one percent of it is worth taking a richer
        class, and five percent getting twice the rows.
    serious : list of Finding
        Findings that come before any gain.
    diagnosed : str
        What the diagnosis of the model advises, when a finding of it gains something.
    richest : bool, default False
        Whether the chosen model is of the richest class that was tried.
    texts : sequence of str
        Columns of text that were left out.
    untried : sequence of str
        Models that were left out to save time and not shown to be worse.
    limited : bool, default False
        Whether it was the user who gave a time limit.
    loss : str, default "error"
        What the loss is called, which need not be the metric at the top.
    """
    if serious:
        return _step(f"Settle the serious finding first: {_clause(serious[0].sentence)}.")
    useful, worth = USEFUL * abs(score), WORTH * abs(score)
    if _gains(richer, useful):
        return _step(
            f"Take a richer class: boosting has {_share(richer, score)} less {loss} in cross-validation.",
            richer,
        )
    if _gains(more, worth):
        if more is not None and 0.0 < score <= more.value:  # a law that is carried on beyond the loss itself
            return _step(f"Get more rows: twice as many would bring the {loss} close to 0.", more)
        return _step(
            f"Get more rows: twice as many would lower the {loss} by about {_share(more, score)}.", more
        )
    if diagnosed:
        return _step(diagnosed)
    if texts:
        said = "it was" if len(texts) == 1 else "they were"
        return _step(
            f"Make columns from the text in {quoted(texts)} (length, words that occur): {said} left out."
        )
    if not richest and _unknown(richer) and _unknown(more):
        reason = next((e.reason for e in (richer, more) if e is not None and e.reason), "")
        return _step(f"Get more data: these cannot tell what would help ({reason}).") if reason else None
    classes = "the richest class was tried" if richest else f"a richer class {_class(richer, useful)}"
    do = "Look for new columns"
    if untried and (richest or _unknown(richer)):  # what was not fitted says nothing about richer classes
        classes = (
            f"{_some(untried)} left out to save time" if limited else "no model that was tried did better"
        )
        do += ", or give the report more time (--time-limit)" if limited else ""
    return _step(f"{do}: {classes}, and {_rows(more, score, useful, loss)}.")


def more_time(kinds: Sequence[str], limited: bool) -> Json:
    """Return what to do where no model was fitted: never what was done already.

    Parameters
    ----------
    kinds : sequence of str
        Kinds of models that were asked for.
    limited : bool
        Whether there was a time limit.

    Examples
    --------
    >>> more_time(("linear", "tree"), True)["sentence"]
    'Give the report more time (--time-limit), or fewer models (--models linear).'
    >>> more_time(("linear",), True)["sentence"]
    'Give the report more time (--time-limit), or fewer columns (--drop).'
    """
    if not limited:
        return _step("Give the report more rows, or other models (--models).")
    fewer = "models (--models linear)" if "linear" in kinds and len(kinds) > 1 else "columns (--drop)"
    return _step(f"Give the report more time (--time-limit), or fewer {fewer}.")


def after_findings(step: Json | None, asked: bool) -> Json | None:
    """Return a step that gains something as what comes after what the findings at the top say to do.

    Parameters
    ----------
    step : dict or None
    asked : bool
        Whether one of these findings says what to do.

    Examples
    --------
    >>> after_findings({"sentence": "Get more rows.", "gain": {"value": 0.1}}, True)["sentence"]
    'When the findings are settled, get more rows.'
    """
    if step is None or step["gain"] is None or not asked:
        return step
    said = step["sentence"]
    return step | {"sentence": f"When the findings are settled, {said[:1].lower()}{said[1:]}"}


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


def _step(sentence: str, gain: Estimate | None = None) -> Json:
    return {"sentence": sentence, "gain": maybe(gain)}


def _unknown(e: Estimate | None) -> bool:
    return e is None or e.low is None or e.high is None


def _gains(e: Estimate | None, useful: float) -> bool:
    """Return whether a gain is shown, and large enough to be of use."""
    return e is not None and e.low is not None and e.low > 0.0 and e.value >= useful


def _some(names: Sequence[str], most: int = 2) -> str:
    """Return the first names and how many more there are, with the verb."""
    rest = len(names) - most
    shown = [*names[:most], *([f"{rest} more"] if rest > 0 else [])]
    return f"{listed(shown)} {'was' if len(names) == 1 else 'were'}"


def _share(e: Estimate | None, score: float) -> str:
    """Return how large a gain is, in per cent of the loss.

    The gain is one of the loss that models are fitted by, which is seldom the number at the top: its size in
    that unit would be taken for that number here.
    """
    return percent(0.0 if e is None or score <= 0.0 else e.value / score)


def _clause(sentence: str) -> str:
    """Return what a finding says up to its first bracket, colon or semicolon, as it stands in a sentence.

    Examples
    --------
    >>> _clause("Errors depend on the order of the rows (p = 0.01): errors are alike.")
    'errors depend on the order of the rows'
    """
    said = re.split(r" \(|[:;] ", sentence)[0].rstrip(".")
    return f"{said[:1].lower()}{said[1:]}" if said[1:2].islower() else said


def _class(e: Estimate | None, useful: float) -> str:
    """Return what was seen of a richer class, as the rest of a sentence."""
    if e is None or e.low is None or e.high is None:
        return "was not tried or cannot be judged"
    return "would not help" if e.high < useful else "was not shown to help"


def _rows(e: Estimate | None, score: float, useful: float, loss: str) -> str:
    """Return what was seen of more rows, as the rest of a sentence."""
    if e is None or e.low is None or e.high is None:
        return "whether more rows would help cannot be told"
    if e.low > 0.0:
        return f"twice as many rows would lower the {loss} by about {_share(e, score)} only"
    return "more rows would not help" if e.high < useful else "more rows were not shown to help"
