"""Feature steps of the report, between the encoder and a linear model.  Adding one is a file and a row of
REGISTRY.
"""

from __future__ import annotations

from typing import Any

from empirisk.report.fit.steps.base import FeatureStep, Suggestion
from empirisk.report.fit.steps.components import Components
from empirisk.report.fit.steps.memberships import Memberships

__all__ = ["REGISTRY", "Components", "FeatureStep", "Memberships", "Suggestion", "step_of", "suggestions"]

REGISTRY: dict[str, type[FeatureStep]] = {
    "components": Components,
    "memberships": Memberships,
}


def step_of(name: str) -> FeatureStep:
    """Return the step of a name in the registry."""
    return REGISTRY[name]()


def suggestions(X: Any, y: Any, numbers: int, n: int, n_classes: int) -> tuple[Suggestion, ...]:
    """Return the steps that may win on a table, with why.

    Parameters
    ----------
    X : array of shape (m, p)
        Encoded training rows, or the first of them.
    y : array of shape (m,)
        Their targets.
    numbers : int
        How many of the columns, from the first, are standardised numbers.
    n : int
        Training rows in all.
    n_classes : int
        0 for a regression.
    """
    found = ((name, step_of(name).suggested(X, y, numbers, n, n_classes)) for name in REGISTRY)
    return tuple(Suggestion(name, why, numbers) for name, why in found if why)
