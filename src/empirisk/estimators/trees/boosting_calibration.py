"""Recalibrated probabilities, and how far they and those before are from the frequencies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.inference.calibration_error import bin_count, calibration_interval
from empirisk.inference.recalibration import Recalibration, fit_isotonic, fit_temperature
from empirisk.results import Estimate
from empirisk.results.form import Form, Formed
from empirisk.typing import Array, IndexArray

__all__ = ["Calibration", "calibrated"]

FOLDS = 5  # in which the effect is measured
FITS: dict[str, Callable[[Array, IndexArray, Array], Recalibration]] = {
    "temperature": fit_temperature,
    "isotonic": fit_isotonic,
}
Part = tuple[Array, IndexArray, Array]


@dataclass(frozen=True, repr=False)
class Calibration(Formed):
    """A map from scores to probabilities with the errors before and after it.

    Parameters
    ----------
    method : str
        "temperature" or "isotonic".
    map : Recalibration
        Probabilities, shape (n, K), of scores of shape (n, K).
    before, after : Estimate
        Calibration error over bins of like numbers of rows (`target` names how many, the rows and the event:
        the second of two classes; of more, that the most probable one is right), on rows that the trees have
        not seen.  What cancels inside a bin is not in it: the error at single probabilities is larger.
    """

    method: str
    map: Recalibration
    before: Estimate
    after: Estimate

    @property
    def sentence(self) -> str:
        """The effect of the calibration in one sentence, with the errors before and after."""
        return (
            f"{self.method} calibration: error {self.before} before, {self.after} after ({self.after.target})"
        )

    def _form(self) -> Form:
        both = [self.before, self.after]
        columns: dict[str, list[Any]] = {
            "calibration": ["before", self.method],
            "error": both,
            "rows": [e.n for e in both],
            "method": [e.method for e in both],
        }
        return Form(self.sentence, columns)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Calibration({self.method!r}, error {self.before} before, {self.after} after)"


def calibrated(
    method: str, learn: Part, test: Part | None, plain: Callable[[Array], Array], classes: Any
) -> Calibration:
    """Learn the map on the scores, codes and weights of `learn`; measure it on `test`.

    Without `test` the rows of `learn` are measured, each by the map of the other folds (dealt in turn).
    `plain` gives the probabilities before the map, `classes` the names of their columns.
    """
    fit = FITS[method]
    z, codes, weight = learn
    made = fit(z, codes, weight)
    if test is not None:
        before, after = plain(test[0]), made(test[0])
        codes, where = test[1], "rows that neither the trees nor the map has seen"
    else:
        before, after = plain(z), np.empty_like(z)
        fold = np.arange(len(z)) % FOLDS
        for k in range(min(FOLDS, len(z))):
            inside = fold != k
            after[~inside] = fit(z[inside], codes[inside], weight[inside])(z[~inside])
        where = "validation rows, the map cross-fitted"
    event = f"the class is {classes[1]}" if len(classes) == 2 else "the most probable class is right"
    where = f"{where}; the event: {event}"
    return Calibration(method, made, _error(before, codes, where), _error(after, codes, where))


def _error(proba: Array, codes: IndexArray, where: str) -> Estimate:
    if proba.shape[1] == 2:
        told = calibration_interval(proba[:, 1], codes == 1)
    else:
        told = calibration_interval(proba.max(axis=1), codes == proba.argmax(axis=1))
    bins = f"over {bin_count(told.n)} bins of like numbers of rows, less than at single probabilities"
    return replace(told, target=f"{where}; {bins}")
