"""The likelihood-ratio test between two fits by maximum likelihood whose scores are several or of sets.

Wilks, Annals of Mathematical Statistics 9 (1938).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
from scipy import stats

from empirisk.inference.wald import TestResult
from empirisk.problems.likelihood import LikelihoodProblem
from empirisk.typing import Array

__all__ = ["nested_likelihoods"]

COLUMNS = ("X", "V")  # of the scores; all else of two nested likelihoods is the same


def nested_likelihoods(
    small: LikelihoodProblem,
    large: LikelihoodProblem,
    log_likelihoods: tuple[float, float],
    ranks: tuple[int, int],
    lost: Sequence[str],
    unit: str = "row",
) -> TestResult:
    """Return ``2 (log-likelihood of the large model - of the small one)`` with its chi squared law.

    Parameters
    ----------
    small, large : LikelihoodProblem
        Of the same kind and rows; each column of a score of the small one is a combination of those of the
        large one and a constant.
    log_likelihoods : (float, float)
        At the two maxima.
    ranks : (int, int)
        Free parameters of both.
    lost : sequence of str
        The terms that the small model lacks, for the words of the hypothesis.
    unit : str
        What is independent of others, in words.

    Raises
    ------
    ValueError
        Where the models are of two kinds or of different rows, are not nested, or leave nothing to test.
    """
    a, b = small.likelihood, large.likelihood
    if type(a) is not type(b):
        raise ValueError(
            f"the models are of two kinds ({a.name} and {b.name}): their likelihoods are not comparable; use "
            "er.compare on held-out rows"
        )
    for field in (f.name for f in fields(a) if f.name not in COLUMNS):  # type: ignore[arg-type]
        if not _same(getattr(a, field), getattr(b, field)):
            raise ValueError(
                f"the models differ in {field}: a likelihood-ratio test needs the same rows, weights and "
                "law in both, and columns of the one among those of the other"
            )
    for name in COLUMNS:
        if hasattr(a, name) and not _within(getattr(a, name), getattr(b, name)):
            raise ValueError(
                "the models are not nested: a column of the small model is no combination of the columns of "
                "the large one; use er.compare on held-out rows"
            )
    df = ranks[1] - ranks[0]
    if df <= 0:
        raise ValueError("both models have the same free parameters: there is nothing to test")
    drop = max(2.0 * (log_likelihoods[1] - log_likelihoods[0]), 0.0)
    words = f"no effect of {', '.join(lost[:6]) or 'the further columns'}"
    words += f" and {len(lost) - 6} more" if len(lost) > 6 else ""
    p = float(stats.chi2.sf(drop, df))
    return TestResult("Likelihood-ratio", words, drop, df, math.inf, p, f"it holds for many {unit}s")


def _same(a: Any, b: Any) -> bool:
    """Return whether two facts of a likelihood are equal: arrays by their numbers."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.shape(a) == np.shape(b) and bool(np.array_equal(a, b))
    return bool(a == b)


def _within(A: Any, B: Any) -> bool:
    """Return whether the columns of A are combinations of those of B and a constant, up to rounding."""
    old, new = (_scaled(M) for M in (A, B))
    whole = np.column_stack([np.ones(len(new)), new])
    rest = old - whole @ np.linalg.lstsq(whole, old, rcond=None)[0]
    return bool((np.linalg.norm(rest, axis=0) <= 1e-7 * np.linalg.norm(old, axis=0)).all())


def _scaled(M: Any) -> Array:
    """Return the columns as a dense array with a largest entry of 1."""
    dense = np.asarray(M.toarray() if hasattr(M, "toarray") else M, dtype=np.float64)
    scale = np.maximum(np.abs(dense).max(axis=0, initial=0.0), 1e-300)
    return np.asarray(dense / scale)
