"""Which models predict a quantile: it is judged by the pinball loss, and not by squared errors."""

from __future__ import annotations

from functools import cache
from typing import Any

from empirisk.evaluation.intervals.base import is_real
from empirisk.evaluation.metrics import Metric, d2_pinball, pinball

__all__ = ["quantile_metrics", "quantile_of"]

# The parameter that holds the quantile, by the name of the class, ours or scikit-learn's.
HOLDS = {
    "GradientBoostingRegressor": ("q", "alpha"),
    "HistGradientBoostingRegressor": ("quantile",),
    "KernelQuantile": ("q",),
    "QuantileRegressor": ("q", "quantile"),
}


def quantile_of(est: Any) -> float | None:
    """Return the quantile that a model predicts where that is not the median; else None.

    Examples
    --------
    >>> from sklearn.linear_model import QuantileRegressor, Ridge
    >>> quantile_of(QuantileRegressor(quantile=0.9)), quantile_of(Ridge())
    (0.9, None)
    """
    steps = getattr(est, "steps", None)
    if steps:
        return quantile_of(steps[-1][1])
    held = HOLDS.get(type(est).__name__, ())
    params = est.get_params(deep=False) if held else {}
    if params.get("loss", "quantile") != "quantile":
        return None
    found = next((params[name] for name in held if name in params), None)
    if found is None or not is_real(found) or not 0.0 < found < 1.0 or found == 0.5:
        return None
    return float(found)


@cache
def quantile_metrics(q: float) -> tuple[Metric, Metric]:
    """Return the pinball loss of a quantile, and the share of it that is saved: the same objects each time.

    Examples
    --------
    >>> [metric.name for metric in quantile_metrics(0.9)]
    ['pinball(0.9)', 'd2_pinball(0.9)']
    """
    return pinball(q), d2_pinball(q)
