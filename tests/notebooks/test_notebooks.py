"""Notebooks run from top to bottom in a fresh kernel, and what they show is seen in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser import browser  # noqa: F401  (a fixture)

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
PAGE = "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>notebook</title></head>"

TWINS = FOLDER / "with_other_tools"
# A bar of progress appears where work takes over two seconds, as it may on a machine that is busy.
BAR = re.compile(r"\s*(\[[#.]+\] [\d,]+ of [\d,]+(, [\d:]+ left)?)?\s*")

# Each notebook starts a kernel of its own, which takes seconds.
pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def executed() -> Any:
    """Return a notebook by its name after it was run, once."""
    nbclient = pytest.importorskip("nbclient", reason="Notebooks need the Python package nbclient.")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel", reason="Notebooks need the Python package ipykernel.")
    done: dict[str, Any] = {}

    def run(name: str) -> Any:
        if name not in done:
            book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
            said = "".join(cell.source for cell in book.cells if cell.cell_type == "code")
            assert "%matplotlib" not in said
            place = {"metadata": {"path": str(FOLDER)}}
            nbclient.NotebookClient(book, timeout=600, kernel_name="python3", resources=place).execute()
            done[name] = book
        return done[name]

    return run


def outputs(book: Any) -> list[Any]:
    """Return all outputs of a notebook, in order."""
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_kept_without_outputs(name: str) -> None:
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(book)
    assert outputs(book) == []


def lines(code: str) -> list[str]:
    """Return the lines of code that are neither empty nor a comment."""
    return [line for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#")]


@pytest.mark.parametrize("twin", sorted(TWINS.glob("*.py")), ids=lambda path: path.stem)
def test_each_task_is_shorter_than_with_other_tools(twin: Path) -> None:
    """Both are formatted alike; the scripts are what the same tables and charts take elsewhere."""
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.read(FOLDER / f"{twin.stem}.ipynb", as_version=4)
    ours = lines("\n".join(cell.source for cell in book.cells if cell.cell_type == "code"))
    theirs = lines(twin.read_text(encoding="utf-8").split('"""', 2)[2])
    assert len(ours) < len(theirs)


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_shows_pictures_and_tables(executed: Any, name: str) -> None:
    found = outputs(executed(name))
    assert [o for o in found if o.output_type == "error"] == []
    said = [part for o in found if o.output_type == "stream" for part in o.text.split("\r")]
    assert [part for part in said if not BAR.fullmatch(part)] == [], "warnings remain"
    kinds = [kind for o in found for kind in o.get("data", {})]
    assert kinds.count("image/png") >= 1
    assert kinds.count("text/html") >= 1
    assert all("text/plain" in o.data for o in found if "data" in o)
    unseen = [o.data["text/plain"] for o in found if "data" in o and len(o.data) == 1]
    assert not [said for said in unseen if said.startswith("<Figure")], "a figure is told and not shown"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_a_browser_shows_it(
    executed: Any,
    browser: Any,  # noqa: F811
    name: str,
    scheme: str,
    tmp_path: Path,
) -> None:
    exporters = pytest.importorskip("nbconvert.exporters", reason="Pages need the Python package nbconvert.")
    body, _ = exporters.HTMLExporter(template_name="basic").from_notebook_node(executed(name))
    path = tmp_path / f"{name}.html"
    style = "<style>:root { color-scheme: light dark }</style>"
    path.write_text(f"{PAGE}{style}<body>{body}</body></html>", encoding="utf-8")
    context = browser.new_context(viewport={"width": 1000, "height": 900}, color_scheme=scheme)
    page, noise = context.new_page(), []
    page.on("console", lambda m: noise.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: noise.append(str(e)))
    page.goto(path.as_uri())
    sizes = page.evaluate("[...document.images].map(i => [i.naturalWidth, i.width, i.alt])")
    page.screenshot(path=str(tmp_path / f"{name}-{scheme}.png"), full_page=True)
    context.close()
    assert noise == []
    assert len(sizes) >= 1
    assert all(natural > 0 and shown > 0 for natural, shown, _ in sizes)
