"""A section of the report is one file, one row of the registry and one template beside it."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape

from empirisk.data.deadline import Deadline
from empirisk.report import sections
from empirisk.report.collect import in_order
from empirisk.report.render.html import render_html
from empirisk.report.render.write import render_markdown
from empirisk.report.schema import REPORTS
from empirisk.report.sections.base import Form, Section
from empirisk.report.sections.methods import methods
from empirisk.report.sections.prose import esc, spent
from empirisk.report.sections.registry import FORMS, form_of
from tests.report.conftest import load

REPORT_ROOM = Path(sections.__file__).parents[1]
LOOPS = ["collect.py", "schema.py", "render/write.py", "render/html.py", "render/figures.py"]


EVERY = list({id(s): s for form in FORMS.values() for s in form.sections}.values())
FORM_CASES = pytest.mark.parametrize("form", FORMS.values(), ids=list(FORMS))


def found() -> dict[str, Section]:
    """Every Section that a module of the room makes, by where it stands."""
    out = {}
    for module in pkgutil.walk_packages(sections.__path__, f"{sections.__name__}."):
        for name, thing in vars(importlib.import_module(module.name)).items():
            if isinstance(thing, Section) and thing not in out.values():
                out[f"{module.name}.{name}"] = thing
    return out


def test_every_section_has_a_row() -> None:
    # The findings and the sentences of limits stand in both forms; the limits are made again for clusters.
    missing = [where for where, section in found().items() if section not in EVERY]
    assert not missing, f"add {missing} to a form of src/empirisk/report/sections/registry.py"


@pytest.mark.parametrize("section", EVERY, ids=[f"{s.name}-{s.collect.__module__[24:]}" for s in EVERY])
def test_a_section_stands_in_one_place(section: Section) -> None:
    home = Path(str(importlib.import_module(section.collect.__module__).__file__))
    template = REPORT_ROOM / "sections" / section.template
    assert template.exists(), f"add the template {section.template} beside {home.name}"
    assert template.parent == home.parent, f"put {section.template} beside {home}"
    for key in section.parts:
        first = key.split(".")[0]
        assert first in section.fields, f"{key} of {section.name} is a key of another section"
    assert section.long <= set(section.parts)
    names = [{other.name for other in form.sections} for form in FORMS.values() if section in form.sections]
    assert all(set(section.needs) <= known for known in names), f"{section.name} needs an unknown section"


@FORM_CASES
def test_no_key_belongs_to_two_sections(form: Form) -> None:
    keys = [key for section in form.sections for key in (*section.fields, *section.optional)]
    assert len(keys) == len(set(keys))
    assert {"schema", "level", *keys} == set(REPORTS[form.schema].fields)


@FORM_CASES
def test_a_section_comes_after_those_it_needs(form: Form) -> None:
    order = [section.name for section in in_order(form.sections)]
    assert sorted(order) == sorted(section.name for section in form.sections)
    for section in form.sections:
        assert all(order.index(name) < order.index(section.name) for name in section.needs)


@pytest.mark.parametrize("task", ["classification", "regression", "clusters"])
def test_the_intervals_of_every_section_are_explained_once(task: str) -> None:
    """The method of each estimate stands on the page and in the Markdown, in one list for all sections."""
    report: dict[str, Any] = load(task)
    page, text = render_html(report, Deadline(0.0)), render_markdown(report)
    assert page.count('id="intervals"') == text.count("### How the intervals were made") == 1
    told = page[page.index('id="intervals"') :]
    for section in form_of(report).sections:
        for pairs in section.estimates(report).values():
            for row in methods(pairs):
                assert str(escape(row.labels)) in told, section.name
                assert str(escape(row.method)) in told, section.name
                assert esc(row.method) in text


@pytest.mark.parametrize("file", LOOPS)
def test_what_loops_over_the_sections_names_none(file: str) -> None:
    """A name of a section in one of these files would be a second place to edit for a new one."""
    tree = ast.parse((REPORT_ROOM / file).read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    rooms = {name.removeprefix("empirisk.report.sections.") for name in imported if ".sections." in name}
    shared = {"base", "guarded", "methods", "prose", "registry"}
    assert "registry" in rooms
    assert rooms <= shared, f"{file} imports {rooms - shared}: ask the section for it through its contract"


def test_what_a_report_took_stands_beside_its_forecasts() -> None:
    told = {"forecast_seconds": 48, "forecast_gigabytes": 0.5}
    both = spent({"seconds": 34.0, "peak_gigabytes": 0.52, "settings": told})
    assert both == "34 seconds (forecast: 48), with 0.52 GB of memory at the peak (forecast: 0.5)"
    assert spent({"seconds": 34.0, "peak_gigabytes": None, "settings": told}) == "34 seconds (forecast: 48)"
    assert spent({"seconds": 2.0, "peak_gigabytes": None, "settings": {}}).endswith(" seconds")
