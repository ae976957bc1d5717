"""Statements in expectation: how they are solved for n or epsilon, and worded."""

from __future__ import annotations

import math
from collections.abc import Callable

from empirisk.bounds.base import MAX_ROWS, SLACK, Guarantee, Theorem, check_count, check_real, smallest_n, up

__all__ = ["solve_expectation"]


def solve_expectation(
    theorem: Theorem,
    *,
    n: int | None,
    epsilon: float | None,
    epsilon_of: Callable[[int], float],
    lead: str = "In expectation",
    trivial: float = math.inf,
    least: int = 1,
) -> Guarantee:
    """Solve ``epsilon_of(n) <= epsilon`` for the one of the two that is not given.

    Parameters
    ----------
    theorem : Theorem
        Name, claim (with ``{n}`` and ``{epsilon}``), assumptions and source.
    n : int, optional
        Rows, or steps of an algorithm.
    epsilon : float > 0, optional
        Tolerance.
    epsilon_of : callable
        Falls in n.
    lead : str
        First words of the claim: over what the expectation is taken, or empty for a sure statement.
    trivial : float, default inf
        A tolerance that is always kept.
    least : int, default 1
        Smallest n for which the theorem is stated.

    Returns
    -------
    Guarantee
        With ``delta=None``.
    """
    if (n is None) == (epsilon is None):
        raise ValueError(f"{theorem.name}: give exactly one of n and epsilon.")
    if n is not None:
        n, solved = check_count(n, "n", least), "epsilon"
        epsilon = epsilon_of(n)
    else:
        target, solved = check_real(epsilon, "epsilon"), "n"
        n = smallest_n(lambda m: epsilon_of(m) <= target * (1.0 + SLACK), least=least)
        if n is None:
            raise ValueError(
                f"{theorem.name}: epsilon = {target:g} is not reached with any n up to {MAX_ROWS:g}; "
                "raise epsilon."
            )
        epsilon = target
    words = theorem.claim.format(n=f"{n:,}", epsilon=up(epsilon))
    claim = f"{lead}, {words}." if lead else f"{words[0].upper()}{words[1:]}."
    vacuous = epsilon >= trivial
    return Guarantee(
        theorem.name, n, epsilon, None, claim, theorem.assumptions, theorem.source, solved, vacuous
    )
