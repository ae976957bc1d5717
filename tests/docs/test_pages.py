"""Every page of the documentation with examples runs as printed; the README runs as a reader pastes it.

The pages to copy are about nouns that are not registered: tests/adding/ runs them under another name.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if ">>>" in page.read_text(encoding="utf-8") and page.parent.name != "skeletons"
]


def test_there_are_pages() -> None:
    assert len(PAGES) >= 8, "the scan looks in the wrong place"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_page_runs(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > (5 if page.parent.name == "how-to" else 1)
    assert result.failed == 0


def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) >= 2
    exec("\n".join(blocks), {"__name__": "readme"})
    assert "by the duality gap" in capsys.readouterr().out
