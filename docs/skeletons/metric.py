"""Relative absolute error: a copy-me file for a metric.

Copy the loss into the family it belongs to in src/empirisk/evaluation/metrics/ (labels, probabilities,
ranking, numbers) and add one row to METRICS in src/empirisk/evaluation/metrics/__init__.py.  A mean of row
losses is a `RowLoss`: intervals on held-out rows, for groups, in cross-validation and for differences then
come by themselves.  A smooth function of all rows is a `Score` and brings the influence of each row; test
that against small changes of weights.
"""

from __future__ import annotations

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import REGRESSION, Predictions
from empirisk.evaluation.metrics.row_loss import RowLoss


def relative_errors(p: Predictions) -> Floats:
    """``|y - prediction| / max(|y|, 1)``, one number a row.

    Examples
    --------
    >>> from empirisk.evaluation.metrics.predictions import regression
    >>> relative_errors(regression([1.0, 4.0], [1.5, 3.0]))
    array([0.5 , 0.25])
    """
    return np.asarray(np.abs(p.y - p.output("pred")) / np.maximum(np.abs(p.y), 1.0))


RELATIVE_ERROR = RowLoss("relative_error", REGRESSION, "pred", relative_errors)
