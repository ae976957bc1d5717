"""Which criteria an estimator takes: asked of the registry, so that a new row is taken at once."""

from __future__ import annotations

from typing import Any

from empirisk.trees.criteria import REGISTRY

__all__ = ["criteria_for", "needs_non_negative", "refuse_without_mean"]


def criteria_for(targets: str) -> dict[str, Any]:
    """Criteria by name and by alias, for targets of a kind.

    Parameters
    ----------
    targets : {"classes", "numbers", "derivatives"}
        What y holds.

    Examples
    --------
    >>> sorted(criteria_for("numbers"))
    ['absolute_error', 'poisson', 'squared_error']
    """
    fit = [c for c in REGISTRY.values() if c.targets == targets]
    return {name: c for c in fit for name in (c.name, *c.aliases)}


def needs_non_negative(name: Any) -> bool:
    """Return whether a parameter names a criterion of numbers that must be >= 0; False for what names
    none.
    """
    found = criteria_for("numbers").get(name) if isinstance(name, str) else None
    return found is not None and found.non_negative


def refuse_without_mean(criterion: Any, n_classes: int) -> None:
    """Refuse monotonic constraints where a leaf has no mean that they could be about.

    Raises
    ------
    ValueError
        For criteria of the order of the targets, and for three classes and more.
    """
    if criterion.sums == "order" or n_classes > 2:
        raise ValueError(
            f"monotonic constraints need one mean in each leaf; {criterion.name} with these targets has none"
        )
