"""What rows carry beside their columns (weights, exposures, offsets), and which models take it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.estimators.linear.offsets import refuse_without
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import check_length

__all__ = ["numbers", "of_rows", "sizes", "taken_as", "to_predict"]


def sizes(name: str, given: ArrayLike, n: int) -> Floats:
    """Return one finite number of at least 0 for each row, some above 0.

    Examples
    --------
    >>> sizes("sample_weight", [1.0, -1.0], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight is -1 in row 1; it must be a finite number >= 0.
    """
    values = _column(name, given, n)
    bad = np.flatnonzero(~((values >= 0.0) & np.isfinite(values)))
    if bad.size:
        raise ValueError(
            f"{name} is {values[bad[0]]:g} in row {int(bad[0])}; it must be a finite number >= 0."
        )
    if not values.any():
        raise ValueError(f"{name} is zero in all rows, so no row counts; give some a positive number.")
    return values


def numbers(name: str, given: ArrayLike, n: int) -> Floats:
    """Return one finite number of either sign for each row."""
    values = _column(name, given, n)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"{name} is {values[bad[0]]:g} in row {int(bad[0])}; it must be a finite number.")
    return values


def _column(name: str, given: ArrayLike, n: int) -> Floats:
    """Return one number a row, of any size."""
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} holds values that are no numbers; give one number a row.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(f"{name} must hold one value a row, got shape {values.shape}.")
    check_length(name, values.size, n)
    return values


def of_rows(held: Mapping[str, NDArray[Any] | None], rows: NDArray[np.intp] | None) -> dict[str, Any]:
    """Return what there is of what rows carry, for some rows or for all."""
    return {k: v if rows is None else v[rows] for k, v in held.items() if v is not None}


def taken_as(model: Any, name: str) -> str:
    """Return the keyword by which ``fit`` takes `name`: of a pipeline that of its last step; "" for none."""
    prefix = ""
    while getattr(model, "steps", None):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    if (
        prefix and name == "groups"
    ):  # folds inside a step would cut rows that the steps before have seen whole
        return ""
    return f"{prefix}{name}" if takes(getattr(model, "fit", None), name) else ""


def takes(method: Callable[..., Any] | None, name: str) -> bool:
    """Return whether a method takes a keyword: by its name or, but for groups, among any others."""
    if method is None:
        return False
    known = inspect.signature(method).parameters
    more = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values())
    return name in known or (more and name != "groups")


def to_predict(est: Any, method: str, held: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a method that predicts takes of what rows carry; what it needs and lacks is refused.

    Parameters
    ----------
    est : fitted estimator
        A pipeline hands on to its last step.
    method : str
        ``"predict"`` or ``"predict_proba"``.
    held : mapping
        ``exposure`` and ``offset`` of the rows that are predicted, those that there are.

    Raises
    ------
    ValueError
        The model was fitted with an exposure or offset, and none is given.
    TypeError
        One is given, and the model takes none.
    """
    last = est
    while getattr(last, "steps", None):
        last = last.steps[-1][1]
    name = type(last).__name__
    for key in held:
        if not takes(getattr(last, method, None), key):
            raise TypeError(
                f"{name}.{method} takes no {key}: leave {key} out, or give a model that has it in fit and in "
                f"{method} (such as PoissonRegressor)."
            )
    refuse_without(last, *held.values())
    return dict(held)
