"""Values out of all proportion: a few rows that lie far beyond all others and carry most of the squares."""

from __future__ import annotations

import shlex

import numpy as np
from numpy.typing import NDArray

from empirisk.data.far_apart import FEWEST, far_apart
from empirisk.report.audit.checks import Audited, Outcome
from empirisk.report.audit.codes import spikes
from empirisk.results import Finding
from empirisk.wording import listed, percent, plain

__all__ = ["CODE", "far_rows", "values_out_of_proportion"]

CODE = "ER120"


def far_rows(x: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the places of up to three values that lie 20 times as far from the median as all others.

    Parameters
    ----------
    x : array of shape (n,)
        Finite numbers, at least 20 of them apart from the median: of a column that is nearly always 0 any
        other number lies far.

    Examples
    --------
    >>> far_rows(np.append(np.arange(50.0), 1e6)).tolist()
    [50]
    >>> far_rows(np.array([0.0] * 50 + [1.0, 2.0, 1e6])).tolist()
    []
    """
    d = np.abs(x * 0.5 - np.median(x) * 0.5)  # halves: no difference of finite numbers overflows
    found = far_apart(d)
    return found if np.count_nonzero(d) >= len(found) + FEWEST else found[:0]


def values_out_of_proportion(a: Audited) -> Outcome:
    """Find numbers of a column, or of the target, that lie far beyond all others of it."""
    out = []
    for c in a.table.columns:
        if c.kind != "number" or not (
            c.role == "feature" or (c.role == "target" and a.table.task == "regression")
        ):
            continue
        values = a.table.frame[c.name]
        known = values.is_not_null().arg_true().to_numpy()
        x = values.drop_nulls().to_numpy()
        rows = far_rows(x)
        codes = {spike.value for spike in spikes(values) if spike.alone()} if len(rows) else set()
        if len(rows) and not codes & set(x[rows].tolist()):  # those are ER115
            out.append(_finding(a, c.name, x, known, rows))
    return Outcome(out, "no value lies 20 times as far from the median of its column as all others")


def _finding(
    a: Audited, name: str, x: NDArray[np.float64], known: NDArray[np.intp], rows: NDArray[np.intp]
) -> Finding:
    target = name == str(a.table.target)
    places = listed([f"{plain(x[i])} in row {known[i] + 1:,}" for i in rows])
    others = np.delete(x, rows)
    what = f"The target {name!r}" if target else f"Column {name!r}"
    noun = "a value" if len(rows) == 1 else "values"
    sentence = f"{what} holds {noun} out of all proportion: {places}."
    if target:
        sentence += " Means, squared errors, their intervals and the choice of a model rest on it."
    d = x / float(np.abs(x).max())
    d = (d - np.median(d)) ** 2
    left_out = a.table.n_left_out
    evidence = (
        f"the other {len(others):,} values lie between {plain(others.min())} and {plain(others.max())}; "
        f"{percent(float(d[rows].sum() / d.sum()))} of the squared distances from the median"
        + ("; rows are counted without those that have no target" if left_out else "")
    )
    option = shlex.quote(f"--missing={x[rows[0]]:.15g},{name}")
    advice = (
        f"Correct it, or count it as missing: {option}. If it is right, give the column's logarithm in its "
        "place."
    )
    return Finding(CODE, "serious" if target else "warning", sentence, evidence, advice, (name,))
