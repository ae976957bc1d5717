"""Along which numbers the candidates of a search lie: those of a parameter, or one number of a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.kernels.base import is_kernel
from empirisk.search.points import Params, same

__all__ = ["Axis", "axes_of"]


@dataclass(frozen=True)
class Axis:
    """A parameter whose values are at least two different numbers, or kernels that differ in one number.

    Parameters
    ----------
    name : str
        The parameter.
    inner : str
        The number of the kernel that varies; empty where the values of the parameter are numbers themselves.
    values : tuple of float
        What was tried, sorted, each once.
    """

    name: str
    inner: str
    values: tuple[float, ...]

    @property
    def label(self) -> str:
        """What the axis is called: ``alpha``, or ``gamma of kernel``."""
        return f"{self.inner} of {self.name}" if self.inner else self.name

    def at(self, point: Params) -> float | None:
        """Return where a candidate stands on the axis; None where it does not have the parameter."""
        if self.name not in point:
            return None
        value = point[self.name]
        return float(value.parameters[self.inner]) if self.inner else value

    def moved(self, point: Params, value: float) -> Params:
        """Return the settings of a candidate with another number on this axis."""
        new = point[self.name].with_parameters(**{self.inner: value}) if self.inner else value
        return {**point, self.name: new}


def axes_of(points: Sequence[Params]) -> list[Axis]:
    """Return the axes of some candidates, in the order in which their parameters appear.

    Parameters
    ----------
    points : sequence of dict
        Settings; a parameter that takes one value only, or values that are no numbers, is no axis.

    Examples
    --------
    >>> from empirisk.kernels import Gaussian
    >>> tried = [{"alpha": a, "kernel": Gaussian(gamma=g)} for a in (0.1, 1.0) for g in (0.5, 2.0)]
    >>> [(axis.label, axis.values) for axis in axes_of(tried)]
    [('alpha', (0.1, 1.0)), ('gamma of kernel', (0.5, 2.0))]
    """
    out = []
    for name in {k: None for p in points for k in p}:
        values = [p[name] for p in points if name in p]
        if all(_is_number(v) for v in values):
            numbers, inner = values, ""
        else:
            inner = _varying(values)
            if not inner:
                continue
            numbers = [float(v.parameters[inner]) for v in values]
        if len(set(numbers)) > 1:
            out.append(Axis(name, inner, tuple(sorted(set(numbers)))))
    return out


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _varying(values: Sequence[Any]) -> str:
    """Return the one number in which all these kernels differ; empty where there is no such number."""
    if not all(is_kernel(v) for v in values):
        return ""
    try:
        numbers = [dict(v.parameters) for v in values]
    except ValueError:  # a width that is a word has no number before the rows are seen
        return ""
    first = numbers[0]
    if any(n.keys() != first.keys() for n in numbers):
        return ""
    varying = [k for k in first if not all(same(n[k], first[k]) for n in numbers)]
    if len(varying) != 1 or not all(_is_number(n[varying[0]]) for n in numbers):
        return ""
    name = varying[0]
    alike = [
        same(v, values[0].with_parameters(**{name: n[name]})) for v, n in zip(values, numbers, strict=True)
    ]
    return name if all(alike) else ""
