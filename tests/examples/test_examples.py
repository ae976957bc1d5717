"""Each worked example runs from a clone, prints its story, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3, "the scan looks in the wrong place"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    # From another folder, as a reader may start it; one thread, because the suite runs on all cores.
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "error::DeprecationWarning:empirisk",
    }
    run = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, env=environment
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert len(run.stdout.split()) > 50, "an example tells its story"
    assert "Traceback" not in run.stderr
    assert not list(tmp_path.iterdir()), "an example writes no files"
