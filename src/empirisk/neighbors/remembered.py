"""A search whose last answers are kept: models that differ in their number of neighbours share it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.neighbors.index import Index
from empirisk.typing import Array, IndexArray

__all__ = ["Remembered"]

# Questions whose answers are kept: the rows of a fit and those that it is scored on.
QUESTIONS = 2
# Bytes of one answer at most; larger ones are searched again.
LIMIT = 5e8


@dataclass(frozen=True, eq=False, repr=False)
class Remembered(Index):
    """An index that looks for `most` neighbours at once and answers smaller questions about the same rows
    from memory.

    Parameters
    ----------
    X, metric, algorithm
        As in :class:`empirisk.neighbors.Index`.
    most : int
        The largest number of neighbours that is shared; larger questions are searched for themselves.

    Notes
    -----
    The nearest k rows are the first k of the nearest `most`: ties go by the number of the row.  A question is
    known by a digest of its rows, so that an array that was written into is a new question.  Answers are no
    part of a pickle.

    Examples
    --------
    >>> from empirisk.neighbors import metric_of
    >>> index = Remembered(np.array([[0.0], [1.0], [3.0]]), metric_of("euclidean"), most=2)
    >>> index.nearest(np.array([[0.9]]), 1)[1], index.nearest(np.array([[0.9]]), 2)[1]
    (array([[1]]), array([[1, 0]]))
    """

    most: int = 1
    _answers: dict[bytes, tuple[Array, IndexArray]] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_answers": {}}

    def nearest(self, Q: Any, k: int, left_out: IndexArray | None = None) -> tuple[Array, IndexArray]:
        """Return distances and numbers of the k nearest rows of each query, as the index without memory does.

        Parameters
        ----------
        Q, k, left_out
            As in :meth:`empirisk.neighbors.Index.nearest`.
        """
        most = min(self.most, self.n_rows - (left_out is not None))
        if k > most or 16.0 * most * Q.shape[0] > LIMIT:
            return super().nearest(Q, k, left_out)
        key = _digest(Q, left_out)
        if key not in self._answers:
            found = super().nearest(Q, most, left_out)
            while len(self._answers) >= QUESTIONS:
                self._answers.pop(next(iter(self._answers)))
            self._answers[key] = found
        distance, index = self._answers[key]
        return distance[:, :k].copy(), index[:, :k].copy()


def _digest(Q: Any, left_out: IndexArray | None) -> bytes:
    """Return a digest of the rows of a question."""
    parts: list[Any] = [getattr(Q, k) for k in ("data", "indices", "indptr")] if sp.issparse(Q) else [Q]
    parts += [] if left_out is None else [left_out]
    made = hashlib.blake2b(f"{Q.shape} {Q.dtype} {left_out is None}".encode(), digest_size=16)
    for part in parts:
        made.update(np.ascontiguousarray(part).data)
    return made.digest()
