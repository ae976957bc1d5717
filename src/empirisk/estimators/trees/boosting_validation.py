"""Validation rows of the user in a boosting fit: they choose the number of rounds, and grow no tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_consistent_length

from empirisk.data.columns import Table
from empirisk.data.plain_numbers import numbers_only
from empirisk.estimators.checks import check_weights
from empirisk.estimators.linear.offsets import check_offset
from empirisk.estimators.trees.boosting_parts import Parts
from empirisk.estimators.trees.tree_base import check_rows, dense
from empirisk.losses import Loss, check_targets
from empirisk.typing import Array

__all__ = ["ValidationRows"]


@dataclass(frozen=True)
class ValidationRows:
    """The arguments of ``fit`` whose names end with ``_val``, and the same rows checked and encoded.

    Parameters
    ----------
    X, y, sample_weight, offset, exposure
        As they were given; None where they were not.
    table : Table or None
        X, encoded with the columns of the training rows.
    targets, weight, known : array or None
        Targets as the training's, weights, and offsets.
    """

    X: Any = None
    y: Any = None
    sample_weight: Any = None
    offset: Any = None
    exposure: Any = None
    table: Table | None = None
    targets: Array = field(default_factory=lambda: np.zeros(0))
    weight: Array = field(default_factory=lambda: np.zeros(0))
    known: Array | None = None

    def encoded(self, est: Any, rates: bool = False) -> ValidationRows | None:
        """Return the rows as an estimator reads them, whose columns are known; None where there are none.

        Raises
        ------
        ValueError
            For y, weights, offsets or exposures without rows, and for rows that a fit would refuse.
        """
        named = {"y_val": self.y, "sample_weight_val": self.sample_weight}
        named |= {"offset_val": self.offset, "exposure_val": self.exposure}
        if self.X is None:
            for name, given in named.items():
                if given is not None:
                    raise ValueError(f"{name} is about validation rows: give their columns as X_val too")
            return None
        if self.y is None:
            raise ValueError("X_val needs the targets of its rows: give y_val too")
        with naming_validation_rows():
            table = est._table(self.X)
            check_consistent_length(table.X, self.y)
            with numbers_only((), self.y):
                targets = est._targets(self.y, fitting=False)
            weight = check_weights(self.sample_weight, table.n_rows)
            known = check_offset(self.offset, self.exposure, table.n_rows, rates)
        return replace(self, table=table, targets=targets, weight=weight, known=known)

    def check_like(self, loss: Loss, offset: bool) -> None:
        """Refuse targets outside the range of a loss, and offsets on one side alone.

        `offset` says whether the training rows have some.
        """
        if offset != (self.known is not None):
            whose, missing = ("training", "validation") if offset else ("validation", "training")
            raise ValueError(
                f"the {whose} rows have an offset or exposure and the {missing} rows have none: give both "
                "sides theirs (offset and offset_val, or exposure and exposure_val)"
            )
        live = self.weight > 0.0
        with naming_validation_rows():
            check_targets(loss, np.where(live, self.targets, self.targets[np.argmax(live)]))

    def behind(
        self, table: Table, y: Array, weight: Array, offset: Array, parts: Parts
    ) -> tuple[Table, Array, Array, Array, Parts]:
        """Return the training rows with these behind them, which are the rows that `parts` watches."""
        assert self.table is not None
        m = self.table.n_rows
        check_rows(table.n_rows + m)
        known = np.zeros(m) if self.known is None else self.known
        watched = table.n_rows + np.flatnonzero(self.weight > 0.0)
        return (
            replace(table, X=_stacked(table, self.table)),
            np.concatenate([y, self.targets]),
            np.concatenate([weight, self.weight]),
            np.concatenate([offset, known]),
            replace(parts, stop=watched, given=True),
        )


@contextmanager
def naming_validation_rows() -> Iterator[None]:
    """Return a context in which what refuses rows says that they are the validation rows."""
    try:
        yield
    except (TypeError, ValueError) as e:
        raise type(e)(f"in the validation rows (X_val, y_val): {e}") from e


def _stacked(first: Table, second: Table) -> Any:
    """Return the rows of two tables one below the other, sparse where the first are."""
    if sp.issparse(first.X):
        blocks: list[Any] = [first.X, sp.csr_array(second.X)]
        return sp.vstack(blocks, format="csr")
    return np.concatenate([first.X, dense(second).X])
