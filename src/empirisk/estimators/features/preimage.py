"""Rows from kernel components: by regression, and by the fixed point of the distance in the feature space.

Bakir, Weston and Schoelkopf 2004, NeurIPS 16 (regression); Mika et al. 1999, NeurIPS 11, section 3
(fixed point).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import linalg

from empirisk.kernels import Gaussian, Kernel
from empirisk.typing import Array

__all__ = ["Ridge", "fixed_point"]

# The iteration is linear near its end; it stops where it moves by less than this share of the rows' size.
STEPS, STILL = 500, 1e-10


@dataclass(frozen=True)
class Ridge:
    """Kernel ridge regression of rows on components, by a Gaussian kernel of the components."""

    kernel: Kernel
    at: Array
    coef: Array
    middle: Array

    @classmethod
    def fit(cls, Z: Array, X: Array, share: Array, alpha: float) -> Self:
        """Return the minimum of ``sum_i s_i ||x_i - m - f(z_i)||^2 / 2 + alpha/2 ||f||^2``, s shares."""
        kernel = Gaussian(gamma="scale").resolved(Z, share)
        middle = share @ X
        root = np.sqrt(share)[:, None]
        A = root * kernel.block(Z) * root.T
        A.flat[:: A.shape[0] + 1] += alpha
        coef = root * linalg.solve(A, root * (X - middle), assume_a="pos")
        return cls(kernel, Z, coef, middle)

    def predict(self, Z: Array) -> Array:
        """Return the rows at given components."""
        return self.middle + self.kernel.product(Z, self.at, self.coef)


def fixed_point(kernel: Kernel, centres: Any, coef: Array, start: Array) -> Array:
    """Iterate ``x <- sum_i c_i g(x, x_i) x_i / sum_i c_i g(x, x_i)``, g the attraction of the kernel.

    Rows whose denominator comes near 0 stay where they were: the iteration has no meaning there.

    Parameters
    ----------
    kernel, centres
        The kernel and the rows x_i of the fit.
    coef : array, shape (m, n)
        Coefficients of the features of the rows, one line for each point.
    start : array, shape (m, p)
    """
    rows = centres if isinstance(centres, np.ndarray) else centres.toarray()
    rows = rows.astype(np.float64)
    at, size = start.copy(), float(np.abs(rows).max()) or 1.0
    for _ in range(STEPS):
        pull = coef * np.asarray(kernel.attraction(at, rows))
        total = pull.sum(axis=1)
        sure = np.abs(total) > 1e-8 * np.abs(pull).sum(axis=1)
        new = at.copy()
        new[sure] = (pull[sure] @ rows) / total[sure, None]
        moved = float(np.abs(new - at).max(initial=0.0))
        at = new
        if moved <= STILL * size:
            break
    return at
