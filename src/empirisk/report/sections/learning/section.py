"""The section on what would help: the learning curve, where the error comes from, what the best rule could
do, what theorems promise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Material, Section
from empirisk.report.sections.learning.attribution import (
    ATTRIBUTION,
    attribution_charts,
    attribution_markdown,
    collect_attribution,
)
from empirisk.report.sections.learning.best_possible import (
    BEST_POSSIBLE,
    best_possible_estimates,
    best_possible_markdown,
    better_rule_known,
    collect_best_possible,
)
from empirisk.report.sections.learning.bounds import (
    BOUNDS,
    assumption_said,
    assumptions_of,
    bounds_charts,
    bounds_markdown,
    bounds_told,
    collect_bounds,
    said_bound,
)
from empirisk.report.sections.learning.curve import (
    CURVE,
    collect_curve,
    cross_curve,
    curve_charts,
    curve_estimates,
    curve_markdown,
)
from empirisk.report.shapes.checkers import nullable

__all__ = ["LEARNING"]

Json = dict[str, Any]


def _collect(m: Material) -> Json:
    return {
        "learning_curve": m.part("learning_curve", lambda: collect_curve(m)),
        "attribution": m.part("attribution", lambda: collect_attribution(m)),
        "best_possible": m.part("best_possible", lambda: collect_best_possible(m)),
        "bounds": m.part("bounds", lambda: collect_bounds(m)),
    }


def _markdown(r: Json) -> prose.Lines:
    return [
        *curve_markdown(r),
        *attribution_markdown(r),
        *best_possible_markdown(r),
        *bounds_markdown(r),
    ]


def _charts(report: Json) -> Iterator[Chart]:
    yield from curve_charts(report)
    yield from attribution_charts(report)
    yield from bounds_charts(report)


LEARNING = Section(
    "learning",
    "Would more rows or a richer model help?",
    {
        "learning_curve": nullable(CURVE),
        "attribution": nullable(ATTRIBUTION),
        "best_possible": nullable(BEST_POSSIBLE),
        "bounds": nullable(BOUNDS),
    },
    _collect,
    _markdown,
    "learning/learning.html.j2",
    cross=cross_curve,
    charts=_charts,
    names=lambda report: {
        "bounds_told": bounds_told(report["bounds"]),
        "assumed": assumptions_of,
        "assumption_said": assumption_said,
        "better_rule_known": better_rule_known(report),
        "bound_said": lambda value: said_bound(value, report["bounds"]["label"]),
    },
    estimates=lambda report: {
        "learning": curve_estimates(report["learning_curve"]),
        "best_possible": best_possible_estimates(report),
    },
    parts={
        "learning_curve": "The learning curve",
        "attribution": "The table of where the error comes from",
        "best_possible": "The bracket of the best possible error",
        "bounds": "The table of bounds",
    },
    needs=("test",),
)
