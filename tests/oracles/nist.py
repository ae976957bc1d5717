"""NIST's linear regression cases: data, certified values, and the number of correct digits."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "data" / "nist"
NAMES = (
    "norris",
    "pontius",
    "noint1",
    "longley",
    "filip",
    "wampler1",
    "wampler2",
    "wampler3",
    "wampler4",
    "wampler5",
)


@dataclass(frozen=True)
class Case:
    """One case: columns of decimal strings, and the certified values (constant first)."""

    name: str
    y: list[str]
    columns: list[list[str]]
    degree: int
    intercept: bool
    coef: list[str]
    se: list[str]
    sigma: str

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """X without the constant, and y, in float64: powers are rounded once each."""
        if self.degree == 1:
            X = np.array([[float(v) for v in column] for column in self.columns]).T
        else:
            x = [Fraction(v) for v in self.columns[0]]
            X = np.array([[float(v**k) for k in range(1, self.degree + 1)] for v in x])
        return X, np.array([float(v) for v in self.y])

    def rows(self) -> list[list[Fraction]]:
        """The exact rows, with the constant."""
        columns = [[Fraction(v) for v in column] for column in self.columns]
        if self.degree > 1:
            columns = [[v**k for v in columns[0]] for k in range(1, self.degree + 1)]
        ones = [[Fraction(1)] * len(self.y)] if self.intercept else []
        return [list(row) for row in zip(*ones, *columns, strict=True)]


def case(name: str) -> Case:
    certified = json.loads((FOLDER / "certified.json").read_text())[name]
    with (FOLDER / f"{name}.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    y, *columns = map(list, zip(*rows, strict=True))
    return Case(name, y, columns, **certified)


def digits(value: float, right: str | float) -> float:
    """Log relative error: correct significant digits, at most 15; absolute where the right value is 0."""
    target = float(right)
    error = abs(value - target) / abs(target) if target else abs(value)
    return 15.0 if error == 0.0 else min(15.0, -math.log10(error)) if math.isfinite(error) else 0.0
