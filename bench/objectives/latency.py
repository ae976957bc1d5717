"""The three models that people fit to small data, timed as single calls."""

from __future__ import annotations

from bench.objectives.lasso import Lasso
from bench.objectives.ols import OLS
from bench.objectives.softmax import Softmax


class SmallOLS(OLS):
    """Least squares on few rows, where the overhead of a call shows."""

    name = "latency_ols"


class SmallLasso(Lasso):
    """The lasso on few rows, where the overhead of a call shows."""

    name = "latency_lasso"


class SmallLogistic(Softmax):
    """Multinomial logistic regression on small data."""

    name = "latency_logistic"
