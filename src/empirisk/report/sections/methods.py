"""How the intervals of each table were made: the rows of the fold-out notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Method", "estimates", "methods", "point"]

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


def _comparison(metric: Json) -> Pairs:
    return [
        (metric["label"], metric["model"]),
        (f"{metric['label']} of the baseline", metric["baseline"]),
        (f"difference in {metric['label']}", metric["difference"]),
    ]


def _learning(curve: Json | None) -> Pairs:
    if curve is None:
        return []
    pairs: Pairs = [("held out", point(curve["validation"], 0))]
    if curve["train"] is not None:
        pairs.append(("training rows", point(curve["train"], 0)))
    more = curve["extrapolation"]
    return pairs + ([("expected", more["score"]), ("gain", more["gain"])] if more else [])


def estimates(report: Json) -> dict[str, Pairs]:
    """Return the labelled estimates of each table of the page."""
    test, model = report["test"], report["model"]
    confusion: Json = test["confusion"] or {"labels": [], "recall": None, "precision": None}
    subgroups: Json = test["subgroups"] or {"groups": []}
    kinds = (
        ("score", "score"),
        ("versus_baseline", "against the baseline"),
        ("versus_best", "against the best"),
    )
    return {
        "candidates": [
            (f"{c['label']}: {said}", c[key]) for key, said in kinds for c in report["candidates"]
        ],
        "test": [pair for metric in test["metrics"] for pair in _comparison(metric)],
        "confusion": [
            (f"{key} of {label}", e)
            for key in ("recall", "precision")
            for label, e in zip(confusion["labels"], confusion[key] or [], strict=False)
        ],
        "coverage": [(f"coverage at {c['nominal']:g}", c["observed"]) for c in test["coverage"] or []],
        "subgroups": [(f"{g['column']} = {g['value']}", g["score"]) for g in subgroups["groups"]],
        "coefficients": [
            (c["term"], c[key]) for key in ("value", "per_sd") for c in model["coefficients"] or []
        ],
        "importances": [(i["column"], i["value"]) for i in model["importances"] or []],
        "learning": _learning(report["learning_curve"]),
    }
