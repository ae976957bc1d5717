"""How the cost of trees grows with rows and columns: ``python -m bench.growth``.

CPU seconds of one thread, one run each; LightGBM's boosting beside ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import lightgbm
import numpy as np
from threadpoolctl import threadpool_limits

import empirisk as er

SHAPES = ((10_000, 20), (100_000, 20), (400_000, 20), (100_000, 5), (100_000, 80))
MODELS: dict[str, Callable[[], Any]] = {
    "boosting 100 x 31": lambda: er.GradientBoostingClassifier(early_stopping=False),
    "lightgbm 100 x 31": lambda: lightgbm.LGBMClassifier(n_jobs=1, verbose=-1),
    "one full tree": lambda: er.DecisionTreeClassifier(alpha=None),
    "20 trees of a forest": lambda: er.RandomForestClassifier(20, random_state=0),
}


def classes(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that depend on four columns, one product and one square."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    z = X[:, 0] * X[:, 1] + X[:, 2] - X[:, 3] ** 2
    return X, (z + rng.standard_normal(n) > -1.0).astype(int)


def main(shapes: tuple[tuple[int, int], ...] = SHAPES) -> None:
    """Print one row for each shape."""
    with threadpool_limits(1):
        for make in MODELS.values():
            make().fit(*classes(500, 5))  # imports and first calls
        print("| n | p |", " | ".join(MODELS), "|")
        for n, p in shapes:
            X, y = classes(n, p)
            row = []
            for make in MODELS.values():
                started = time.process_time()
                make().fit(X, y)
                row.append(f"{time.process_time() - started:.2f}")
            print(f"| {n} | {p} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
