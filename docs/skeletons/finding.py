"""Columns that differ between training and test rows: a copy-me file for a finding.

Copy to src/empirisk/diagnosis/<name>.py, one finding a file, give it a free code, and add one row to the
REGISTRY of that folder and a page docs/findings/<code>.md.  Its test has two halves: on data without the
defect it raises at most the stated share of false alarms, on data with the defect it speaks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import ks_2samp

from empirisk.results import Finding
from empirisk.typing import Array

__all__ = ["CODE", "shifted_columns"]

CODE = "ER199"


def shifted_columns(train: Array, test: Array, names: Sequence[str], level: float = 0.05) -> list[Finding]:
    """Numeric columns whose distribution differs between two sets of rows.

    Two-sample Kolmogorov-Smirnov tests, Holm's correction over the columns: with no shift anywhere the
    probability of any alarm is at most `level`.

    Parameters
    ----------
    train, test : arrays, shape (n, p) and (m, p)
        The two sets of rows.
    names : sequence of str
        Names of the columns.
    level : float
        Share of false alarms, over all columns together.

    Returns
    -------
    list of Finding
        Empty, or one finding that names the columns.

    References
    ----------
    Holm 1979, Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> rows = np.arange(40.0)[:, None]
    >>> shifted_columns(rows, rows + 30.0, ["dose"])[0].where
    ('dose',)
    """
    p = len(names)
    p_values = np.array([ks_2samp(train[:, j], test[:, j]).pvalue for j in range(p)])
    order = np.argsort(p_values)
    corrected = np.empty(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * (p - np.arange(p))))
    where = tuple(name for name, value in zip(names, corrected, strict=True) if value <= level)
    if not where:
        return []
    return [
        Finding(
            code=CODE,
            level="warning",
            sentence=f"{len(where)} of {p} columns look different in the test rows: {', '.join(where)}.",
            evidence=(
                f"Kolmogorov-Smirnov tests on {len(train):,} and {len(test):,} rows, smallest p-value "
                f"{corrected.min():.2g} after Holm's correction"
            ),
            advice="Find out how the rows were split; these test rows are another population.",
            where=where,
        )
    ]
