"""Coverage of the out-of-bag risks of forests; the page is that of bench/coverage/forest.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import empirisk as er
from bench.coverage.forest_samples import Rng, Setting, Shares, curve, sample


def absolute_risk(a: NDArray) -> NDArray:
    """``E|e - a|`` for lognormal noise e of mean 0."""
    k = a + np.exp(0.5)
    log = np.log(np.maximum(k, 1e-300))
    return np.asarray(2.0 * (k * special.ndtr(log) - np.exp(0.5) * special.ndtr(log - 1.0)) - a)


FRESH = np.random.default_rng(7).uniform(-1.0, 1.0, size=(4000, 5))
ROUNDED = 1.0 + 1.0 / 12.0  # variance of rounded normal noise (Sheppard), to 1e-7


def risk(n: int, noise: str, loss: str, samples: int) -> Setting:
    """Intervals of the out-of-bag risk of 100 trees; the truth is exact in y, on `FRESH` rows."""

    def draw(rng: Rng) -> Shares:
        seed = int(rng.integers(2**31))
        model = er.RandomForestRegressor(100, random_state=seed, n_jobs=1).fit(*sample(n, noise, rng))
        a = model.predict(FRESH) - curve(FRESH)
        if loss == "absolute error":
            truth = float(absolute_risk(a).mean())
        else:
            variance = ROUNDED if noise == "rounded" else np.exp(2.0) - np.exp(1.0)
            truth = float(np.mean(a**2) + variance)
        return _sides(model.oob_risks_[loss], truth)

    what = {"lognormal": "noise lognormal", "rounded": "y rounded to whole numbers"}[noise]
    return Setting(f"{loss}, {n} rows, {what}", draw, samples, ("covered",))


def chance(X: NDArray) -> NDArray:
    """Probabilities of positives, 15 % in the mean."""
    return np.asarray(special.expit(2.0 * X[:, 0] + 2.0 * X[:, 1] - 2.499))


def rare(n: int, samples: int) -> Setting:
    """The same of the error rate, with 15 % positives."""

    def draw(rng: Rng) -> Shares:
        X = rng.uniform(-1.0, 1.0, size=(n, 5))
        y = rng.random(n) < chance(X)
        model = er.RandomForestClassifier(100, random_state=int(rng.integers(2**31)), n_jobs=1).fit(X, y)
        wrong = np.where(model.predict(FRESH), 1.0 - chance(FRESH), chance(FRESH))
        return _sides(model.oob_risk_, float(wrong.mean()))

    return Setting(f"error rate, {n} rows, 15 % positives", draw, samples, ("covered",))


def _sides(e: Any, truth: float) -> Shares:
    return {
        "covered": float(e.low <= truth <= e.high),
        "all below": float(e.high < truth),
        "all above": float(e.low > truth),
        "reason": float("long tail" in e.reason),
        "mean risk": truth / 100.0,
        "mean width": (e.high - e.low) / 100.0,
    }
