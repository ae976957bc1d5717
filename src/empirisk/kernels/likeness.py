"""Whether a kernel tells rows apart: where all rows are alike, or none is like another, nothing can be
learned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.kernels.base import Kernel

__all__ = ["likeness_note"]

# Rows that are looked at, evenly spaced, and what counts as unlike and as alike.
ROWS = 60
UNLIKE, ALIKE = 1e-6, 1.0 - 1e-6


def likeness_note(kernel: Kernel, X: Any) -> str:
    """Return a sentence where the kernel says 0, or 1, of all pairs of different rows; else "".

    Parameters
    ----------
    kernel : Kernel
        Only normalised kernels are looked at, of which 1 is the largest value.
    X : array or CSR
        Training rows.

    Examples
    --------
    >>> from empirisk.kernels import Gaussian
    >>> likeness_note(Gaussian(gamma=1e9), np.arange(5.0)[:, None])
    'no two rows are alike to the kernel gaussian (gamma = 1e+09): K is the identity, take a smaller gamma'
    """
    if not kernel.normalised or X.shape[0] < 3:
        return ""
    some = X[:: max(1, X.shape[0] // ROWS)]
    K = kernel.block(some)[np.triu_indices(some.shape[0], 1)]
    different = K[K < 1.0]  # copies are alike to every kernel
    wider = "gamma" if "gamma" in kernel.parameters else "length scale"
    less, more = ("smaller", "larger") if wider == "gamma" else ("larger", "smaller")
    if len(different) and float(different.max()) < UNLIKE:
        return f"no two rows are alike to the kernel {kernel.title}: K is the identity, take a {less} {wider}"
    if len(different) and float(different.min()) > ALIKE:
        return f"all rows are alike to the kernel {kernel.title}: K is constant, take a {more} {wider}"
    return ""
