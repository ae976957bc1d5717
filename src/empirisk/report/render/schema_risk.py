"""Schema of the reasoning about the risk in ``report.json``: winner, attribution, bounds."""

from __future__ import annotations

from typing import Any

from empirisk.report.render.checkers import (
    Record,
    ReportSchemaError,
    boolean,
    integer,
    list_of,
    nullable,
    number,
    one_of,
    string,
)
from empirisk.report.render.schema_values import estimate, maybe_estimate, numbers

__all__ = ["attribution", "bounds", "winner"]

winner = Record(
    {
        "n_candidates": integer,
        "candidates": numbers,
        "naive": estimate,
        "corrected": estimate,
        "held_out": maybe_estimate,
    }
)


def _interval(value: dict[str, Any], path: str) -> None:
    low, high = value["low"], value["high"]
    if low is not None and high is not None and low > high:
        raise ReportSchemaError(f"{path}.low", f"is above high ({low} > {high})")
    if value["standing"] == "not identifiable" and value["value"] is not None:
        raise ReportSchemaError(f"{path}.value", "must be null where the part is not identifiable")


attribution = Record(
    {
        "label": string,
        "unit": nullable(string),
        "risk": estimate,
        "parts": list_of(
            Record(
                {
                    "part": string,
                    "value": nullable(number),
                    "low": nullable(number),
                    "high": nullable(number),
                    "standing": one_of("known", "bounded", "not identifiable"),
                    "how": string,
                },
                also=_interval,
            ),
            least=1,
        ),
    }
)


def _applies(value: dict[str, Any], path: str) -> None:
    if value["applies"] and value["value"] is None:
        raise ReportSchemaError(f"{path}.value", "must be there where the bound applies")
    if not value["applies"] and not value["reason"]:
        raise ReportSchemaError(f"{path}.reason", "must say why the bound does not apply")


bounds = Record(
    {
        "label": string,
        "trivial": nullable(number),
        "sentence": string,
        "rows": list_of(
            Record(
                {
                    "bound": string,
                    "kind": string,
                    "value": nullable(number),
                    "measured": nullable(number),
                    "measured_on": string,
                    "delta": nullable(number),
                    "n": integer,
                    "vacuous": boolean,
                    "applies": boolean,
                    "reason": string,
                    "risk": string,
                    "claim": string,
                    "assumptions": list_of(
                        Record({"text": string, "source": one_of("declared", "computed", "assumed")})
                    ),
                },
                also=_applies,
            ),
            least=1,
        ),
    }
)
