"""Every page of the documentation with examples runs as printed; the README runs as a reader pastes it.

The pages to copy are about nouns that are not registered: tests/adding/ runs them under another name.
"""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in [ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if ">>>" in page.read_text(encoding="utf-8") and page.parent.name != "skeletons"
]


def test_there_are_pages() -> None:
    assert len(PAGES) >= 8, "the scan looks in the wrong place"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_page_runs(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > (5 if page.parent.name == "how-to" else 1)
    assert result.failed == 0


def blocks() -> list[str]:
    """Return the Python code of the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def test_what_the_readme_calls_is_there() -> None:
    tree = ast.parse("\n".join(blocks()))
    imported = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    space: dict[str, Any] = {}
    exec(compile(ast.Module(imported, []), "README.md", "exec"), space)
    named = [ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
    ours = sorted({name for name in named if re.fullmatch(r"er(\.\w+)+", name)})
    assert len(ours) > 10
    for name in ours:
        eval(name, space)


@pytest.mark.full  # many seconds of fits; its names are looked up in the quick suite
def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(blocks()) >= 2
    exec("\n".join(blocks()), {"__name__": "readme"})
    assert "by the duality gap" in capsys.readouterr().out
