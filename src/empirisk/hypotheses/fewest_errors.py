"""The fewest rows to give up so that a hyperplane separates the rest: covers of conflicts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from empirisk.hypotheses.exact import Integers, scaled
from empirisk.hypotheses.separate import conflict, conflicting
from empirisk.typing import Array

__all__ = ["fewest_errors"]

Rule = Callable[[Array], NDArray[np.bool_]]


def fewest_errors(
    V: Integers,
    gain: Array,
    separate: Callable[[NDArray[np.bool_]], Any],
    gained: Callable[[Any], float],
    start: list[Any],
    deadline: float,
) -> tuple[Any, float | None, str]:
    """Return a rule with a large sum of gains, a bound on every rule's (None: it is the largest), and the
    argument.

    Rows that cannot all be on their sides are a conflict; every rule gives up one of them.  The cheapest set
    that meets all conflicts found so far (an integer programme) costs at most what the best rule gives up;
    when the rows outside it are separable, their rule is the best.

    Parameters
    ----------
    V : array of integers, shape (n, p)
        The vectors.
    gain : array, shape (n,)
        What it is worth to label each of them True.
    separate : callable
        Gives a rule that separates the rows of a mask, or None.
    gained : callable
        Sum of gains of a rule.
    start : list
        Some rules.
    deadline : float
        When to stop, on the clock of ``time.monotonic``.

    Returns
    -------
    rule : Any
    most : float or None
    argument : str

    References
    ----------
    Parker and Ryan 1996, Annals of Mathematics and Artificial Intelligence 17.  Codato and Fischetti 2006,
    Operations Research 54.
    """
    search = _Search(V, gain, separate, gained, deadline)
    for rule in start:
        search.keep(rule)
    given_up = np.zeros(len(gain), dtype=bool)
    while True:
        complete = search.extend(given_up)
        most = search.ideal - search.floor
        proved = search.best[0] >= most - 1e-9 * search.ideal
        told = f"covers of {len(search.conflicts)} conflicts"
        if proved:
            return search.best[1], None, told
        left = deadline - time.monotonic()
        if left <= 0.0 or not complete:
            why = (
                "stopped at the time limit" if left <= 0.0 else "some rows are too close to a plane to go on"
            )
            return search.best[1], most, f"{told}; {why}"
        given_up = search.cover(left)


class _Search:
    """Conflicts found so far, the best rule, and the cost that no rule avoids."""

    def __init__(
        self, V: Integers, gain: Array, separate: Any, gained: Callable[[Any], float], deadline: float
    ) -> None:
        self.V, self.gain = V, gain
        self.F = scaled(V)[0]
        self.positive = gain > 0.0
        self.cost = np.abs(gain)
        self.ideal = float(gain[self.positive].sum())
        self.separate, self.gained, self.deadline = separate, gained, deadline
        self.conflicts: list[NDArray[np.intp]] = []
        self.best: tuple[float, Any] = (-np.inf, None)
        self.floor = 0.0
        self.rng = np.random.default_rng(0)
        self.keep(separate(np.zeros(len(gain), dtype=bool)))

    def extend(self, given_up: NDArray[np.bool_]) -> bool:
        """Give up more rows until the others are separable; each step adds a conflict."""
        kept = ~given_up & (self.gain != 0.0)
        while time.monotonic() < self.deadline:
            rows = np.flatnonzero(kept)
            price = self.rng.uniform(0.5, 1.5, len(rows))
            found = conflict(self.F[rows], self.positive[rows], price)
            if found is None:
                return self.keep(self.separate(kept))
            rows = rows[found]
            if not conflicting(self.V, self.positive, rows):
                return False
            self.conflicts.append(rows)
            kept[rows[np.argmin(self.cost[rows])]] = False
        return False

    def keep(self, rule: Any) -> bool:
        """Note a rule when it is better."""
        if rule is None:
            return False
        value = self.gained(rule)
        if value > self.best[0]:
            self.best = (value, rule)
        return True

    def cover(self, seconds: float) -> NDArray[np.bool_]:
        """Return the cheapest rows that meet all conflicts."""
        where = np.concatenate(self.conflicts)
        pointers = np.cumsum([0, *map(len, self.conflicts)])
        matrix = csr_array(
            (np.ones(len(where)), where, pointers), shape=(len(self.conflicts), len(self.gain))
        )
        found = milp(
            self.cost,
            integrality=np.ones(len(self.gain), dtype=np.int64),
            bounds=Bounds(0.0, 1.0),
            constraints=LinearConstraint(matrix, 1.0, np.inf),
            options={"time_limit": max(1.0, seconds), "mip_rel_gap": 0.0},
        )
        bound = float(found.mip_dual_bound or 0.0)
        if np.all(self.cost == np.rint(self.cost)):
            bound = float(np.ceil(bound - 1e-6))
        self.floor = max(self.floor, bound)
        return np.asarray(found.x > 0.5) if found.x is not None else np.zeros(len(self.gain), dtype=bool)
