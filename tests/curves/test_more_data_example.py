"""The example says what its page promises."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.full  # the example runs beside it
def test_the_example_keeps_its_promise(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "more_data.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert said.count(": yes") == 2
    assert "whether it falls at all cannot be told" in said
    assert "at least 322 rows are needed" in said
