"""One form of a result in four languages: the same numbers, and nothing that another reader would execute."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from empirisk.results import Estimate
from empirisk.results.form import Bar, Form, cell

ROWS = [Estimate(0.5, 0.25, 1.0, 0.95, 9, "t"), Estimate(-0.25, -1.0, 0.0, 0.95, 9, "t")]
NASTY = "<b>a_1 & 50 % of $x^2$ | `y` {z} [u](v) \\ ~ #</b>"


def test_an_interval_is_drawn_on_the_scale_of_its_column() -> None:
    page = ET.fromstring(Form("said", {"name": ["a", "b"], "value": list(ROWS)}).html())
    bars = page.findall(".//svg")
    zero, line = bars[0].findall("line")
    dot = bars[0].find("circle")
    assert dot is not None
    # The column goes from -1 to 1 over 112 pixels from 4 on.
    assert float(zero.attrib["x1"]) == 60.0
    assert (float(line.attrib["x1"]), float(line.attrib["x2"])) == (74.0, 116.0)
    assert float(dot.attrib["cx"]) == 88.0
    _, other = bars[1].findall("line")
    assert (float(other.attrib["x1"]), float(other.attrib["x2"])) == (4.0, 60.0)


def test_what_has_no_ends_has_no_bar() -> None:
    alone = Estimate(1.0, None, None, 0.95, 3, "t", "3 rows are too few")
    odd = Estimate(math.nan, 0.0, 1.0, 0.95, 3, "t")
    page = Form("said", {"value": [alone, odd, ROWS[0]]}).html()
    assert page.count("<svg") == 1
    assert "1 [cannot tell]" in page


def test_a_bar_is_drawn_and_not_written() -> None:
    form = Form("said", {"term": ["x"], "coef": ["0.5"], "": [Bar(0.5, 0.0, 1.0)]})
    assert form.html().count("<svg") == 1
    assert form.text() == "said\n  term  coef\n  x     0.5"
    assert "term & coef \\\\" in form.latex()
    assert "| term | coef |" in form.markdown()


def test_signs_of_each_language_are_escaped() -> None:
    form = Form(NASTY, {NASTY: [NASTY]}, [NASTY], [(NASTY, "1", NASTY)])
    page = ET.fromstring(form.html())
    assert "".join(page.itertext()).count(NASTY) == 6
    assert not page.findall(".//b")
    body = form.latex().split("\\toprule")[1].split("\\midrule")[0]
    assert body.strip() == (
        r"\textless{}b\textgreater{}a\_1 \& 50 \% of \$x\textasciicircum{}2\$ \textbar{} `y` \{z\} [u](v) "
        r"\textbackslash{} \textasciitilde{} \#\textless{}/b\textgreater{} \\"
    )
    rows = [line for line in form.markdown().split("\n") if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows[:3]} == {2}
    assert "<b>" not in form.markdown().replace("\\<", "")


def test_numbers_stand_at_the_right_and_words_at_the_left() -> None:
    columns = {"word": ["a", "1b"], "p": ["<1e-16", "-"], "n": [1, 12], "e": list(ROWS), "x": [0.5, math.nan]}
    form = Form("said", columns)
    assert "\\begin{tabular}{lrrlr}" in form.latex()
    assert "| :-- | --: | --: | :-- | --: |" in form.markdown()


def test_a_float_has_its_caption_and_label_and_a_bare_table_has_none() -> None:
    form = Form("said", {"a": [1]}, ["note"])
    whole = form.latex(label="tab:a")
    head = "\\begin{table}\n\\centering\n\\caption{said}\n\\label{tab:a}\n\\begin{tabular}{r}"
    assert whole.startswith(head)
    assert whole.endswith("\\par\\footnotesize note\n\\end{table}")
    assert form.latex("").startswith("\\begin{tabular}")
    assert "caption" not in form.latex("")


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, ""), (True, "True"), (1234567, "1,234,567"), (1 / 3, "0.3333"), (math.inf, "inf")],
)
def test_cells(value: object, said: str) -> None:
    assert cell(value) == said
