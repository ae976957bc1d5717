"""The page as text: complete, inert, self-contained, reproducible."""

from __future__ import annotations

import functools
import json
import re
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import empirisk.report
from empirisk.data.deadline import Deadline
from empirisk.report.render.html import render_html
from empirisk.report.schema import ReportSchemaError
from empirisk.report.sections.prose import in_units
from empirisk.report.sections.registry import form_of
from empirisk.wording import interval, places, text

from .conftest import CASES, HOSTILE

# Hard variants whose pages take longer than the others.
LONG = {"clusters_hostile", "no_clusters", "long_names", "wide", "many_classes", "no_intervals"}
VOID = {"meta", "link", "input", "br", "path", "use", "rect"}
TEMPLATES = Path(empirisk.report.__file__).parent / "render" / "templates"


class Page(HTMLParser):
    """What the tests look at: tags with attributes, nesting, headings, ids and visible text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.headings: list[int] = []
        self.words: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.stack, f"</{tag}> closes nothing"
            assert self.stack.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.stack):
            self.words.append(data)

    @property
    def visible(self) -> str:
        return " ".join(" ".join(self.words).split())

    def attributes(self, name: str) -> list[str]:
        return [a[name] or "" for _, a in self.tags if name in a]


@functools.cache
def drawn(case: str) -> str:
    """Return the page of a case, rendered once for all tests, without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return render_html(CASES[case]())


def undrawn(report: dict[str, Any]) -> str:
    """Return a page without its charts, for tests that look at words alone."""
    return render_html(report, Deadline(0.0))


@pytest.fixture(params=[pytest.param(c, marks=[pytest.mark.full] if c in LONG else []) for c in CASES])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(name: str) -> str:
    return drawn(name)


def test_every_case_is_a_well_formed_page(name: str, source: str) -> None:
    page = Page(source)
    assert page.stack == []
    assert len(source.encode()) < 2_000_000
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    links = {a["href"] for tag, a in page.tags if tag == "a" and a.get("href")}
    assert {h[1:] for h in links if h} <= set(ids)
    for attribute in ("aria-labelledby", "for"):
        assert {i for value in page.attributes(attribute) for i in value.split()} <= set(ids)
    # Parts of a picture refer to the picture itself.
    assert set(re.findall(r"url\(#([^)]+)\)", source)) <= set(ids)
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(page.headings, page.headings[1:], strict=False))
    for section in form_of(CASES[name]()).sections:
        assert section.name in ids
        assert section.heading in page.visible


def test_it_needs_nothing_but_itself(source: str) -> None:
    page = Page(source)
    for tag, attributes in page.tags:
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, name, value)
    styles = "".join(re.findall(r"<style>(.*?)</style>", source, flags=re.S))
    assert "@import" not in styles
    assert "url(" not in styles
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|WebSocket|sendBeacon", source)
    assert str(Path.cwd()) not in source
    assert "/home/" not in source


def test_pictures_have_words_and_no_colour_of_their_own(source: str) -> None:
    charts = re.findall(
        r'<div class="chart" role="img" aria-label="([^"]*)">(<svg.*?</svg>)</div>', source, flags=re.S
    )
    assert len(charts) == source.count("<figure ")
    for label, svg in charts:
        assert len(label) > 30
        assert not re.search(r"(?:fill|stroke): #[0-9a-f]{6}", svg)
        assert "font-family" not in svg


def test_hostile_names_stay_text() -> None:
    source = drawn("hostile")
    page = Page(source)
    assert source.count("<script") == 2  # the data of the slider and the one script of the page
    assert not any(name.startswith("on") for _, a in page.tags for name in a)
    assert "alert('x')" in page.visible
    assert " ".join(HOSTILE.split()) in page.visible
    data = re.search(r'<script type="application/json" id="scores">(.*?)</script>', source, flags=re.S)
    assert data is not None
    assert set(json.loads(data[1])) == {"edges", "positive", "negative"}


def test_the_same_report_gives_the_same_bytes(classification: dict[str, Any]) -> None:
    assert render_html(classification) == drawn("classification")


def test_each_estimate_shows_interval_n_and_method(classification: dict[str, Any]) -> None:
    page = Page(drawn("classification"))
    for metric in classification["test"]["metrics"]:
        shown = in_units(metric)
        for e in (shown["model"], shown["baseline"], shown["difference"]):
            if e is None or e["low"] is None:
                continue
            most = places(shown["model"])
            assert text(e, most) in page.visible
            assert interval(e, most) in page.visible
            assert e["method"] in page.visible
            assert any(e["method"] in title for title in page.attributes("title"))


def test_every_sentence_of_the_report_is_on_the_page(classification: dict[str, Any]) -> None:
    seen = Page(drawn("classification")).visible
    sentences = [
        classification["verdict"]["sentence"],
        classification["verdict"]["next_step"]["sentence"],
        classification["selection"]["sentence"],
        classification["data"]["duplicates"]["sentence"],
        *classification["data"]["handling"],
        *classification["limits"],
        *(f[key] for f in classification["findings"] for key in ("sentence", "evidence", "advice", "doubt")),
        *(c["sentence"] for c in classification["checks"] if c["outcome"] != "found"),
    ]
    for sentence in sentences:
        assert sentence in seen


def test_the_verdict_shows_the_findings_that_it_names(classification: dict[str, Any]) -> None:
    second = {**classification["findings"][1], "sentence": "A second of its kind."}
    classification["findings"] += [second, {**second, "sentence": "A third of its kind."}]
    classification["verdict"]["findings"] = ["ER121", "ER121", "ER102"]
    source = undrawn(classification)
    badges = source[
        source.index('<ul class="badges"') : source.index("</ul>", source.index('<ul class="badges"'))
    ]
    assert re.findall(r'href="#finding-(\d)"', badges) == ["2", "3", "1"]
    assert "A second of its kind." in badges
    assert "A third of its kind." not in badges


def test_what_is_absent_is_said(classification: dict[str, Any]) -> None:
    classification["learning_curve"] = None
    assert "cannot tell whether more rows would help" in undrawn(classification)
    classification["test"]["roc"] = None
    classification["absent"] = {
        "learning_curve": "The time limit was reached.",
        "test.roc": "One class is missing.",
    }
    source = undrawn(classification)
    assert "The time limit was reached." in source
    assert "One class is missing." in source
    assert "fig-roc" not in source


def test_a_report_that_breaks_the_schema_is_refused(regression: dict[str, Any]) -> None:
    regression["test"]["metrics"] = []
    with pytest.raises(ReportSchemaError, match=r"test\.metrics"):
        render_html(regression)


def test_the_script_stays_short() -> None:
    lines = (TEMPLATES / "script.js").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 100
    assert max(map(len, lines)) <= 130


def test_no_line_ends_between_a_number_and_its_percent_sign(source: str) -> None:
    """What is copied or run keeps its spaces: a command with a column called "alcohol 5 %" is still one."""
    copied = re.compile(r"<(code|pre|script|style)\b.*?</\1>", re.DOTALL)
    said = copied.sub("", source)
    assert re.search("[0-9]\u00a0%", said)
    assert not re.search("[0-9] %", said)
    assert not any("\u00a0%" in found[0] for found in copied.finditer(source))


def test_no_line_ends_inside_an_interval(source: str) -> None:
    copied = re.compile(r"<(code|pre|script|style)\b.*?</\1>", re.DOTALL)
    said = copied.sub("", source)
    assert not re.search(r"[\[(]−?[0-9.,]+(,| to) −?[0-9.,]+[\])]", said)


def test_a_command_is_copied_as_it_is_typed() -> None:
    report = CASES["classification"]()
    report["provenance"]["command"] = typed = "empirisk report wine.csv --target 'alcohol 5 %'"
    assert f">{typed.replace(chr(39), '&#39;')}</code></pre>" in undrawn(report)
