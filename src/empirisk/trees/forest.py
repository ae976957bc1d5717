"""Many trees at once on binned rows: each on its own bag of rows, with a draw of columns at each node.

Breiman, Machine Learning 45 (2001); Geurts, Ernst and Wehenkel, Machine Learning 63 (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.seeds import within
from empirisk.trees.bins import Binned
from empirisk.trees.criteria import REGISTRY
from empirisk.trees.criteria.choices import refuse_without_mean
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["Bag", "ForestGrowth", "GrownTrees", "grow_forest"]

MOST_DRAWS = 2**31 - 1
MOST_ROWS = 2**30  # a tree on more can have more nodes than 32 bits number


@dataclass(frozen=True, eq=False)
class Bag:
    """Which rows the trees see: `draws` of n rows with replacement, as probable as their weights, or all.

    The rows of a tree are a function of the seed and of the number of the tree alone.

    Parameters
    ----------
    n : int
        Rows.
    draws : int
        Rows drawn for each tree; 0: every tree sees every row once.
    weight : array of shape (n,), optional
        Positive; a row is drawn in proportion to it. None: all alike.
    balanced : bool, default False
        In each tree the draws of a class weigh ``m / (K m_c)`` each: m draws, K of the classes were drawn,
        and class c was so m_c times.  Needs draws, and classes.

    Examples
    --------
    >>> Bag(5, 5).counts(seed=0, trees=2).sum(axis=0)
    array([5, 5])
    """

    n: int
    draws: int
    weight: NDArray[np.float64] | None = None
    balanced: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_ROWS:
            raise ValueError(
                f"a forest takes 1 to 2^30 rows, so that 32 bits can number its nodes; got {self.n}: fit on "
                "a sample of the rows"
            )
        if not 0 <= self.draws <= MOST_DRAWS:
            raise ValueError(f"draws must lie in 0 .. 2^31 - 1, got {self.draws}")
        if self.balanced and not self.draws:
            raise ValueError("balanced weighs the classes by what was drawn: set draws")

    @cached_property
    def guide(self) -> tuple[NDArray[np.float64] | None, NDArray[np.int32] | None]:
        """Cumulative probabilities, and the first row that a number in [c/n, (c + 1)/n) can mean."""
        if self.weight is None or self.draws == 0 or np.ptp(self.weight) == 0.0:
            return None, None
        below = np.cumsum(self.weight, dtype=np.float64)
        below /= below[-1]
        guide = np.searchsorted(below, np.arange(self.n) / self.n, side="right")
        return below, np.minimum(guide, self.n - 1).astype(np.int32)

    def counts(self, seed: int, trees: int, first: int = 0) -> NDArray[np.int32]:
        """Return how often trees ``first, first + 1, ...`` drew each row, shape (n, trees)."""
        out = np.empty((self.n, trees), dtype=np.int32)
        below, guide = self.guide
        _loops.bag_counts(self.draws, below, guide, within(seed, 64), first, out)
        return out


@dataclass(frozen=True)
class ForestGrowth:
    """What stops the growth of a tree, and what its nodes look at.

    Rows are counted as they are drawn: a row that a bag holds twice counts as two.

    Parameters
    ----------
    criterion : str
        What a split makes smaller: the name of a criterion of sums.
    max_features : int or None, default None
        Columns that a node looks at, drawn anew at each node from those not constant there; None: all.
    max_depth, max_leaves : int or None, default None
        Edges below the root; leaves (the tree then grows best-first).
    min_rows_split, min_rows_leaf : int, default 2, 1
        Rows of a node that may be split, and of each child.
    min_weight_leaf, min_gain : float, default 0.0
        Least weight of each child, and least decrease of the total cost, both absolute.
    random_cuts : bool, default False
        One random cut of each column instead of the best one (extremely randomised trees).
    monotonic : array of -1, 0, 1, shape (p,), optional
        Columns in which the prediction must fall or rise.
    """

    criterion: str
    max_features: int | None = None
    max_depth: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_gain: float = 0.0
    random_cuts: bool = False
    monotonic: IndexArray | None = None


@dataclass(frozen=True, eq=False)
class GrownTrees:
    """Trees, and what they say about the rows that they did not see.

    Parameters
    ----------
    trees : Trees
        Leaves hold class shares or means.
    oob_sums : array of shape (groups, n, k)
        Sums of the values of the trees that did not see the row, by group of trees; zeros if every tree saw
        all rows.
    oob_trees : array of shape (groups, n)
        How many they are.
    groups : array of shape (groups,)
        Trees of each group.
    """

    trees: Trees
    oob_sums: NDArray[np.float64]
    oob_trees: NDArray[np.int32]
    groups: IndexArray


def grow_forest(
    binned: Binned,
    y: Array,
    growth: ForestGrowth,
    bag: Bag,
    *,
    n_classes: int = 0,
    parts: Sequence[int] | None = None,
    weight: Array | None = None,
    n_trees: int = 100,
    first: int = 0,
    seed: int = 0,
    groups: int = 1,
) -> GrownTrees:
    """Grow trees number ``first, ..., first + n_trees - 1`` of the forest of this seed.

    Parameters
    ----------
    binned : Binned
        Codes of the rows.
    y : array of shape (n,), or (n, D) with `parts`
        Numbers, or class codes 0 .. K - 1 as floats.
    growth : ForestGrowth
    bag : Bag
    n_classes : int, default 0
        K; 0 for numbers.
    parts : sequence of int, optional
        Several targets that share all splits, whose heterogeneity is the mean of theirs: how many columns of
        y each has, one for numbers, and as many as it has classes else, which are ones and zeros then.
        Leaves hold the means of the D columns, and behind those of numbers their D variances.
    weight : array of shape (n,), optional
        Positive factors in all sums. Bags that draw by weight need none.
    n_trees, first, seed : int
        Tree t is the same in every call that covers it, for any number of threads.
    groups : int, default 1
        Groups of trees whose out-of-bag sums are told apart: tree t belongs to group ``t mod groups``.

    Returns
    -------
    GrownTrees
        With out-of-bag sums if rows are drawn.

    Notes
    -----
    Splits lie at cuts of the bins: between the codes of two neighbouring rows of the node, at the middle
    one of the cuts. Ties: the column drawn first, then the lowest cut. Missing values are tried on both sides
    of every cut, and alone. Categories are sorted by their mean, which makes the best of all their subsets
    one of c - 1; with more than two classes by the share of each of the node's five largest classes in turn,
    a heuristic. Random cuts are uniform in value, categories are then dealt to the sides at random.
    Out-of-bag sums are integers in units of 2^-41 of the power of two above the largest value, so that their
    order does not matter, nor in how many calls the trees were grown (up to 10,000 trees).
    Absolute errors keep the rows in the order of their targets, and cost a factor O(log rows) more.
    Cost: O(rows x max_features) for each level of each tree, plus n p bytes for the codes.

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45 (2001). P. Geurts, D. Ernst, L. Wehenkel, "Extremely
    randomized trees", Machine Learning 63 (2006).

    Examples
    --------
    >>> from empirisk.trees.bins import Bins
    >>> X = np.arange(8.0)[:, None]
    >>> binned = Bins.fit(X).transform(X)
    >>> y = (X[:, 0] > 3).astype(float)
    >>> grown = grow_forest(binned, y, ForestGrowth("gini"), Bag(8, 0), n_classes=2, n_trees=1)
    >>> grown.trees.predict(X)[:, 1]
    array([0., 0., 0., 0., 1., 1., 1., 1.])
    """
    p = binned.shape[1]
    bins, criterion = binned.bins, REGISTRY[growth.criterion]
    if growth.monotonic is not None:
        refuse_without_mean(criterion, n_classes)
    below, guide = bag.guide
    largest = np.ones(n_classes) if n_classes else np.abs(y.reshape(len(y), -1)).max(axis=0, initial=0.0)
    largest = np.where(largest > 0.0, largest, 1.0)
    unit = 2.0 ** (np.frexp(largest)[1] - 41)  # powers of two: sums of several calls add up to the same bits
    wanted = growth.max_features
    arrays = _loops.grow_forest(
        np.ascontiguousarray(binned.columns),
        np.ascontiguousarray(bins.n_bins, dtype=np.int64),
        np.ascontiguousarray(bins.n_categories, dtype=np.int64),
        np.ascontiguousarray(bins.cut_start, dtype=np.int64),
        np.ascontiguousarray(bins.cut_values, dtype=np.float64),
        np.ascontiguousarray(bins.code_start, dtype=np.int64),
        np.ascontiguousarray(bins.code_values, dtype=np.uint8),
        np.ascontiguousarray(y, dtype=np.float64).reshape(-1),
        None if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
        n_classes,
        None if parts is None else np.cumsum([0, *parts], dtype=np.int64),
        criterion.loop,
        bag.draws,
        bag.balanced,
        below,
        guide,
        _or_any(growth.max_depth),
        _or_any(growth.max_leaves),
        growth.min_rows_split,
        growth.min_rows_leaf,
        growth.min_weight_leaf,
        growth.min_gain / criterion.scale,
        p if wanted is None else min(wanted, p),
        growth.random_cuts,
        None if growth.monotonic is None else np.ascontiguousarray(growth.monotonic, dtype=np.int8),
        unit if bag.draws else None,
        groups,
        within(seed, 64),
        first,
        n_trees,
    )
    sums, seen = arrays.pop("oob_sums"), arrays.pop("oob_trees")
    arrays["value"] = arrays["value"].reshape(len(arrays["feature"]), -1)
    if criterion.scale != 1.0:
        arrays["gain"], arrays["heterogeneity"] = (
            arrays[k] * criterion.scale for k in ("gain", "heterogeneity")
        )
    arrays["missing_left"] = arrays["missing_left"].view(np.bool_)
    arrays["start"] = arrays["start"].astype(np.int64)
    if arrays["category_start"] is None:  # no node asks for categories: one number stands for all of them
        arrays["category_start"] = np.broadcast_to(np.int64(-1), len(arrays["feature"]))
    trees = Trees(n_categories=bins.n_categories, **arrays)
    sizes = np.bincount(np.arange(first, first + n_trees) % groups, minlength=groups)
    return GrownTrees(trees, sums.reshape(groups, bag.n, -1), seen, sizes)


def _or_any(limit: int | None) -> int:
    return -1 if limit is None else limit
