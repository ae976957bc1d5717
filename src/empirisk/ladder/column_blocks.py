"""A ColumnTransformer as fixed features followed by an affine map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from empirisk.evaluation.intervals.base import Floats

__all__ = ["BlockAffine", "split_columns"]


@dataclass(frozen=True)
class BlockAffine:
    """Blocks of columns, each with the fitted affine step that acts on it (None: left alone)."""

    blocks: tuple[tuple[int, Any], ...]

    @property
    def names(self) -> str:
        """The names of the steps that were fitted to the rows."""
        return ", ".join(type(step).__name__ for _, step in self.blocks if step is not None)

    def transform(self, Z: Floats) -> Floats:
        """Return the affine map of every row of a dense matrix."""
        out, start = [], 0
        for width, step in self.blocks:
            part = Z[:, start : start + width]
            moved: Any = part if step is None else step.transform(part)
            out.append(np.asarray(moved.toarray() if hasattr(moved, "toarray") else moved, dtype=np.float64))
            start += width
        return np.hstack(out)


def split_columns(
    step: Any, X: Any, affine: Callable[[Any], bool], fixed: Callable[[Any], str]
) -> tuple[Any, BlockAffine] | str:
    """Return the columns before the affine parts, and those parts; or which part depends on the rows in
    another way.

    Parameters
    ----------
    step : fitted ColumnTransformer
    X : table
        What goes into it.
    affine, fixed : callable
        Whether a fitted part is affine, and why it is not fixed (empty when it is).
    """
    parts: list[Any] = []
    blocks: list[tuple[int, Any]] = []
    for _, part, columns in step.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        taken = _take(X, columns)
        acts = not isinstance(part, str) and affine(part)
        if not acts and not isinstance(part, str):
            why = fixed(part)
            if why:
                return why
            taken = part.transform(taken)
        block = taken.tocsr() if hasattr(taken, "tocsr") else np.asarray(taken, dtype=np.float64)
        if block.shape[1]:
            parts.append(block)
            blocks.append((int(block.shape[1]), part if acts else None))
    if not parts:
        return "the ColumnTransformer keeps no column"
    thin = any(hasattr(p, "tocsr") for p in parts)
    return (sparse.hstack(parts).tocsr() if thin else np.hstack(parts)), BlockAffine(tuple(blocks))


def _take(X: Any, columns: Any) -> Any:
    """Return the columns of a table that one part acts on, as a two-dimensional table."""
    wanted = [columns] if isinstance(columns, str | int | np.integer) else columns
    if not isinstance(wanted, slice) and all(isinstance(c, str) for c in wanted):
        return X[list(wanted)]
    return X.iloc[:, wanted] if hasattr(X, "iloc") else X[:, wanted]
