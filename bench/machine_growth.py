"""How the time of a support vector machine grows with its rows, ours and LIBSVM's.

``python -m bench.machine_growth``: a fit with the price C = 1 and the prediction of all rows, on 50 columns;
the better of two runs of ours, one of LIBSVM.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.svm import SVC

import empirisk as er
from bench.datasets.classification import dense_classes
from bench.objectives.kernel_machine import width

ROWS = (2_500, 5_000, 10_000, 20_000)
PEER = 10_000  # rows up to which LIBSVM is waited for


def seconds(model: Any, X: Any, y: Any) -> float:
    """Return how long a fit and the prediction of its rows take by the clock."""
    start = time.perf_counter()
    model.fit(X, y).predict(X)
    return time.perf_counter() - start


def main() -> None:
    """Print the times and the powers of the rows that fit them."""
    ours, peer = [], []
    for n in ROWS:
        X, y = dense_classes(n, 50)
        model = er.SVC(1.0 / n, kernel=er.kernels.Gaussian(gamma=width(X)))
        ours.append(min(seconds(model, X, y) for _ in range(2)))
        print(f"{n:>6} rows: ours {ours[-1]:.2f} s", flush=True)
        if n <= PEER:
            peer.append(seconds(SVC(tol=1e-3, cache_size=500), X, y))
            print(f"{'':>13}LIBSVM {peer[-1]:.2f} s", flush=True)
    powers = [np.polyfit(np.log(ROWS[: len(t)]), np.log(t), 1)[0] for t in (ours, peer)]
    print(f"power of the rows: ours {powers[0]:.2f}, LIBSVM {powers[1]:.2f}")


if __name__ == "__main__":
    main()
