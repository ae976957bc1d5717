"""Pools of threads: which of them a context limits."""

from __future__ import annotations

import subprocess
import sys

CODE = """
from empirisk.data.threads import one_thread
with one_thread():
    import numpy, scipy.linalg, threadpoolctl
    found = [p["num_threads"] for p in threadpoolctl.threadpool_info() if p["user_api"] == "blas"]
print(*found)
"""


def test_a_pool_that_scipy_brings_later_is_limited_too() -> None:
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    threads = run.stdout.split()
    assert threads, "no BLAS was found, so that nothing was tried"
    assert set(threads) == {"1"}
