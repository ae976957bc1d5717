"""Simulated coverage of conformal intervals and sets, way by way: docs/maths/conformal-coverage.md.

python -m bench.coverage.conformal                 every setting, writes the page
python -m bench.coverage.conformal --only split    measures the settings whose name holds "split" anew
python -m bench.coverage.conformal --scale 0.1     a tenth of the samples, printed only
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import empirisk as er
from bench.coverage.forest_samples import Rng, Setting, Shares
from bench.coverage.study import Study

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "maths" / "conformal-coverage.md"
STORE = ROOT / "bench" / "results" / "conformal-coverage.json"
LEVEL, NEW = 0.9, 200


def rows(n: int, rng: Rng, shift: float = 0.0) -> tuple[NDArray, NDArray]:
    """Two columns and targets whose noise grows with the first; `shift` moves the mean of that column."""
    X = rng.normal(size=(n, 2))
    X[:, 0] += shift
    return X, X[:, 1] + np.sin(2.0 * X[:, 0]) + (0.3 + np.abs(X[:, 0])) * rng.normal(size=n)


def in_groups(n: int, rng: Rng) -> tuple[NDArray, NDArray, NDArray]:
    """Groups of four rows that share a part of their noise."""
    X, y = rows(n, rng)
    groups = np.arange(n) // 4
    return X, y + 1.5 * rng.normal(size=n // 4 + 1)[groups], groups


def classes(y: NDArray) -> NDArray:
    """Three classes by the size of the target."""
    return np.array(["low", "middle", "high"])[np.digitize(y, [-1.0, 1.0])]


def told(made: Any, X: NDArray, y: NDArray) -> Shares:
    """Return the share of covered new rows, and the mean width or size."""
    answer = made._answer(X, None)
    size = answer.width if hasattr(answer, "width") else answer.size
    covered = float(answer.covers(y).mean())
    return {"covered": covered, "median width": float(np.median(size)) / 100.0}


def numbers(rng: Rng, n: int = 100, **more: Any) -> Shares:
    """A line fitted on 100 rows, calibrated on n others; or with folds on n rows."""
    X, y = rows(n, rng)
    model: Any = er.Ridge() if "cv" in more else er.Ridge().fit(*rows(100, rng))
    return told(er.conformalize(model, X, y, **more), *rows(NEW, rng))


def quantiles(rng: Rng) -> Shares:
    """Quantiles of boosting on 300 rows, moved on 100 others."""
    model = er.GradientBoostingRegressor("quantile", q=[0.05, 0.95], n_estimators=40, n_jobs=1)
    return told(er.conformalize(model.fit(*rows(300, rng)), *rows(100, rng)), *rows(NEW, rng))


def shifted(rng: Rng, weighted: bool) -> Shares:
    """New rows whose first column has another mean: with the density ratio, and without."""
    more = {"weights": lambda X: np.exp(X[:, 0])} if weighted else {}
    model = er.Ridge().fit(*rows(100, rng))
    made = er.conformalize(model, *rows(200, rng), infinite=True, **more)
    return told(made, *rows(NEW, rng, shift=1.0))


def grouped(rng: Rng, **more: Any) -> Shares:
    """Rows in groups of four; new rows are from new groups."""
    X, y, groups = in_groups(160, rng)
    fresh = in_groups(NEW, rng)[:2]
    model: Any = er.Ridge() if "cv" in more else er.Ridge().fit(*in_groups(100, rng)[:2])
    return told(er.conformalize(model, X, y, groups=groups, **more), *fresh)


def sets(rng: Rng, score: str, **more: Any) -> Shares:
    """Sets of three classes by a logistic regression, with new rows."""
    X, y = rows(100, rng)
    train, fresh = rows(100, rng), rows(NEW, rng)
    model: Any = er.LogisticRegression(alpha=0.01)
    if "cv" not in more:
        model.fit(train[0], classes(train[1]))
    made = er.conformalize(model, X, classes(y), score=score, **more)
    return told(made, fresh[0], classes(fresh[1]))


def spread(X: NDArray) -> NDArray:
    """The true deviation of the noise."""
    return 0.3 + np.abs(X[:, 0])


def side(X: NDArray) -> NDArray:
    """On which side of 0 the first column lies."""
    return np.where(X[:, 0] < 0.0, "left", "right")


E = ("covered",)
SETTINGS = {
    "A fitted model": [
        Setting("absolute, 100 rows", numbers, 1000, E),
        Setting("absolute, 20 rows", partial(numbers, n=20), 1000, E),
        Setting("normalized by the true spread", partial(numbers, spread=spread), 1000, E),
        Setting("two categories", partial(numbers, by=side), 1000, E),
        Setting("quantile, boosting", quantiles, 200, E),
        Setting("groups of four, each counting once", grouped, 1000, E),
        Setting("lac, three classes", partial(sets, score="lac"), 500, E),
        Setting("aps, three classes", partial(sets, score="aps"), 500, E),
    ],
    "Folds": [
        Setting("CV+, 5 folds, 100 rows", partial(numbers, cv=5), 500, E),
        Setting("jackknife+, 40 rows", partial(numbers, n=40, cv="leave-one-out"), 200, E),
        Setting("groups left out", partial(grouped, cv="leave-one-out"), 200, E),
        Setting("lac, 5 folds", partial(sets, score="lac", cv=5), 200, E),
        Setting("aps, 5 folds", partial(sets, score="aps", cv=5), 200, E),
    ],
    "New rows from another law of x": [
        Setting("weighted by the true ratio", partial(shifted, weighted=True), 500, E),
        Setting("not weighted", partial(shifted, weighted=False), 500, E),
    ],
}
NOTES = {
    "A fitted model": "\nPromised: at least 90 %, over samples and new rows.\n",
    "Folds": "\nPromised: at least 80 % for jackknife+, a little less for CV+.\n",
    "New rows from another law of x": "\nThe mean of the first column moves by one deviation.\n",
}
HEAD = f"""# Measured coverage of conformal intervals and sets

Made by `python -m bench.coverage.conformal` with seed 0: in each sample a model is fitted and calibrated, and
{NEW} new rows are looked up in its intervals or sets of level 90 %.  In per cent, with the standard error
over samples; the width is in the unit of the target, for sets the number of classes.  The theorems are in
[the how-to](../how-to/conformal.md).
"""
STUDY = Study(__doc__ or "", SETTINGS, NOTES, HEAD, "", PAGE, STORE)

if __name__ == "__main__":
    STUDY.main()
