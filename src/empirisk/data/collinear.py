"""Exactly and nearly collinear columns, by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg as sla

from empirisk.data.design import Design
from empirisk.data.triangular import TriangularFactor, triangular_factor
from empirisk.typing import Array, IndexArray

__all__ = ["Collinearity", "Relation", "find_collinear"]

_MOST_COLUMNS = 500  # the search costs p^3
_NEAR = 1e-3  # relative residual at which a column counts as nearly a combination of others: VIF 1e6
_SMALL = 1e-4  # coefficients (per standard deviation) below this share of the largest are left out


@dataclass(frozen=True)
class Relation:
    """One column as a combination of others.

    Parameters
    ----------
    column : int
        The column that is explained.
    others : tuple of int
        The columns that explain it (none for a constant column).
    coefficients : tuple of float
        Their coefficients, in original units.
    constant : float
        What is added.
    residual : float
        Standard deviation of what is left, relative to the column's own.
    exact : bool
        Whether the residual is at the size of rounding.
    sentence : str
        In words, ``"x3 = 2 x1 - x2"``.
    """

    column: int
    others: tuple[int, ...]
    coefficients: tuple[float, ...]
    constant: float
    residual: float
    exact: bool
    sentence: str


@dataclass(frozen=True, eq=False)
class Collinearity:
    """What the columns of a design repeat of each other.

    Parameters
    ----------
    rank : int or None
        Rank of the columns, about their means when there is an intercept; None when skipped.
    relations : tuple of Relation
        Exact ones first.
    condition : float
        Condition number of the standardised columns (infinite when the rank is deficient).
    inflation : array or None
        Variance inflation factor of each column: by how much collinearity multiplies the variance of
        its coefficient (infinite for exact relations).
    tolerance : float
        Relative residual below which a relation counts as exact.
    reason : str
        Why the search was skipped; empty otherwise.
    factor : TriangularFactor or None
        What all this was read from.
    """

    rank: int | None
    relations: tuple[Relation, ...]
    condition: float
    inflation: Array | None
    tolerance: float
    reason: str = ""
    factor: TriangularFactor | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The relations between the columns, each as a sentence with the names of the columns."""
        return tuple(r.sentence for r in self.relations)


def find_collinear(
    design: Design,
    weight: Array,
    intercept: bool = True,
    names: Sequence[str] | None = None,
    *,
    factor: TriangularFactor | None = None,
) -> Collinearity:
    """Find columns that are combinations of other columns, exactly or nearly, and say which.

    A column is tied to the others exactly when the residual of its regression on them is at the size of
    rounding, nearly when it is below 1e-3 of the column's own standard deviation (a variance inflation
    factor of a million).

    Parameters
    ----------
    design : Design
        n rows, p columns.
    weight : array, shape (n,)
        Row weights, >= 0; rows of weight 0 are absent.
    intercept : bool, default True
        Whether a constant is among the columns, so that constant columns are collinear too.
    names : sequence of str, optional
        Column names; ``x0, x1, ...`` otherwise.
    factor : TriangularFactor, optional
        The triangular factor of these columns when it is known already.

    Returns
    -------
    Collinearity

    Notes
    -----
    O(n p^2) for the factor and O(p^3) for the relations; skipped beyond 500 columns.  Relations come from
    a pivoted QR of the triangular factor, so that columns of 1e-12 and 1e12 are treated alike.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 3.0], [0.0, 5.0, -5.0], [1.0, 1.0, 1.0]])
    >>> find_collinear(Design(X), np.ones(4), False, ["a", "b", "c"]).sentences
    ('c = 2 a - b',)
    """
    p = design.shape[1]
    labels = [f"x{j}" for j in range(p)] if names is None else [str(v) for v in names]
    if p > _MOST_COLUMNS:
        why = f"not searched: {p} columns are more than the {_MOST_COLUMNS} that this search handles"
        return Collinearity(None, (), math.nan, None, math.nan, why)
    if p == 0 or not float(weight.sum()) > 0.0:
        return Collinearity(0, (), 1.0, np.zeros(0), 0.0)
    f = triangular_factor(design, weight, intercept) if factor is None else factor
    if f.method == "cholesky" and f.condition > 100.0:
        f = triangular_factor(
            design, weight, intercept, exact=True
        )  # the Gram matrix has lost the last digits
    relations = [_constant(int(j), f, labels, intercept) for j in np.flatnonzero(f.constant)]
    live = np.flatnonzero(~f.constant)
    inflation = np.full(p, math.inf)
    tolerance = 32.0 * f.tolerance
    if len(live):
        inflation[live] = _inflation(f.R[:, live], f.total)
        relations += _relations(f, live, labels, intercept, tolerance)
    relations.sort(key=lambda r: not r.exact)
    return Collinearity(f.rank, tuple(relations), f.condition, inflation, tolerance, factor=f)


def _constant(j: int, f: TriangularFactor, labels: list[str], intercept: bool) -> Relation:
    if intercept:
        sentence = f"{labels[j]} is constant ({f.mean[j]:.6g})"
    else:
        sentence = f"{labels[j]} is zero in every row"
    return Relation(j, (), (), float(f.mean[j]), 0.0, True, sentence)


def _inflation(R: Array, total: float) -> Array:
    """``total * diag((R'R)^-1)``; infinite where R is singular."""
    _, singular, Vt = np.linalg.svd(R / math.sqrt(total))
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = (Vt.T / singular) ** 2
    terms[np.isnan(terms)] = 0.0
    return np.asarray(np.maximum(terms.sum(axis=1), 1.0))


def _relations(
    f: TriangularFactor, live: IndexArray, labels: list[str], intercept: bool, tolerance: float
) -> list[Relation]:
    """Return one relation for each column that the columns before it, in pivot order, explain."""
    _, R, pivot = sla.qr(f.R[:, live] / math.sqrt(f.total), mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    near = size < _NEAR
    if not near.any():
        return []
    kept = int(np.argmax(near))  # the pivots decrease: from here on all are small
    base = R[:kept, :kept]
    out = []
    for k in range(kept, len(live)):
        weights = sla.solve_triangular(base, R[:kept, k])
        residual = float(np.linalg.norm(R[kept:, k]))
        big = np.flatnonzero(np.abs(weights) > _SMALL * np.max(np.abs(weights), initial=0.0))
        out.append(
            _relation(f, int(live[pivot[k]]), live[pivot[big]], weights[big], residual, labels, tolerance)
        )
    return out


def _relation(
    f: TriangularFactor,
    j: int,
    others: IndexArray,
    weights: Array,
    residual: float,
    labels: list[str],
    tolerance: float,
) -> Relation:
    order = np.argsort(others)
    others, weights = others[order], weights[order]
    coefficients = weights * f.scale[j] / f.scale[others]
    constant = float(f.mean[j] - f.mean[others] @ coefficients)
    if abs(constant) <= 1e-9 * (abs(f.mean[j]) + np.abs(f.mean[others]) @ np.abs(coefficients) + f.scale[j]):
        constant = 0.0
    exact = residual <= tolerance * max(float(np.abs(weights).max(initial=0.0)), 1.0)
    sentence = _sentence(labels, j, others, coefficients, constant, exact, residual)
    return Relation(
        j,
        tuple(int(v) for v in others),
        tuple(float(v) for v in coefficients),
        constant,
        residual,
        exact,
        sentence,
    )


def _sentence(
    labels: list[str],
    j: int,
    others: IndexArray,
    coefficients: Array,
    constant: float,
    exact: bool,
    residual: float,
) -> str:
    if exact and len(others) == 1 and constant == 0.0 and abs(coefficients[0] - 1.0) < 1e-9:
        return f"{labels[j]} duplicates {labels[others[0]]}"
    terms = [_term(float(c), labels[k]) for c, k in zip(coefficients, others, strict=True)]
    if len(terms) > 8:
        terms = [*terms[:7], f" + {len(terms) - 7} more terms"]
    if constant:
        terms.append(f" {'-' if constant < 0 else '+'} {abs(constant):.6g}")
    right = "".join(terms).lstrip(" +")
    right = f"-{right[2:]}" if right.startswith("- ") else right
    if exact:
        return f"{labels[j]} = {right}"
    return f"{labels[j]} is nearly {right} (what is left is {residual:.1g} of its standard deviation)"


def _term(c: float, label: str) -> str:
    size = "" if abs(abs(c) - 1.0) < 1e-9 else f"{abs(c):.6g} "
    return f" {'-' if c < 0 else '+'} {size}{label}"
