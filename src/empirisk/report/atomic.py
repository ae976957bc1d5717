"""Outputs that are either whole or not there: written beside their place, then renamed."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from empirisk.report.errors import DataError
from empirisk.report.leftovers import held, prefix, remove_leftovers

__all__ = ["OUTPUTS", "check_folder", "report_folder", "write_file"]

OUTPUTS = ("report.html", "report.json", "report.md", "model.empirisk")


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
                os.chmod(name, 0o666 & ~_umask())
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds anything but a report.

    Raises
    ------
    DataError
        `folder` is a file, or holds files that a report does not write, or its parent cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder.name} exists and is a file: give another folder with --out")
    strange = sorted(p.name for p in folder.iterdir() if p.name not in OUTPUTS) if folder.exists() else []
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
            f"the folder of {folder.name} cannot be written ({error.strerror or error}): "
            "give another one with --out"
        ) from error


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
                os.chmod(fresh, 0o777 & ~_umask())
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
