"""Rules that separate, by linear programming; what they claim is checked without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from empirisk.hypotheses.exact import Integers, column_basis, null_vector, scaled
from empirisk.typing import Array

__all__ = ["conflict", "conflicting", "margin_weights"]


def margin_weights(V: Integers, positive: NDArray[np.bool_], constant: bool) -> list[Fraction] | None:
    """Return the weights w with ``w . v > 0`` on the positive rows and ``< 0`` on the others, with a large
    margin.

    None when the linear programme finds none; a caller checks the signs, since it computes with rounding.

    Parameters
    ----------
    V : array of integers, shape (n, p)
        The vectors.
    positive : array of bool, shape (n,)
        The side wanted.
    constant : bool
        Whether the first column is constant, so that the other columns may be centred.

    Returns
    -------
    list of Fraction or None
    """
    F, units = scaled(V)
    centre = F.mean(axis=0) if constant else np.zeros(F.shape[1])
    centre[:1] = 0.0
    moved = F - np.outer(F[:, 0] / F[0, 0], centre) if constant else F
    spread = np.sqrt(np.mean(moved**2, axis=0))
    spread[spread == 0.0] = 1.0
    Z = moved / spread
    side = np.where(positive, 1.0, -1.0)
    # Maximise t with side_i (Z u)_i >= t and |u_j| <= 1.
    p = Z.shape[1]
    cost = np.append(np.zeros(p), -1.0)
    rows = np.column_stack([-side[:, None] * Z, np.ones(len(Z))])
    bounds = [(-1.0, 1.0)] * p + [(None, 1e6)]
    found = linprog(cost, A_ub=rows, b_ub=np.zeros(len(Z)), bounds=bounds, method="highs")
    if found.status != 0 or found.x is None or not found.x[-1] > 0.0:
        return None
    u = [Fraction(float(v)) / Fraction(float(s)) for v, s in zip(found.x[:-1], spread, strict=True)]
    if constant:
        u[0] -= sum((a * Fraction(float(c)) for a, c in zip(u, centre, strict=True)), Fraction(0)) / Fraction(
            float(F[0, 0])
        )
    return [a / unit for a, unit in zip(u, units, strict=True)]


def conflict(F: Array, positive: NDArray[np.bool_], price: Array) -> NDArray[np.intp] | None:
    """Return a small set of rows that no weights put on the wanted sides together; None when none was
    found.

    A basic solution of ``sum_i side_i lambda_i v_i = 0``, ``lambda >= 0``, one on the positive rows together
    (Motzkin's alternative; on all rows when none is positive), with the smallest price: at most p + 1 rows.
    """
    if len(F) == 0:
        return None
    counted = positive if positive.any() else ~positive
    side = np.where(positive, 1.0, -1.0)
    equal = np.vstack([(side[:, None] * F).T, counted.astype(float)])
    right = np.append(np.zeros(F.shape[1]), 1.0)
    found = linprog(price, A_eq=equal, b_eq=right, bounds=(0.0, None), method="highs-ds")
    return np.flatnonzero(found.x > 1e-9) if found.x is not None and found.status == 0 else None


def conflicting(V: Integers, positive: NDArray[np.bool_], rows: NDArray[np.intp]) -> bool:
    """Return whether it is proved, without rounding, that no rule labels these few rows as wanted.

    The proof is ``sum_i side_i lambda_i v_i = 0``, ``lambda >= 0``, not zero on all positive rows; with no
    positive rows every lambda must be > 0 and the rows span the space, so that no nonzero w is left.
    """
    chosen = V[rows]
    null = null_vector(chosen.T)  # one relation between the rows, up to its sign
    if null is None:
        return False
    weights = [int(v) if p else -int(v) for v, p in zip(null, positive[rows], strict=True)]
    weights = weights if sum(weights) > 0 else [-v for v in weights]
    if min(weights) < 0:
        return False
    if positive[rows].any():
        return any(v > 0 for v, p in zip(weights, positive[rows], strict=True) if p)
    return min(weights) > 0 and len(column_basis(chosen)) == V.shape[1]
