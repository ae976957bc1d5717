"""The fitted steps before the model of a pipeline, shared by candidates that have them in common."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator
from sklearn.pipeline import Pipeline

from empirisk.evaluation.outputs import Outputs
from empirisk.evaluation.parts import Parts, Steps, parts_of
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.tags import of_pairs

__all__ = ["Before", "passes_alike"]

Rows = NDArray[np.intp]
PARTS = 2  # sets of rows that are kept as the model gets them, for each fit of the steps: training and test


@dataclass
class _Fitted:
    """Steps fitted on some rows, what they made of these rows for the fit, and what of rows to predict."""

    parts: Parts
    steps: Steps
    X: Any
    passed: OrderedDict[bytes, Any] = field(default_factory=OrderedDict)

    @classmethod
    def on(cls, parts: Parts, sample: Sample, rows: Rows, key: bytes) -> _Fitted:
        """Return copies of the steps, fitted on some rows; `key` is the fingerprint of the rows."""
        made = cls(parts, *parts.fit_before(sample.rows_to_fit(parts.whole_estimator, rows), sample.y[rows]))
        # What takes pairs of rows reads other columns in a fit than in a prediction.
        if all(map(passes_alike, parts.steps)) and not of_pairs(parts.whole_estimator, sample.X):
            made.passed[key] = made.X
        return made


class Before:
    """The fitted steps before the model of a pipeline, and rows as they leave them.

    Candidates that hold *the same unfitted step objects* share one fit of them on the same rows of a sample,
    and one transformation of the rows that the models are asked about, whichever threads they run in.

    Parameters
    ----------
    most : int, default 1
        Sets of training rows whose fits are remembered; the one used last longest ago is forgotten first.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> sample = er.selection.Sample(X, X[:, 0] + rng.normal(size=60))
    >>> scaler, before = StandardScaler(), Before()
    >>> first, second = (
    ...     er.selection.Candidate(make_pipeline(scaler, model)) for model in (er.Ridge(), er.Lasso())
    ... )
    >>> one, other = (next(c.fits(sample, np.arange(40), before)) for c in (first, second))
    >>> one[0] is other[0]
    True
    """

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self._lock = RLock()
        self._taken: tuple[Sample, Rows, Any] | None = None
        self._kept: OrderedDict[tuple[Sample, bytes], dict[tuple[int, ...], _Fitted]] = OrderedDict()

    def fitted(self, parts: Parts, sample: Sample, rows: Rows) -> tuple[Steps, Any]:
        """Return the steps before the model, fitted on some rows of a sample, and these rows as the model
        gets them.
        """
        if not parts.steps:
            return parts.fit_before(sample.rows_to_fit(parts.whole_estimator, rows), sample.y[rows])
        key = sample, (printed := _print(rows))
        ids = tuple(map(id, parts.steps))
        with self._lock:
            known = self._kept.setdefault(key, {})
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)
            if ids not in known:
                # The parts hold the unfitted steps, so that no other object can get their ids.
                known[ids] = _Fitted.on(parts, sample, rows, printed)
            return known[ids].steps, known[ids].X

    def outputs(self, model: Any, sample: Sample, rows: Rows, need: str = "score") -> Outputs:
        """Return what a fitted model says about some rows, which pass each fit of the steps once."""
        parts = parts_of(model)
        with self._lock:
            found = self._by_fitted(parts) if parts.steps else None
            X = self._as_given(model, sample, rows) if found is None else _passed(found, model, sample, rows)
        return sample.outputs_on(model if found is None else parts.model, X, rows, need)

    def _as_given(self, model: Any, sample: Sample, rows: Rows) -> Any:
        """Return some rows as they are, taken once for all models that are asked about them."""
        if sample.holds_pairs:  # each model takes columns of its own
            return sample.rows_for(model, rows)
        taken = self._taken
        if taken is None or taken[0] is not sample or not np.array_equal(taken[1], rows):
            taken = self._taken = sample, rows.copy(), sample.rows_for(model, rows)
        return taken[2]

    def _by_fitted(self, parts: Parts) -> _Fitted | None:
        """Return the fit that the steps of a fitted pipeline come from; None for steps from elsewhere."""
        for known in self._kept.values():
            for fit in known.values():
                made = [step for steps in fit.steps for _, step in steps]
                if tuple(map(id, made)) == tuple(map(id, parts.steps)):
                    return fit
        return None


def _passed(found: _Fitted, model: Any, sample: Sample, rows: Rows) -> Any:
    """Return some rows as a fit of the steps leaves them, made once."""
    key = _print(rows)
    if key not in found.passed:
        X = sample.rows_for(model, rows)
        for pipeline in parts_of(model).pipelines:
            X = pipeline[:-1].transform(X) if len(pipeline.steps) > 1 else X
        found.passed[key] = X
        while len(found.passed) > PARTS:
            found.passed.popitem(last=False)
    return found.passed[key]


def passes_alike(step: Any) -> bool:
    """Return whether ``fit_transform`` of a step is its fit and then ``transform``, bit for bit.

    It is where the step has the method of scikit-learn's mixin, which is these two calls, and where it is
    made of such steps. Cross-fitted encoders are otherwise, and components whose fit is a decomposition are
    so up to rounding alone.

    Examples
    --------
    >>> from sklearn.preprocessing import OneHotEncoder, TargetEncoder
    >>> passes_alike(OneHotEncoder()), passes_alike(TargetEncoder())
    (True, False)
    """
    if step is None or isinstance(step, str):  # "passthrough" and "drop"
        return True
    if type(step) is ColumnTransformer:
        return all(passes_alike(inner) for _, inner, _ in step.transformers) and passes_alike(step.remainder)
    if type(step) is Pipeline:
        return step.memory is None and all(passes_alike(inner) for _, inner in step.steps)
    if type(step) is MissingIndicator:  # a method of its own, which is the two calls all the same
        return True
    return getattr(type(step), "fit_transform", None) is TransformerMixin.fit_transform


def _print(rows: Rows) -> bytes:
    """Return a fingerprint of row numbers."""
    return hashlib.blake2b(np.ascontiguousarray(rows).tobytes(), digest_size=16).digest()
