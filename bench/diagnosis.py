"""What a diagnosis costs, in fits of one fold: ``python -m bench.diagnosis``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import empirisk as er

LEAST = 0.02  # seconds below which a finding is not listed


def mixed(n: int) -> tuple[Any, Any, Any]:
    """A pipeline on six numbers and eight columns of levels, as in a census."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n, 6))
    levels = rng.integers(0, [8, 16, 7, 15, 6, 5, 2, 40], size=(n, 8))
    score = numbers[:, 0] - 0.5 * numbers[:, 1] + 0.2 * (levels[:, 1] - 8) - 0.3 * (levels[:, 6])
    y = (score + rng.logistic(size=n) > 1.0).astype(int)
    X = np.empty((n, 14), dtype=object)
    X[:, :6] = numbers
    X[:, 6:] = np.char.add("level ", levels.astype(str))
    codes = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    encode = make_column_transformer((codes, list(range(6, 14))), remainder="passthrough")
    return make_pipeline(encode, er.LogisticRegression()), X, y


def chosen(n: int) -> tuple[Any, Any, Any]:
    """A model that chooses its strength by folds inside each fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    return er.LogisticRegression(alpha="cv"), X, (X[:, 0] + rng.logistic(size=n) > 0.0).astype(int)


CASES = {"mixed columns": (mixed, 30_000), "strength chosen inside": (chosen, 500)}


def main() -> None:
    """Print one table for each case: fits, and seconds over the seconds of one fold fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the rows of each case")
    share = parser.parse_args().share
    for name, (make, n) in CASES.items():
        est, X, y = make(int(share * n))
        d = er.diagnose(est, X, y, random_state=0)
        print(f"\n{name}: {len(y):,} rows, a fold {d.fit_seconds:.3f} s\n")
        print("| finding | fits | time in fits of a fold |\n|---|---|---|")
        for a in d.answers:
            if a.seconds >= LEAST:
                print(f"| {a.code} {a.name} | {a.n_fits} | {a.seconds / d.fit_seconds:.1f} |")
        print(f"| all | {d.n_fits} | {d.fit_equivalents:.1f} |")


if __name__ == "__main__":
    main()
