"""What the evidence of the test part looks like in ``report.json``."""

from __future__ import annotations

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
    string,
    strings,
)
from empirisk.report.shapes.values import (
    MAX_BINS,
    band_fields,
    comparison,
    counts,
    edges_of,
    estimate,
    numbers,
    same_length,
)

__all__ = ["TESTED"]


roc = Record({"x": numbers, **band_fields, "area": estimate}, also=same_length("x", "value", "low", "high"))
pr = Record(
    {"x": numbers, **band_fields, "area": estimate, "base_rate": estimate},
    also=same_length("x", "value", "low", "high"),
)


calibration = Record(
    {
        "about": string,
        "bins": list_of(
            Record({"low": number, "high": number, "n": integer, "predicted": number, "observed": estimate}),
            most=MAX_BINS,
        ),
        "test": nullable(
            Record({"statistic": number, "p_value": number, "method": string, "sentence": string})
        ),
    }
)


def _square(value: dict[str, Any], path: str) -> None:
    k = len(value["labels"])
    if len(value["counts"]) != k or any(len(row) != k for row in value["counts"]):
        raise ReportSchemaError(f"{path}.counts", f"must be {k} by {k}, as labels")
    for key in ("recall", "precision"):
        if value[key] is not None and len(value[key]) != k:
            raise ReportSchemaError(f"{path}.{key}", f"must have {k} items, as labels")


confusion = Record(
    {
        "labels": strings,
        "counts": list_of(numbers),
        "threshold": nullable(number),
        "recall": nullable(list_of(estimate)),
        "precision": nullable(list_of(estimate)),
    },
    also=_square,
)


scores = Record(
    {
        "edges": numbers,
        "positive": counts,
        "negative": counts,
        "threshold": number,
        "level": fraction,
    },
    also=edges_of("positive", "negative"),
)


_spread: dict[str, Check] = {
    "predicted": number,
    "n": integer,
    "mean": estimate,
    "q05": number,
    "q25": number,
    "q50": number,
    "q75": number,
    "q95": number,
}


spread = Record({"bins": list_of(Record(_spread), most=MAX_BINS)})


quantiles = Record(
    {"x": numbers, **band_fields, "sentence": nullable(string)}, also=same_length("x", "value", "low", "high")
)


coverage = Record({"nominal": fraction, "observed": estimate, "width": nullable(number)})


subgroups = Record(
    {
        "label": string,
        "unit": nullable(string),
        "greater_is_better": boolean,
        "multiplicity": string,
        "overall": estimate,
        "groups": list_of(
            Record(
                {"column": string, "value": string, "score": estimate},
                optional={"observed": nullable(number)},
            )
        ),
    }
)


TESTED = Record(
    {
        "n_rows": integer,
        "sentence": string,
        "metrics": list_of(comparison, least=1),
        "roc": nullable(roc),
        "pr": nullable(pr),
        "calibration": nullable(calibration),
        "confusion": nullable(confusion),
        "scores": nullable(scores),
        "observed": nullable(spread),
        "residuals": nullable(spread),
        "quantiles": nullable(quantiles),
        "coverage": nullable(list_of(coverage)),
        "subgroups": nullable(subgroups),
    }
)
