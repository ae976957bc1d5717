"""How observed shares agree with predicted probabilities, in bins, and a test of the agreement."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from empirisk import wording
from empirisk.evaluation.metrics import Predictions
from empirisk.evaluation.pictures.estimates import Json, estimate, share_of

__all__ = ["calibration"]

Floats = NDArray[np.float64]


def calibration(p: Predictions, classes: tuple[str, ...], level: float) -> Json:
    """Observed shares in bins of like numbers of rows, and Spiegelhalter's test (1986) for independent rows.

    Two classes: the probability of the positive one; more: that of the predicted class.
    """
    table = np.asarray(p.output("proba"), dtype=np.float64)
    if len(classes) == 2:
        claimed, happened, about = table[:, 1], p.positive, f"probability of {classes[1]}"
    else:
        guess = table.argmax(axis=1)
        claimed, happened = table[np.arange(p.n), guess], p.y == guess
        about = "probability of the predicted class"
    n_bins = int(max(1, min(10, p.n // 20)))
    inner = np.unique(np.quantile(claimed, np.arange(1, n_bins) / n_bins))
    which = np.searchsorted(inner, claimed, side="right")
    used = np.unique(which)
    bins = [_bin(claimed, happened, p, which == b, level, used.size) for b in used]
    return {"about": about, "bins": bins, "test": _spiegelhalter(claimed, happened, p)}


def _bin(
    claimed: Floats,
    happened: NDArray[np.bool_],
    p: Predictions,
    mask: NDArray[np.bool_],
    level: float,
    m: int,
) -> Json:
    """Return one bin: the mean prediction and the observed share, at a level that serves m bins."""
    inside = 1.0 - (1.0 - level) / m
    share = share_of(p, happened, mask, inside, exact=True)
    named = replace(share, level=level, method=f"{share.method}, Bonferroni over {m} bins")
    rows = claimed[mask]
    return {
        "low": float(rows.min()),
        "high": float(rows.max()),
        "n": int(rows.size),
        "predicted": float(rows.mean() if p.weights is None else np.average(rows, weights=p.weights[mask])),
        "observed": estimate(named),
    }


def _spiegelhalter(claimed: Floats, happened: NDArray[np.bool_], p: Predictions) -> Json | None:
    """Return Spiegelhalter's z, its p-value and a sentence; None for few, tied or weighted rows."""
    if p.groups is not None or p.weights is not None:
        return None
    spread = float(np.sum((1.0 - 2.0 * claimed) ** 2 * claimed * (1.0 - claimed)))
    if p.n < 30 or spread <= 0.0:
        return None
    z = float(np.sum((happened - claimed) * (1.0 - 2.0 * claimed))) / math.sqrt(spread)
    p_value = float(2.0 * stats.norm.sf(abs(z)))
    verdict = (
        "The probabilities differ from calibrated ones by more than chance"
        if p_value < 0.05
        else "The probabilities are not distinguishable from calibrated ones"
    )
    shown = wording.p_value(p_value)
    sentence = f"{verdict} (z = {wording.plain(round(z, 2))}, {shown}, n = {p.n:,})."
    return {"statistic": z, "p_value": p_value, "method": "Spiegelhalter z", "sentence": sentence}
