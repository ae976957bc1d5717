"""What one candidate said about the test rows of one split, in a form that a file can hold."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.metrics.predictions import encode
from empirisk.evaluation.outputs import Outputs, spread, spread_logs

ARRAYS = ("pred", "proba", "score", "log_proba")


@dataclass(frozen=True)
class Record:
    """Outputs of one fit, with classes as codes; or why there are none.

    Parameters
    ----------
    pred : array of shape (n_test,) or None
        Predicted numbers or class codes.
    proba, score : array or None
        As in :class:`empirisk.evaluation.outputs.Outputs`, one column for each class of the sample.
    log_proba : array or None
        As there, where `proba` is kept.
    missing : mapping
        Why an output is not there.
    value : float
        The value of a foreign scorer; NaN when there is none.
    seconds : float
        Fitting time.
    error : str
        Why the fit failed; empty when it did not.
    warning : str
        What the fit said about its convergence; empty when nothing.
    """

    pred: NDArray[Any] | None = None
    proba: Floats | None = None
    score: Floats | None = None
    log_proba: Floats | None = None
    missing: dict[str, str] = field(default_factory=dict)
    value: float = math.nan
    seconds: float = math.nan
    error: str = ""
    warning: str = ""

    def outputs(self, classes: NDArray[Any] | None) -> Outputs:
        """Return the predictions in the form that a cross-evaluation takes."""
        pred = np.asarray(self.pred)
        if classes is None:
            return Outputs(pred)
        return Outputs(classes[pred], self.proba, self.score, classes, self.missing, self.log_proba)

    def pack(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the record as arrays that ``np.savez`` can store, their names beginning with a prefix."""
        facts = json.dumps([self.missing, self.value, self.seconds, self.error, self.warning])
        packed = {f"{prefix}facts": np.array(facts)}
        for name in ARRAYS:
            if (array := getattr(self, name)) is not None:
                packed[prefix + name] = array
        return packed

    @classmethod
    def unpack(cls, prefix: str, stored: Any) -> Record:
        """Return the record that :meth:`pack` has stored under a prefix."""
        missing, value, seconds, error, warning = json.loads(str(stored[f"{prefix}facts"]))
        arrays = {name: stored[prefix + name] for name in ARRAYS if prefix + name in stored}
        return cls(**arrays, missing=missing, value=value, seconds=seconds, error=error, warning=warning)


def record_of(out: Outputs, classes: NDArray[Any] | None, need: str, value: float, seconds: float) -> Record:
    """Keep what the metric needs (`need`: "pred", "proba" or "score"; "" keeps the predictions only)."""
    if classes is None:
        return Record(np.asarray(out.pred, dtype=np.float64), value=value, seconds=seconds)
    codes = encode(out.pred, classes)
    extra: dict[str, Any] = {}
    if need in ("proba", "score"):
        rows = np.arange(codes.size)
        name = "score" if need == "score" and out.score is not None else "proba"
        absent = -np.inf if name == "score" else 0.0
        extra[name] = spread([(rows, out)], name, codes.size, classes, absent)
        if name == "proba":
            extra["log_proba"] = spread_logs([(rows, out)], codes.size, classes)
    return Record(codes, **extra, missing=dict(out.missing), value=value, seconds=seconds)
