"""The picture at the top: nothing, the simplest model and the chosen one on the test part, side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from empirisk.report.sections.methods import made_by
from empirisk.report.sections.verdict.headline import state
from empirisk.report.sections.verdict.measure import Measure, measure_of
from empirisk.wording import count, interval, number, share, shorten, text

__all__ = ["Versus", "difference_words", "inside", "versus"]

Json = dict[str, Any]
MARGIN = 0.06  # of the width, free at both ends of the axis
NAMES = ("Poisson", "Tweedie", "Gaussian")  # of persons, with a capital inside a sentence


@dataclass(frozen=True)
class Mark:
    """A row of the picture: who, the number in words, and where its dot and its interval lie, in per cent."""

    key: str
    label: str
    note: str
    value: str
    interval: str
    x: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Versus:
    """The whole picture.

    Parameters
    ----------
    title : str
        What the dots are, and which side is better.
    marks : tuple of Mark
        Nothing, the simplest model, the chosen one; fewer where one is the other.
    differences : tuple of str
        What the chosen one gains over each of the others, in words.
    made : str
        How the intervals were made.
    """

    title: str
    marks: tuple[Mark, ...]
    differences: tuple[str, ...]
    made: str

    @property
    def described(self) -> str:
        """The picture in words, for those who do not see it."""
        rows = "; ".join(f"{m.label} {m.value} {m.interval}".strip() for m in self.marks)
        return f"{self.title}. {rows}."

    @property
    def said(self) -> str:
        """The differences in words, as one sentence with a capital and a full stop."""
        said = "; ".join(self.differences)
        return said and f"{said[:1].upper()}{said[1:]}."


def versus(report: Json) -> Versus:
    """Return the picture of a report, made from ``verdict.headline`` and ``verdict.simplest``."""
    head, simple = report["verdict"]["headline"], report["verdict"]["simplest"]
    measure = measure_of(head["name"], report["task"].get("unit"))
    constant = next(c for c in report["candidates"] if c["role"] == "baseline")
    nothing = report["verdict"]["model"] == constant["name"]
    answer, rows = _nothing(report, constant["label"]), []
    if head["baseline"] is not None and not nothing:
        rows.append(("nothing", "Baseline", answer, head["baseline"]))
    if simple is not None:
        rows.append(("simplest", simple["label"], "a simple model", simple["estimate"]))
    label, note = ("Baseline", answer) if nothing else (report["model"]["label"], "")
    rows.append(("chosen", label, note, head["model"]))
    return Versus(
        measure.title,
        tuple(_marks(rows, measure)),
        tuple(_differences(report, measure, nothing)),
        _made(head, report["test"]["n_rows"]),
    )


def _nothing(report: Json, label: str) -> str:
    """Return what is answered where no model is used: what the constant is called, or its class."""
    task, head = report["task"], report["verdict"]["headline"]
    name = head["name"]
    if head.get("constant"):
        return str(head["constant"])
    if name == "roc_auc":
        return "ranks by chance"
    counts = report["split"]["parts"][0]["class_counts"]
    if name != "accuracy" or not counts or "latest" in label:
        return inside(label.removeprefix("Baseline (").removesuffix(")"))
    most = max(range(len(counts)), key=counts.__getitem__)
    return f"always {shorten(task['classes'][most], 20)}"


def _marks(rows: list[tuple[str, str, str, Json]], measure: Measure) -> Iterator[Mark]:
    shown = [(key, label, note, measure.scaled(e)) for key, label, note, e in rows]
    known = [v for *_, e in shown for v in (e["low"], e["value"], e["high"]) if v is not None]
    first, width = min(known, default=0.0), max(known, default=0.0) - min(known, default=0.0)

    def place(v: float | None) -> float | None:
        if v is None:
            return None
        inner = 0.5 if width <= 0.0 else (v - first) / width
        return round(100.0 * (MARGIN + (1.0 - 2.0 * MARGIN) * inner), 2)

    # Values that are written alike and are not the same have a digit more, all of them.
    finer = int(len({text(e) for *_, e in shown}) < len({e["value"] for *_, e in shown}))
    for key, label, note, e in shown:
        where = place(e["value"])
        if where is not None:
            low, high = place(e["low"]), place(e["high"])
            known = e["low"] != e["high"]  # a value by definition has no interval
            ends = interval(e, finer=finer) if known else ""
            yield Mark(key, label, note, text(e, finer=finer), ends, where, low, high)


def _differences(report: Json, measure: Measure, nothing: bool) -> Iterator[str]:
    head, simple = report["verdict"]["headline"], report["verdict"]["simplest"]
    greater = head["greater_is_better"]
    if head["difference"] is not None and not nothing:
        pair = head["model"], head["baseline"]
        yield difference_words(head["difference"], "the baseline", greater, measure, pair)
        measure = measure.short
    if simple is not None:
        pair = head["model"], simple["estimate"]
        yield difference_words(simple["difference"], inside(simple["label"]), greater, measure, pair)


def difference_words(
    e: Json, other: str, greater: bool, measure: Measure, pair: tuple[Json, Json] | None = None
) -> str:
    """Return what a difference of the chosen model to another says.

    Where the two values of a `pair`, as they are written, differ by another number, it has a digit more,
    which shows that the numbers are rounded.
    """
    scaled, unit = measure.scaled(e), measure.unit and f" {measure.unit}"
    if e["value"] == 0.0 and e["low"] in (None, 0.0):
        return f"no difference from {other} on these rows"
    if e["value"] is None or e["low"] is None:
        if e["value"] is None:
            return f"no difference from {other} can be told"
        amount = text(scaled | {"value": abs(scaled["value"])})
        said = measure.more if e["value"] > 0.0 else measure.less
        return f"{amount}{unit} {said} than {other} on these rows; no interval of the difference can be told"
    up = e["value"] > 0.0
    size = (
        scaled if up else scaled | {"value": -scaled["value"], "low": -scaled["high"], "high": -scaled["low"]}
    )
    if state(e, greater) == "unknown":
        shown = f"{text(size)} {_apart(size, 0)}{unit} {measure.more if up else measure.less}"
        return f"{shown} than {other}, which may be chance"
    finer = int(pair is not None and _rounds_otherwise(size, *(measure.scaled(one) for one in pair)))
    shown = f"{text(size, finer=finer)} {_apart(size, finer)}{unit}"
    return f"{shown} {measure.more if up else measure.less} than {other}"


def _rounds_otherwise(size: Json, *pair: Json) -> bool:
    """Return whether two values as written differ by another number than the difference as written.

    One with more digits than the values is what readers expect.
    """
    shown, *values = (text(e).replace("−", "-").replace(",", "") for e in (size, *pair))
    if len(shown.partition(".")[2]) > max(len(v.partition(".")[2]) for v in values):
        return False
    try:
        a, b = map(Decimal, values)
        return (a - b).copy_abs().quantize(Decimal(shown)) != Decimal(shown)
    except ArithmeticError:  # one of them is in words, or a multiple of a power of ten
        return False


def _apart(e: Json, finer: int) -> str:
    """Return an interval whose ends are on the right side of 0: one that rounds to 0 has a digit more."""
    ends = (
        interval(e, finer=finer)[1:-1].split(", ")
        if interval(e)
        else [number(e["low"], 2), number(e["high"], 2)]
    )
    seen = [
        s if re.search("[1-9]", s) else number(v, 1) for s, v in zip(ends, (e["low"], e["high"]), strict=True)
    ]
    return f"[{', '.join(seen)}]"


def inside(label: str) -> str:
    """Return the label of a model as it stands inside a sentence.

    Examples
    --------
    >>> inside("Logistic regression (L1)"), inside("Poisson regression (log link, L1)")
    ('logistic regression (L1)', 'Poisson regression (log link, L1)')
    """
    return label if label.startswith(NAMES) else f"{label[:1].lower()}{label[1:]}"


def _made(head: Json, rows: int) -> str:
    """Return level and number of rows of the intervals, or why there is none.

    The methods stand in the last section.
    """
    model = head["model"]
    if model["low"] is None:
        return f"{count(rows)} test rows, used once; {made_by(model)}"
    n = "" if model["n"] == rows else f" (n = {count(model['n'])})"
    return f"{share(model['level'])} intervals from {count(rows)} test rows{n}, used once"
