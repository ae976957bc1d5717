"""The library that writes and reads model files, imported without the array libraries that it never uses."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

__all__ = ["hidden", "skops_io"]

# skops imports all modules of scikit-learn, and these their adapters to each array library that is there:
# PyTorch alone takes seconds and half a gigabyte.
ARRAYS = ("torch", "cupy", "dask", "jax")


def skops_io() -> ModuleType:
    """Return ``skops.io``; array libraries that are imported by then stay so.

    Examples
    --------
    >>> skops_io().__name__
    'skops.io'
    """
    with hidden(ARRAYS):
        import skops.io as sio
    out: ModuleType = sio
    return out


@contextmanager
def hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Let modules that are not imported yet look missing in the block.

    Examples
    --------
    >>> with hidden(("antigravity",)):
    ...     try:
    ...         import antigravity
    ...     except ImportError:
    ...         print("missing")
    missing
    >>> "antigravity" in sys.modules
    False
    """
    new = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(new))  # type: ignore[arg-type]  # None: no such module
    try:
        yield
    finally:
        for name in new:
            sys.modules.pop(name, None)
