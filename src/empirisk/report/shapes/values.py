"""Schema of the values that recur in ``report.json``: estimates, bands, histograms, certificates."""

from __future__ import annotations

import itertools
from typing import Any

from empirisk.report.shapes.checkers import (
    Check,
    Record,
    ReportSchemaError,
    boolean,
    fraction,
    integer,
    list_of,
    nullable,
    number,
    one_of,
    string,
    strings,
)
from empirisk.results import Kind

MAX_BINS = 40  # as report.read.summary makes them
MAX_POINTS = 400  # of a curve: more cannot be seen and make the file large

numbers = list_of(number, most=MAX_POINTS)
counts = list_of(integer, most=MAX_POINTS)
setting: Check = nullable(lambda v, p: None if isinstance(v, (bool, str)) else number(v, p))


def _interval(value: dict[str, Any], path: str) -> None:
    low, high = value["low"], value["high"]
    if low is None or high is None:
        if not value.get("reason"):
            raise ReportSchemaError(f"{path}.reason", "is needed where low or high is null")
    elif low > high:
        raise ReportSchemaError(f"{path}.low", f"is above high ({low} > {high})")


def same_length(*keys: str) -> Check:
    """Return a check that the lists under these keys have one length."""

    def check(value: dict[str, Any], path: str) -> None:
        lengths = {k: len(value[k]) for k in keys if value[k] is not None}
        if len(set(lengths.values())) > 1:
            said = ", ".join(f"{k} has {n}" for k, n in lengths.items())
            raise ReportSchemaError(f"{path}.{keys[0]}", f"lists must have one length: {said}")

    return check


def edges_of(*keys: str) -> Check:
    """Return a check that edges increase and are one more than the numbers under each of these keys."""

    def check(value: dict[str, Any], path: str) -> None:
        edges = value["edges"]
        if any(b <= a for a, b in itertools.pairwise(edges)):
            raise ReportSchemaError(f"{path}.edges", "must increase strictly")
        for key in keys:
            if len(edges) != len(value[key]) + 1:
                raise ReportSchemaError(f"{path}.edges", f"must have one item more than {key}")

    return check


estimate = Record(
    {
        "value": nullable(number),
        "low": nullable(number),
        "high": nullable(number),
        "level": fraction,
        "n": integer,
        "method": string,
    },
    optional={"reason": string, "target": string},
    also=_interval,
)
maybe_estimate = nullable(estimate)

band_fields: dict[str, Check] = {
    "value": numbers,
    "low": nullable(numbers),
    "high": nullable(numbers),
    "level": fraction,
    "n": integer,
    "method": string,
}
band = Record(band_fields, also=same_length("value", "low", "high"))

certificate = Record(
    {
        "kind": one_of(*(kind.name for kind in Kind)),
        "value": nullable(number),
        "scale": nullable(number),
        "relative": nullable(number),
        "tolerance": nullable(number),
        "claim": string,
        "status": string,
        "verified": nullable(boolean),
    }
)


comparison = Record(
    {
        "name": string,
        "label": string,
        "unit": nullable(string),
        "greater_is_better": boolean,
        "model": estimate,
        "baseline": maybe_estimate,
        "difference": maybe_estimate,
    },
    optional={"constant": string},
)

_numeric = Record({"kind": string, "edges": numbers, "counts": counts}, also=edges_of("counts"))
_categories = Record(
    {"kind": string, "labels": strings, "counts": counts, "other": integer},
    also=same_length("labels", "counts"),
)


def histogram(value: Any, path: str) -> None:
    """At most 40 bins of a numeric column, or at most 40 categories and the rest as one number."""
    kind = value.get("kind") if isinstance(value, dict) else None
    one_of("numeric", "categories")(kind, f"{path}.kind")
    (_numeric if kind == "numeric" else _categories)(value, path)
    if len(value["counts"]) > MAX_BINS:
        raise ReportSchemaError(f"{path}.counts", f"must have at most {MAX_BINS} bins")


def file_name(value: Any, path: str) -> None:
    """Accept the name of a file without its folder."""
    string(value, path)
    if "/" in value or "\\" in value:
        raise ReportSchemaError(path, "must be a file name without its folder")
