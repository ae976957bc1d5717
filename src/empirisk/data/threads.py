"""Keep small dense algebra on one BLAS thread, and loops on as many threads as the user gave."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from numbers import Real
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

__all__ = ["at_most", "check_jobs", "for_rows", "in_order", "in_turn", "on_one_thread", "one_thread"]

Item = TypeVar("Item")
Found = TypeVar("Found")

# Rows of a dense matrix from which its factors are worth further threads.
MANY = 3000
# Numbers of a table and multiplications of its Gram matrix up to which BLAS stays on one thread.
SERIAL_DOT, SERIAL_PRODUCT = 8_192, 200_000


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # A list of pools holds those that are loaded by then: without this line it would miss SciPy's.
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


@lru_cache(maxsize=1)
def _blas() -> ThreadpoolController:
    """Return the pools of BLAS alone, which are asked and set in fewer calls than all."""
    out: ThreadpoolController = _controller().select(user_api="blas")
    return out


def one_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS runs on one thread.

    NumPy and SciPy bring one thread pool each; algebra that alternates between the two pools runs many
    times slower than on one thread, the more so the busier the machine is.  One pool alone does, too, where
    other programs use the cores: the eigenvectors of 500 rows took 8.5 seconds on two threads of two cores
    whose load was 8, and 0.1 on one.
    """
    blas = _blas()
    if all(pool.get_num_threads() == 1 for pool in blas.lib_controllers):
        return nullcontext()
    out: AbstractContextManager[Any] = blas.limit(limits=1)
    return out


def on_one_thread(rows: int, columns: int, outputs: int) -> bool:
    """Return whether BLAS keeps the algebra of a table, and of so many scores a row, on one thread unasked.

    OpenBLAS shares out products of a matrix and a vector from 9,216 numbers on, products of matrices from
    262,144 multiplications on, and factors from about a hundred columns on; asking its pools costs as much as
    the algebra of a small table.

    Examples
    --------
    >>> on_one_thread(442, 10, 1), on_one_thread(1000, 50, 1)
    (True, False)
    """
    less, size = min(rows, columns), rows * columns
    return size <= SERIAL_DOT and less <= 64 and size * max(less, outputs) <= SERIAL_PRODUCT


def for_rows(n: int) -> AbstractContextManager[Any]:
    """Return a context for the algebra of a matrix of n x n numbers: one BLAS thread unless it is large.

    Threads that wait for each other spin: where other programs use the cores, they take many times as long as
    one thread (the factor of 2000 rows 2 to 8 seconds in the place of 0.2, that of 8000 at most three times
    as long), and on idle cores they save less than a second below :data:`MANY` rows.  The rule asks for the
    shape alone, so that a fit has the same bits however busy the machine is.

    Parameters
    ----------
    n : int
        Rows of the matrix.
    """
    return one_thread() if n < MANY else nullcontext()


def at_most(n_jobs: int | None) -> AbstractContextManager[Any]:
    """Return a context in which the loops use at most `n_jobs` threads.

    Parameters
    ----------
    n_jobs : int or None
        None: as many as OpenMP gives (OMP_NUM_THREADS, threadpoolctl); -1: all cores, -2: all but one.

    Examples
    --------
    >>> with at_most(1):
    ...     pass
    >>> at_most(0)
    Traceback (most recent call last):
        ...
    ValueError: n_jobs must be None or an integer other than 0, got 0
    """
    if n_jobs is None:
        return nullcontext()
    check_jobs(n_jobs)
    count = int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    out: AbstractContextManager[Any] = _controller().limit(limits=count, user_api="openmp")
    return out


def in_order(f: Callable[[Item], Found], items: Iterable[Item], threads: int) -> Iterator[Found]:
    """Yield ``f(item)`` in the order of the items, computed by so many threads.

    For work that leaves Python for most of its time, as large NumPy operations do.  At most one item a thread
    and one more are under way, so that results do not pile up; their order, and so sums of them, does not
    depend on the number of threads.

    Examples
    --------
    >>> list(in_order(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads < 2:
        yield from map(f, items)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from in_turn(pool, f, items, threads)


def in_turn(
    pool: ThreadPoolExecutor, f: Callable[[Item], Found], items: Iterable[Item], most: int
) -> Iterator[Found]:
    """Yield ``f(item)`` in the order of the items, of which a pool works on `most` and one more at a time."""
    waiting: deque[Future[Found]] = deque()
    for item in items:
        waiting.append(pool.submit(f, item))
        if len(waiting) > most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads or processes, by name."""
    number = isinstance(n_jobs, Real) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not number or n_jobs == 0 or not float(n_jobs).is_integer()):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
