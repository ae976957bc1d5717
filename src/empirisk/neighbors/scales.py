"""The sizes of numbers: which rows have differences whose powers neither over- nor underflow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

__all__ = ["Sizes", "alike"]

# Numbers whose sizes are taken at a time.
TAKEN = 1 << 20


@dataclass(frozen=True)
class Sizes:
    """The largest and the smallest magnitude of the entries that are not 0.

    Examples
    --------
    >>> Sizes.of(np.array([[0.5, -3.0, 0.0]]))
    Sizes(largest=3.0, smallest=0.5)
    """

    largest: float
    smallest: float

    @classmethod
    def of(cls, X: Any) -> Self:
        """Return the sizes of rows; of none 0 and infinity."""
        values = X if isinstance(X, np.ndarray) else X.data
        largest, smallest = 0.0, np.inf
        step = max(1, TAKEN // max(1, values[:1].size))  # sizes of all rows at once would be a copy of them
        for start in range(0, len(values), step):
            size = np.abs(values[start : start + step])
            least = float(size.min(initial=np.inf))
            if least == 0.0:
                least = float(np.min(size, where=size > 0.0, initial=np.inf))
            largest, smallest = max(largest, float(size.max(initial=0.0))), min(smallest, least)
        return cls(largest, smallest)

    def tame(self, power: float) -> bool:
        """Return whether differences of such numbers have powers that are finite, and 0 for equal numbers
        alone.
        """
        if power == 1.0 or np.isinf(power):
            return self.largest <= 1e290
        # Doubles that differ, differ by 1e-16 of their size at least.
        return bool(self.largest <= 10.0 ** (200.0 / power) and self.smallest >= 10.0 ** (-248.0 / power))


def alike(X: Any, Q: Any) -> tuple[Any, Any]:
    """Return both sides dense or both CSR, in the wider of their formats."""
    wide = np.result_type(X.dtype, Q.dtype)
    if sp.issparse(X) != sp.issparse(Q):
        X, Q = (sp.csr_array(X), Q) if sp.issparse(Q) else (X, sp.csr_array(Q))
    return X.astype(wide, copy=False), Q.astype(wide, copy=False)
