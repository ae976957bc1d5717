"""What the machine allows: no method is quicker than one reading of its rows, or than its products at the
rate of GEMM.

The two rates are measured by the bench at its start.  A row of the table says beside its definition what it
must read and multiply at least (:class:`Work`); the larger of the two times is its limit (Williams, Waterman
and Patterson, Communications of the ACM 52, 2009).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGE = 8e6  # bytes of input from which a row has a limit: below, what a call costs is no matter of bytes
FAR = 3.0  # times the limit, beyond which a row says why
REPEATS = 25
READ = 1 << 25  # numbers of float64 that are read, more than any cache holds
SIDE = 512  # of the matrices that are multiplied


@dataclass(frozen=True)
class Rates:
    """What the machine does in a second, the best of several tries.

    Parameters
    ----------
    bytes : float
        Bytes that all cores read from memory.
    flops64, flops32 : float
        Additions and multiplications of a product of large matrices in either precision.
    """

    bytes: float
    flops64: float
    flops32: float

    def best_of(self, other: Rates) -> Rates:
        """Return the larger rates of two measurements of one machine: others can only slow it down."""
        return Rates(
            max(self.bytes, other.bytes),
            max(self.flops64, other.flops64),
            max(self.flops32, other.flops32),
        )


@dataclass(frozen=True)
class Work:
    """The least that a row's answer takes.

    Parameters
    ----------
    flops : callable, optional
        Additions and multiplications from the numbers of rows and columns; none: reading is all that is sure.
    reads : float, default 1.0
        How often the input is read at least.
    """

    flops: Callable[[int, int], float] | None = None
    reads: float = 1.0

    def seconds(self, shape: list[int], input_bytes: float, single: bool, rates: Rates) -> float:
        """Return the larger of the times that reading and multiplying take at the rates of the machine."""
        read = self.reads * input_bytes / rates.bytes
        if self.flops is None:
            return read
        rate = rates.flops32 if single else rates.flops64
        return max(read, self.flops(shape[0], shape[1]) / rate)


def measure() -> Rates:
    """Return the rates of this machine, in about a second."""
    return Rates(_read(), _multiply(np.float64), _multiply(np.float32))


def _best(call: Callable[[], Any]) -> float:
    """Return the shortest of several times of a call."""
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def _read() -> float:
    """Return the bytes a second of reading one large array, a part on each core."""
    cores = _cores()
    parts = np.array_split(np.ones(READ), cores)
    with ThreadPoolExecutor(cores) as pool:
        seconds = _best(lambda: list(pool.map(np.max, parts)))
    return 8.0 * READ / seconds


def _multiply(kind: Any) -> float:
    """Return the flops a second of products of large matrices: those of one core, times the cores.

    Two threads on one product wait for each other where others use a core, which is no fact of the machine.
    """
    from threadpoolctl import threadpool_limits

    a = np.random.default_rng(0).random((SIDE, SIDE)).astype(kind)
    with threadpool_limits(1, user_api="blas"):
        return _cores() * 2.0 * SIDE**3 / _best(lambda: a @ a)


def _cores() -> int:
    return int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
