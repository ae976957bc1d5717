"""Pools of threads: which of them a context limits."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

from empirisk.data.side_by_side import side_by_side, threads_for_pieces
from empirisk.data.threads import in_order

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


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_order_and_few_are_under_way(threads: int) -> None:
    asked: list[int] = []

    def items() -> object:
        for k in range(20):
            asked.append(k)
            yield k

    for number, found in enumerate(in_order(lambda k: k * k, items(), threads)):
        assert found == number**2
        assert len(asked) <= number + threads + 1


def test_an_error_of_one_item_is_raised_where_it_stands() -> None:
    here = threading.get_ident()
    found = in_order(lambda k: (1 // (2 - k), threading.get_ident()), range(5), 2)
    assert next(found)[1] != here
    assert next(found)[0] == 1
    with pytest.raises(ZeroDivisionError):
        next(found)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pieces_come_in_order_on_any_number_of_threads(threads: int) -> None:
    seen: set[str] = set()
    met = threading.Barrier(2, timeout=20.0)

    def work(piece: int, stop: object) -> int:
        seen.add(threading.current_thread().name)
        if threads > 1 and piece < 2:
            met.wait()  # two pieces are under way at once
        return piece**2

    with threads_for_pieces(threads):
        assert list(side_by_side(work, range(6))) == [0, 1, 4, 9, 16, 25]
    assert (threading.current_thread().name in seen) == (threads == 1)
    assert (
        list(side_by_side(lambda piece, stop: threading.current_thread().name, [0, 1]))
        == [threading.current_thread().name] * 2
    )  # outside of the block there is one thread


def test_an_error_of_a_piece_stops_the_others() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(piece: int, stop: Callable[[], bool]) -> None:
        if piece == 0:
            begun.wait(20.0)
            raise ValueError("piece 0")
        begun.set()
        for _ in range(2000):
            if stop():
                stopped.set()
                return
            time.sleep(0.01)

    with threads_for_pieces(2), pytest.raises(ValueError, match="piece 0"):
        list(side_by_side(work, range(3)))
    assert stopped.is_set()
