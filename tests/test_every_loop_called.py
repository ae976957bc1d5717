"""Every function of the extension is called by the tests that `make sanitize` runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.loops import called
from tests.oracles.structure import ROOT


def test_functions_and_methods_are_found() -> None:
    names = called.exported()
    assert {"gram", "Linker.step", "Smo.of_kernel"} <= set(names)
    assert not any(name.startswith("_") or name.endswith("__init__") for name in names)


@pytest.mark.full  # the quick tests of all loops once more, in an interpreter that notes what is called
def test_no_loop_is_left_out() -> None:
    command = [sys.executable, "-m", "tests.loops.called", *called.QUICK, called.LOOPS, *called.ROOMS]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]
