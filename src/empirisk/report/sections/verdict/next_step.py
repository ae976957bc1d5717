"""What to do next: the most useful step, with its expected gain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from empirisk.report.estimates import maybe
from empirisk.results import Estimate, Finding
from empirisk.wording import brief, percent, quoted

__all__ = ["next_step", "rooted"]

Json = dict[str, Any]
RICHEST = "the model is of the richest class that was tried"


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
        nothing = 0.0 < score <= more.value  # a law that is carried on beyond the loss itself
        by = f"bring the {measured} close to 0" if nothing else f"lower the {measured} by {_of(more, score)}"
        less = f"twice the rows would {by}"
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
