"""Which candidate is chosen: the smallest loss, or the simplest within one standard error of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.standing import Standing
from empirisk.search.points import Params, same

RULES = ("min", "one_se")
Complexity = str | Callable[[Params], float] | None

# Parameters whose direction is known: 1 where a larger value is the more complex model.
KNOWN = {"alpha": -1.0, "C": 1.0}


def check_rule(rule: str) -> str:
    """Return the rule, or an error that lists the rules."""
    if rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(map(repr, RULES))}, got {rule!r}.")
    return rule


def complexities(points: Sequence[Params], declared: Complexity, needed: bool) -> Floats | None:
    """Return the complexity of each candidate; None when no order is known and none is needed.

    Parameters
    ----------
    points : sequence of dict
        The candidates.
    declared : str, callable or None
        ``"max_depth"``: larger is more complex; ``"-alpha"``: smaller is. A callable takes the settings
        of a candidate. None: by the only parameter that varies, when it is a penalty strength (alpha, C).
    needed : bool
        Whether the rule cannot do without.
    """
    if callable(declared):
        return np.array([float(declared(p)) for p in points])
    if declared is not None:
        sign, name = (-1.0, declared[1:]) if declared.startswith("-") else (1.0, declared)
        absent = [p for p in points if name not in p]
        if absent:
            raise ValueError(
                f"complexity: {name!r} is not a parameter of every candidate, for example {absent[0]}"
            )
        return np.array([sign * _number(p[name], name) for p in points])
    first = points[0]
    varying = {k for p in points for k in {*p, *first} if not same(p.get(k, p), first.get(k))}
    name = varying.pop() if len(varying) == 1 else ""
    direction = KNOWN.get(name.rsplit("__", 1)[-1])
    if direction is not None and all(isinstance(p.get(name), int | float) for p in points):
        return np.array([direction * float(p[name]) for p in points])
    if needed:
        raise ValueError(
            'rule="one_se" needs to know which candidate is simpler: give complexity="-alpha" (the larger '
            'alpha is simpler), complexity="max_depth" (the smaller one is), or a function of the settings.'
        )
    return None


def _number(value: Any, name: str) -> float:
    """Return a parameter value as a number; None stands for "no limit"."""
    if value is None:
        return float("inf")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"complexity: the value {value!r} of {name!r} is not a number.") from None


def choose(loss: Floats, errors: Floats, complexity: Floats | None, rule: str) -> int:
    """Position of the chosen candidate.

    Parameters
    ----------
    loss : array of shape (m,)
        Mean losses.
    errors : array of shape (m, m)
        ``errors[i, j]`` is the standard error of ``loss_i - loss_j``: on the same rows two candidates are
        told apart by the error of their difference, not by that of either score.
    complexity, rule
        As in :func:`complexities`. Ties go to the simpler, then to the first.
    """
    if rule == "min" or complexity is None:
        level = np.zeros(loss.size) if complexity is None else complexity
        return int(np.lexsort((np.arange(loss.size), level, loss))[0])
    return simplest_close(loss, errors[:, int(np.argmin(loss))], complexity)


def simplest_close(loss: Floats, errors: Floats, complexity: Floats) -> int:
    """Return the position of the simplest candidate within one standard error of the smallest loss.

    Parameters
    ----------
    loss : array of shape (m,)
    errors : array of shape (m,)
        Standard errors of the difference of each candidate to that of the smallest loss; NaN where unknown.
    complexity : array of shape (m,)
        Ties go to the first.
    """
    slack = np.where(np.isfinite(errors), errors, 0.0)
    eligible = np.flatnonzero(loss <= loss.min() + slack)
    return int(eligible[np.argmin(complexity[eligible])])


def choose_each(losses: Floats, errors: Floats, complexity: Floats) -> np.ndarray:
    """Return the one-standard-error choice for each row of `losses`, shape (b, m) to (b,)."""
    best = np.argmin(losses, axis=1)
    slack = np.where(np.isfinite(errors), errors, 0.0)[:, best].T
    eligible = losses <= losses[np.arange(best.size), best][:, None] + slack
    order = np.lexsort((np.arange(complexity.size), complexity))
    return np.asarray(order[np.argmax(eligible[:, order], axis=1)])


def pair_errors(standing: Standing) -> Floats:
    """Return the standard errors of all differences, shape (m, m)."""
    return np.stack([standing.errors(j) for j in range(standing.loss.size)], axis=1)
