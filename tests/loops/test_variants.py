"""Every instruction set that this processor has runs the tests of the loops, not the best one alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from empirisk import _loops

LEVELS = ["baseline", "avx2", "avx512"]


@pytest.mark.full  # all tests of the loops once more, for each instruction set
@pytest.mark.parametrize("level", LEVELS)
def test_lesser_variant(level: str) -> None:
    if LEVELS.index(level) >= LEVELS.index(_loops.variant()):
        pytest.skip(f"this process runs {_loops.variant()} itself, {level} is not below it")
    here = Path(__file__).parent
    arguments = ["-q", "-p", "no:cacheprovider", f"--ignore={__file__}", str(here)]
    code = (
        f"import sys, pytest; from empirisk import _loops; assert _loops.variant() == {level!r}; "
        f"sys.exit(pytest.main({arguments!r}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=here.parents[1],
        env={**os.environ, "EMPIRISK_ISA": level},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
