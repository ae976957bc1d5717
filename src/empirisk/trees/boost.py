"""Rounds of gradient boosting on binned columns.

Friedman, Annals of Statistics 29 (2001); Chen and Guestrin, KDD (2016), for the second-order model.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.progress import teller
from empirisk.data.weight_unit import WeightUnit
from empirisk.losses import Loss
from empirisk.trees.bins import Binned
from empirisk.trees.boosted import Boosted, Round, Validation
from empirisk.trees.gradients import Gradients
from empirisk.trees.growth import Growth
from empirisk.trees.newton_step import longest_step
from empirisk.trees.structure import Trees
from empirisk.trees.whole_moments import WholeMoments
from empirisk.typing import Array

__all__ = ["Boosted", "Round", "Validation", "boost"]

# A round that raises the training loss is multiplied by these, one after the other: in all by 2^-1, 2^-3,
# 2^-7, 2^-15, 0.
SHORTER = (0.5, 0.25, 2.0**-4, 2.0**-8, 0.0)
TIE = 1e-13  # relative; a smaller rise is rounding


def boost(
    binned: Binned,
    y: Array,
    weight: Array | None,
    loss: Loss,
    *,
    rounds: int = 100,
    learning_rate: float = 0.1,
    growth: Growth | None = None,
    subsample: float = 1.0,
    seed: int = 0,
    first_round: int = 0,
    scores: Array | None = None,
    validation: Validation | None = None,
    on_round: Callable[[Round], bool | None] | None = None,
) -> Boosted:
    """Functional gradient descent with trees, of second order where the loss has a curvature.

    Round t fits a tree to ``g = w l'(y, z)`` and ``h = w l''(y, z)`` by the gain ``a^2/(b + l2)``, with
    ``a = -sum g``, ``b = sum h``, and adds ``learning_rate * a/(b + l2)`` to the scores z of each leaf.
    Losses of y - z with a kink or flat ends (absolute, quantile, Huber, ...) have h = 1 for the tree and as
    leaf value the minimiser of the leaf's loss.
    A vector loss has one tree for each output and round.

    No round raises the training loss (of all rows, beyond rounding), whatever the weights and targets: a
    leaf's step is cut where its curvature no longer vouches for it (:func:`longest_step`), and where that is
    no proof (several scores a row, rows drawn, monotonic constraints, other losses) a round that raises the
    loss is shortened until it does not, if need be to nothing.  The scale of the weights changes nothing but
    for `l2` and `min_gain`, which are on the scale of a sum.

    Parameters
    ----------
    binned : Binned
        The training rows, n x p.
    y : array, shape (n,) or (n, 2)
        Targets, as the loss wants them: labels -1/+1, class codes 0 .. k-1, numbers, or (target, offset).
    weight : array, shape (n,), or None
        Row weights >= 0.
    loss : Loss
        Of `empirisk.losses`, scalar or vector.
    rounds : int, default 100
        Rounds at most.
    learning_rate : float, default 0.1
        Factor of the leaf values.
    growth : Growth, optional
        Limits of the trees.
    subsample : float in (0, 1], default 1.0
        Share of the rows that each round learns from, each drawn by itself.
    seed : int, default 0
        Of rows and columns drawn; round t draws by (seed, t), so that going on equals one longer run.
    first_round : int, default 0
        Number of rounds that `scores` already holds.
    scores : array, shape (n, k), optional
        Scores to go on from; default the best constant (`loss.best_constant`).
    validation : Validation, optional
        Rows to watch.
    on_round : callable, optional
        Called after each round; a true answer stops.

    Returns
    -------
    Boosted

    Raises
    ------
    ValueError
        The best constant is infinite (one class alone, no event at all), the loss overflows at the first
        scores, shapes differ.

    Notes
    -----
    Splits are chosen by sums of whole numbers (derivatives of 24 bits), which are exact in any order: the
    same bits for any number of threads.  Values of leaves are sums in double, in a fixed order.
    A tree costs 0.7 to 0.9 ns a column and row of the nodes that are summed (the root and the smaller of each
    pair of children: two to three times n), which is one load and one store of 16 bytes for each.
    Memory is 2 p bytes a row for the codes, 40 for one output, and 4 KB p for the histogram of each waiting
    leaf (512 MB at most).

    References
    ----------
    Friedman 2001, Annals of Statistics 29; Chen & Guestrin 2016.

    Examples
    --------
    >>> from empirisk.losses import HalfSquared
    >>> from empirisk.trees.bins import Bins
    >>> X = np.repeat([0.0, 1.0, 2.0], 30)[:, None]
    >>> binned = Bins.fit(X).transform(X)
    >>> found = boost(binned, X[:, 0] ** 2, None, HalfSquared(), rounds=1, learning_rate=1.0)
    >>> (found.initial + found.trees[0].predict(np.array([[0.2], [1.2], [7.0]]))[:, 0]).round(6)
    array([0., 1., 4.])
    """
    if not 0.0 < subsample <= 1.0:
        raise ValueError(f"subsample must lie in (0, 1], got {subsample!r}")
    if not (learning_rate > 0.0 and np.isfinite(learning_rate)):
        raise ValueError(f"learning_rate must be a finite number > 0, got {learning_rate!r}")
    run = _Run(
        binned, y, weight, loss, growth or Growth(), learning_rate, subsample, seed, scores, validation
    )
    tell = teller(None)
    for number in range(first_round + 1, first_round + rounds + 1):
        run.add_round(number)
        tell(number - first_round, rounds)
        if on_round is not None and on_round(run.seen(number)):
            break
    return run.result()


class _Run:
    """The state between rounds: scores (k, n), the grower with its trees, losses so far."""

    def __init__(
        self,
        binned: Binned,
        y: Array,
        weight: Array | None,
        loss: Loss,
        growth: Growth,
        rate: float,
        subsample: float,
        seed: int,
        scores: Array | None,
        validation: Validation | None,
    ) -> None:
        n, p = binned.shape
        if len(y) != n or (weight is not None and len(weight) != n):
            raise ValueError(f"y and weight must have one entry for each of the {n} rows")
        growth.check_columns(p)
        self.loss, self.growth, self.rate, self.subsample, self.seed = loss, growth, rate, subsample, seed
        if weight is not None and not np.any(weight):
            raise ValueError("no row has a positive weight: a fit needs at least one")
        self.unit = unit = WeightUnit.of(weight)
        weight = unit.multiple
        self.present = None if weight is None or np.all(weight) else np.flatnonzero(weight).astype(np.int32)
        self.total = float(n if weight is None else weight.sum())
        self.initial = _initial(loss, y, weight, self.present) if scores is None else None
        self.z = _start(self.initial, scores, n)
        self.k, self.n, self.p = len(self.z), n, p
        self.gradients = Gradients(loss, y, weight, self.k, weigh_sizes=not unit.whole)
        self.whole = WholeMoments.of(n if self.present is None else len(self.present), weight)
        self.grower = _grower(binned, growth, self.k, unit.unit)
        self.binned, self.watched = binned, validation
        self.longest, self.falls = _step(self)
        self.sizes = self._begin()
        self.validation_loss: list[float] = []
        if validation is not None:
            self.z_watched = _start(self.initial, validation.scores, validation.binned.shape[0])
            self.validation_loss.append(self._watch())

    def add_round(self, number: int) -> None:
        scales = self.whole.scales(*self.sizes)
        before = (
            None if self.falls else (self.z.copy(), None if self.watched is None else self.z_watched.copy())
        )
        rng = np.random.default_rng((self.seed, number))
        rows, others = self._rows(rng)
        drawn = [(self._tried(rng), int(rng.integers(2**63))) for _ in range(self.k)]
        if self.k > 1 and not self.gradients.refits:
            self._grow_outputs(scales, rows, others, drawn)
        else:
            for c, (tried, seed) in enumerate(drawn):
                self._grow_one(c, scales, rows, others, tried, seed)
        self._descend(before)
        if self.watched is not None:
            self.validation_loss.append(self._watch())

    def _tried(self, rng: np.random.Generator) -> list[int]:
        """Return the columns that a tree may ask, rising."""
        few = self.growth.tree_features
        if few is None or few >= self.p:
            return list(range(self.p))
        return [int(j) for j in np.sort(rng.permutation(self.p)[:few])]

    def _grow_outputs(
        self, scales: tuple[float, float], rows: Any, others: Any, drawn: list[tuple[list[int], int]]
    ) -> None:
        """Grow the trees of all outputs, whole trees side by side where there are threads for them."""
        slopes, whole, watched = self.gradients, self.whole, self.watched
        self.grower.grow_outputs(
            slopes.g, slopes.h, slopes.weight, *scales, whole.whole, whole.shift, rows,
            [tried for tried, _ in drawn], [seed for _, seed in drawn],
            self.rate, self.longest, self.unit.mean, self.z, others,
            None if watched is None else watched.binned.rows, None if watched is None else self.z_watched,
        )  # fmt: skip

    def _grow_one(
        self, c: int, scales: tuple[float, float], rows: Any, others: Any, tried: list[int], seed: int
    ) -> None:
        """Grow the tree of output c, with the values of its leaves by exact minimisation where that is
        asked for.
        """
        slopes, whole = self.gradients, self.whole
        self.grower.grow(
            slopes.g[c], slopes.h[c], slopes.weight, *scales, whole.whole, whole.shift, rows, tried, seed,
            self.rate, self.longest, self.unit.mean,
        )  # fmt: skip
        if slopes.refits:
            self._refit(c)
        self.grower.add_to_rows(self.z[c])
        if others is not None:
            self.grower.add_to(self.binned.rows, others, self.z[c])
        if self.watched is not None:
            self.grower.add_to(self.watched.binned.rows, None, self.z_watched[c])
        self.grower.store(c)

    def _begin(self) -> tuple[float, float]:
        """Return the derivatives and loss at the first scores."""
        total, *sizes = self.gradients.at(self.z)
        if not np.isfinite([total, *sizes]).all():
            raise ValueError(
                f"the loss {self.loss.name!r} overflows at the scores to begin with: scale the targets"
            )
        self.train_loss = [total / self.total]
        return sizes[0], sizes[1]

    def _descend(self, before: tuple[Array, Array | None] | None) -> None:
        """Derivatives at the new scores; the round is shortened as long as it raises the training loss.

        `before` holds the scores without the round, None where a round cannot raise it.
        """
        total, *sizes = self.gradients.at(self.z)
        if before is not None:
            bar = self.train_loss[-1] + TIE * abs(self.train_loss[-1])
            for factor in SHORTER:
                if np.isfinite([total, *sizes]).all() and total / self.total <= bar:
                    break
                self.grower.shorten(factor)
                self.z[:] = before[0]
                if before[1] is not None:
                    self.z_watched[:] = before[1]
                for c in range(self.k):
                    self.grower.add_last(c, self.binned.rows, self.z[c])
                    if self.watched is not None:
                        self.grower.add_last(c, self.watched.binned.rows, self.z_watched[c])
                total, *sizes = self.gradients.at(self.z)
        self.sizes = sizes[0], sizes[1]
        self.train_loss.append(total / self.total)

    def _rows(self, rng: np.random.Generator) -> tuple[NDArray[np.int32] | None, NDArray[np.int32] | None]:
        """Return the rows to learn from and rows besides them; None: all, none."""
        if self.subsample == 1.0 and self.present is None:
            return None, None
        chosen = np.zeros(self.n, dtype=bool)
        among = slice(None) if self.present is None else self.present
        chosen[among] = rng.random(self.n, dtype=np.float32)[among] < self.subsample
        if not chosen.any():
            chosen[among] = True
        return np.flatnonzero(chosen).astype(np.int32), np.flatnonzero(~chosen).astype(np.int32)

    def _refit(self, c: int) -> None:
        """Values of the leaves by exact minimisation of their loss."""
        rows, start = self.grower.leaf_rows()
        values = [self.gradients.leaf_value(rows[a:b], self.z[c]) for a, b in pairwise(start)]
        self.grower.set_values(self.rate * np.array(values))

    def _watch(self) -> float:
        assert self.watched is not None
        self.watched_losses = self.loss.value(self.watched.y, self._as_loss(self.z_watched))
        return float(np.average(self.watched_losses, weights=self.watched.weight))

    def _as_loss(self, z: Array) -> Array:
        return z.T if self.loss.vector else z[0]

    def seen(self, number: int) -> Round:
        watched = self.watched is not None
        return Round(
            number,
            self.train_loss[-1],
            self.z.T,
            self.z_watched.T if watched else None,
            self.watched_losses if watched else None,
        )

    def result(self) -> Boosted:
        initial = np.zeros(self.k) if self.initial is None else self.initial
        trees = tuple(_trees(self.grower.take_trees(c), self.binned, self.unit.unit) for c in range(self.k))
        watched = np.array(self.validation_loss) if self.watched is not None else None
        return Boosted(initial, trees, np.array(self.train_loss), watched, self.z.T)


def _initial(loss: Loss, y: Array, weight: Array | None, present: NDArray[np.int32] | None) -> Array:
    """Return the best constant scores, shape (k,)."""
    s = np.ones(len(y)) if weight is None else weight
    if present is not None:
        y, s = y[present], s[present]
    found = np.atleast_1d(np.asarray(loss.best_constant(y, s), dtype=np.float64))
    if not np.isfinite(found).all():
        raise ValueError(
            f"the best constant score under the loss {loss.name!r} is infinite: the targets hold one class "
            "alone, or no event at all; give rows of the other kind"
        )
    return found


def _start(initial: Array | None, scores: Array | None, n: int) -> Array:
    """Return the scores before the first round, shape (k, n), in C order and our own."""
    if scores is not None:
        return np.array(np.asarray(scores, dtype=np.float64).reshape(n, -1).T, order="C")
    if initial is None:
        raise ValueError("scores of the training rows ask for scores of the validation rows too")
    return np.repeat(initial[:, None], n, axis=1)


def _step(run: _Run) -> tuple[float, bool]:
    """Return the longest step of a leaf (+inf: any), and whether no round can then raise the training
    loss.

    That is so where each leaf is moved by itself, on all its rows, by an exact minimiser of its convex loss
    or by a Newton step within :func:`longest_step`.
    """
    alone = run.k == 1 and run.subsample == 1.0 and run.growth.monotonic is None
    if run.gradients.refits:
        return np.inf, alone and run.rate <= 1.0
    longest = longest_step(run.loss.concordance, run.rate)
    return longest or np.inf, alone and longest > 0.0


def _grower(binned: Binned, growth: Growth, k: int, unit: float) -> _loops.BoostGrower:
    bins = binned.bins

    def limit(value: int | None) -> int:
        return -1 if value is None else int(value)

    return _loops.BoostGrower(
        binned.rows,
        binned.columns,
        bins.n_bins,
        bins.n_categories,
        bins.cut_start,
        bins.cut_values,
        bins.code_start,
        bins.code_values,
        k,
        limit(growth.max_leaves),
        limit(growth.max_depth),
        int(growth.min_rows_leaf),
        limit(growth.max_features),
        growth.l2 / unit,
        growth.min_gain / unit,
        growth.category_smoothing,
        [] if growth.monotonic is None else [int(s) for s in growth.monotonic],
        []
        if growth.interactions is None
        else [sorted(int(j) for j in group) for group in growth.interactions],
    )


def _trees(arrays: dict[str, Any], binned: Binned, unit: float) -> Trees:
    arrays["weight"], arrays["gain"] = unit * arrays["weight"], unit * arrays["gain"]
    arrays["value"] = arrays["value"].reshape(-1, 1)
    arrays["missing_left"] = arrays["missing_left"].view(bool)
    return Trees(n_categories=binned.bins.n_categories, **arrays)
