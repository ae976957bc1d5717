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

    NumPy and SciPy bring one thread pool each; algebra that alternates between the two pools runs many
    times slower than on one thread, the more so the busier the machine is.
    """
    out: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return out
