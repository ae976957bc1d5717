"""What has been fitted so far, in memory and, when asked, in a folder that a later run resumes from."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from empirisk.data.kept import refuse_unwritable, write_whole
from empirisk.search.record import Record

Task = tuple[int, tuple[int, ...]]  # a split, and the candidates that are fitted together on it

HEADER = "search.json"


class Ledger:
    """Records by (candidate, split).

    Parameters
    ----------
    folder : path or None
        Where each finished task is written to (a file of its own, moved into place when it is whole).
    facts : mapping of str to str
        What must be the same in a resumed run: fingerprints of the rows, the grid and so on.

    Raises
    ------
    ValueError
        The folder holds another search, or nothing can be written to it.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, facts: dict[str, str]) -> None:
        self.records: dict[tuple[int, int], Record] = {}
        self._errors: dict[int, str] = {}
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            self._open(self.folder, facts)

    def _open(self, folder: Path, facts: dict[str, str]) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"checkpoint: the folder {folder} cannot be made ({error.strerror or error}); give another "
                "path"
            ) from None
        refuse_unwritable("checkpoint", folder)
        header = folder / HEADER
        if not header.exists():
            if any(folder.iterdir()):
                raise ValueError(f"checkpoint: {folder} holds other files; give an empty or a new folder.")
            write_whole(header, json.dumps(facts, indent=1).encode())
            return
        kept = json.loads(header.read_text(encoding="utf-8"))
        differ = [name for name in facts if kept.get(name) != facts[name]]
        if differ:
            raise ValueError(
                f"checkpoint: {folder} belongs to another search (other {', '.join(differ)}); "
                "give another folder, or delete this one to start anew."
            )

    def load(self, task: Task) -> bool:
        """Read a task from the folder; False when it is not there."""
        if self.folder is None:
            return False
        file = self.folder / _name(task)
        if not file.exists():
            return False
        members = task[1]
        try:
            with np.load(file, allow_pickle=False) as stored:
                found = [Record.unpack(f"{i}.", stored) for i in members]
        except (zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
            raise ValueError(f"checkpoint: {file} is damaged ({error}); delete it to fit it again.") from None
        self.put(task, found, write=False)
        return True

    def put(self, task: Task, records: Iterable[Record], write: bool = True) -> None:
        """Keep the records of a task, one for each of its candidates."""
        split, members = task
        packed: dict[str, Any] = {}
        for i, record in zip(members, records, strict=True):
            self.records[i, split] = record
            if record.error:
                self._errors.setdefault(i, record.error)
            packed |= record.pack(f"{i}.")
        if write and self.folder is not None:
            with tempfile.TemporaryFile() as buffer:
                np.savez(buffer, **packed)
                buffer.seek(0)
                write_whole(self.folder / _name(task), buffer.read())

    def has(self, i: int, split: int) -> bool:
        """Return whether a candidate was fitted on a split, well or badly."""
        return (i, split) in self.records

    def error(self, i: int) -> str:
        """Return the first error of a candidate; empty when none of its fits failed."""
        return self._errors.get(i, "")


def _name(task: Task) -> str:
    split, members = task
    return f"split{split:04d}-{joblib.hash(members)[:16]}.npz"
