"""What rows carry beside their columns: the baselines that know it, and rows that differ in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.model_parts import last_step
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.ratio import weighted
from empirisk.evaluation.sample import Sample

__all__ = ["constant_means", "constant_shares", "told_apart"]


def constant_means(sample: Sample, splits: tuple[Any, ...], est: Any) -> tuple[Floats, int]:
    """Return what no column predicts of each test row, and the fits that it took.

    The weighted mean of the training rows; with exposures their rate ``sum w y / sum w e`` times the exposure
    of the row; with offsets the model itself, fitted on a column of zeros.
    """
    out, fits = np.empty(sample.n), 0
    w = np.ones(sample.n) if sample.weights is None else sample.weights
    empty = Sample(
        np.zeros((sample.n, 1)), sample.y, task=sample.task,
        weights=sample.weights, exposure=sample.exposure, offset=sample.offset,
    )  # fmt: skip
    for train, test in splits:
        if sample.offset is not None:
            model, fits = clone(last_step(est)), fits + 1
            try:
                out[test] = empty.outputs(empty.fit(model, train), test, "pred").pred
            except Exception as error:
                raise NotRun(f"the baseline, this model without columns, fails: {error}") from error
        elif sample.exposure is not None:
            rate = float(w[train] @ sample.y[train]) / float(w[train] @ sample.exposure[train])
            out[test] = rate * sample.exposure[test]
        else:
            out[test] = weighted(sample.y[train], None if sample.weights is None else w[train])
    return out, fits


def constant_shares(
    codes: NDArray[Any], n_classes: int, splits: tuple[Any, ...], weights: Floats | None
) -> Floats:
    """Return the class frequencies of the training rows, for each test row; half a row is added to each."""
    table = np.empty((codes.size, n_classes))
    counted = None if weights is None else weights / weights.mean()
    for train, test in splits:
        held = None if counted is None else counted[train]
        counts = np.bincount(codes[train], held, minlength=n_classes) + 0.5
        table[test] = counts / counts.sum()
    return table


def told_apart(codes: NDArray[Any], sample: Sample) -> NDArray[Any]:
    """Return the numbers of equal rows, told apart by their exposures and offsets, too."""
    for values in sample.known().values():
        column = np.unique(values, return_inverse=True)[1]
        codes = np.unique(codes * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return codes
