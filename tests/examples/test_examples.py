"""Each worked example runs from a clone, prints its story, and leaves nothing behind."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3, "the scan looks in the wrong place"


def test_every_example_has_its_row() -> None:
    index = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    lacking = [e.name for e in EXAMPLES if f"]({e.name})" not in index]
    assert not lacking, f"add a row of {', '.join(lacking)} to examples/README.md"


# These fit for many seconds.
LONG = {"compare_models", "hidden_layer", "separable", "robust_fit"}


@pytest.mark.parametrize(
    "example",
    [pytest.param(e, id=e.stem, marks=[pytest.mark.full] if e.stem in LONG else []) for e in EXAMPLES],
)
def test_an_example_runs(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # From another folder, as a reader may start it, but in this process, which has imported what it needs.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(example)])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=DeprecationWarning, module="empirisk")
        runpy.run_path(str(example), run_name="__main__")
    told = capsys.readouterr()
    assert len(told.out.split()) > 50, "an example tells its story"
    assert "Traceback" not in told.err
    assert not list(tmp_path.iterdir()), "an example writes no files"
