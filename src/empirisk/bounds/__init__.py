"""Bounds on the risk: one theorem per file, one registry row each.

A theorem that relates the number of rows ``n``, a tolerance ``epsilon`` and a probability of failure
``delta`` returns a :class:`Guarantee` and solves for whichever of the three is not given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from empirisk.bounds.base import Guarantee, Theorem, smallest, smallest_n, solve_for
from empirisk.bounds.hoeffding import hoeffding

REGISTRY: dict[str, Callable[..., Any]] = {
    "hoeffding": hoeffding,
}

__all__ = ["REGISTRY", "Guarantee", "Theorem", "hoeffding", "smallest", "smallest_n", "solve_for"]
