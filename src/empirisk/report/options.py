"""The options of ``empirisk report`` and ``er.report``, as the user gave them."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from empirisk.report.errors import DataError, meant
from empirisk.report.fit.candidates import KINDS

__all__ = ["Options", "check_numbers", "flags"]


@dataclass(frozen=True)
class Options:
    """What the user asked for; see ``empirisk report --help``.  In Python `data` and `test` may be frames."""

    data: Any
    target: str
    out: Path | None = None
    types: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()
    missing: Sequence[str] = ()
    task: str | None = None
    positive: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    group: str | None = None
    time: str | None = None
    gap: float = 0.0
    exposure: str | None = None
    weight: str | None = None
    test: Any = None
    seed: int = 0
    level: float = 0.95
    time_limit: float | None = None
    models: str | None = None
    quiet: bool = False

    @property
    def folder(self) -> Path:
        """Where the report goes: ``--out``, or the name of the data file with ``-report``."""
        if self.out is not None:
            return self.out
        name = self.data.name.split(".")[0] if isinstance(self.data, Path) else ""
        return Path(f"{name or 'data'}-report")

    def check(self) -> tuple[str, ...]:
        """Refuse numbers that make no sense; return the kinds of models to try.

        Raises
        ------
        DataError
            Names the option.
        """
        check_numbers(self.level, self.time_limit, self.seed)
        if not 0.0 <= self.gap < math.inf:
            raise DataError(f"--gap {self.gap} must be a number of days (or units of --time) of at least 0")
        return self.kinds()

    def kinds(self) -> tuple[str, ...]:
        """Return the kinds of models to try.

        Raises
        ------
        DataError
            Names a word that is none.

        Examples
        --------
        >>> Options(Path("a.csv"), "y", models="linear, tree").kinds()
        ('linear', 'tree')
        """
        if self.models is None:
            return KINDS
        asked = tuple(word.strip() for word in self.models.split(",") if word.strip())
        if not asked or (unknown := [word for word in asked if word not in KINDS]):
            named = f" and not {unknown[0]!r}{meant(unknown[0], KINDS)}" if asked else ""
            raise DataError(f"--models {self.models!r} must name some of {', '.join(KINDS)}{named}")
        return asked

    def command(self, targets: Sequence[str] = ()) -> str:
        """Return the command line that asks for the same, with file names in place of paths; the call in
        Python where the rows are a frame.

        Parameters
        ----------
        targets : sequence of str
            All of them, where there are several.

        Examples
        --------
        >>> Options(Path("/home/me/a b.csv"), "y", types={"x": "categorical"}, seed=3).command()
        "empirisk report 'a b.csv' --target y --types x=categorical --seed 3"
        """
        if not isinstance(self.data, Path):
            return self._call(targets)
        words = ["empirisk", "report", self.data.name]
        words += [w for name in (targets or (self.target,)) for w in ("--target", name)]
        words += [w for name, kind in self.types.items() for w in ("--types", f"{name}={kind}")]
        words += [w for name in self.drop for w in ("--drop", name)]
        words += [f"--missing={value}" for value in self.missing]  # a value may begin with a minus
        named = (
            "task",
            "positive",
            "delimiter",
            "decimal",
            "encoding",
            "group",
            "time",
            "exposure",
            "weight",
            "test",
        )
        words += flags(self, (*named, "time_limit", "models"))
        if self.header is not None:
            words.append("--header" if self.header else "--no-header")
        words += ["--gap", f"{self.gap:g}"] if self.gap else []
        words += ["--seed", str(self.seed)] if self.seed else []
        words += ["--level", str(self.level)] if self.level != 0.95 else []
        return shlex.join(words)

    def _call(self, targets: Sequence[str]) -> str:
        """Return the call of ``er.report`` that asks for the same on a frame.

        Examples
        --------
        >>> Options({"x": [1.0]}, "y", drop=("b",), seed=3).command()
        "er.report(frame, 'y', drop=['b'], seed=3)"
        """
        words = ["frame", repr(list(targets) or self.target)]
        for f in fields(self)[3:-1]:
            value = getattr(self, f.name)
            if f.name == "test":
                words += [] if value is None else ["test=test_frame"]
            elif value not in (f.default, (), {}):
                words.append(f"{f.name}={list(value) if isinstance(value, tuple) else value!r}")
        return f"er.report({', '.join(words)})"


def check_numbers(level: float, time_limit: float | None, seed: int) -> None:
    """Refuse a level, a time limit or a seed that makes no sense.

    Raises
    ------
    DataError
        Names the option.
    """
    if not 0.5 <= level < 1.0:
        raise DataError(
            f"--level {level} is no level of confidence: give a number from 0.5 to below 1, such as 0.95"
        )
    if time_limit is not None and not time_limit > 0.0:
        raise DataError(f"--time-limit {time_limit} must be a positive number of seconds")
    if seed < 0:
        raise DataError(f"--seed {seed} must be a whole number of at least 0")


def flags(options: Any, names: Sequence[str]) -> list[str]:
    """Return ``--flag value`` for those of the named options that were given, files without their folders."""
    words = []
    for name in names:
        value = getattr(options, name)
        if value is not None:
            told = value.name if isinstance(value, Path) else str(value)
            words += [f"--{name.replace('_', '-')}", told]
    return words
