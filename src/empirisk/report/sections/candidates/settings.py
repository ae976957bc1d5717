"""The settings of the chosen model, in one sentence."""

from __future__ import annotations

from typing import Any

from empirisk.search.tuning.ranges import RANGES
from empirisk.wording import number

__all__ = ["settings_told"]


def settings_told(estimator: Any) -> str:
    """Return the settings of an estimator that a search would try, with their values; "" where it has none.

    Examples
    --------
    >>> import empirisk as er
    >>> model = er.GradientBoostingRegressor(n_estimators=150, learning_rate=0.05)
    >>> settings_told(model)  # doctest: +ELLIPSIS
    'Its settings: n_estimators = 150, learning_rate = 0.05, max_leaf_nodes = 31, ..., tree_features = none.'
    >>> settings_told(er.LinearRegression())
    ''
    """
    space = RANGES.get(type(estimator).__name__)
    if space is None or not hasattr(estimator, "get_params"):
        return ""
    names = [space.path, *([] if callable(space.draws) else space.draws)]
    values = estimator.get_params(deep=False)
    said = [f"{name} = {_value(values[name])}" for name in names if name in values]
    return f"Its settings: {', '.join(said)}." if said else ""


def _value(value: Any) -> str:
    """Return a value as the page writes it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(float(value), 3)
    return "none" if value is None else str(value)
