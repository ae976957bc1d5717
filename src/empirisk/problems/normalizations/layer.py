"""Layer normalization: the units of each row have mean 0 and variance 1.

Ba, Kiros and Hinton, arXiv 1607.06450 (2016).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.problems.normalizations.base import LEAST_VARIANCE, Moments
from empirisk.typing import Array

__all__ = ["LayerNormalization"]


@dataclass(frozen=True)
class LayerNormalization:
    """``u_ij = (a_ij - m_i) / sqrt(v_i + 1e-5)``, m_i and v_i those of row i over the units j.

    Examples
    --------
    >>> LayerNormalization().standardise(np.array([[1.0, 3.0], [5.0, 5.0]]))[0].round(3)
    array([[-1.,  1.],
           [ 0.,  0.]])
    """

    name = "layer"
    over_rows = False

    def standardise(self, a: Array, moments: Moments | None = None) -> tuple[Array, Array]:
        mean, variance = a.mean(axis=1, keepdims=True), a.var(axis=1, keepdims=True)
        inverse = 1.0 / np.sqrt(variance + a.dtype.type(LEAST_VARIANCE))
        return (a - mean) * inverse, inverse

    def slopes(
        self, d: Array, u: Array, inverse: Array, share: Array | None = None, totals: Moments | None = None
    ) -> Array:
        first, second = d.mean(axis=1, keepdims=True), (d * u).mean(axis=1, keepdims=True)
        return np.asarray(inverse * (d - first - u * second))
