"""How the intervals of each table were made: the rows of the fold-out notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from empirisk.wording import count, share

__all__ = ["Method", "Pairs", "made_by", "methods", "point"]

Json = dict[str, Any]
Pairs = list[tuple[str, Json | None]]
_NAMED = 6
_BRACKET = "bracket"  # begins the method of an extrapolation, which rests on an assumption and has no level


@dataclass(frozen=True)
class Method:
    """One way of making intervals, what it was used for, and behind how many rows each of them stands."""

    labels: str
    n: str
    level: float | None
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
    """Group labelled estimates that were made in the same way, whatever the number of their rows."""
    groups: dict[tuple[Any, ...], tuple[list[str], list[int]]] = {}
    for label, e in pairs:
        if e is not None:
            how = (_level(e), e["method"], e.get("reason", ""), e.get("target", ""))
            labels, rows = groups.setdefault(how, ([], []))
            labels.append(label)
            rows.append(e["n"])
    return [Method(_names(labels), _range(rows), *how) for how, (labels, rows) in groups.items()]


def _range(rows: list[int]) -> str:
    least, most = min(rows), max(rows)
    return count(least) if least == most else f"{count(least)} to {count(most)}"


def _names(labels: list[str]) -> str:
    labels = list(dict.fromkeys(labels))
    more = len(labels) - _NAMED
    return ", ".join(labels[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def made_by(e: Json) -> str:
    """Level, n and method of an estimate or a band, in one line; or why there is no interval."""
    if e["low"] is None or e["high"] is None:
        return f"no interval, n = {count(e['n'])}: {e.get('reason') or e['method']}"
    level = _level(e)
    said = "no level" if level is None else share(level)
    return f"{said}, n = {count(e['n'])}, {e['method']}"


def _level(e: Json) -> float | None:
    """Return the level of an interval; None of an extrapolation, whose ends an assumption makes."""
    return None if e["method"].startswith(_BRACKET) else float(e["level"])
