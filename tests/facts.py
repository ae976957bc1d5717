"""Names for the arguments of a test case: its estimator, solver, loss, penalty, kind of problem, layout."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable, Mapping
from typing import Any

from sklearn.base import BaseEstimator

from empirisk.estimators import REGISTRY as ESTIMATORS
from empirisk.losses import REGISTRY as LOSSES
from empirisk.penalties import REGISTRY as PENALTIES
from empirisk.solvers import REGISTRY as SOLVERS
from empirisk.typing import Capability
from tests.conformance.problems import Row

__all__ = ["facts"]

# What a plain string can be the name of.
NAMES = {"estimator": ESTIMATORS, "solver": SOLVERS, "loss": LOSSES, "penalty": PENALTIES}
KINDS = {"loss": LOSSES, "penalty": PENALTIES, "solver": SOLVERS}
LAYOUTS = {"layout", "storage", "format", "fmt", "form", "order"}


def facts(params: Mapping[str, Any], places: dict[tuple[str, int], int]) -> dict[str, Hashable]:
    """Columns and values of a case, from the values of its arguments.

    An estimator counts by its class: its parameters are other uses of the same thing.  What has no name of
    its own counts by its place among the values that the argument takes, in `places`, which grows.
    """
    out: dict[str, Hashable] = {}
    for argument, value in params.items():
        place = places.setdefault((argument, id(value)), len(places))
        for column, level in columns(argument, value, place).items():
            # Two arguments of one kind (two solvers that are compared) are two columns.
            out[column if column not in out else argument] = level
    return out


def columns(argument: str, value: Any, place: int) -> dict[str, Hashable]:
    """Columns and values that one argument stands for."""
    if isinstance(value, Row):
        return of_row(value)
    if isinstance(value, BaseEstimator):
        return {"estimator": type(value).__name__}
    if isinstance(value, functools.partial):  # a check of scikit-learn
        return {argument: getattr(value.func, "__name__", place)}
    if isinstance(value, str):
        column = next((c for c, names in NAMES.items() if value in names and fits(c, argument)), argument)
        return {"layout" if argument in LAYOUTS else column: value}
    for column, registry in KINDS.items():
        if value in registry.values() if inspect.isclass(value) else type(value) in registry.values():
            return {column: getattr(value, "name", place)}
    if inspect.isclass(value) or inspect.isfunction(value):
        name = value.__name__
        return {argument: place if name == "<lambda>" else name}
    if isinstance(value, (bool, int, float)) or value is None:
        return {argument: str(value)}
    return {argument: place}


def fits(column: str, argument: str) -> bool:
    """Whether an argument can name this kind of thing: not the loss called 'perceptron' as a solver."""
    return argument in (column, column + "s", "name", "kind", "est", "method")


def of_row(row: Row) -> dict[str, Hashable]:
    """The columns of a row of the table of problems."""
    penalty = (
        row.shape
        or {
            (False, False): "none",
            (False, True): "l2",
            (True, False): "l1",
            (True, True): "elastic_net",
        }[row.l1 > 0.0, row.l2 > 0.0]
    )
    loss = LOSSES[row.loss]()
    family = (
        "vector"
        if row.loss == "softmax"
        else "squared"
        if row.loss == "half_squared"
        else "refused"
        if not loss.offers
        else "not convex"
        if not loss.convex
        else "kinked"
        if Capability.GRAD not in loss.offers
        else "smooth"
    )
    return {
        "loss": row.loss,
        "penalty": penalty,
        "problem": f"{family}, {penalty}",
        "layout": row.storage,
        "dtype": row.dtype,
        "weights": row.weights,
        "intercept": row.intercept,
    }
