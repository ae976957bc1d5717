"""Which other models came close to the chosen one, and which had no time."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections.verdict.versus import inside
from empirisk.wording import listed, share

__all__ = ["near"]

Json = dict[str, Any]
CLOSE = 0.1  # chance to be best from which on a model came close
_NAMED = 3


def near(report: Json) -> str:
    """Return who came close to the chosen model in cross-validation and who was left out for time; "" for
    nobody.

    Examples
    --------
    >>> one = {"role": "candidate", "chosen": False, "by_minimum": False}
    >>> forest = one | {"label": "Random forest", "best_probability": 0.46}
    >>> tree = one | {"label": "Decision tree (pruned)", "best_probability": 0.0}
    >>> near({"candidates": [forest, tree], "selection": {}})
    'In cross-validation random forest came close (chance to be best: 46 %).'
    """
    return " ".join(filter(None, (_close(report["candidates"]), _left(report["selection"]))))


def _close(candidates: list[Json]) -> str:
    """Return who came close; the chance of the chosen model beside theirs where it is not the largest."""
    others = [c for c in candidates if c["role"] == "candidate" and not c["chosen"]]
    best = next((c for c in others if c["by_minimum"]), None)
    if best is not None:
        chance = best["best_probability"]
        said = "" if chance is None else f" (chance to be best: {share(chance)})"
        return (
            f"In cross-validation {inside(best['label'])} scored best{said}, by less than one standard error:"
            " the simpler model was taken."
        )
    close = [c for c in others if (c["best_probability"] or 0.0) >= CLOSE]
    close = sorted(close, key=lambda c: -c["best_probability"])[:_NAMED]
    if not close:
        return ""
    names = listed([inside(c["label"]) for c in close])
    chances = listed([share(c["best_probability"]) for c in close])
    own = next((c["best_probability"] for c in candidates if c["chosen"]), None)
    if own is not None and own < close[0]["best_probability"]:
        chances += f"; of the chosen model, whose mean score is the best, {share(own)}"
    return f"In cross-validation {names} came close (chance to be best: {chances})."


def _left(selection: Json) -> str:
    """Return who was left out for want of time, those that were not seen to be behind alone."""
    late = [c for c in selection.get("left_out", []) if c.get("why") == "time" and not _behind(c)]
    names = [inside(c["label"]) for c in late[:_NAMED]]
    names += [f"{len(late) - _NAMED} more"] if len(late) > _NAMED else []
    return f"Left out for time, and not seen to be behind: {listed(names)}." if names else ""


def _behind(left: Json) -> bool:
    versus = left.get("versus_leader")
    return versus is not None and versus["low"] is not None and versus["low"] > 0.0
