"""A situation in which the truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.diagnosis import Answer, Context

__all__ = ["Scenario"]


@dataclass(frozen=True)
class Scenario:
    """One row of the table of alarms.

    Parameters
    ----------
    code : str
        The finding.
    name : str
        What is drawn, in words.
    n : int
        Rows.
    draw : callable
        ``draw(rng, n)`` gives the arguments of :func:`empirisk.diagnosis.context`: est, X, y and what else is
        needed.
    truth : {"null", "boundary", "fault", "interval"}
        In the first two every alarm is false; in the last, an alarm is an interval that misses the truth.
    least : float
        Power that is promised (with a fault), in per cent.
    rule : callable, optional
        ``rule(ctx)``: whether the fixed rule would speak.
    runs, rule_runs : int
        How often it is drawn in the full study, and how often the rule is asked.
    event : callable, optional
        What is counted as an alarm instead of "fires".
    """

    code: str
    name: str
    n: int
    draw: Callable[[np.random.Generator, int], dict[str, Any]]
    truth: str = "null"
    least: float = 0.0
    rule: Callable[[Context], bool] | None = None
    runs: int = 300
    rule_runs: int = 200
    event: Callable[[Context, Answer], bool] | None = None

    @property
    def key(self) -> str:
        """The name of the scenario in the stored results, such as ``ER205/ridge, folds alike/60``."""
        return f"{self.code}/{self.name}/{self.n}"
