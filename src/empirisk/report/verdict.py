"""The first screen: what the model is worth, whether its fit is proved, and what to do next."""

from __future__ import annotations

from typing import Any

from empirisk.report.estimates import maybe
from empirisk.results import Estimate, Finding

__all__ = ["next_step", "verdict_sentence", "worst_findings"]

Json = dict[str, Any]
_ORDER = {"serious": 0, "warning": 1, "note": 2}


def verdict_sentence(label: str, task: Json, headline: Json, linear: bool, source: str) -> str:
    """What the test says, in one or two sentences that hold for rows drawn like these."""
    target, difference = task["target"], headline["difference"]
    base = "the mean" if task["kind"] == "regression" else "the most frequent class"
    if not linear:
        return (
            f"Nothing in the other columns of {source} was shown to predict {target} better than {base} does,"
            " so the constant prediction was chosen."
        )
    better = _better(difference, headline["greater_is_better"])
    against = f"always answering {'the mean' if task['kind'] == 'regression' else 'the most frequent class'}"
    said = {
        "better": f"{label} predicts {target} better than {against}.",
        "worse": f"{label} predicts {target} worse than {against} by {headline['label']}.",
        "unknown": (
            f"Whether {label} predicts {target} better than {against} cannot be told by {headline['label']}"
            f" from {headline['model']['n']:,} test rows."
        ),
    }[better]
    value = headline["model"]["value"] if better != "unknown" else None
    if headline["name"] == "accuracy" and value is not None:
        said += f" If tomorrow's rows are drawn like these, it is right on about {round(100 * value)} of 100."
    elif headline["name"] == "mae" and value is not None:
        unit = f" {task['unit']}" if task["unit"] else ""
        said += f" If tomorrow's rows are drawn like these, it is off by about {value:.3g}{unit} on average."
    return said[:1].upper() + said[1:]


def _better(difference: Json | None, greater: bool) -> str:
    if difference is None or difference["low"] is None or difference["high"] is None:
        return "unknown"
    low, high = (
        (difference["low"], difference["high"]) if greater else (-difference["high"], -difference["low"])
    )
    return "better" if low > 0.0 else "worse" if high < 0.0 else "unknown"


def next_step(
    richer: Estimate | None,
    more: Estimate | None,
    label: str,
    score: float,
    serious: list[Finding],
    diagnosed: str = "",
    richest: bool = False,
) -> Json | None:
    """The most useful thing to do, with its expected gain.

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
    """
    if serious:
        return {"sentence": f"Settle the serious finding first: {serious[0].sentence}", "gain": None}
    useful = 0.01 * abs(score)
    rows = _more_rows(more, label, useful)
    classes = RICHEST if richest else _richer(richer, useful)
    if richer is not None and richer.low is not None and richer.low > 0.0 and richer.value >= useful:
        return {
            "sentence": f"A richer class of models would help: boosting has a lower {label}; {rows}.",
            "gain": maybe(richer),
        }
    if more is not None and more.low is not None and more.low > 0.0 and more.value >= useful:
        return {
            "sentence": (f"More rows would help: twice the rows would lower the {label}; {classes}."),
            "gain": maybe(more),
        }
    if diagnosed:
        return {"sentence": diagnosed, "gain": None}
    sentence = f"Look for new columns: {classes}, and {rows}."
    return {"sentence": sentence, "gain": None}


RICHEST = "the model is of the richest class that was tried"


def _richer(e: Estimate | None, useful: float) -> str:
    if e is None or e.low is None or e.high is None:
        return "whether a richer class would help cannot be told"
    if e.high < useful:
        return "a richer class (boosting) would not help"
    return "a richer class (boosting) was not shown to help"


def _more_rows(e: Estimate | None, label: str, useful: float) -> str:
    if e is None or e.low is None or e.high is None:
        return "whether more rows would help cannot be told"
    shown = f"{e.value:.2g} [{e.low:.2g}, {e.high:.2g}] lower {label} with twice the rows"
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
    """Codes of the findings for the first screen: the most serious first, notes left out, each code once."""
    ordered = sorted((f for f in findings if f.level != "note"), key=lambda f: _ORDER[f.level])
    return list(dict.fromkeys(f.code for f in ordered))[:most]
