"""The candidates that left the race on few rows: their part of the file of numbers, and their losses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.looks import on_all_rows
from empirisk.report.shapes.checkers import Record, integer, nullable, one_of, string
from empirisk.report.shapes.values import maybe_estimate

__all__ = ["LEFT_ROW", "left_losses"]

LEFT_ROW = Record(
    {"label": string, "reason": string},
    optional={
        "name": string,
        "why": one_of("behind", "time"),
        "rows": integer,
        "leader": nullable(string),
        "score": maybe_estimate,
        "versus_leader": maybe_estimate,
    },
)


def left_losses(a: Analysis) -> list[NDArray[np.float64]]:
    """Return the losses of those that left as they would be on all rows, so that the correction counts them.

    They are as far behind the best candidate as they were behind the leader of their last look.
    """
    best = a.choice.rows[a.choice.by_minimum]
    whole = best.result.losses[:, :, best.lowest].mean(axis=0)
    known = ((one.losses, one.against) for one in a.left)
    return [on_all_rows(x[:, None], y, whole) for x, y in known if x is not None and y is not None]
