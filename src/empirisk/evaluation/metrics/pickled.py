"""Metrics of the registry are pickled by their names: their formulas are functions inside of functions."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["PickledByName"]


class PickledByName:
    """Base of metrics: one of the registry is itself again after a pickle, in another process too."""

    name: str

    def __reduce__(self) -> Any:
        if _named(self.name) is self:
            return _named, (self.name,)
        return super().__reduce__()


def _named(name: str) -> Any:
    """Return the metric of that name in the registry, or None where there is none."""
    # Loaded when it is asked: the registry is made of objects of this class.
    return import_module("empirisk.evaluation.metrics").METRICS.get(name)
