"""Pools of threads: which of them a context limits."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

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
