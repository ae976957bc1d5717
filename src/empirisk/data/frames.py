"""A table of results as the data frame that the user has: polars where the rows were, else pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

from empirisk.results.form import Formed

__all__ = ["as_frame", "frame_kind", "like_input", "remember_kind"]

F = TypeVar("F", bound=Callable[..., Any])
POLARS = "polars"
MOST = 50  # models of a list that are asked; more are alike


def as_frame(table: Mapping[str, Any], like: Any = None) -> Any:
    """Return a pandas data frame; a polars one where pandas is not installed; the dict of lists without
    either.

    Parameters
    ----------
    table : dict of str to list
        The columns.
    like : data frame or str, optional
        What the user gave, or what :func:`frame_kind` said of it: a polars frame has its answer in polars.

    Examples
    --------
    >>> len(as_frame({"bound": ["Hoeffding", "Bernstein"], "value": [0.1, 0.2]}))
    2
    """
    if like == POLARS if isinstance(like, str) else frame_kind(like) == POLARS:
        import polars as pl

        return pl.DataFrame(table, strict=False)
    try:
        import pandas as pd
    except ImportError:
        try:
            import polars as pl
        except ImportError:
            return table
        return pl.DataFrame(table, strict=False)
    return pd.DataFrame(table)


def frame_kind(given: Any) -> str:
    """Return ``"polars"`` for an object of polars, and for what was made from one; "" for all else.

    A fitted model of ours and a result remember it of their rows, a Sample holds them; of a list, tuple or
    mapping (of models, say) one that does is enough.

    Examples
    --------
    >>> import polars as pl
    >>> frame_kind(pl.DataFrame({"a": [1.0]})), frame_kind([[1.0]])
    ('polars', '')
    """
    if type(given).__module__.partition(".")[0] == POLARS:
        return POLARS
    if isinstance(given, list | tuple | Mapping) and "_like" not in getattr(given, "__dict__", {}):
        parts = list(given.values() if isinstance(given, Mapping) else given)[:MOST]
        return max((frame_kind(p) for p in parts if not isinstance(p, str | int | float)), default="")
    known = getattr(given, "__dict__", {})
    if "_like" in known:
        return str(known["_like"])
    steps = known.get("steps")
    last = steps[-1][1] if isinstance(steps, list) and steps else known.get("best_estimator_", known.get("X"))
    return "" if last is None or last is given else frame_kind(last)


def like_input(function: F) -> F:
    """Return the function, whose result remembers which kind of frame it was given, for its ``to_frame``.

    The wrapper lives in the module of the function, where tools look for its examples.
    """

    def remembering(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        return remember(found, args, kwargs)

    remember = _remember
    made = FunctionType(
        remembering.__code__, function.__globals__, function.__name__, None, remembering.__closure__
    )
    return cast("F", update_wrapper(made, function))


def remember_kind(model: Any, X: Any) -> None:
    """Write the kind of the rows of a fit into a model and its results; that of an earlier fit goes."""
    kind = frame_kind(X)
    model.__dict__.pop("_like", None)
    if kind:
        model._like = kind
        for made in list(vars(model).values()):
            if isinstance(made, Formed):
                object.__setattr__(made, "_like", kind)


def _remember(found: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Write the kind of what was given into a result, where that is a polars frame."""
    if isinstance(found, Formed) and frame_kind([*args, *kwargs.values()]) == POLARS:
        object.__setattr__(found, "_like", POLARS)
    return found
