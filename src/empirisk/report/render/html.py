"""The page: one self-contained HTML file rendered from ``report.json``."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from empirisk import wording
from empirisk.data.deadline import Deadline
from empirisk.plots.confusion import NUMBERED
from empirisk.plots.palette import PALETTE
from empirisk.report.render.figures import figures, made_by
from empirisk.report.render.schema import validate_report
from empirisk.report.render.sparkline import sparkline
from empirisk.report.sections.costs import ThresholdCost, costs
from empirisk.report.sections.methods import estimates, methods, point

__all__ = ["SECTIONS", "colours", "render_html", "setting", "thresholds", "top_findings"]

Json = dict[str, Any]
SECTIONS = (
    ("verdict", "Verdict"),
    ("data", "Data"),
    ("candidates", "Candidates"),
    ("test", "Test"),
    ("model", "What the model uses"),
    ("learning", "Is it learning?"),
    ("findings", "Findings"),
    ("limits", "What this report cannot tell you"),
    ("reproduce", "Reproduce"),
)


def _capitalise(said: str) -> str:
    return said[:1].upper() + said[1:]


def setting(value: float | str | bool | None) -> str:
    """Return how the page shows the value of a setting: yes, no, none, text or a number."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return value if isinstance(value, str) else wording.plain(value)


def colours(scheme: str) -> str:
    """Return the palette of a scheme (``"light"`` or ``"dark"``) as CSS variables."""
    return "".join(f"--{name}:{getattr(role, scheme)};" for name, role in PALETTE.items())


def thresholds(scores: Json | None) -> list[ThresholdCost]:
    """Return some twenty thresholds, with the chosen one among them, at equal costs."""
    if scores is None:
        return []
    every = max(1, (len(scores["edges"]) - 1) // 20)
    rows = enumerate(costs(scores))
    return [
        c for i, c in rows if (i and i % every == 0 and c.threshold < 1) or c.threshold == scores["threshold"]
    ]


def top_findings(report: Json) -> list[tuple[int, Json]]:
    """Return the findings that the verdict names, each with its place; a code named twice takes two of
    them.
    """
    places, out = list(enumerate(report["findings"], 1)), []
    for code in report["verdict"]["findings"]:
        found = next((place for place in places if place[1]["code"] == code), None)
        if found is not None:
            places.remove(found)
            out.append(found)
    return out


def _per_hundred(report: Json, c: ThresholdCost) -> Json:
    level, n = report["test"]["scores"]["level"], report["test"]["n_rows"]
    ends = {"value": 100 * c.cost, "low": 100 * c.low, "high": 100 * c.high}
    return {**ends, "level": level, "n": n, "method": "Wilson intervals, variances recovered"}


def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("empirisk.report.render", "templates"),
        autoescape=lambda name: name is None or ".html" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["capitalise"] = _capitalise
    for function in (
        wording.count,
        wording.interval,
        wording.plain,
        wording.share,
        wording.shorten,
        wording.signed,
        wording.text,
        colours,
        made_by,
        methods,
        point,
        setting,
        sparkline,
    ):
        env.globals[function.__name__] = function
    env.globals["NUMBERED"] = NUMBERED
    env.globals["z"] = lambda level: NormalDist().inv_cdf(0.5 + level / 2)
    return env


def render_html(report: Json, deadline: Deadline | None = None) -> str:
    """Render a report as one HTML page that needs nothing but itself.

    Parameters
    ----------
    report : dict
        The content of ``report.json``; it is validated first.
    deadline : Deadline, optional
        What leaves out the charts for which no time is left.

    Returns
    -------
    str
        HTML with inline styles, pictures and a short script; no request leaves the page.

    Raises
    ------
    ReportSchemaError
        Names the key of the report that is at fault.
    """
    validate_report(report)
    template = _environment().get_template("report.html.j2")
    return template.render(
        r=report,
        sections=SECTIONS,
        badges=top_findings(report),
        figures=figures(report, deadline),
        estimates=estimates(report),
        thresholds=thresholds(report["test"]["scores"]),
        per_hundred=lambda c: _per_hundred(report, c),
    )
