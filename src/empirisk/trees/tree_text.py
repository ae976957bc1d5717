"""A tree, and the path of one row through it, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.trees.conditions import Wording, number, path_to
from empirisk.trees.prune import node_parents
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Answers", "path_text", "tree_text"]


@dataclass(frozen=True)
class Answers:
    """How the answer of a node is written.

    Parameters
    ----------
    labels : sequence or None
        Of the classes; None for numbers.
    decimals : int, default 3
        Of shares; numbers have two more significant digits.
    weights : bool, default False
        Whether the weight of the node's rows is always told, of each class where there are classes.
    noun : str, default "mean"
        What a number is.
    """

    labels: Any = None
    decimals: int = 3
    weights: bool = False
    noun: str = "mean"

    def of(self, tree: Trees, node: int) -> str:
        """Return the rows and prediction of a node."""
        value, weight = tree.value[node], tree.weight[node]
        size = f"n = {int(tree.count[node])}"
        if self.weights or abs(weight - tree.count[node]) > 1e-9 * weight:
            size += f", weight {number(weight)}"
        if self.labels is None:
            return f"{size}, {self.noun} {number(value[0], self.decimals + 2)}"
        shares = " ".join(f"{p:.{self.decimals}f}" for p in value)
        told = f"{size}, {self.labels[int(value.argmax())]} ({shares})"
        return f"{told}, weights ({' '.join(number(w) for w in value * weight)})" if self.weights else told


def tree_text(words: Wording, answers: Answers | None = None, max_depth: int | None = None) -> str:
    """Return one line a node, indented by depth: its question, rows, prediction, and class shares.

    Parameters
    ----------
    words : Wording
        Names, and the tree.
    answers : Answers, optional
        How the answer of a node is written; by default as a mean.
    max_depth : int, optional
        Nodes below are left out; ``...`` stands for them.

    Examples
    --------
    >>> from empirisk.trees.structure import Trees
    >>> words = Wording(Trees.stump(0, 1.5, [[0.0], [1.0]], n_features=1), ["age"], [None])
    >>> print(tree_text(words))
    root: n = 2, mean 0.5
    |- age <= 1.5: n = 1, mean 0 *
    |- age > 1.5: n = 1, mean 1 *
    """
    tree, answers = words.tree, answers or Answers()
    lines, stack = [], [(0, 0, "root")]
    while stack:
        node, depth, said = stack.pop()
        leaf = tree.feature[node] < 0
        cut = not leaf and max_depth is not None and depth >= max_depth
        more = " *" if leaf else " ..." if cut else ""
        indent = "|  " * (depth - 1) + "|- " if depth else ""
        lines.append(f"{indent}{said}: {answers.of(tree, node)}{more}")
        if not leaf and not cut:
            left = int(tree.left[node])
            stack.append((left + 1, depth + 1, words.condition(node, False)))
            stack.append((left, depth + 1, words.condition(node, True)))
    return "\n".join(lines)


def path_text(words: Wording, row: Array, answers: Answers | None = None) -> str:
    """Return the questions that one encoded row answers, from the root to its leaf, and how the prediction
    moves.

    Parameters
    ----------
    words : Wording
    row : array, shape (p,)
        As the tree reads it: codes for categories, NaN where missing.
    answers : Answers, optional
        How the answer of a node is written; by default as a mean.
    """
    tree, answers = words.tree, answers or Answers()
    leaf = int(tree.apply(row[None, :])[0, 0])
    lines = [f"root: {answers.of(tree, 0)}"]
    for node, left in path_to(tree, node_parents(tree), leaf):
        j, child = int(tree.feature[node]), int(tree.left[node]) + (not left)
        so = words.condition(node, left, missing=bool(np.isnan(row[j])))
        if words.categories[j] is not None and row[j] >= tree.n_categories[j]:
            so = "the side of more training weight"
        said = answers.of(tree, child)
        lines.append(f"{words.names[j]} = {_value(words, j, row[j])}, so {so}: {said}")
    return "\n".join([*lines[:-1], lines[-1] + " *"])


def _value(words: Wording, column: int, x: float) -> str:
    levels = words.categories[column]
    if x != x:
        return "missing"
    if levels is None:
        return number(x)
    return str(levels[int(x)]) if x < len(levels) else "a category that training did not have"
