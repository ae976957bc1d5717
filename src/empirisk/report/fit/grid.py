"""Which values of its parameter a candidate is tried at, from the training part; the same in every fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.before import Before
from empirisk.evaluation.parts import parts_of
from empirisk.report.fit.candidates import Candidate, alpha_grid
from empirisk.report.fit.grown import grown_grid
from empirisk.report.fit.native import level_positions
from empirisk.report.fit.recipe import Encoders, recipe
from empirisk.report.fit.sample import Sample

__all__ = ["parameter_grid"]


def parameter_grid(
    candidate: Candidate, sample: Sample, encoders: Encoders, before: Before, size: int
) -> NDArray[np.float64]:
    """Return the values of the parameter to try, the simplest model first; one NaN where there is none."""
    if not candidate.parameter:
        return np.array([np.nan])
    if candidate.parameter == "rounds":
        X: Any = np.empty((sample.n, 0))
    else:
        parts = parts_of(recipe(candidate, encoders.table, 1.0, 0, encoders))
        _, X = before.fitted(parts, sample.dealt, np.arange(sample.n))
    if candidate.grown:
        return grown_grid(candidate, X, sample.y, level_positions(encoders.table), size)
    return alpha_grid(candidate, X, sample.y, sample.n_classes, size)
