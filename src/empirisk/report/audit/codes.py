"""Numbers that stand for something else: found by their shape, a repeated value apart from all others."""

from __future__ import annotations

import shlex
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import polars as pl

from empirisk.report.audit.checks import Audited, Outcome
from empirisk.results import Finding
from empirisk.wording import plain

__all__ = ["Spike", "codes_for_missing", "spikes"]

# What people write for "missing", "does not apply" or "or more".
_USUAL = frozenset([float(s * int("9" * k)) for k in range(2, 7) for s in (1, -1)] + [-1.0, -9.0, 9.0])
_NEAR = 10  # neighbours that say how far apart and how frequent the values at an end are
_FEW = 5  # distinct other values that make a usual code told by how frequent it is
_ZERO = 5.0  # how many times farther 0 must lie: it is an amount more often than a code
_LEAST = 0.005  # share of the rows that an unusual code has at least
_SHOWN = 5  # column names in a sentence


@dataclass(frozen=True)
class Spike:
    """A value at an end of a column that stands apart from the others.

    Parameters
    ----------
    value : float
    rows : int
        How often it occurs.
    low, high : float
        Range of the other values.
    far : bool
        Whether the gap to them is wider than the middle 98 % of them.
    frequent : bool
        Whether it occurs more often than each of its ten neighbours (a usual code below zero: than the two
        nearest together), and the gap is more than twice the widest between them, or zero lies in it.
    distinct : int
        Distinct other values.
    of : int
        Rows with a value.
    """

    value: float
    rows: int
    low: float
    high: float
    far: bool
    frequent: bool
    distinct: int
    of: int

    def alone(self) -> bool:
        """Return whether the column by itself says that the value is a code."""
        if self.value in _USUAL:
            return (self.far and self.distinct >= 2) or (self.frequent and self.distinct >= _FEW)
        return self.far and self.shared()

    def shared(self) -> bool:
        """Return whether it says so together with other columns."""
        enough = self.rows >= max(3.0, _LEAST * self.of)
        return enough and ((self.far and self.distinct >= 3) or (self.frequent and self.distinct >= _NEAR))


def spikes(values: pl.Series) -> list[Spike]:
    """Return the repeated smallest and largest value of a column where they stand apart.

    Examples
    --------
    >>> [s.value for s in spikes(pl.Series([1.5, 2.0, 2.5, 3.0, -200.0, -200.0]))]
    [-200.0]
    >>> spikes(pl.Series([1.0, 1.0, 2.0, 3.0, 4.0, 4.0]))
    []
    """
    x = values.drop_nulls().to_numpy()
    if len(x) < 4:
        return []
    distinct, counts = np.unique(x, return_counts=True)
    out = []
    for end, rest in ((0, slice(1, None)), (-1, slice(None, -1))):
        others, their, k = distinct[rest], counts[rest], int(counts[end])
        if k < 2 or len(others) < 2:
            continue
        value, toward = float(distinct[end]), others if end == 0 else others[::-1]
        gap = abs(value - float(toward[0])) / (_ZERO if value == 0.0 else 1.0)
        low, high = np.quantile(np.repeat(others, their), [0.01, 0.99], method="inverted_cdf")
        near, often = toward[: _NEAR + 1], (their if end == 0 else their[::-1])[:_NEAR]
        below = value < 0.0 <= float(others[0])
        # -1 below counts: the tail of the counts near 0 is thin, their bulk may be within ten steps.
        most = int(often[:2].sum() if below and value in _USUAL else often.max())
        apart = gap > 2.0 * float(np.abs(np.diff(near)).max()) or below
        spike = Spike(
            value,
            k,
            float(others[0]),
            float(others[-1]),
            bool(gap > high - low),
            bool(k >= 3 and apart and k > most),
            len(others),
            len(x),
        )
        out += [spike] if spike.far or spike.frequent else []
    return out


def codes_for_missing(a: Audited) -> Outcome:
    """Find repeated values at an end of number columns, far from all others: codes rather than amounts."""
    found: dict[float, list[tuple[str, Spike]]] = defaultdict(list)
    for c in a.table.columns:
        if c.kind == "number" and c.role in ("feature", "target"):
            for spike in spikes(a.table.frame[c.name]):
                found[spike.value].append((c.name, spike))
    out = []
    for value, places in sorted(found.items(), key=lambda item: -len(item[1])):
        alone = [p for p in places if p[1].alone()]
        agreeing = [p for p in places if p[1].shared()]
        # What stands apart in several columns is a code, whatever number it is (but nought).
        chosen = agreeing if alone or (len(agreeing) > 1 and value != 0.0) else []
        if chosen:
            out.append(_finding(a, value, chosen))
    return Outcome(out, "no repeated value stands apart from the others of its column")


def _finding(a: Audited, value: float, places: list[tuple[str, Spike]]) -> Finding:
    names = [name for name, _ in places]
    rows = sum(spike.rows for _, spike in places)
    said = ", ".join(repr(n) for n in names[:_SHOWN])
    said += f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    code = f"{value:.15g}"
    where = f"rows of {said}" if len(names) == 1 else f"cells of {len(names)} columns ({said})"
    target = str(a.table.target) in names
    sentence = (
        f"Numbers that look like codes for missing: {rows:,} {where} hold {code}, apart from every other"
        " value there."
    )
    if target:
        sentence += " The target is one of them, so scores and intervals are about the code too."
    evidence = "; ".join(
        f"{name!r}: {s.rows:,} rows, the others lie between {plain(s.low)} and {plain(s.high)}"
        for name, s in places[:_SHOWN]
    )
    one = [f"--missing={shlex.quote(f'{code},{name}')}" for name in names[:_SHOWN]]
    options = one[0] if len(names) == 1 else f"--missing={code} (for all columns; {one[0]} for one)"
    advice = f"If it stands for missing, give {options}. As it is, it is used as a number."
    return Finding("ER115", "serious" if target else "warning", sentence, evidence, advice, tuple(names))
