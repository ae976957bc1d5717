"""The contract of codings: a row of numbers for each level of a factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from empirisk.typing import Array

__all__ = ["Coding"]


@dataclass(frozen=True)
class Coding:
    """How a factor of k levels becomes columns: level j contributes row j of a matrix C.

    The factor's part of the score of a row at level j is ``C[j] . w``, w the coefficients of its columns.

    Attributes
    ----------
    name : str
        Its key in ``er.codings.REGISTRY``.
    """

    name: ClassVar[str] = ""

    def contrasts(self, levels: Sequence[Any], frequency: Array) -> tuple[Array, list[str]]:
        """Return the matrix C of shape (k, c), and what stands in the brackets of the names of its columns.

        Parameters
        ----------
        levels : sequence of length k
            The levels of the training rows, in their order.
        frequency : array, shape (k,)
            The weight of the training rows at each level.

        Raises
        ------
        ValueError
            For a level that the coding names and the rows do not have.
        """
        raise NotImplementedError
