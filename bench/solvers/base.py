"""A solver: a library, the parameters that the label names, and a function that fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(frozen=True)
class Solver:
    """``fit(X, y, strength)`` returns what the objective measures (a Fit, a path or a strength).

    Parameters
    ----------
    library : str
        Whose it is; the table takes the fastest entry of each library that reaches the accuracy.
    label : str
        The parameters that matter.
    fit : callable
        The timed call, from arrays to parameters.
    max_columns : float
        Left out above this number of columns, where its memory would be p^2 numbers.
    whole_first_call : bool
        Whether the first call is on all rows, because what it compiles is for one shape.
    """

    library: str
    label: str
    fit: Callable[[Any, Any, Any], Any]
    max_columns: float = inf
    whole_first_call: bool = False

    @property
    def name(self) -> str:
        """The name of the solver in the table: its library and its label."""
        return f"{self.library} {self.label}".strip()
