"""Which criteria an estimator takes: asked of the registry, so that a new row is taken at once."""

from __future__ import annotations

from typing import Any

from empirisk.trees.criteria import REGISTRY

__all__ = ["criteria_for", "needs_non_negative"]


def criteria_for(targets: str, *, of_sums: bool = False) -> dict[str, Any]:
    """Criteria by name and by alias, for targets of a kind.

    Parameters
    ----------
    targets : {"classes", "numbers", "derivatives"}
        What y holds.
    of_sums : bool, default False
        Leave out those that need the targets in order, which the loops of forests do not keep.

    Examples
    --------
    >>> sorted(criteria_for("numbers", of_sums=True))
    ['poisson', 'squared_error']
    """
    fit = [c for c in REGISTRY.values() if c.targets == targets and not (of_sums and c.sums == "order")]
    return {name: c for c in fit for name in (c.name, *c.aliases)}


def needs_non_negative(name: Any) -> bool:
    """Return whether a parameter names a criterion of numbers that must be >= 0; False for what names
    none.
    """
    found = criteria_for("numbers").get(name) if isinstance(name, str) else None
    return found is not None and found.non_negative
