"""Files of a run that another one goes on from: written whole or not at all, with marks of content."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import joblib

__all__ = ["fingerprint", "refuse_unwritable", "umask", "write_whole"]


def fingerprint(thing: Any) -> str:
    """Return a hash of the content; falls back to the printed form of what cannot be pickled."""
    try:
        return str(joblib.hash(thing))
    except Exception:  # what an object raises while it is pickled is its own affair
        return str(joblib.hash(repr(thing)))


def refuse_unwritable(name: str, folder: Path) -> None:
    """Refuse a folder in which no file can be made, before work is done whose state it should hold.

    Parameters
    ----------
    name : str
        Of the parameter, for the sentence.
    folder : Path
        Which is there.
    """
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(
            f"{name}: no file can be written to the folder {folder} ({error.strerror or error}); give a "
            "path in another one"
        ) from None


def write_whole(target: Path, content: bytes) -> None:
    """Write beside the target and move into place: a reader sees all of it or nothing."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~umask())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def umask() -> int:
    """Return the permissions that the user takes away from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
