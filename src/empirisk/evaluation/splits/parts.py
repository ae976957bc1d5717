"""The parts of a sample, and what they look like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.brief import Brief
from empirisk.data.frames import as_frame
from empirisk.results.form import Form, Formed

NAMES = ("train", "validation", "test")


@dataclass(frozen=True, repr=False)
class Part(Brief):
    """Some rows of a sample.

    Parameters
    ----------
    name : str
        "train", "validation" or "test".
    X, y
        The rows and their targets, of the type that was given.
    rows : int array
        Their numbers in the sample, rising.
    groups : array or None
        Their groups.
    units : int
        Rows, groups or distinct times in this part.
    balance : mapping of str to int
        Rows of each class; empty for numbers.
    """

    name: str
    X: Any
    y: Any
    rows: NDArray[np.intp]
    groups: NDArray[Any] | None
    units: int
    balance: dict[str, int]


@dataclass(frozen=True, repr=False)
class Parts(Formed):
    """Train, validation and test part of one sample: disjoint, and together all of it.

    Parameters
    ----------
    train, validation, test : Part
        The parts; iterating gives them in this order.
    unit : str
        What stays whole: "row", "group" or "time".
    how : str
        How the rows were dealt out, in a sentence.
    """

    train: Part
    validation: Part
    test: Part
    unit: str
    how: str

    def __iter__(self) -> Iterator[Part]:
        return iter((self.train, self.validation, self.test))

    def to_frame(self) -> Any:
        """Return one row a part: rows, share, units, and the rows of each class."""
        return as_frame(self._columns(), self._like)

    def _columns(self) -> dict[str, list[Any]]:
        total = sum(p.rows.size for p in self)
        table: dict[str, list[Any]] = {
            "part": [p.name for p in self],
            "rows": [int(p.rows.size) for p in self],
            "share": [p.rows.size / total for p in self],
        }
        if self.unit != "row":
            table[f"{self.unit}s"] = [p.units for p in self]
        for label in self.train.balance:
            table[label] = [p.balance.get(label, 0) for p in self]
        return table

    def __repr__(self) -> str:
        total = sum(p.rows.size for p in self)
        lines = [f"{total} rows in three parts: {self.how}"]
        for p in self:
            units = "" if self.unit == "row" else f", {p.units} {self.unit}{'' if p.units == 1 else 's'}"
            line = f"  {p.name:<10}  {p.rows.size} rows ({p.rows.size / total:.1%}){units}"
            shares = (f"{label} {count} ({count / p.rows.size:.1%})" for label, count in p.balance.items())
            lines.append(f"{line}  {', '.join(shares)}".rstrip())
        return "\n".join(lines)

    def _form(self) -> Form:
        return Form(repr(self).splitlines()[0], self._columns())
