"""Pages and Markdown are short: no phrase in every row of a table, few words."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any

import pytest

from empirisk.data.deadline import Deadline
from empirisk.report.render.html import render_html
from empirisk.report.render.write import render_markdown
from empirisk.report.sections.test.told import classes_told, lowest_first
from tests.report.conftest import CASES, load

WORDS = 2_500  # of report.md, the bars of its tables included


class Tables(HTMLParser):
    """The texts of the cells of every table of a page, row by row."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self.inside = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.tables[-1][-1][-1] += data


def of_markdown(text: str) -> list[list[list[str]]]:
    """Return the tables of a Markdown text, as cells of rows."""
    tables: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif tables[-1]:
            tables.append([])
    return [table for table in tables if table]


def repeated(table: list[list[str]]) -> list[str]:
    """Return the texts of more than three words that stand in over half of the rows below the heading."""
    rows = table[1:]
    said = Counter(text for row in rows for text in {" ".join(cell.split()) for cell in row})
    return [
        t for t, n in said.items() if len(re.findall(r"[^\W\d_]{2,}", t)) > 3 and n > max(2, len(rows) / 2)
    ]


@pytest.mark.parametrize("name", CASES)
def test_no_phrase_stands_in_over_half_of_the_rows_of_a_table(name: str) -> None:
    report = CASES[name]()
    for table in [*Tables(render_html(report, Deadline(0.0))).tables, *of_markdown(render_markdown(report))]:
        assert not repeated(table), table[:2]


def test_a_repeated_phrase_is_found() -> None:
    """The judge itself: what every second row says is seen, on both kinds of pages."""
    rows = "".join(f"<tr><td>{i}</td><td>words that recur in it</td></tr>" for i in range(4))
    page = f"<table><tr><th>a</th><th>b</th></tr>{rows}</table>"
    text = "| a | b |\n| --- | --- |\n" + "".join(f"| {i} | words that recur in it |\n" for i in range(4))
    assert repeated(Tables(page).tables[0]) == ["words that recur in it"]
    assert repeated(of_markdown(text)[0][1:]) == ["words that recur in it"]


def seven_classes_of_sixty_columns() -> dict[str, Any]:
    """A report on 60 columns and 7 classes whose linear model has a coefficient a column and class."""
    report = load("classification")
    names = [f"cover type {i}" for i in range(7)]
    test, model = report["test"], report["model"]
    report["task"] |= {"kind": "multiclass", "classes": names, "positive": None}
    report["data"]["columns"] = [
        report["data"]["columns"][i % 14] | {"name": f"soil type number {i}"} for i in range(60)
    ]
    for part in report["split"]["parts"]:
        part["class_counts"] = [1_000] * 7
    test |= {"roc": None, "pr": None, "scores": None}
    shares = [test["confusion"]["recall"][0]] * 7
    counts = [[900 if i == j else 20 for j in range(7)] for i in range(7)]
    test["confusion"] |= {"labels": names, "counts": counts, "recall": shares, "precision": shares}
    term, column = model["coefficients"][2], model["importances"][0]
    sixty = [f"soil type number {i}" for i in range(60)]
    model["coefficients"] = [term | {"term": c, "column": c, "class": k} for k in names for c in sixty]
    model["importances"] = [column | {"column": c} for c in sixty]
    finding = report["findings"][0]
    report["findings"] += [finding] * 6
    return report


@pytest.mark.parametrize("name", [*CASES, "sixty columns"])
def test_the_markdown_has_fewer_words_than_a_reader_gives_up_at(name: str) -> None:
    report = CASES[name]() if name in CASES else seven_classes_of_sixty_columns()
    if name.endswith("hostile"):
        return  # names of many words, which would be counted
    assert len(render_markdown(report).split()) < WORDS


@pytest.mark.parametrize("name", CASES)
def test_counts_have_thousands_marks_and_no_number_is_a_row_of_zeros(name: str) -> None:
    """Outside of code, years, versions, settings and names there is no count of five digits in a row."""
    text = re.sub(r"(`+).*?\1", "", render_markdown(CASES[name]()), flags=re.S)
    assert not re.findall(r"(?<![\w.,#-])\d{5,}(?= [a-z])", text)
    assert "0.0000 [" not in text
    assert not re.search(r"(?<![\d.])0\.000\d", "\n".join(re.findall(r"^\| \d.*\|.*%", text, flags=re.M)))


def test_a_class_without_test_rows_is_not_the_one_that_is_found_least_often() -> None:
    made = [{"value": v, "low": v, "high": v} for v in (0.9, None, 0.4)]
    confusion = {"labels": ["a", "b", "c"], "recall": made}
    assert lowest_first(confusion) == [2, 0, 1]
    assert "found least often is c, 40" in classes_told(confusion)
    none = {"labels": ["a", "b"], "recall": [made[1], made[1]]}
    assert classes_told(none) == "Class by class"
    assert lowest_first({"labels": ["a", "b"], "recall": None}) == [0, 1]
