"""Threads of a long run beside other programs: which pools may have more than one."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from typing import Any

from threadpoolctl import threadpool_limits

__all__ = ["POLICY", "beside_others"]

POLICY = "OMP_WAIT_POLICY"  # the variable by which OpenMP is told how its threads wait


def beside_others() -> AbstractContextManager[Any]:
    """Return a context for a run of many small fits, on a machine that other programs may use.

    The two copies of BLAS, of NumPy and of SciPy, bring a pool of threads each, which fight over the cores in
    loops like these, and have one thread.  Our loops, which have the same bits on any number of threads, keep
    theirs where threads that wait sleep (the command sees to it); threads that spin would take many times as
    long as one, where the cores are busy.
    """
    sleeps = os.environ.get(POLICY, "").strip().lower() == "passive"
    out: AbstractContextManager[Any] = threadpool_limits(1, "blas" if sleeps else None)
    return out
