"""Keep small dense algebra on one BLAS thread."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]

_SMALL = 1e8  # flops: below this a second thread costs more than it brings


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread(flops: float = 0.0) -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread, when the work is small (the default: it is).

    NumPy and SciPy bring one thread pool each; factorisations of a few hundred rows that alternate
    between the two pools run tens of times slower than on one thread.
    """
    if flops > _SMALL:
        return nullcontext()
    out: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return out
