"""Every instruction set that this processor has runs the tests of the loops, not the best one alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from empirisk import _loops
from tests.loops.called import LOOPS, QUICK, VECTORISED

LEVELS = ["baseline", "avx2", "avx512"]


def failures_at(level: str, *arguments: str) -> str:
    """Return what a run of pytest in an interpreter of its own says when it fails, else nothing."""
    code = (
        f"import sys, pytest; from empirisk import _loops; assert _loops.variant() == {level!r}; "
        f"sys.exit(pytest.main({['-q', '-p', 'no:cacheprovider', *arguments]!r}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "EMPIRISK_ISA": level},
        capture_output=True,
        text=True,
    )
    return run.stdout[-3000:] + run.stderr[-1000:] if run.returncode else ""


def test_the_instruction_set_in_use_has_a_name() -> None:
    assert _loops.variant() in LEVELS


@pytest.mark.full  # all tests of the loops once more, for each instruction set
@pytest.mark.parametrize("level", LEVELS)
def test_lesser_variant(level: str) -> None:
    if LEVELS.index(level) >= LEVELS.index(_loops.variant()):
        pytest.skip(f"this process runs {_loops.variant()} itself, {level} is not below it")
    assert failures_at(level, f"--ignore={__file__}", LOOPS) == ""
    assert failures_at(level, *QUICK, *VECTORISED) == ""
