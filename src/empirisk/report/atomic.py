"""Outputs that are either whole or not there: written beside their place, then renamed."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from empirisk.data.kept import umask
from empirisk.report.errors import DataError

if sys.platform != "win32":  # Windows has no such locks: there leftovers stay
    import fcntl

__all__ = ["OUTPUTS", "check_folder", "report_folder", "write_file"]

OUTPUTS = ("report.html", "report.json", "report.md", "model.empirisk", "labels.csv")


def write_file(path: Path, data: bytes) -> None:
    """Write `data` to a temporary file beside `path` and rename it.

    Raises
    ------
    DataError
        The folder is missing or cannot be written, or is full.
    """
    if path.is_dir():
        raise DataError(f"{path.name} is a folder: give the name of a file")
    remove_leftovers(path, ".part")
    with _told(path.name, "check the folder"):
        handle, name = tempfile.mkstemp(prefix=prefix(path.name), suffix=".part", dir=path.parent)
        try:
            with held(Path(name)):
                with os.fdopen(handle, "wb") as out:
                    out.write(data)
                os.chmod(name, 0o666 & ~umask())
                os.replace(name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise


@contextmanager
def _told(name: str, remedy: str) -> Iterator[None]:
    """Turn errors of the file system into a sentence."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        what = "make room, or choose another place" if full else remedy
        raise DataError(f"{name} cannot be written ({error.strerror or error}): {what}") from error


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but a report.

    Raises
    ------
    DataError
        `folder` is a file, or holds files that a report does not write, or its parent cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder.name} exists and is a file: give another folder with --out")
    strange = sorted(p.name for p in folder.iterdir() if not _written(p)) if folder.exists() else []
    if strange:
        raise DataError(
            f"the folder {folder.name} holds {strange[0]!r}, which no report wrote, and is left as it is: "
            "give another folder with --out"
        )
    parent = folder.absolute().parent
    while not parent.exists():
        parent = parent.parent
    try:  # only trying tells: os.access says yes to everything for root
        os.rmdir(tempfile.mkdtemp(prefix=prefix(folder.name), suffix=".part", dir=parent))
    except OSError as error:
        raise DataError(
            f"the folder {parent.name or parent} takes no new {folder.name} ({error.strerror or error}): "
            "give another one with --out"
        ) from error


def _written(path: Path) -> bool:
    """Return whether a report writes such a file, or, of one of several targets, such a folder."""
    if path.name in OUTPUTS:
        return not path.is_dir()
    if path.is_symlink() or not path.is_dir() or not (path.parent / "report.json").is_file():
        return False
    names = {p.name for p in path.iterdir() if not p.is_dir()}
    return names == {p.name for p in path.iterdir()} and "report.json" in names and names <= set(OUTPUTS)


@contextmanager
def report_folder(folder: Path) -> Iterator[Path]:
    """Give a temporary folder beside `folder` that takes its place when the block ends well.

    After an error or Ctrl-C the temporary folder is removed and an earlier report stays as it was. What a
    killed run left is removed too.
    """
    check_folder(folder)
    remove_leftovers(folder, ".part")
    parent = folder.absolute().parent
    with _told(f"the report {folder.name}", "give another folder with --out"):
        parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=prefix(folder.name), suffix=".part", dir=parent))
        try:
            with held(fresh):
                yield fresh
                os.chmod(fresh, 0o777 & ~umask())
                _swap(fresh, folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    remove_leftovers(folder, ".old")


def _swap(fresh: Path, folder: Path) -> None:
    if not folder.exists():
        os.replace(fresh, folder)
        return
    old = Path(tempfile.mkdtemp(prefix=prefix(folder.name), suffix=".old", dir=folder.absolute().parent))
    os.replace(folder, old)
    try:
        os.replace(fresh, folder)
    except BaseException:
        os.replace(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


# -- what a run leaves over when it is killed --------------------------------------------------------
# Temporary outputs are named after their owner, locked while it lives, and removed by the next run.


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
