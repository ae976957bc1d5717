"""What a check of the data gets and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from empirisk.report.fit.split import Split
from empirisk.report.read.table import Table
from empirisk.results import Finding

__all__ = ["Audited", "Check", "NotRunError", "Outcome"]


@dataclass(frozen=True)
class Audited:
    """The table under audit with its split; `test_table` when the test rows come from a file of their own."""

    table: Table
    split: Split
    test_table: Table | None = None
    seed: int = 0

    @property
    def train(self) -> pl.DataFrame:
        """The training rows: what associates a column with the target is looked for in these only."""
        return self.table.frame[self.split.train]

    @property
    def target(self) -> np.ndarray:
        """Training target: class numbers, or values."""
        values = self.train[str(self.table.target)]
        if self.table.task == "regression":
            return values.to_numpy()
        codes = {label: k for k, label in enumerate(self.table.classes)}
        return np.array([codes[v] for v in values.to_list()], dtype=np.int64)

    @property
    def units(self) -> np.ndarray:
        """Training rows with the same number must stay in one fold."""
        n = len(self.split.train)
        return np.arange(n) if self.split.groups is None else self.split.groups[self.split.train]


@dataclass(frozen=True)
class Outcome:
    """Findings, and the sentence to print when there are none."""

    findings: list[Finding] = field(default_factory=list)
    nothing: str = ""


class NotRunError(Exception):
    """Raised by a check that cannot say anything about this table; the message is the reason."""


@dataclass(frozen=True)
class Check:
    """One row of the registry of checks: a code, a name and the function that runs."""

    code: str
    name: str
    run: Callable[[Audited], Outcome]
