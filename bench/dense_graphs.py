"""What one over the diagonal saves in the search for eigenvalues of L of a Gaussian graph:
`python -m bench.dense_graphs` prints steps and processor seconds of one thread, with it and without.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_moons
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.problems import SpectralProblem


@dataclass(frozen=True, eq=False, repr=False)
class Plain(er.graphs.LaplacianOperator):
    """The same operator, of which no inverse is known."""

    def approximate_inverse(self) -> None:
        """Return None: the search has the residuals as they are."""


def main() -> None:
    """Print the table of all graphs, one a line."""
    rows: dict[str, tuple[Any, int]] = {
        "four normal groups, 2,000 x 3": (
            make_blobs(2000, 3, centers=4, cluster_std=2.0, random_state=0)[0],
            4,
        ),
        "two moons, 2,000 x 2": (make_moons(2000, noise=0.1, random_state=0)[0], 2),
    }
    print("| rows | without: steps, s | with: steps, s |\n|---|---|---|")
    with threadpool_limits(1):
        for name, (X, k) in rows.items():
            W, cells = er.graphs.GaussianGraph().matrix(np.asarray(X)), []
            for kind in (Plain, er.graphs.LaplacianOperator):
                start = time.process_time()
                found = er.solve(SpectralProblem(kind(W), k), "eigen", tol=1e-8, max_steps=500, check_every=1)
                cells.append(f"{found.n_steps}, {time.process_time() - start:.2f}")
            print(f"| {name} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
