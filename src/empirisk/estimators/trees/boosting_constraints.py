"""Monotone and interaction constraints, as users write them and as the loops read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.columns import Table

__all__ = ["check_interactions", "check_monotone"]


def check_monotone(given: Any, table: Table) -> NDArray[np.int8] | None:
    """-1, 0 or +1 for each column; None when nothing is constrained.

    Parameters
    ----------
    given : dict from column name or number to -1, 0, +1, or a list of p such numbers, or None
        What the user passed as `monotonic_cst`.
    table : Table
        Whose columns are meant; columns of categories have no order and are refused.

    Examples
    --------
    >>> table = Table(np.zeros((1, 3)), np.zeros(3, dtype=int), ("age", "size", "rooms"))
    >>> check_monotone({"size": 1}, table).tolist()
    [0, 1, 0]
    """
    if given is None:
        return None
    signs = np.zeros(table.n_cols, dtype=np.int8)
    if isinstance(given, Mapping):
        items = [(_column("monotonic_cst", key, table), sign) for key, sign in given.items()]
    else:
        values = list(np.asarray(given, dtype=object).ravel())
        if len(values) != table.n_cols:
            raise ValueError(
                f"monotonic_cst has {len(values)} entries, X has {table.n_cols} columns: give one of -1, 0, "
                "+1 for each, or a dict of the constrained ones"
            )
        items = list(enumerate(values))
    for j, sign in items:
        if isinstance(sign, bool | np.bool_) or sign not in (-1, 0, 1):
            raise ValueError(f"monotonic_cst of column {table.label(j)} must be -1, 0 or +1, got {sign!r}")
        if sign and table.n_categories[j]:
            raise ValueError(
                f"monotonic_cst names column {table.label(j)}, whose categories have no order; code it as a "
                "number in the order that you mean"
            )
        signs[j] = int(sign)
    return signs if signs.any() else None


def check_interactions(given: Any, table: Table) -> tuple[tuple[int, ...], ...] | None:
    """Sets of columns that may stand together on a path from root to leaf; None when all may.

    Columns that are in no set form one of their own, as in scikit-learn.

    Parameters
    ----------
    given : list of lists of column names or numbers, "no_interactions", "pairwise", or None
        What the user passed as `interaction_cst`.
    table : Table
        Whose columns are meant.

    Examples
    --------
    >>> table = Table(np.zeros((1, 3)), np.zeros(3, dtype=int), ("age", "size", "rooms"))
    >>> check_interactions([["age", "rooms"]], table)
    ((0, 2), (1,))
    >>> check_interactions("no_interactions", table)
    ((0,), (1,), (2,))
    """
    p = table.n_cols
    if given is None:
        return None
    if isinstance(given, str):
        if given == "no_interactions":
            return tuple((j,) for j in range(p))
        if given == "pairwise":
            return tuple((i, j) for i in range(p) for j in range(i + 1, p)) or ((0,),)
        raise ValueError(
            f'interaction_cst must be None, "no_interactions", "pairwise" or a list of groups, got {given!r}'
        )
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise ValueError(f"interaction_cst must be a list of groups of columns, got {given!r}")
    groups = []
    for group in given:
        if isinstance(group, str) or not isinstance(group, Iterable):
            raise ValueError(f"interaction_cst must hold groups of columns, got the entry {group!r}")
        groups.append(tuple(sorted({_column("interaction_cst", key, table) for key in group})))
    named = {j for group in groups for j in group}
    rest = tuple(j for j in range(p) if j not in named)
    return tuple(group for group in (*groups, rest) if group)


def _column(parameter: str, key: Any, table: Table) -> int:
    if isinstance(key, str) and table.names is not None and key in table.names:
        return table.names.index(key)
    if isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < table.n_cols:
        return int(key)
    known = f"one of the names {list(table.names)[:8]}" if table.names is not None else "a number"
    raise ValueError(
        f"{parameter} names the column {key!r}, which X does not have; give {known} or 0..{table.n_cols - 1}"
    )
