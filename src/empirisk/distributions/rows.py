"""Rows as fits read them: one block after the other, as plain numbers with weights above 0."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data import BlockList
from empirisk.data.masked import refuse_masked
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.data.row_checks import check_features, check_rows, where
from empirisk.data.sums import weighted_sum
from empirisk.data.table import read_dense
from empirisk.distributions.base import Distribution, check_held, numbers
from empirisk.distributions.one_pass import added, column_of, tallied
from empirisk.typing import Array

__all__ = ["Rows", "read_rows"]


@dataclass(frozen=True)
class Rows:
    """The rows of a fit: all that a family may ask is a sum over blocks of numbers and weights.

    Parameters
    ----------
    blocks : RowBlocks
        Where they are.
    law : Distribution
        The law that reads them: it says of how many numbers a row is made, and refuses what it cannot take.
    origin : float or array, default 0.0
        What is subtracted from each row as it is read.
    """

    blocks: RowBlocks
    law: Distribution
    origin: Any = 0.0

    def map_sum(
        self,
        f: Callable[[Array, Array], Any],
        quick: Callable[[Array, Array | None, float], Any] | None = None,
    ) -> Any:
        """Return the sum of ``f(rows, weights)`` over the blocks; rows of weight 0 are absent.

        f adds up functions of single rows: of counts it is asked about the different ones, with the weight
        that each has.  ``quick(column, weights, origin)`` returns the same of a whole block, or None where it
        cannot vouch for the rows; weights that are all 1 are None.
        """

        def of_block(block: Block) -> Any:
            try:
                found = self._in_one_pass(block, f, quick)
                if found is not None:
                    return found
                check_rows(block, where(0, block) if block.start else "")
                check_features(block, where(0, block) if block.start else "")
            except ValueError as error:
                raise _named(error) from None
            rows = numbers(block.design.X, self.law.dimension)
            weight = np.asarray(block.weight, dtype=np.float64)
            present = weight > 0.0
            if not present.all():
                rows, weight = rows[present], weight[present]
            self.law.check(rows)
            with np.errstate(
                over="ignore", under="ignore"
            ):  # sums beyond floats are refused where they are used
                return f(rows - self.origin if np.any(self.origin) else rows, weight)

        return self.blocks.map_sum(of_block)

    def _in_one_pass(self, block: Block, f: Any, quick: Any) -> Any:
        """Return the sum over a block by a compiled pass, or None where rows are looked at one by one."""
        counts = self.law.discrete and not self.law.located
        if self.law.dimension or not (counts or quick) or (column := column_of(block)) is None:
            return None
        if quick is not None:
            return quick(*column, float(self.origin))
        pair = tallied(self.law, *column)
        if pair is None:
            return None
        with np.errstate(over="ignore", under="ignore"):
            return f(*pair)

    def gathered(self) -> tuple[Array, Array]:
        """Return all rows and their weights side by side, for estimates that are no sums of rows."""
        parts: list[tuple[Array, Array]] = self.map_sum(
            lambda rows, weight: [(rows, weight)], lambda *block: None
        )
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([weight for _, weight in parts])

    def centred(self) -> tuple[Rows, Any]:
        """Return the rows less their mean, and the mean: what is squared there has not lost its digits."""

        def quick(x: Array, weight: Array | None, origin: float) -> Any:
            found = added(self.law, x, weight, ("x",), origin)
            return found and (found[0], found[1][0])

        total, first = self.map_sum(lambda rows, weight: (weight.sum(), weighted_sum(weight, rows)), quick)
        check_held(first)
        mean = np.asarray(self.origin + first / total)
        return replace(self, origin=mean), mean

    @property
    def total(self) -> float:
        """The sum of the weights of all rows."""
        return self.blocks.total_weight


def _named(error: ValueError) -> ValueError:
    """Return an error in which what estimators call X is x, as fits call it."""
    return ValueError(re.sub(r"^X\b", "x", str(error)))


def weights_of(sample_weight: Any, n: int) -> Array:
    """Return the weights of n rows as floats, finite and not negative.

    Examples
    --------
    >>> weights_of([1.0, -1.0], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight holds -1 in row 1 (1 such row in all); weights must be finite and >= 0
    """
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must be numbers, one for each row") from None
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weight.shape} and x {n} rows; give one number for each row"
        )
    bad = np.flatnonzero(~((weight >= 0.0) & (weight < np.inf)))
    if len(bad):
        many = "1 such row" if len(bad) == 1 else f"{len(bad)} such rows"
        raise ValueError(
            f"sample_weight holds {weight[bad[0]]:g} in row {bad[0]} ({many} in all); weights must be finite "
            "and >= 0"
        )
    return weight


def read_rows(law: Distribution, x: Any, sample_weight: Any = None) -> Rows:
    """Return rows in blocks: row blocks are themselves, a memory map is cut into views, and the rest is read.

    Parameters
    ----------
    law : Distribution
        The law that is to read them.
    x : array, memory map, series, list or frame of shape (n,) or (n, d), or RowBlocks
        Numbers alone, all finite.
    sample_weight : array, shape (n,), optional
        How often each row counts, >= 0; all once when left out.

    Raises
    ------
    ValueError
        No rows; weights that are all 0, or of another number than the rows; row blocks with weights beside
        them.

    Examples
    --------
    >>> from empirisk.distributions.gaussian import Gaussian
    >>> read_rows(Gaussian(), [1, 2, 3]).total
    3.0
    """
    if hasattr(x, "map_sum"):
        if sample_weight is not None:
            raise ValueError(
                "row blocks carry their weights: leave sample_weight out, and put it in the blocks"
            )
        return present(Rows(x, law))
    refuse_masked("x", x)
    refuse_masked("sample_weight", sample_weight)
    if x is None or (isinstance(x, np.ndarray) and x.dtype.kind in "cUS"):
        numbers(x)  # refuses what is none
    if np.size(x) == 0:
        raise ValueError("x has no rows; a fit needs at least one")
    if np.ndim(x) > 2:
        raise ValueError(f"x has shape {np.shape(x)}; give rows of shape (n,) or (n, d)")
    floats = isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64) and x.ndim in (1, 2)
    try:
        rows = x if floats else read_dense(np.reshape(x, (-1, 1)) if np.ndim(x) < 2 else x)
    except ValueError as error:
        raise _named(error) from None
    rows = rows[:, None] if rows.ndim == 1 else rows
    if len(rows) == 0:
        raise ValueError("x has no rows; a fit needs at least one")
    weight = None if sample_weight is None else weights_of(sample_weight, len(rows))
    return present(Rows(BlockList.cut(rows, np.broadcast_to(np.zeros(()), len(rows)), weight), law))


def present(rows: Rows) -> Rows:
    """Return the rows, or refuse them where all weights are 0."""
    if not rows.total > 0.0:
        raise ValueError("all sample weights are 0, so that no row is left to fit to")
    return rows
