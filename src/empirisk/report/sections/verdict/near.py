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
    others = [c for c in candidates if c["role"] == "candidate" and not c["chosen"]]
    best = [inside(c["label"]) for c in others if c["by_minimum"]]
    if best:
        return (
            f"In cross-validation {best[0]} scored best, but not by more than a standard error: the simpler "
            "model was taken."
        )
    close = [c for c in others if (c["best_probability"] or 0.0) >= CLOSE]
    close = sorted(close, key=lambda c: -c["best_probability"])[:_NAMED]
    if not close:
        return ""
    names = listed([inside(c["label"]) for c in close])
    chances = listed([share(c["best_probability"]) for c in close])
    return f"In cross-validation {names} came close (chance to be best: {chances})."


def _left(selection: Json) -> str:
    late = [inside(c["label"]) for c in selection.get("left_out", []) if c.get("why") == "time"]
    late = [*late[:_NAMED], *([f"{len(late) - _NAMED} more"] if len(late) > _NAMED else [])]
    return f"Left out for time: {listed(late)}." if late else ""
