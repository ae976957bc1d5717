"""The file that an interrupted fit of a network goes on from: starts that are done, and the one that was on
its way.

The order of the rows and the units that dropout leaves out are functions of the seed, the epoch and the
step, so that parameters, memories of the rule and what early stopping has seen are all that a run needs.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from empirisk.data.kept import refuse_unwritable, write_whole
from empirisk.estimators.network.training import Training
from empirisk.results import Status
from empirisk.typing import Array

__all__ = ["Checkpoint", "Progress", "checked_path"]


@dataclass(frozen=True, eq=False)
class Progress:
    """A run between two epochs, or its end.

    Parameters
    ----------
    run, best : Training
        The run, and the epoch whose loss on held-out rows was smallest; the run at its start before there is
        one.
    curve : tuple of float
        Mean loss of the held-out rows after each epoch; empty without such rows.
    status : Status or None
        How it ended; None on the way.
    note : str
        What went wrong, in a sentence.
    """

    run: Training
    best: Training
    curve: tuple[float, ...] = ()
    status: Status | None = None
    note: str = ""

    def packed(self, prefix: str) -> dict[str, Any]:
        """Return the arrays that a file holds of it, by names that begin with the prefix."""
        told = [self.status.name if self.status else "", self.note]
        out: dict[str, Any] = {f"{prefix}curve": np.array(self.curve), f"{prefix}told": np.array(told)}
        for name, run in (("run", self.run), ("best", self.best)):
            out[f"{prefix}{name}"] = np.stack([run.w, *run.memory])
            out[f"{prefix}{name}.counts"] = np.array([run.taken, run.epochs])
        return out

    @classmethod
    def unpacked(cls, prefix: str, stored: Mapping[str, Array]) -> Self:
        """Return what :meth:`packed` made arrays of."""
        runs = []
        for name in ("run", "best"):
            w, first, second = stored[f"{prefix}{name}"]
            taken, epochs = (int(count) for count in stored[f"{prefix}{name}.counts"])
            runs.append(Training(w.copy(), (first.copy(), second.copy()), taken, epochs))
        status, note = (str(word) for word in stored[f"{prefix}told"])
        curve = tuple(float(loss) for loss in stored[f"{prefix}curve"])
        return cls(runs[0], runs[1], curve, Status[status] if status else None, note)


@dataclass
class Checkpoint:
    """The state of a fit in a file, which is whole or not there.

    Parameters
    ----------
    path : Path
        The file.
    every : int
        Epochs between two states.
    facts : dict of str to str
        Marks of what must be the same in a fit that goes on: rows, targets, weights, each parameter.
    """

    path: Path
    every: int
    facts: Mapping[str, str] = field(repr=False)
    starts: list[Progress] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.path.parent.is_dir():
            raise ValueError(f"checkpoint: the folder {self.path.parent} does not exist; make it first")
        if self.path.is_dir():
            raise ValueError(f"checkpoint: {self.path} is a folder; give the name of a file in it")
        refuse_unwritable("checkpoint", self.path.parent)
        if self.path.exists():
            self._read()

    def _read(self) -> None:
        """Read the file, which must be of a fit with the same facts."""
        try:
            with np.load(self.path, allow_pickle=False) as stored:
                facts: dict[str, str] = json.loads(str(stored["facts"]))
                starts = [Progress.unpacked(f"{k}.", stored) for k in range(int(stored["starts"]))]
        except (zipfile.BadZipFile, KeyError, OSError, ValueError, EOFError) as error:
            raise ValueError(
                f"checkpoint: {self.path} is damaged or no state of a network ({error}); delete it to start "
                "anew, or give another file"
            ) from None
        differ = [name for name in {**facts, **self.facts} if facts.get(name) != self.facts.get(name)]
        if differ:
            raise ValueError(
                f"checkpoint: {self.path} belongs to another fit (other {', '.join(differ)}); give another "
                "file, or delete this one to start anew"
            )
        self.starts = starts

    def at(self, number: int) -> Progress | None:
        """Return where start `number`, from 0, is; None if it has not begun."""
        return self.starts[number] if number < len(self.starts) else None

    def due(self, epoch: int) -> bool:
        """Return whether the state after an epoch is written."""
        return epoch % self.every == 0

    def put(self, number: int, progress: Progress) -> None:
        """Write where start `number` is, beside those before it."""
        self.starts[number:] = [progress]
        packed = {name: a for k, one in enumerate(self.starts) for name, a in one.packed(f"{k}.").items()}
        buffer = io.BytesIO()
        np.savez(buffer, facts=json.dumps(dict(self.facts)), starts=len(self.starts), **packed)
        write_whole(self.path, buffer.getvalue())

    def remove(self) -> None:
        """Remove the file of a fit that is done."""
        self.path.unlink(missing_ok=True)


def checked_path(given: Any) -> Path:
    """Return the path of the parameter `checkpoint`."""
    if not isinstance(given, str | os.PathLike) or not os.fspath(given):
        raise ValueError(f"checkpoint must be the path of a file or None, got {given!r}")
    return Path(os.fsdecode(given))
