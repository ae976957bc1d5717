"""Checks of the parameters of laws: a number in an interval, a count, several numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np

from empirisk.typing import Array, Interval

__all__ = ["OutOfDomainError", "check_between", "check_count", "check_vector", "within_floats"]


class OutOfDomainError(ValueError):
    """A parameter that lies outside of its interval: an error of who gave it, or of a fit beyond floats."""


def check_between(law: str, name: str, value: Any, domain: Interval) -> None:
    """Refuse a parameter outside of its interval.

    Examples
    --------
    >>> check_between("bernoulli", "p", 1.5, Interval(0.0, 1.0))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    empirisk.distributions.parameters.OutOfDomainError: p of the bernoulli distribution must be ... got 1.5
    """
    plain = np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iuf"
    if not plain or not bool(domain.contains(np.asarray(value, dtype=np.float64))):
        raise OutOfDomainError(
            f"{name} of the {law} distribution must be a number in {domain}, got {value!r}"
        )


def check_count(law: str, name: str, value: Any) -> None:
    """Refuse a parameter that is not a whole number from 1 on.

    Examples
    --------
    >>> check_count("binomial", "n", 2.5)
    Traceback (most recent call last):
    ...
    ValueError: n of the binomial distribution must be a whole number >= 1, got 2.5
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not whole or value < 1:
        raise ValueError(f"{name} of the {law} distribution must be a whole number >= 1, got {value!r}")


def check_vector(law: str, name: str, value: Any, domain: Interval, size: int = 1) -> Array:
    """Return a parameter of several numbers as floats that cannot be written to, all in an interval.

    Examples
    --------
    >>> check_vector("dirichlet", "concentration", [1, -1], Interval(0.0, 9.0), 2)
    Traceback (most recent call last):
    ...
    ValueError: concentration of the dirichlet distribution must be 2 or more numbers in [0, 9], got [1, -1]
    """
    try:
        out = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        out = np.array(np.nan)
    if out.ndim != 1 or len(out) < size or not domain.contains(out).all():
        raise ValueError(
            f"{name} of the {law} distribution must be {size} or more numbers in {domain}, got {value!r}"
        )
    out.flags.writeable = False
    return out


@contextmanager
def within_floats(title: str) -> Iterator[None]:
    """Refuse a law of rows whose parameters no floats hold: its error would name numbers that nobody gave.

    Examples
    --------
    >>> with within_floats("exponential distribution"):  # doctest: +ELLIPSIS
    ...     check_between("exponential", "rate", float("inf"), Interval(0.0, 1.0))
    Traceback (most recent call last):
    ...
    ValueError: the exponential distribution of these rows has parameters beyond ...
    """
    try:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            yield
    except (OutOfDomainError, OverflowError, ZeroDivisionError):
        raise ValueError(
            f"the {title} of these rows has parameters beyond those that floats hold (1e-308 to 1e308): "
            "change the unit of x"
        ) from None
