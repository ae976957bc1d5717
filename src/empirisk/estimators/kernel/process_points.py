"""Which points a Gaussian process sees its rows through: none, some of the rows, or points of the user's."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.checks import check_choice, check_count, is_count
from empirisk.gaussian_processes import spread_rows
from empirisk.kernels import Kernel

__all__ = ["inducing_points"]

EXACT_ROWS = 10_000  # with "auto" more rows are seen through inducing points
POINTS = 500


def inducing_points(given: Any, rows: Any, kernel: Kernel, method: str | None) -> Any:
    """Return the inducing points, or None for the exact process.

    Parameters
    ----------
    given : "auto", None, int or array
        The parameter `inducing` of the estimator.
    rows : array or CSR, shape (n, p)
        Training rows.
    kernel : Kernel
        With the numbers at which the search begins.
    method : str or None
        What the parameters maximise.
    """
    n, p = rows.shape
    if given is None or (
        isinstance(given, str) and given == "auto" and (n <= EXACT_ROWS or kernel.precomputed)
    ):
        return None
    if kernel.precomputed:
        raise ValueError("inducing points need rows, and a precomputed kernel has none: give inducing=None")
    if method == "leave_one_out":
        raise ValueError(
            "method='leave_one_out' needs the exact process (inducing=None); with inducing points "
            "parameters are learned by method='marginal_likelihood'"
        )
    if isinstance(given, str):
        check_choice("inducing", given, {"auto": None})
    if isinstance(given, str) or is_count(given, 1) or np.ndim(given) == 0:
        m = POINTS if isinstance(given, str) else check_count("inducing", given, 1)
        return rows[spread_rows(kernel, rows, m)]
    points = np.asarray(given, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != p or not np.isfinite(points).all():
        raise ValueError(f"inducing points must be finite and of shape (m, {p}), got shape {points.shape}")
    return points
