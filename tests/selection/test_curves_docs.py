"""The how-to page and the example run as printed."""

from __future__ import annotations

import doctest
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_runs() -> None:
    result = doctest.testfile(str(ROOT / "docs" / "how-to" / "curves.md"), module_relative=False)
    assert result.attempted > 20
    assert result.failed == 0


def test_the_example_keeps_its_promise(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "more_data.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert said.count(": yes") == 2
    assert "whether it falls at all cannot be told" in said
    assert "at least 322 rows are needed" in said
