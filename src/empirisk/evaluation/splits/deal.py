"""Which part each row goes to: by chance within strata, by whole groups, or by time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.evaluation.intervals.base import Floats, group_codes

Codes = NDArray[np.intp]


def shares_of(sizes: ArrayLike, n: int, names: tuple[str, ...]) -> Floats:
    """Return the sizes as shares of n that sum to 1; whole numbers above 1 are rows.

    Raises
    ------
    ValueError
        Not three sizes, one that is not positive, or a sum that is not 1 (shares) or n (rows).
    """
    given = np.asarray(sizes, dtype=np.float64)
    if given.shape != (len(names),):
        raise ValueError(f"sizes must hold {len(names)} numbers ({', '.join(names)}), got {sizes!r}.")
    if not (np.isfinite(given).all() and (given > 0.0).all()):
        name = names[int(np.flatnonzero(~(given > 0.0))[0])] if not (given > 0.0).all() else names[0]
        raise ValueError(f"sizes: every part needs a positive size, got {sizes!r} ({name}).")
    total = float(given.sum())
    if (given >= 1.0).all():
        if total != n or (given != np.floor(given)).any():
            raise ValueError(f"sizes given as rows must be whole and sum to the {n} rows, got {sizes!r}.")
        return given / n
    if abs(total - 1.0) > 1e-9:
        raise ValueError(f"sizes given as shares must sum to 1, got {sizes!r} with sum {total:g}.")
    return given


def deal_rows(strata: Codes, shares: Floats, rng: np.random.Generator) -> Codes:
    """Part of each row: each stratum is shuffled and cut in proportion; rounding is carried from one stratum
    to the next, so that the sizes of the parts are right to a row.

    Where strata are so small that cuts would have to cross, rows are dealt one after the other instead.
    """
    part = np.empty(strata.size, dtype=np.intp)
    cuts = np.cumsum(shares)[:-1]
    carried = np.zeros(cuts.size)  # what rounding kept from each cut so far: the next stratum makes up for it
    members = [rng.permutation(np.flatnonzero(strata == stratum)) for stratum in np.unique(strata)]
    for rows in members:
        wanted = cuts * rows.size + carried
        at = np.maximum.accumulate(np.clip(np.rint(wanted), 0, rows.size)).astype(np.intp)
        carried = wanted - at
        part[rows] = np.searchsorted(at, np.arange(rows.size), side="right")
    if np.abs(np.bincount(part, minlength=shares.size) - shares * part.size).max() > 1.0 + 1e-9:
        part[np.concatenate(members)] = _by_deadlines(part.size, shares)
    return part


def _by_deadlines(n: int, shares: Floats) -> Codes:
    """Return the part of each of n rows so that, after each row, no part is a row or more off its share.

    Row t goes, among the parts that have fewer than their share of t rows, to the one whose next row is due
    first; this is the schedule of one machine that is shared in proportion (Baruah, Cohen, Plaxton and
    Varvel, Symposium on Theory of Computing 1993).
    """
    part, given = np.empty(n, dtype=np.intp), np.zeros(shares.size)
    for t in range(n):
        open_ = given < shares * (t + 1) - 1e-9
        due = np.where(open_, np.ceil((given + 1.0) / shares - 1e-9), np.inf)
        part[t] = int(np.argmin(due))
        given[part[t]] += 1.0
    return part


def deal_groups(strata: Codes, groups: Codes, shares: Floats, rng: np.random.Generator) -> Codes:
    """Return the part of each row, groups whole: large groups first, each to the part that lacks its classes
    most.
    """
    n_groups, n_strata = int(groups.max()) + 1, int(strata.max()) + 1
    table = np.zeros((n_groups, n_strata))
    np.add.at(table, (groups, strata), 1.0)
    totals = table.sum(axis=0)
    wanted = shares[:, None] * totals
    weight = 1.0 / np.maximum(totals, 1.0)
    order = np.lexsort((rng.random(n_groups), -table.sum(axis=1)))
    load, home = np.zeros_like(wanted), np.empty(n_groups, dtype=np.intp)
    for rank, g in enumerate(order):
        empty = np.flatnonzero(load.sum(axis=1) == 0.0)
        open_parts = empty if n_groups - rank <= empty.size else np.arange(shares.size)
        before = (((load - wanted) / shares[:, None]) ** 2 * weight).sum(axis=1) * shares
        after = (((load + table[g] - wanted) / shares[:, None]) ** 2 * weight).sum(axis=1) * shares
        cost = (after - before)[open_parts]
        # Costs are sums of shares, equal only up to rounding; ties are drawn by lot.
        home[g] = open_parts[rng.choice(np.flatnonzero(cost <= cost.min() + 1e-12))]
        load[home[g]] += table[g]
    return home[groups]


def deal_time(time: ArrayLike, shares: Floats, n: int) -> tuple[Codes, Codes]:
    """Part of each row by time (earliest first), equal times together; and the code of each time.

    A cut falls between two times, where the rows before it are nearest to the share wanted.
    """
    stamps = np.asarray(time)
    if stamps.shape != (n,):
        raise ValueError(f"time must hold one value for each of the {n} rows, got shape {stamps.shape}.")
    if stamps.dtype.kind == "O" and all(hasattr(t, "isoformat") for t in stamps):
        stamps = stamps.astype("datetime64[us]")
    if stamps.dtype.kind not in "iufMm":
        raise ValueError(f"time must be numbers or dates, got values of type {stamps.dtype}.")
    blank = np.isnat(stamps) if stamps.dtype.kind in "Mm" else np.isnan(stamps.astype(np.float64))
    if blank.any():
        row = int(np.flatnonzero(blank)[0])
        raise ValueError(f"time is missing in row {row} ({int(blank.sum())} such rows); remove those rows.")
    _, codes, counts = np.unique(stamps, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    cuts: list[int] = []
    for k, wanted in enumerate(np.cumsum(shares)[:-1] * n):
        least = cuts[-1] + 1 if cuts else 1
        most = counts.size - (shares.size - 1 - k)
        if least > most:
            raise ValueError(
                f"time has {counts.size} distinct values, too few for {shares.size} parts: "
                "equal times must stay together."
            )
        choices = np.arange(least, most + 1)
        cuts.append(int(choices[np.argmin(np.abs(ends[choices - 1] - wanted))]))
    codes = codes.reshape(-1).astype(np.intp)
    return np.searchsorted(np.array(cuts), codes, side="right").astype(np.intp), codes


def group_labels(groups: ArrayLike, n: int, parts: int) -> Codes:
    """Return the groups as codes; refuses fewer groups than parts."""
    codes, count = group_codes(groups, n)
    if count < parts:
        raise ValueError(
            f"groups holds {count} group{'' if count == 1 else 's'}, fewer than the {parts} parts: "
            "a group must stay whole."
        )
    return codes
