"""How far numbers are from a uniform law: the distance of Anderson and Darling.

Anderson and Darling, Annals of Mathematical Statistics 23 (1952).
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["anderson_darling"]


def anderson_darling(u: Any) -> float:
    """Return ``-n - sum_i (2 i - 1) (log u_(i) + log(1 - u_(n + 1 - i))) / n`` of sorted numbers of [0, 1].

    Parameters
    ----------
    u : array, shape (n,)
        Chances of no more than each row under a law, in any order.

    Examples
    --------
    >>> round(anderson_darling([0.5, 0.25, 0.75]), 4), round(anderson_darling([0.9, 0.95, 0.99]), 2)
    (0.2694, 5.47)
    """
    sorted_u = np.clip(np.sort(np.asarray(u, dtype=np.float64)), 1e-300, 1.0 - 2.0**-53)
    n = len(sorted_u)
    weight = 2.0 * np.arange(1, n + 1) - 1.0
    return float(-n - (weight * (np.log(sorted_u) + np.log1p(-sorted_u[::-1]))).sum() / n)
