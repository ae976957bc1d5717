"""Which losses have a compiled derivative for one row, and its parameter."""

from __future__ import annotations

from typing import Any

from empirisk.losses.base import Loss

__all__ = ["ROW_SLOPES", "has_row_slope", "row_slope"]

# Name of the loss -> name of its one parameter.  Tests hold each of them equal to its Python class.
ROW_SLOPES: dict[str, str] = {
    "absolute": "",
    "epsilon_insensitive": "epsilon",
    "exponential": "",
    "gamma": "",
    "half_squared": "",
    "hinge": "",
    "huber": "d",
    "logistic": "",
    "perceptron": "",
    "poisson": "",
    "quantile": "q",
    "squared_hinge": "",
}


def has_row_slope(loss: Loss) -> bool:
    """Return whether :func:`row_slope` knows the loss: by its name and that it comes from this package."""
    return loss.name in ROW_SLOPES and type(loss).__module__ == f"empirisk.losses.{loss.name}"


def row_slope(loss: Loss) -> tuple[str, float]:
    """Name and parameter for :func:`empirisk._loops.stochastic_steps`.

    Examples
    --------
    >>> from empirisk.losses import Huber
    >>> row_slope(Huber(2.0))
    ('huber', 2.0)
    """
    parameter: Any = ROW_SLOPES[loss.name]
    return loss.name, float(getattr(loss, parameter)) if parameter else 0.0
