"""The perceptron's walk for one pair of classes, pass by pass, and what it keeps on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.design import Design
from empirisk.typing import Array, IndexArray

__all__ = ["PerceptronWalk", "row_major"]


def row_major(design: Design) -> Any:
    """Return X with rows that the loop can reach: column-major and CSC arrays are converted once, a copy."""
    if design.sparse:
        return design.X if design.X.format == "csr" else design.X.tocsr()
    return design.X if design.X.strides[1] == design.X.itemsize else np.ascontiguousarray(design.X)


@dataclass
class PerceptronWalk:
    """Weights ``v`` (the constant last), and the counts that variants and bounds need.

    Parameters
    ----------
    size : int
        Length of v.
    intercept : bool
        Whether the last place belongs to a constant column of ones.
    """

    size: int
    intercept: bool
    mistakes: int = 0
    seen: int = 0
    run: int = 0
    best: int = 0
    pocket_errors: float = np.inf
    v: NDArray[np.float64] = field(init=False)
    lag: NDArray[np.float64] = field(init=False)
    longest: NDArray[np.float64] = field(init=False)
    pocket: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.v, self.lag, self.longest, self.pocket = (np.zeros(self.size) for _ in range(4))

    def go(self, X: Any, y: Array, order: IndexArray) -> int:
        """Make one pass over the rows, and return the number of its mistakes."""
        count, self.run, self.best = _loops.perceptron_pass(
            X, y, order, self.v, self.lag, self.longest, self.intercept, float(self.seen), self.run, self.best
        )
        self.mistakes += count
        self.seen += len(order)
        return int(count)

    @property
    def average(self) -> Array:
        """The mean of v over all rows seen."""
        return self.v - self.lag / self.seen if self.seen else self.v

    def put_in_pocket(self, X: Any, y: Array) -> None:
        """Keep the weights with the fewest errors on these rows: the old, the longest run's or the last."""
        kept = [] if np.isinf(self.pocket_errors) else [self.pocket]
        choice = [*kept, self.longest, self.v]
        errors = []
        for w in choice:
            coef, b = (w[:-1], float(w[-1])) if self.intercept else (w, 0.0)
            z = np.asarray(X @ coef.astype(X.dtype, copy=False)) + b
            errors.append(int(np.sum((z > 0.0) != (y > 0.0))))
        best = int(np.argmin(errors))
        self.pocket_errors, self.pocket = errors[best], choice[best].copy()
