"""Keep small dense algebra on one BLAS thread."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS runs on one thread.

    NumPy and SciPy bring one thread pool each; factorisations of a few hundred rows that alternate
    between the two pools run tens of times slower than on one thread.
    """
    out: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return out
