"""The basis of splines of formulaic at rows that lie just beyond the training rows.

Derivatives by differences step a little over the ends of a column, where formulaic refuses; de Boor, A
Practical Guide to Splines (1978): a spline goes on as the polynomial of its last piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["OutsideKnotsError", "near_spline"]

# Differences move by two thousandths of the standard deviation of a column, which is half of its range at
# most.
NEAR = 2e-3


class OutsideKnotsError(ValueError):
    """A number lies outside of the training rows of a spline, by more than differences move it."""


def near_spline() -> Any:
    """Return ``bs`` of formulaic, which goes on as a polynomial for 0.2 % of the training range at both ends.

    Raises
    ------
    OutsideKnotsError
        When called with numbers farther out, by row, where ``extrapolation`` was not given.
    """
    from formulaic.transforms import basis_spline, stateful_transform

    def bs(x: Any, *args: Any, _state: Any = None, **options: Any) -> Any:
        ends = (_state or {}).get("lower_bound"), (_state or {}).get("upper_bound")
        if ends[0] is not None and ends[1] is not None and "extrapolation" not in options:
            cells = np.asarray(x, dtype=np.float64)
            over = np.maximum(ends[0] - cells, cells - ends[1])
            if np.any(over > NEAR * (ends[1] - ends[0])):
                row = int(np.nanargmax(over))
                raise OutsideKnotsError(
                    f"bs(...) gets {cells[row]:g} in row {row}, and its training rows lie between "
                    f"{ends[0]:g} and {ends[1]:g}: leave such rows out, or say how to go on, as in "
                    "bs(x, 4, extrapolation='extend') (or 'clip')"
                )
            options = {**options, "extrapolation": "extend"} if np.any(over > 0.0) else options
        return basis_spline(x, *args, _state=_state, **options)

    return stateful_transform(bs)
