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
        Only kernels of differences are looked at, whose largest value is that of a row with itself.
    X : array or CSR
        Training rows.

    Examples
    --------
    >>> from empirisk.kernels import Gaussian
    >>> likeness_note(Gaussian(gamma=1e9), np.arange(5.0)[:, None])
    'no two rows are alike to the kernel gaussian (gamma = 1e+09): K is the identity, take a smaller gamma'
    """
    if not (kernel.normalised or kernel.stationary) or X.shape[0] < 3:
        return ""
    some = X[:: max(1, X.shape[0] // ROWS)]
    K = kernel.block(some)
    K = K[np.triu_indices(len(K), 1)] / K[0, 0]
    different = K[K < 1.0]  # copies are alike to every kernel
    wider = "gamma" if any(name.endswith("gamma") for name in kernel.parameters) else "length scale"
    less, more = ("smaller", "larger") if wider == "gamma" else ("larger", "smaller")
    if len(different) and float(different.max()) < UNLIKE:
        return f"no two rows are alike to the kernel {kernel.title}: K is the identity, take a {less} {wider}"
    alike = float(different.min()) > ALIKE if len(different) else _differ(some)
    if alike:
        return f"all rows are alike to the kernel {kernel.title}: K is constant, take a {more} {wider}"
    return ""


def _differ(rows: Any) -> bool:
    """Return whether not all of the rows are equal."""
    spread: Any = abs(rows.max(axis=0) - rows.min(axis=0))
    return bool(spread.max() > 0.0)
