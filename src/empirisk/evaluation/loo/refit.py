"""Leave-one-out by n fits, with a forecast of how long they take."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from empirisk.data.progress import Progress, teller
from empirisk.evaluation.fit_folds import one_thread_if_small
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import encode
from empirisk.evaluation.outputs import Outputs, model_name, spread, spread_logs
from empirisk.evaluation.row_losses import fit_on
from empirisk.evaluation.sample import Sample

__all__ = ["refit_all"]


def refit_all(
    est: Any, sample: Sample, max_seconds: float, progress: Progress | None
) -> tuple[Outputs, Floats]:
    """Outputs of each row by the model fitted without it, and the seconds of each fit.

    Raises
    ------
    ValueError
        The first fit says that all of them would take longer than `max_seconds`.
    """
    rows, tell = np.arange(sample.n), teller(progress)
    parts, seconds = [], np.empty(sample.n)
    with one_thread_if_small(sample.X):
        for i in range(sample.n):
            start = time.perf_counter()
            model = fit_on(est, sample, np.delete(rows, i))
            held = rows[i : i + 1]
            parts.append((held, sample.outputs(model, held)))
            seconds[i] = time.perf_counter() - start
            tell(i + 1, sample.n)
            # The first fit may pay for imports and caches: the second is the fairer forecast.
            if i == 1 and seconds[1] * sample.n > max_seconds:
                raise ValueError(
                    f"{model_name(est)} has no leave-one-out shortcut, and {sample.n} fits would take about "
                    f"{seconds[1] * sample.n:.0f} seconds, more than max_seconds = {max_seconds:g}. Five "
                    "repeated folds (cross_evaluate) say as much with 25 fits; or raise max_seconds."
                )
    return _join(parts, sample), seconds


def _join(parts: list[Any], sample: Sample) -> Outputs:
    """Return the outputs of all rows in one; a class that a fit never saw gets probability 0."""
    pred = np.concatenate([out.pred for _, out in parts])
    if sample.classes is None:
        return Outputs(pred)
    proba = spread(parts, "proba", sample.n, sample.classes, 0.0)
    score = spread(parts, "score", sample.n, sample.classes, -np.inf)
    codes = encode(pred, sample.classes)
    logs = spread_logs(parts, sample.n, sample.classes)
    return Outputs(sample.classes[codes], proba, score, sample.classes, parts[0][1].missing, logs)
