"""How the intervals of each table were made: the rows of the fold-out notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from empirisk.wording import count, share

__all__ = ["Method", "Pairs", "made_by", "methods", "point"]

Json = dict[str, Any]
Pairs = list[tuple[str, Json | None]]
_NAMED = 6


@dataclass(frozen=True)
class Method:
    """One way of making intervals, and what it was used for."""

    labels: str
    n: int
    level: float
    method: str
    reason: str
    target: str


def point(band: Json, i: int) -> Json:
    """Return the estimate at position `i` of a band."""
    known = band["low"] is not None and band["high"] is not None
    ends = {"low": band["low"][i], "high": band["high"][i]} if known else {"low": None, "high": None}
    return {
        "value": band["value"][i],
        **ends,
        "level": band["level"],
        "n": band["n"],
        "method": band["method"],
    }


def methods(pairs: Pairs) -> list[Method]:
    """Group labelled estimates that were made in the same way."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for label, e in pairs:
        if e is not None:
            how = (e["n"], e["level"], e["method"], e.get("reason", ""), e.get("target", ""))
            groups.setdefault(how, []).append(label)
    return [Method(_names(labels), *how) for how, labels in groups.items()]


def _names(labels: list[str]) -> str:
    labels = list(dict.fromkeys(labels))
    more = len(labels) - _NAMED
    return ", ".join(labels[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def made_by(e: Json) -> str:
    """Level, n and method of an estimate or a band, in one line; or why there is no interval."""
    if e["low"] is None or e["high"] is None:
        return f"no interval, n = {count(e['n'])}: {e.get('reason') or e['method']}"
    return f"{share(e['level'])}, n = {count(e['n'])}, {e['method']}"
