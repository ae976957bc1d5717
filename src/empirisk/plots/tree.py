"""A decision tree, drawn from left to right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.plots.display import Display
from empirisk.plots.style import colour
from empirisk.trees.conditions import Wording
from empirisk.trees.leaf_rules import leaves_in_order
from empirisk.trees.prune import node_parents
from empirisk.wording import count, counted, plain, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TreeDisplay"]

# Inches: of a row of a leaf, of a character, beside an edge.
ROW, CHARACTER, MARGIN = 0.5, 0.074, 0.14
LONGEST = 34  # characters of a condition
SIZE = 9.0  # points
CLASSES = 4  # more are not told one by one


@dataclass(frozen=True)
class TreeDisplay(Display):
    """Boxes with predictions and class counts, questions on the edges; the path of one row is drawn strong.

    Parameters
    ----------
    words : Wording
        The tree, with names for its columns and categories.
    labels : sequence or None
        Of the classes; None for a regression.
    leaf : int or None
        Node in which the highlighted row ends.

    Examples
    --------
    >>> from empirisk.trees.structure import Trees
    >>> stump = Trees.stump(0, 1.5, [[0.0], [1.0]], n_features=1)
    >>> TreeDisplay(Wording(stump, ["age"], [None]), None, None).title
    'A tree of 2 leaves on 2 rows'
    """

    words: Wording
    labels: Any
    leaf: int | None = None

    @property
    def title(self) -> str:
        tree = self.words.tree
        leaves = int(tree.n_leaves[0])
        said = f"A tree of {leaves} {'leaves' if leaves > 1 else 'leaf'} on {count(int(tree.count[0]))} rows"
        if self.labels is None or len(self.labels) > CLASSES:
            return said
        return f"{said}; counts of {' / '.join(shorten(str(k), 16) for k in self.labels)}"

    @property
    def description(self) -> str:
        tree = self.words.tree
        size = f"{counted(int(tree.n_leaves[0]), 'leaf', 'leaves')}, depth {int(tree.depth[0])}"
        said = f"Tree diagram, root at the left, {size}."
        if tree.feature[0] >= 0:
            said += f" The first question is {self.words.condition(0, True)}."
        return said

    @property
    def height(self) -> float:
        return 0.9 + ROW * int(self.words.tree.n_leaves[0])

    def axes(self) -> Axes:
        """Return the Axes of a figure that is as wide as the tree is deep."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(max(4.0, self._width + 0.3), self.height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure.add_subplot()

    def draw(self, ax: Axes) -> None:
        tree, strong = self.words.tree, self._on_path
        box = self._box_width
        for node, (x, y) in enumerate(self._places):
            hue = colour("validation" if node in strong else "muted")
            width = 2.0 if node in strong else 0.8
            face = {
                "boxstyle": "round,pad=0.25",
                "facecolor": colour("paper"),
                "edgecolor": hue,
                "linewidth": width,
            }
            ax.text(
                x + box / 2,
                y,
                self._said(node),
                ha="center",
                va="center",
                fontsize=SIZE,
                color=colour("ink"),
                fontweight="bold" if tree.feature[node] < 0 else "normal",
                bbox=face,
                zorder=3,
            )
            if tree.feature[node] < 0:
                continue
            for side in (0, 1):
                self._edge(ax, node, int(tree.left[node]) + side)
        ax.set_xlim(-0.1, self._width)
        ax.set_ylim(ROW * (int(tree.n_leaves[0]) - 1) + 0.35, -0.35)
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.set_xlabel("questions on the lines, from the root to the leaves", fontsize=SIZE)

    def _edge(self, ax: Axes, node: int, child: int) -> None:
        """Draw a right angle from a box to its child, with the condition above it."""
        (x0, y0), (x1, y1) = self._places[node], self._places[child]
        strong = child in self._on_path
        hue = colour("validation" if strong else "muted")
        bend = x0 + self._box_width + MARGIN
        line: Any = {"color": hue, "linewidth": 2.0 if strong else 0.8, "zorder": 2 if strong else 1}
        half = 0.5 * self._box_width  # hidden by the boxes
        ax.plot([x0 + half, bend, bend, x1 + half], [y0, y0, y1, y1], **line)
        ax.text(bend + 0.05, y1 - 0.05, self._condition(child), fontsize=SIZE, va="bottom", color=hue)

    # -- layout, in inches ----------------------------------------------------------------------------

    @cached_property
    def _parent(self) -> Any:
        return node_parents(self.words.tree)

    @cached_property
    def _on_path(self) -> frozenset[int]:
        found, node = set(), -1 if self.leaf is None else self.leaf
        while node >= 0:
            found.add(node)
            node = int(self._parent[node])
        return frozenset(found)

    @cached_property
    def _places(self) -> list[tuple[float, float]]:
        """Left end and height of each box."""
        tree, depth = self.words.tree, self.words.tree.node_depth
        y = np.zeros(len(tree.feature))
        for row, leaf in enumerate(leaves_in_order(tree)):
            y[leaf] = ROW * row
        for node in np.argsort(-depth, kind="stable"):
            if tree.feature[node] >= 0:
                y[node] = 0.5 * (y[tree.left[node]] + y[tree.left[node] + 1])
        return [(float(self._levels[d]), float(at)) for d, at in zip(depth, y, strict=True)]

    @cached_property
    def _levels(self) -> list[float]:
        """Left end of the boxes of each depth: the conditions of the level stand before them."""
        depth, at = self.words.tree.node_depth, [0.0]
        for level in range(1, int(depth.max()) + 1):
            longest = max(len(self._condition(int(node))) for node in np.flatnonzero(depth == level))
            at.append(at[-1] + self._box_width + 2.0 * MARGIN + CHARACTER * longest)
        return at

    @cached_property
    def _box_width(self) -> float:
        lines = [
            line for node in range(len(self.words.tree.feature)) for line in self._said(node).split("\n")
        ]
        return 0.15 + CHARACTER * max(map(len, lines))

    @property
    def _width(self) -> float:
        return self._levels[-1] + self._box_width + 0.15

    def _condition(self, child: int) -> str:
        above = int(self._parent[child])
        return shorten(self.words.condition(above, child == self.words.tree.left[above]), LONGEST)

    def _said(self, node: int) -> str:
        tree = self.words.tree
        value, weight = tree.value[node], float(tree.weight[node])
        if self.labels is None:
            return f"{plain(float(value[0]), 4)}\nn = {count(int(tree.count[node]))}"
        label = shorten(str(self.labels[int(value.argmax())]), 20)
        if len(self.labels) > CLASSES:
            return f"{label}\n{plain(weight * value.max(), 4)} of {plain(weight, 4)}"
        return f"{label}\n{' / '.join(plain(round(weight * p, 6), 4) for p in value)}"
