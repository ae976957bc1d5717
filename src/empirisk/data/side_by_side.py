"""Independent pieces of one run on several threads, where the run allows it: the folds of a curve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

from empirisk.data.threads import at_most, in_turn

__all__ = ["Stop", "side_by_side", "threads_for_pieces", "threads_of_pieces"]

Piece = TypeVar("Piece")
Found = TypeVar("Found")
Stop = Callable[[], bool]

_THREADS: ContextVar[int] = ContextVar("threads for pieces", default=1)


@contextmanager
def threads_for_pieces(threads: int) -> Iterator[None]:
    """Let :func:`side_by_side` use so many threads in the block.

    It is for a run that knows what it fits and hears no warnings: Python's filters of warnings belong to all
    threads.  Threads that the pieces start do not use it again.
    """
    token = _THREADS.set(threads)
    try:
        yield
    finally:
        _THREADS.reset(token)


def threads_of_pieces() -> int:
    """Return how many threads :func:`side_by_side` may use here."""
    return _THREADS.get()


def side_by_side(work: Callable[[Piece, Stop], Found], pieces: Sequence[Piece]) -> Iterator[Found]:
    """Yield ``work(piece, stop)`` for all pieces, in their order.

    On several threads each piece has one thread for its loops, and one piece more than the threads is under
    way at most, so that results do not pile up.  After an error, or Ctrl-C, ``stop()`` is true: a piece of
    many steps asks it before each of them.

    Examples
    --------
    >>> with threads_for_pieces(2):
    ...     list(side_by_side(lambda number, stop: number**2, [1, 2, 3]))
    [1, 4, 9]
    """
    threads = min(threads_of_pieces(), len(pieces))
    if threads < 2:
        yield from (work(piece, lambda: False) for piece in pieces)
        return
    ended = Event()

    def alone(piece: Piece) -> Found:
        with at_most(1):
            return work(piece, ended.is_set)

    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from in_turn(pool, alone, pieces, threads)
        except BaseException:
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
