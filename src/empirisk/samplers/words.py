"""Refusals of parameters that all samplers share."""

from __future__ import annotations

from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["check_chance", "check_positive", "check_steps", "real_array"]


def check_chance(name: str, value: Any) -> None:
    """Refuse what is no number strictly between 0 and 1.

    Examples
    --------
    >>> check_chance("target_acceptance", 1.0)
    Traceback (most recent call last):
    ...
    ValueError: target_acceptance must lie between 0 and 1, got 1.0
    """
    if not (np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iuf" and 0.0 < value < 1.0):
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}")


def check_positive(name: str, value: Any) -> None:
    """Refuse what is no finite number above 0.

    Examples
    --------
    >>> check_positive("temperature", 0.0)
    Traceback (most recent call last):
    ...
    ValueError: temperature must be a finite number > 0, got 0.0
    """
    if not (np.ndim(value) == 0 and np.asarray(value).dtype.kind in "iuf" and 0.0 < value < np.inf):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")


def check_steps(name: str, value: Any, most: int, least: int = 1) -> None:
    """Refuse what is no whole number from `least` to `most`.

    Examples
    --------
    >>> check_steps("chains", 0, 64)
    Traceback (most recent call last):
    ...
    ValueError: chains must be a whole number from 1 to 64, got 0
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    if not whole or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, got {value!r}")


def real_array(name: str, value: Any) -> Array:
    """Return an array of real numbers in float64; anything else is refused by name.

    Examples
    --------
    >>> real_array("start", "a")
    Traceback (most recent call last):
    ...
    ValueError: start must be an array of real numbers, got 'a'
    """
    try:
        array = np.asarray(value)
    except ValueError:  # rows of unequal length
        array = np.empty(0, dtype=object)
    if array.dtype.kind == "O" and array.size:  # numbers of a frame with columns of several kinds
        with suppress(TypeError, ValueError):
            array = array.astype(np.float64)
    if array.dtype.kind not in "iufb":
        shown = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"{value!r:.80}"
        raise ValueError(f"{name} must be an array of real numbers, got {shown}")
    return array.astype(np.float64)
