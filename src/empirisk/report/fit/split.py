"""Which rows are held out for the test: by row, by group, by time, or a file of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from empirisk.diagnosis.identical import BY_CHANCE, twin_pairs
from empirisk.report.audit.twins import chance_pairs, numbered, twin_groups
from empirisk.report.errors import DataError
from empirisk.report.fit.horizon import horizon_sentence, later_than, stamps_of, within_gap
from empirisk.report.read.table import Table
from empirisk.wording import counted, percent

__all__ = ["Split", "split_rows"]

_MIN_ROWS = 10  # with fewer nothing can be held out
_LARGEST = 0.05  # share of the rows that one unit may hold


@dataclass(frozen=True)
class Split:
    """The parts of a table.

    Parameters
    ----------
    unit : {"row", "group", "time", "file"}
        What is held out as a whole.
    why : str
        Why by that unit, in a sentence.
    train, test : int array
        Row numbers; those of `test` count in the test file when the unit is "file".
    balance : dict
        ``{"train": {class: rows}, "test": {class: rows}}``; empty for a regression.
    n_straddling : int
        Test rows of a split that ignores them which would have an exact twin (same features, same target) in
        train.
    twins : str
        What was done about them.
    groups : int array or None
        Rows of the training table that must stay together in folds have the same number (None: all rows are
        free).
    gap : float
        Time between training rows and those that are scored, in days or in the unit of the time column.
    horizon : str
        How far ahead the score reaches, "" unless the unit is "time".
    """

    unit: Literal["row", "group", "time", "file"]
    why: str
    train: np.ndarray
    test: np.ndarray
    balance: dict[str, dict[str, int]]
    n_straddling: int
    twins: str
    groups: np.ndarray | None = None
    gap: float = 0.0
    horizon: str = ""


def split_rows(
    table: Table,
    *,
    test_table: Table | None = None,
    seed: int = 0,
    test_size: float = 0.2,
    gap: float = 0.0,
) -> Split:
    """Split a table into train and test.

    Parameters
    ----------
    table : Table
    test_table : Table, optional
        A test file: the whole of `table` is train, the whole of it is test.
    seed : int, default=0
    test_size : float in (0, 1), default=0.2
        Share of the rows that is held out.
    gap : float, default=0
        Rows of the last so many days before the test part (or units of a time column of numbers) are left
        out.

    Raises
    ------
    DataError
        Too few rows, groups or times to hold any out.
    """
    if not 0.0 < test_size < 1.0:
        raise DataError(f"test_size is {test_size}: give a share between 0 and 1, such as 0.2")
    if gap > 0.0 and (table.time is None or test_table is not None):
        raise DataError("--gap lies between training and test rows in time: give --time, and no --test")
    if test_table is not None:
        return _by_file(table, test_table)
    if table.n_rows < _MIN_ROWS:
        raise DataError(
            f"{table.source.name} has {table.n_rows} row{'' if table.n_rows == 1 else 's'} with a target "
            "value: at least "
            f"{_MIN_ROWS} are needed to hold some out"
        )
    rng = np.random.default_rng(seed)
    if table.time is not None:
        return _by_time(table, test_size, gap)
    if table.group is not None:
        return _by_group(table, test_size, rng)
    return _by_row(table, test_size, rng)


def _strata(table: Table) -> np.ndarray:
    if table.task == "regression" or table.target is None:
        return np.zeros(table.n_rows, dtype=np.int64)
    codes = {label: k for k, label in enumerate(table.classes)}
    return np.array([codes[v] for v in table.frame[table.target].to_list()], dtype=np.int64)


def _draw(strata: np.ndarray, units: np.ndarray, test_size: float, rng: np.random.Generator) -> np.ndarray:
    """Draw whole units until each stratum has its share in the test; return the test mask.

    A unit belongs to the stratum of its first row. Units are taken in random order while they fit, so a
    stratum exceeds its share by no row and falls short by less than one unit.
    """
    test = np.zeros(len(units), dtype=bool)
    _, first, sizes = np.unique(units, return_index=True, return_counts=True)
    of_unit = strata[first]
    chosen = np.zeros(len(first), dtype=bool)
    for stratum in np.unique(of_unit):
        members = rng.permutation(np.flatnonzero(of_unit == stratum))
        quota = round(test_size * int(sizes[members].sum()))
        fits = np.cumsum(sizes[members]) <= quota
        # Single rows fill up what a larger unit left open.
        chosen[members[fits]] = True
        open_rows = quota - int(sizes[members[fits]].sum())
        singles = [u for u in members[~fits] if sizes[u] == 1][:open_rows]
        chosen[singles] = True
    inverse = np.unique(units, return_inverse=True)[1]
    test[:] = chosen[inverse]
    return test


def _by_row(table: Table, test_size: float, rng: np.random.Generator) -> Split:
    strata, twins = _strata(table), twin_groups(table)
    plain = _draw(strata, np.arange(table.n_rows), test_size, np.random.default_rng(rng.integers(2**32)))
    straddling = int(np.isin(twins[plain], twins[~plain]).sum())
    test, groups = plain, None
    if straddling == 0:
        told = "no row has an exact twin in the other part"
    elif (expected := chance_pairs(table)) > BY_CHANCE * (pairs := twin_pairs(twins)):
        told = (
            f"{straddling:,} test rows have an exact twin in train; so few different rows are possible that "
            f"twins may arise by chance ({pairs:,} pairs, {expected:,.0f} if the columns were independent), "
            "so they are not kept together"
        )
    elif (largest := np.bincount(twins).max()) > max(2, _LARGEST * table.n_rows):
        told = (
            f"{straddling:,} test rows have an exact twin in train, but one row stands {largest:,} times: "
            "twins cannot be kept together"
        )
    else:
        told = (
            f"{straddling:,} test rows would have had an exact twin (same features, same target) in train: "
            "twins are kept together"
        )
        test, groups = _draw(strata, twins, test_size, rng), twins
    kind = "at random" if table.task == "regression" else "at random within each class"
    why = f"{percent(test_size)} of the rows {kind}, because no group or time column was given"
    return _made(table, "row", why, test, straddling, told, groups)


def _by_group(table: Table, test_size: float, rng: np.random.Generator) -> Split:
    name = str(table.group)
    column = table.frame[name].cast(pl.String)
    blank = column.is_null().to_numpy()
    groups = column.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    # A row without a group belongs to no other row.
    groups[blank] = groups.max() + 1 + np.arange(int(blank.sum()))
    labels, sizes = np.unique(groups, return_counts=True)
    if len(labels) < 2:
        raise DataError(
            f"--group {name!r} has one group only: a test needs groups that the training does not have"
        )
    order = rng.permutation(len(labels))
    filled = np.cumsum(sizes[order])
    n_test = 1 + int(np.argmin(np.abs(filled[:-1] - test_size * table.n_rows)))
    test = np.isin(groups, labels[order[:n_test]])
    twins = twin_groups(table)
    straddling = int(np.isin(twins[test], twins[~test]).sum())
    told = (
        f"{straddling:,} test rows have an exact twin in a group of the training part; groups are not "
        "broken for them"
        if straddling
        else "no row has an exact twin in the other part"
    )
    why = f"{n_test:,} of {counted(len(labels), 'group')} of {name!r} as a whole, because --group was given"
    if blank.any():
        n = int(blank.sum())
        why += f" ({counted(n, 'row')} without a group {'is a group' if n == 1 else 'are a group each'})"
    return _made(table, "group", why, test, straddling, told, groups)


def _by_time(table: Table, test_size: float, gap: float) -> Split:
    """Hold out the last rows; the training rows stand in the order of their time."""
    name, times = str(table.time), stamps_of(table)
    blank = np.isnan(times)
    known = np.sort(times[~blank])
    if len(known) < 2 or known[0] == known[-1]:
        raise DataError(f"--time {name!r} has one value only: it orders no rows, so leave it out")
    cut = known[int(np.floor((1.0 - test_size) * len(known)))]
    if cut == known[0]:
        cut = known[known > cut][0]
    test, late = times >= cut, within_gap(times, cut, gap)
    twins = twin_groups(table)
    straddling = int(np.isin(twins[test], twins[~late]).sum())
    told = (
        f"{counted(straddling, 'test row')} with an exact twin earlier in time; the order of time is not "
        "broken for twins"
        if straddling
        else "no row has an exact twin in the other part"
    )
    moment = table.frame[name].filter(pl.Series(test)).min()
    why = (
        f"the last {percent(test.mean())} of the rows by {name!r} (from {moment!s}), because --time was given"
    )
    if blank.any():
        why += f"; kept in train: {counted(int(blank.sum()), 'row')} without a time"
    if gap > 0.0:
        why += (
            f"; left out of both (--gap): {counted(int((late & ~test).sum()), 'row')} less than "
            f"{later_than(table, gap)} before them"
        )
    if table.group is not None:
        labels = table.frame[table.group].cast(pl.String)
        both = set(labels.filter(pl.Series(test)).drop_nulls())
        seen = both & set(labels.filter(pl.Series(~late)).drop_nulls())
        why += (
            f"; groups of {table.group!r} are not held out, and {len(seen):,} of the {len(both):,} in the "
            "test part have rows in train"
        )
    if late.all():
        raise DataError(f"--gap {gap:g} leaves no row to train on before the test part: give a smaller gap")
    made = _made(table, "time", why, test, straddling, told, None)
    train = in_time(table, np.flatnonzero(~late))
    horizon = horizon_sentence(table, train, made.test)
    balance = made.balance | ({"train": _counted(table, train)} if table.classes else {})
    why = f"{why}; {horizon}" if horizon else why
    return replace(made, why=why, train=train, balance=balance, gap=gap, horizon=horizon)


def in_time(table: Table, rows: np.ndarray) -> np.ndarray:
    """Return row numbers in the order of their time, those without one first."""
    if table.time is None:
        return rows
    times = np.nan_to_num(stamps_of(table)[rows], nan=-np.inf)
    return np.asarray(rows[np.argsort(times, kind="stable")])


def _by_file(table: Table, test_table: Table) -> Split:
    if test_table.target is None:
        raise DataError(f"{test_table.source.name} lacks the target {table.target!r}: a test file needs it")
    both = pl.concat([t.frame.select([*table.features, str(table.target)]) for t in (table, test_table)])
    numbers = numbered(both)
    straddling = int(np.isin(numbers[table.n_rows :], numbers[: table.n_rows]).sum())
    told = (
        f"{counted(straddling, 'row')} of the test file with an exact twin in the training file; all stay, "
        "and the finding says so"
        if straddling
        else "no row of the test file has an exact twin in the training file"
    )
    return Split(
        "file",
        f"{test_table.source.name} is the test file, because --test was given",
        in_time(table, np.arange(table.n_rows)),
        np.arange(test_table.n_rows),
        {"train": table.class_counts(), "test": test_table.class_counts()},
        straddling,
        told,
        None,
    )


def _made(
    table: Table,
    unit: Literal["row", "group", "time"],
    why: str,
    test: np.ndarray,
    straddling: int,
    told: str,
    groups: np.ndarray | None,
) -> Split:
    train_rows, test_rows = np.flatnonzero(~test), np.flatnonzero(test)
    if len(train_rows) == 0 or len(test_rows) == 0:
        raise DataError(
            f"{table.source.name} cannot be split by {unit}: one part would be empty; use more rows"
        )
    balance: dict[str, dict[str, int]] = {}
    if table.classes:
        balance = {"train": _counted(table, train_rows), "test": _counted(table, test_rows)}
    return Split(unit, why, train_rows, test_rows, balance, straddling, told, groups)


def _counted(table: Table, rows: np.ndarray) -> dict[str, int]:
    """Return how many of some rows each class has."""
    counts = np.bincount(_strata(table)[rows], minlength=len(table.classes))
    return {c: int(k) for c, k in zip(table.classes, counts, strict=True)}
