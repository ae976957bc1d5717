"""The page in a real browser, from disk: phone and desk, light and dark, without script, and on paper."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from empirisk.evaluation.pictures.costs import costs
from empirisk.report.render.html import render_html
from empirisk.report.sections.registry import SECTIONS, form_of
from tests.browser import browser  # noqa: F401  (a fixture)

from .conftest import CASES, full_top, load, nothing_chosen

# The reports that the page shows are made first, in every process anew.
pytestmark = pytest.mark.full

CROSSINGS = (Path(__file__).parent / "crossings.js").read_text(encoding="utf-8")
# As much as stands above the fold at most, and as little.
TOPS = {"full_top": full_top, "nothing": nothing_chosen}
SIZES = {"phone": {"width": 400, "height": 850}, "desk": {"width": 1400, "height": 900}}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Each case rendered to a file, by name."""
    folder = tmp_path_factory.mktemp("pages")
    out = {}
    for name, make in (CASES | TOPS).items():
        path: Path = folder / f"{name}.html"
        path.write_text(render_html(make()), encoding="utf-8")
        out[name] = path.as_uri()
    return out


@pytest.fixture
def visit(browser: Any, files: dict[str, str]) -> Iterator[Any]:  # noqa: F811
    """Open a case; at the end nothing may have gone to the console or over the network."""
    contexts, noise = [], []

    def go(name: str, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": SIZES["desk"], **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: noise.append(f"console: {m.text}"))
        page.on("pageerror", lambda e: noise.append(f"error: {e}"))
        page.on("dialog", lambda d: noise.append(f"dialog: {d.message}"))
        page.on("request", lambda q: noise.append(f"request: {q.url}") if q.url != files[name] else None)
        page.goto(files[name])
        return page

    yield go
    for context in contexts:
        context.close()
    # The empty icon is data in the page itself.
    assert [line for line in noise if not line.startswith("request: data:")] == []


def unfold(page: Any, inside: str = "main") -> None:
    """Open everything that is folded inside an element."""
    page.evaluate(f"document.querySelectorAll('{inside} details').forEach(d => {{ d.open = true; }})")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_it_fits_and_shows_every_figure(visit: Any, name: str, size: str, scheme: str) -> None:
    page = visit(name, viewport=SIZES[size], color_scheme=scheme)
    unfold(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]
    # Nothing sticks out to the right, unless it scrolls in a container of its own.
    out = page.evaluate(
        """[...document.querySelectorAll("main *")].filter(e => !e.closest(".scroll, pre, svg, .skip")
            && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert out == []
    charts = page.query_selector_all("figure .chart svg")
    assert len(charts) == len(page.query_selector_all("figure"))
    for chart in charts:
        assert chart.is_visible()
        box = chart.bounding_box()
        assert box["width"] >= min(300, SIZES[size]["width"] - 60)
        assert box["height"] >= 50
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(v) for v in paper[4:-1].split(",")) > 700 or scheme == "dark"
    assert sum(int(v) for v in paper[4:-1].split(",")) < 120 or scheme == "light"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [c for c in CASES if "hostile" not in c])
def test_no_label_of_a_picture_lies_on_a_line_or_another_label(visit: Any, name: str, size: str) -> None:
    page = visit(name, viewport=SIZES[size])
    unfold(page)
    assert page.evaluate(CROSSINGS) == []


def test_a_label_on_a_line_or_another_label_is_found(visit: Any) -> None:
    """The judge itself: a line through a label and a label on another one are seen; a plate hides a line."""
    page = visit("classification")
    red, white = 'style="fill:none;stroke:red"', 'style="fill:white"'
    svg = f"""<figure id="f"><svg width="200" height="90">
        <text x="9" y="30">held out</text><text x="12" y="32">again</text>
        <path d="M0 25 L150 25" {red}/><path d="M0 75 L150 75" {red}/>
        <path d="M0 60 L150 60 L150 90 L0 90 z" {white}/><text x="9" y="80">hidden</text></svg></figure>"""
    page.evaluate("svg => { document.body.innerHTML = svg; }", svg)
    assert page.evaluate(CROSSINGS) == [
        'f: "held out" lies on "again"',
        'f: a line crosses "held out"',
        'f: a line crosses "again"',
    ]


@pytest.mark.parametrize(
    "name", ["classification", "regression", "wide", "many_classes", "bare", "no_intervals"]
)
def test_each_question_takes_one_screen(visit: Any, name: str) -> None:
    """Details are folded: what a question shows fits a screen of 1280 x 800, on a phone two and a half."""
    for width, most in ((1280, 800), (390, 2.5 * 844)):
        page = visit(name, viewport={"width": width, "height": 800})
        taken = page.evaluate(
            """Object.fromEntries([...document.querySelectorAll("main > section")]
                .map(s => [s.id, s.getBoundingClientRect().height]))"""
        )
        assert {k: v for k, v in taken.items() if v > most} == {}


@pytest.mark.parametrize("name", ["classification", "regression", "clusters"])
def test_text_in_pictures_is_readable_and_inside_on_a_phone(visit: Any, name: str) -> None:
    page = visit(name, viewport=SIZES["phone"])
    unfold(page)
    texts = page.evaluate(
        """[...document.querySelectorAll("figure svg text")].map(t => {
            const b = t.getBoundingClientRect(), s = t.ownerSVGElement;
            return {said: t.textContent, left: b.left, right: b.right,
                size: parseFloat(getComputedStyle(t).fontSize) * s.clientWidth / s.viewBox.baseVal.width};
        })"""
    )
    assert len(texts) > 50
    assert min(t["size"] for t in texts) >= 8.5
    assert [t["said"] for t in texts if t["left"] < 0 or t["right"] > 400] == []


@pytest.mark.parametrize(("width", "height", "most"), [(1280, 800, 800), (390, 844, 1266)])
@pytest.mark.parametrize("name", ["classification", "regression", "full_top", "nothing"])
def test_the_verdict_ends_above_the_fold(visit: Any, name: str, width: int, height: int, most: int) -> None:
    """One screen of a desk, one and a half of a phone; the picture keeps its labels off its lines."""
    page = visit(name, viewport={"width": width, "height": height})
    assert page.evaluate("document.getElementById('verdict').getBoundingClientRect().bottom") <= most
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = page.evaluate(
        """[...document.querySelectorAll(".versus > div")].map(d => [...d.children].map(e => {
            const b = e.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; }))"""
    )
    assert boxes
    for box in boxes:
        for one, two in itertools.combinations(box, 2):
            pairs = [(one, two), (two, one)]
            assert any(a[side + 2] <= b[side] + 1 for a, b in pairs for side in (0, 1)), (one, two)
    lone = page.evaluate(
        """[...document.querySelectorAll("#verdict a")].filter(a => !document.getElementById(a.hash.slice(1)))
            .map(a => a.hash)"""
    )
    assert lone == []


@pytest.mark.parametrize("name", ["classification", "regression", "clusters", "no_clusters"])
def test_the_verdict_fits_one_phone_screen(visit: Any, name: str) -> None:
    page = visit(name, viewport=SIZES["phone"])
    assert page.evaluate("document.getElementById('verdict').getBoundingClientRect().bottom") <= 850


def _cost(page: Any) -> float:
    return float(page.locator("#cost b").inner_text().replace(",", ""))


def test_the_slider_shows_the_cost_that_python_computes(visit: Any) -> None:
    scores = load("classification")["test"]["scores"]
    page = visit("classification")
    unfold(page, "#test")
    prices = {"#c-fa": 2.0, "#c-fr": 5.0}
    for box, price in prices.items():
        page.fill(box, str(price))
    table = costs(scores, *prices.values())
    for i in (0, 20, 50, 77, 100):
        page.locator("#thr").fill(str(i))
        shown = page.locator("#cost").inner_text()
        ends = [float(v) for v in shown.split("[")[1].split("]")[0].split(", ")]
        width = 100 * (table[i].high - table[i].low)
        assert _cost(page) == pytest.approx(100 * table[i].cost, abs=width / 10)
        assert ends == pytest.approx([100 * table[i].low, 100 * table[i].high], abs=width / 10)
        assert f"{table[i].false_accepts:,} of" in shown
        assert float(page.locator("#thr-v").inner_text()) == pytest.approx(scores["edges"][i])


def test_the_keyboard_reaches_menu_and_slider(visit: Any) -> None:
    page = visit("classification", viewport=SIZES["phone"])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.keyboard.press("Enter")
    assert page.evaluate("document.getElementById('menu').open")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.hash") == "#verdict"
    page.locator("#threshold > summary").focus()
    page.keyboard.press("Enter")
    before, seen = page.locator("#cost").inner_text(), []
    for _ in range(200):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id"))
        if seen[-1] == "thr":
            break
    assert seen[-1] == "thr"
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert page.locator("#cost").inner_text() != before
    assert page.evaluate("document.getElementById('thr').getAttribute('aria-valuetext')") == "threshold 0.6"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_the_menu_leads_to_each_section(visit: Any) -> None:
    page = visit("classification", reduced_motion="reduce")
    assert page.locator("nav a").all_inner_texts() == [section.heading for section in SECTIONS]
    for key in [section.name for section in SECTIONS[1:]]:
        page.locator(f"nav a[href='#{key}']").click()
        top = page.evaluate(f"document.getElementById('{key}').getBoundingClientRect().top")
        bottom = page.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
        assert -2 <= top <= 100 or bottom


def test_tables_sort_by_value_and_say_so(visit: Any) -> None:
    page = visit("classification")
    unfold(page, "#data")
    folded = "#data .more table.sortable"
    head = page.locator(f"{folded} th", has_text="Distinct")
    names = f"{folded} tbody th.name"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert page.locator(names).last.inner_text().startswith("fnlwgt")
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert page.locator(names).first.inner_text().startswith("fnlwgt")


@pytest.mark.parametrize("size", SIZES)
def test_without_script_everything_can_be_read(visit: Any, size: str) -> None:
    page = visit("classification", viewport=SIZES[size], java_script_enabled=False)
    for key, name in [(section.name, section.heading) for section in SECTIONS]:
        section = page.locator(f"section#{key}")
        assert section.is_visible(), name
    assert not page.locator("#slider").is_visible()
    page.locator("#threshold > summary").click()
    page.locator("#threshold-table summary").click()
    assert page.locator("#threshold-table td").first.is_visible()
    page.locator("#menu summary").click()
    assert page.locator("nav a").first.is_visible()
    for chart in page.query_selector_all("figure svg"):
        assert chart.is_visible() or chart.evaluate("s => s.closest('details:not([open])') !== null")


def test_print_leaves_out_what_is_folded_and_says_where_it_is(visit: Any) -> None:
    page = visit("classification", color_scheme="dark")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert 3 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 9
    page.emulate_media(media="print")
    told = page.evaluate(
        """[...document.querySelectorAll("main .more > summary")].filter(s => s.checkVisibility())
            .map(s => [s.parentElement.open, s.textContent])"""
    )
    assert len(told) > 10
    assert not any(opened for opened, _ in told)
    assert "report.json" in page.evaluate(
        "getComputedStyle(document.querySelector('main'), '::before').content"
    )
    assert not page.locator("#menu").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["classification", "regression", "clusters"])
def test_text_has_contrast_aa(visit: Any, name: str, scheme: str) -> None:
    """Contrast of every visible text with the page, as the browser computes its colours."""
    page = visit(name, color_scheme=scheme)
    unfold(page)
    found = page.evaluate(
        """() => {
            const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
            const light = (c) => c.map(v => linear(v / 255))
                .reduce((t, v, i) => t + v * [.2126, .7152, .0722][i], 0);
            const rgb = (s) => s.match(/[\\d.]+/g).slice(0, 3).map(Number);
            const paper = light(rgb(getComputedStyle(document.body).backgroundColor));
            const out = [];
            for (const e of document.querySelectorAll("body *")) {
                const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
                if (!own || !e.checkVisibility() || e.closest("script, style, option")) continue;
                const s = getComputedStyle(e);
                const ink = light(rgb(e instanceof SVGElement ? s.fill : s.color));
                const ratio = (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05);
                out.push([ratio, e.textContent.trim().slice(0, 40)]);
            }
            return out;
        }"""
    )
    assert len(found) > 300
    assert [pair for pair in found if pair[0] < 4.5] == []


@pytest.mark.parametrize("name", CASES)
def test_names_and_roles_for_a_screen_reader(visit: Any, name: str) -> None:
    page = visit(name)
    nameless = page.evaluate(
        """() => {
            const said = (e) => (e.getAttribute("aria-label") || e.textContent || "").trim();
            const label = (e) => e.labels && e.labels.length && e.labels[0].textContent.trim();
            return [
                ...[...document.querySelectorAll("a, button, summary, th")].filter(e => !said(e)),
                ...[...document.querySelectorAll("input")].filter(e => !label(e)),
                ...[...document.querySelectorAll('[role="img"], [role="region"], nav')]
                    .filter(e => !e.getAttribute("aria-label")),
                ...[...document.querySelectorAll("svg")].filter(e => e.getAttribute("aria-hidden") !== "true"
                    && !e.getAttribute("aria-label")),
                ...[...document.querySelectorAll(".scroll")].filter(e => e.tabIndex !== 0),
            ].map(e => e.outerHTML.slice(0, 80));
        }"""
    )
    assert nameless == []
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("main").count() == 1
    assert page.title().startswith(form_of(CASES[name]()).title)
