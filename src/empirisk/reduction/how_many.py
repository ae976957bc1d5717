"""How many components: a share of the variance, parallel analysis, the broken stick, or held-out blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from empirisk.data.threads import for_rows
from empirisk.reduction.bicross import bi_cross_validation
from empirisk.reduction.centred import CentredRows
from empirisk.reduction.spectrum import Spectrum
from empirisk.typing import Array

__all__ = ["RULES", "broken_stick", "how_many", "parallel"]

RULES = ("parallel", "broken_stick", "bcv")
DRAWS = 50  # tables of independent columns
QUANTILE = 0.95


def how_many(rule: Any, found: Spectrum, data: CentredRows, seed: int) -> dict[str, Any]:
    """Return the number of components by a rule, and what it compared.

    Parameters
    ----------
    rule : float in (0, 1), or one of RULES
    found : Spectrum
        With all eigenvalues.
    data : CentredRows
    seed : int

    Returns
    -------
    dict
        ``rule``, ``k`` (at least 1), ``found`` (components that pass, which may be 0), ``values`` (variances
        over the trace), ``reference`` (what each must exceed, or None), ``errors`` (of held-out blocks by
        rank, or None) and ``said``.

    Raises
    ------
    ValueError
        For a method that makes the leading eigenvalues alone.
    """
    if found.every is None:
        raise ValueError(
            f"n_components={rule!r} compares all variances, and this method makes the leading ones alone: "
            'use method="covariance", "gram" or "svd", or give a number'
        )
    values = np.maximum(found.every, 0.0) / data.total
    out: dict[str, Any] = {"rule": rule, "values": values.tolist(), "reference": None, "errors": None}
    if rule == "parallel":
        share = data.variances / data.total
        reference = parallel(share, data.weight, len(values), np.random.default_rng(seed))
        passed = _before_first(values > reference)
        said = f"exceed the {QUANTILE:.0%} quantile of {DRAWS} tables of independent normal columns"
    elif rule == "broken_stick":
        reference = broken_stick(data.shape[1])[: len(values)]
        passed = _before_first(values > reference)
        said = "exceed the pieces of a stick that breaks at random"
    elif rule == "bcv":
        errors = bi_cross_validation(data, np.random.default_rng(seed))
        passed, reference = int(np.argmin(errors)), None
        out["errors"] = errors.tolist()
        said = "predict held-out blocks best"
    else:
        # Rounding of the sum must not ask for one more component than has variance.
        passed = int(np.searchsorted(np.cumsum(values), rule * (1.0 - 1e-12)) + 1)
        said, reference = f"explain {rule:.4g} of the variance", None
    if reference is not None:
        out["reference"] = reference.tolist()
    kept = len(found.values)
    return {**out, "k": min(max(1, passed), kept), "found": min(passed, kept), "said": said}


def _before_first(passes: Any) -> int:
    """Return how many pass before the first that does not."""
    return int(len(passes) if np.all(passes) else np.argmin(passes))


def broken_stick(p: int) -> Array:
    """Return the expected pieces of a stick that breaks at p - 1 random places, the longest first.

    ``b_j = (1/p) sum_(i=j)^p 1/i`` (Jackson 1993, Ecology 74).

    Examples
    --------
    >>> broken_stick(3).round(4)
    array([0.6111, 0.2778, 0.1111])
    """
    return np.asarray(np.cumsum(1.0 / np.arange(p, 0.0, -1.0))[::-1] / p)


def parallel(variances: Array, weight: float, count: int, rng: np.random.Generator) -> Array:
    """Return the quantiles of the eigenvalues of independent normal columns with the variances of these.

    Parameters
    ----------
    variances : array, shape (p,)
        Of the columns, in any unit.
    weight : float
        S, the number of rows.
    count : int
        Eigenvalues wanted.
    rng : Generator

    Notes
    -----
    Horn (1965, Psychometrika 30), with the quantile of Glorfeld (1995) in place of the mean. The covariance
    of S normal rows is a Wishart matrix, drawn by Bartlett's triangular factor where S > p: O(p^3) a table,
    whatever S; else by S - 1 rows.
    """
    p, freedom = len(variances), max(1, round(weight) - 1)
    spread = np.sqrt(np.maximum(variances, 0.0))
    tables = np.zeros((DRAWS, count))
    for table in tables:
        if freedom >= p:
            root = np.tril(rng.standard_normal((p, p)), -1)
            np.fill_diagonal(root, np.sqrt(rng.chisquare(freedom - np.arange(p))))
            A = spread[:, None] * root
        else:
            A = (rng.standard_normal((freedom, p)) * spread).T
        inner = A.T @ A
        with for_rows(len(inner)):
            values = linalg.eigvalsh(inner)[::-1][:count]
        table[: len(values)] = values / weight
    return np.asarray(np.quantile(tables, QUANTILE, axis=0))
