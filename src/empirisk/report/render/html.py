"""The page: one self-contained HTML file rendered from ``report.json``."""

from __future__ import annotations

import re
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from empirisk import wording
from empirisk.data.deadline import Deadline
from empirisk.plots.palette import PALETTE
from empirisk.report.render.figures import figures
from empirisk.report.schema import validate_report
from empirisk.report.sections.methods import Pairs, made_by, methods, point
from empirisk.report.sections.prose import setting, spent
from empirisk.report.sections.registry import form_of

__all__ = ["colours", "page", "render_html"]

Json = dict[str, Any]
# What stays as it is, since it is copied or run, and what stays on a line: a percentage, an interval.
_NUMBERS = r"[\d.,×⁰¹²³⁴⁵⁶⁷⁸⁹⁻− %]*"
_APART = re.compile(
    rf"<(code|pre|script|style)\b.*?</\1>|(?<=\d) (?=%)|[\[(](?=[\d−]){_NUMBERS}(?:, | to ){_NUMBERS}[\])]",
    re.DOTALL,
)


def _capitalise(said: str) -> str:
    return said[:1].upper() + said[1:]


def colours(scheme: str) -> str:
    """Return the palette of a scheme (``"light"`` or ``"dark"``) as CSS variables."""
    return "".join(f"--{name}:{getattr(role, scheme)};" for name, role in PALETTE.items())


def _environment() -> Environment:
    env = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("empirisk.report.render", "templates"),
                PackageLoader("empirisk.report", "sections"),
            ]
        ),
        autoescape=lambda name: name is None or ".html" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["capitalise"] = _capitalise
    for function in (
        wording.count,
        wording.interval,
        wording.listed,
        wording.counted,
        wording.p_value,
        wording.places,
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
        spent,
    ):
        env.globals[function.__name__] = function
    return env


def page(template: str, **names: Any) -> str:
    """Return the page that a template makes of what is handed to it; no line ends inside a percentage or an
    interval.
    """
    made = _environment().get_template(template).render(**names)
    return _APART.sub(lambda found: found[0] if found[1] else found[0].replace(" ", "\u00a0"), made)


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
    made: list[Pairs] = []
    names: Json = {}
    form = form_of(report)
    for section in form.sections:
        made.append([pair for pairs in section.estimates(report).values() for pair in pairs])
        names |= section.names(report)
    drawn = figures(report, deadline)
    return page(
        "report.html.j2", r=report, form=form, sections=form.sections, figures=drawn, made=made, **names
    )
