"""A tree, and the path of one row through it, as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.trees.conditions import Wording, number, path_to
from empirisk.trees.prune import node_parents
from empirisk.typing import Array

__all__ = ["path_text", "tree_text"]


def tree_text(words: Wording, labels: Any = None, max_depth: int | None = None, decimals: int = 3) -> str:
    """Return one line a node, indented by depth: its question, rows, prediction, and class shares.

    Parameters
    ----------
    words : Wording
        Names, and the tree.
    labels : sequence, optional
        Of the classes.
    max_depth : int, optional
        Nodes below are left out, and counted.
    decimals : int, default 3
        Of shares; means have two more significant digits.

    Examples
    --------
    >>> from empirisk.trees.structure import Trees
    >>> words = Wording(Trees.stump(0, 1.5, [[0.0], [1.0]], n_features=1), ["age"], [None])
    >>> print(tree_text(words))
    root: n = 2, mean 0.5
    |- age <= 1.5: n = 1, mean 0 *
    |- age > 1.5: n = 1, mean 1 *
    """
    tree = words.tree
    lines, stack = [], [(0, 0, "root")]
    while stack:
        node, depth, said = stack.pop()
        leaf = tree.feature[node] < 0
        cut = not leaf and max_depth is not None and depth >= max_depth
        more = " *" if leaf else " ..." if cut else ""
        indent = "|  " * (depth - 1) + "|- " if depth else ""
        lines.append(f"{indent}{said}: {summary(words, node, labels, decimals)}{more}")
        if not leaf and not cut:
            left = int(tree.left[node])
            stack.append((left + 1, depth + 1, words.condition(node, False)))
            stack.append((left, depth + 1, words.condition(node, True)))
    return "\n".join(lines)


def summary(words: Wording, node: int, labels: Any, decimals: int) -> str:
    """Return the rows and prediction of a node."""
    tree, value = words.tree, words.tree.value[node]
    size = f"n = {int(tree.count[node])}"
    if abs(tree.weight[node] - tree.count[node]) > 1e-9 * tree.weight[node]:
        size += f", weight {number(tree.weight[node])}"
    if labels is None:
        return f"{size}, mean {number(value[0], decimals + 2)}"
    shares = " ".join(f"{p:.{decimals}f}" for p in value)
    return f"{size}, {labels[int(value.argmax())]} ({shares})"


def path_text(words: Wording, row: Array, labels: Any = None, decimals: int = 3) -> str:
    """Return the questions that one encoded row answers, from the root to its leaf, and how the prediction
    moves.

    Parameters
    ----------
    words : Wording
    row : array, shape (p,)
        As the tree reads it: codes for categories, NaN where missing.
    labels : sequence, optional
        Of the classes.
    decimals : int, default 3
    """
    tree = words.tree
    leaf = int(tree.apply(row[None, :])[0, 0])
    lines = [f"root: {summary(words, 0, labels, decimals)}"]
    for node, left in path_to(tree, node_parents(tree), leaf):
        j, child = int(tree.feature[node]), int(tree.left[node]) + (not left)
        so = words.condition(node, left, missing=bool(np.isnan(row[j])))
        if words.categories[j] is not None and row[j] >= tree.n_categories[j]:
            so = "the side of more training weight"
        said = summary(words, child, labels, decimals)
        lines.append(f"{words.names[j]} = {_value(words, j, row[j])}, so {so}: {said}")
    return "\n".join([*lines[:-1], lines[-1] + " *"])


def _value(words: Wording, column: int, x: float) -> str:
    levels = words.categories[column]
    if x != x:
        return "missing"
    if levels is None:
        return number(x)
    return str(levels[int(x)]) if x < len(levels) else "a category that training did not have"
