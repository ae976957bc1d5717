"""Temporary outputs of a run: named after their owner, locked while it lives, removed by the next run."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":  # Windows has no such locks: there leftovers stay
    import fcntl

__all__ = ["held", "prefix", "remove_leftovers"]


def prefix(name: str) -> str:
    """Return how the temporary outputs of this process for `name` begin.

    Examples
    --------
    >>> prefix("out").startswith(".out.")
    True
    """
    return f".{name}.{os.getpid()}-"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a temporary file or folder; the system lets go of it when this process ends, however it ends."""
    if sys.platform == "win32":
        yield
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):  # file systems without locks: the number of the process must do
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def remove_leftovers(place: Path, suffix: str) -> None:
    """Remove the temporary outputs for `place` whose process is dead.

    Parameters
    ----------
    place : Path
        The output that they were made for; they lie beside it.
    suffix : str
        ``".part"`` or ``".old"``.
    """
    if sys.platform == "win32":
        return
    ours = re.compile(rf"^\.{re.escape(place.name)}\.(\d+)-\w+{re.escape(suffix)}$")
    with suppress(OSError):
        for path in place.absolute().parent.iterdir():
            owner = ours.match(path.name)
            if owner and not _alive(int(owner[1])) and not _locked(path):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _locked(path: Path) -> bool:
    """Return whether a process (perhaps one that this one cannot see) holds the lock."""
    if sys.platform == "win32":
        return True
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False
