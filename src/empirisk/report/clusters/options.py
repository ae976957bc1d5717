"""The options of ``empirisk cluster``, as the user gave them on the command line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from empirisk.report.errors import DataError
from empirisk.report.options import flags

__all__ = ["ClusterOptions", "numbers_of_clusters"]

DEFAULT_KS = "2-8"
MOST = 60  # clusters that a page can still show


@dataclass(frozen=True)
class ClusterOptions:
    """What the user asked for; see ``empirisk cluster --help``."""

    data: Path
    out: Path | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()
    missing: Sequence[str] = ()
    id: Sequence[str] = ()
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    ks: str = DEFAULT_KS
    seed: int = 0
    level: float = 0.95
    time_limit: float | None = None
    quiet: bool = False

    @property
    def folder(self) -> Path:
        """Where the report goes: ``--out``, or the name of the data file with ``-clusters``."""
        if self.out is not None:
            return self.out
        return Path(f"{self.data.name.split('.')[0] or 'data'}-clusters")

    def command(self) -> str:
        """Return the command line that asks for the same, with file names in place of paths.

        Examples
        --------
        >>> ClusterOptions(Path("/home/me/a.csv"), drop=("species",), ks="2-5").command()
        'empirisk cluster a.csv --drop species --ks 2-5'
        """
        words = ["empirisk", "cluster", self.data.name]
        words += [w for name, kind in self.types.items() for w in ("--types", f"{name}={kind}")]
        words += [w for name in self.drop for w in ("--drop", name)]
        words += [w for name in self.id for w in ("--id", name)]
        words += [f"--missing={value}" for value in self.missing]
        words += flags(self, ("delimiter", "decimal", "encoding", "time_limit"))
        if self.header is not None:
            words.append("--header" if self.header else "--no-header")
        words += ["--ks", self.ks] if self.ks != DEFAULT_KS else []
        words += ["--seed", str(self.seed)] if self.seed else []
        words += ["--level", str(self.level)] if self.level != 0.95 else []
        return shlex.join(words)


def numbers_of_clusters(text: str) -> tuple[int, ...]:
    """Return the numbers of clusters to try, from ``2-8``, ``2,3,5`` or ``4``.

    Raises
    ------
    DataError
        Says what is wrong and how to write it.

    Examples
    --------
    >>> numbers_of_clusters("2-4,7")
    (2, 3, 4, 7)
    """
    out: set[int] = set()
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 2 <= low <= high <= MOST:
            raise DataError(
                f"--ks {text!r} must name numbers of clusters from 2 to {MOST}, such as --ks 2-8 or"
                " --ks 3,5; one cluster (no clusters) is always among the answers"
            )
        out |= set(range(low, high + 1))
    return tuple(sorted(out))
