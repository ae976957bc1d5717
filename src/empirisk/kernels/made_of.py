"""Refuse what kernels cannot be made of: parts that are no kernels, factors, and columns without a number."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from empirisk.kernels.base import is_kernel
from empirisk.kernels.words import is_positive

__all__ = ["checked_columns", "checked_factor", "refuse_addend", "refuse_parts"]


def refuse_addend(other: Any) -> None:
    """Refuse to add something else than a kernel to one."""
    if not is_kernel(other):
        raise TypeError(
            f"a kernel can be added to another kernel, got {other!r}; a constant belongs into the intercept "
            "of a machine, or into Polynomial(1, gamma=1.0, constant=...)"
        )


def refuse_parts(name: str, parts: Any) -> None:
    """Refuse a sum or a product (`name`) of no parts, or of one that is no kernel."""
    bad = [part for part in parts if not is_kernel(part)]
    if bad or not parts:
        got = repr(bad[0]) if bad else "no part"
        raise TypeError(f"the parts of a {name} of kernels must be kernels, got {got}")


def checked_factor(factor: Any) -> float:
    """Return a factor as a float; refuses what is no finite number > 0."""
    if not is_positive(factor):
        raise ValueError(
            f"a kernel can be multiplied by a finite number > 0, got {factor!r}: other products "
            "are no kernels"
        )
    return float(factor)


def checked_columns(columns: Any) -> tuple[int, ...]:
    """Return numbers of columns as integers; refuses names, numbers < 0, and none at all."""
    bad = [j for j in columns if isinstance(j, bool) or not isinstance(j, Integral) or j < 0]
    if bad or not columns:
        got = repr(bad[0]) if bad else "none"
        raise ValueError(
            f"columns of a kernel are their numbers, integers >= 0, as in columns(0, 2), got {got}"
        )
    return tuple(map(int, columns))
