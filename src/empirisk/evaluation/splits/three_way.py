"""One sample in three parts: to fit, to choose, and to measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target

from empirisk.data.frames import like_input
from empirisk.data.seeds import generator_of
from empirisk.evaluation.metrics.predictions import check_length, classes_of, encode, labels_of
from empirisk.evaluation.outputs import n_rows
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.splits.deal import deal_groups, deal_rows, deal_time, group_labels, shares_of
from empirisk.evaluation.splits.parts import NAMES, Part, Parts

MANY_CLASSES = 50  # more values are taken for numbers, not for classes


@like_input
def train_validation_test_split(
    X: Any,
    y: ArrayLike,
    *,
    sizes: ArrayLike = (0.6, 0.2, 0.2),
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    stratify: bool | str = "auto",
    random_state: int | np.random.Generator | None = None,
) -> Parts:
    """Deal a sample out into a training, a validation and a test part.

    The first is for fitting, the second for choosing among fits, the third for measuring the one chosen,
    once: an estimate from rows that took part in a choice is too good.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, p)
        Rows.
    y : array of shape (n,)
        Targets.
    sizes : three numbers, default (0.6, 0.2, 0.2)
        Shares that sum to 1, or rows that sum to n.
    groups : array of shape (n,), optional
        Which rows belong together; no group is torn apart.
    time : array of shape (n,), optional
        Numbers or dates: the parts follow each other, equal times stay together.
    stratify : bool or "auto", default "auto"
        Keep the shares of the classes in every part. "auto": where y holds classes.
    random_state : int, Generator or None
        Seed; a split by time needs none.

    Returns
    -------
    Parts
        ``parts.train.X, parts.train.y, parts.train.rows``, the same for validation and test; it prints
        sizes, units and classes of each part.

    Raises
    ------
    ValueError
        A part would be empty, a class is missing from a part, there are fewer groups or times than
        parts, or the arguments do not fit together.

    Notes
    -----
    O(n log n); O(n + groups x parts x classes) with groups.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(20.0)[:, None], np.repeat(["no", "yes"], [15, 5])
    >>> train_validation_test_split(X, y, random_state=0)
    20 rows in three parts: by chance within each class
      train       12 rows (60.0%)  no 9 (75.0%), yes 3 (25.0%)
      validation  4 rows (20.0%)  no 3 (75.0%), yes 1 (25.0%)
      test        4 rows (20.0%)  no 3 (75.0%), yes 1 (25.0%)
    """
    rng = generator_of(random_state, shared=True)
    labels = labels_of(y, "y")
    n = int(labels.size)
    check_length("X", n_rows(X), n)
    shares = shares_of(sizes, n, NAMES)
    if n < len(NAMES):
        raise ValueError(f"{n} rows are too few for {len(NAMES)} parts.")
    if groups is not None and time is not None:
        raise ValueError("groups and time exclude each other: a group can straddle any cut in time.")
    codes, names = _classes(labels, stratify)
    strata = np.zeros(n, dtype=np.intp) if codes is None else codes
    unit, units = "row", np.arange(n)
    if time is not None:
        part, units = deal_time(time, shares, n)
        unit, how = "time", "by time, the earliest first"
    elif groups is not None:
        units = group_labels(groups, n, len(NAMES))
        part = deal_groups(strata, units, shares, rng)
        unit, how = "group", "whole groups by chance" + ("" if codes is None else ", balanced by class")
    else:
        part = deal_rows(strata, shares, rng)
        how = "by chance" + ("" if codes is None else " within each class")
    parts = [
        _part(k, X, y, np.flatnonzero(part == k), groups, units, codes, names) for k in range(len(NAMES))
    ]
    _check(parts, names, unit, sizes)
    train, validation, test = parts
    return Parts(train, validation, test, unit, how)


def _classes(labels: NDArray[Any], stratify: bool | str) -> tuple[NDArray[np.intp] | None, list[str]]:
    """Return the class codes and names when the rows are to be balanced by class."""
    if not (isinstance(stratify, bool) or stratify == "auto"):
        raise ValueError(f'stratify must be True, False or "auto", got {stratify!r}.')
    discrete = type_of_target(labels) in ("binary", "multiclass")
    if stratify is False or (stratify == "auto" and not discrete):
        return None, []
    classes = classes_of(labels)
    few = labels.dtype.kind in "bOUS" or classes.size <= max(2, min(MANY_CLASSES, labels.size // 3))
    if stratify == "auto" and not few:
        return None, []
    if not discrete:
        raise ValueError("stratify=True needs classes, and y holds numbers with decimals.")
    return encode(labels, classes), [str(c) for c in classes]


def _part(
    k: int,
    X: Any,
    y: Any,
    rows: NDArray[np.intp],
    groups: ArrayLike | None,
    units: NDArray[np.intp],
    codes: NDArray[np.intp] | None,
    names: list[str],
) -> Part:
    counts = [] if codes is None else np.bincount(codes[rows], minlength=len(names)).tolist()
    return Part(
        NAMES[k],
        take_rows(X, rows),
        take_rows(y, rows),
        rows,
        None if groups is None else np.asarray(groups)[rows],
        int(np.unique(units[rows]).size),
        dict(zip(names, counts, strict=True)),
    )


def _check(parts: list[Part], names: list[str], unit: str, sizes: ArrayLike) -> None:
    for p in parts:
        if p.rows.size == 0:
            raise ValueError(
                f"the {p.name} part would be empty with sizes={sizes!r}; give it a larger share."
            )
        absent = [name for name in names if p.balance[name] == 0]
        if absent:
            cause = (
                f"whole {unit}s cannot be dealt out otherwise; " if unit != "row" else "it has too few rows; "
            )
            raise ValueError(
                f"class {absent[0]!r} is missing from the {p.name} part: {cause}"
                "use other sizes, merge the class, or pass stratify=False."
            )
