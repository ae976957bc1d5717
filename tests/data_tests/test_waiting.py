"""Threads beside other programs: those of the command sleep while they wait, and only such a run has many."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from empirisk import _loops
from empirisk.data.waiting import POLICY, beside_others

LOADED = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name in ("empirisk._loops", "numpy", "sklearn"):
            print(name, os.environ.get("OMP_WAIT_POLICY"))
sys.meta_path.insert(0, Watch())
import empirisk.cli
import empirisk.report.run
"""


def _at_loading(**given: str) -> dict[str, str]:
    """Return how threads wait when the libraries are loaded that may bring OpenMP, by their names."""
    env = {key: value for key, value in os.environ.items() if key != POLICY} | given
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, env=env)
    return dict(line.split() for line in run.stdout.splitlines())


@pytest.mark.parametrize(("given", "policy"), [({}, "passive"), ({POLICY: "active"}, "active")])
def test_the_command_says_how_to_wait_before_openmp_is_loaded(given: dict[str, str], policy: str) -> None:
    found = _at_loading(**given)
    assert {"numpy", "empirisk._loops"} <= set(found), "nothing was loaded, so that nothing was tried"
    assert set(found.values()) == {policy}


@pytest.mark.parametrize(("policy", "threads"), [("passive", 2), ("PASSIVE ", 2), ("active", 1), ("", 1)])
def test_loops_have_threads_where_these_sleep(
    policy: str, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(POLICY, policy)
    with threadpool_limits(2):
        with beside_others():
            assert _loops.max_threads() == threads
            assert {p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"} == {1}
        assert _loops.max_threads() == 2
