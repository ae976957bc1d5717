"""The questions of a tree in words: by the names of columns and categories."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.trees.structure import Trees
from empirisk.typing import IndexArray

__all__ = ["Wording", "path_to"]

MOST_LISTED = 6  # categories of one condition that are named one by one


@dataclass(frozen=True)
class Wording:
    """Names for a tree's columns and categories.

    Parameters
    ----------
    tree : Trees
        One tree.
    names : sequence of str
        Of the columns.
    categories : sequence of None or sequences
        Of each column its categories in the order of the codes; None for a number.
    gaps : collection of int
        Columns with missing values in training: their conditions say where these go.

    Examples
    --------
    >>> words = Wording(Trees.stump(0, 1.5, [[0.0], [1.0]], n_features=1), ["age"], [None])
    >>> words.condition(0, True), words.condition(0, False)
    ('age <= 1.5', 'age > 1.5')
    """

    tree: Trees
    names: Sequence[str]
    categories: Sequence[Sequence[Any] | None]
    gaps: Collection[int] = ()

    def condition(self, node: int, left: bool, missing: bool = True) -> str:
        """Return what sends a row to one side of an inner node.

        Parameters
        ----------
        node : int
        left : bool
            Which side.
        missing : bool, default True
            Whether to say that missing values go there, if they do.
        """
        tree = self.tree
        j = int(tree.feature[node])
        said = missing and j in self.gaps and bool(tree.missing_left[node]) == left
        if tree.category_start[node] >= 0:
            text = f"{self.names[j]} in {{{self.listed(j, self.members(node, left))}}}"
        elif np.isinf(tree.threshold[node]):
            return f"{self.names[j]} is not missing" if left else f"{self.names[j]} is missing"
        else:
            text = f"{self.names[j]} {'<=' if left else '>'} {number(tree.threshold[node])}"
        return f"{text} or missing" if said else text

    def members(self, node: int, left: bool) -> IndexArray:
        """Return the codes of the categories that go to one side."""
        c = int(self.tree.n_categories[self.tree.feature[node]])
        codes = np.arange(c)
        words = self.tree.category_words[self.tree.category_start[node] + codes // 32]
        inside = (words >> (codes % 32).astype(np.uint32)) & 1 == 1
        return np.flatnonzero(inside == left)

    def listed(self, column: int, codes: Sequence[int] | IndexArray) -> str:
        """Return the names of categories; the first few, and how many more."""
        levels = self.categories[column]
        shown = [str(levels[c]) if levels is not None else str(c) for c in codes[:MOST_LISTED]]
        rest = len(codes) - len(shown)
        return ", ".join(shown) + (f", and {rest} more" if rest else "")


def path_to(tree: Trees, parent: IndexArray, node: int) -> list[tuple[int, bool]]:
    """Return the inner nodes above a node, from the root, each with the side that is taken."""
    steps: list[tuple[int, bool]] = []
    while parent[node] >= 0:
        above = int(parent[node])
        steps.append((above, node == tree.left[above]))
        node = above
    return steps[::-1]


def number(x: float, digits: int = 6) -> str:
    """Return a number with so many significant digits, without an exponent where that is short."""
    return f"{x:.{digits}g}"
