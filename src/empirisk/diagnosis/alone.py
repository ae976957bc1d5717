"""What one column alone can predict, out of fold: means or shares by level or tree leaf, or a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from empirisk.diagnosis.paired import FACTOR
from empirisk.typing import Array

__all__ = ["Alone", "dominance_p", "one_sided_p", "squared_or_log_loss"]

KEEPS = 0.95  # share of the model's skill that one column must keep to count as dominating
_MOST_LEVELS = 200  # the most frequent levels have a cell of their own
_MOST_ROWS = 20_000  # to choose cuts from
_MIN_LEAF = 5  # rows of a cell
_WEAK = 100.0  # a penalty that only separable columns feel
_SMALLEST = 1e-6  # probability, so that no log-loss is infinite


@dataclass(frozen=True, eq=False)
class Alone:
    """Rows, folds and target on which columns are tried one by one.

    Parameters
    ----------
    target : array, shape (n,)
        Class codes or numbers.
    units : int array, shape (n,)
        Rows with one number belong together.
    folds : int array, shape (n,)
        Fold in which each row is predicted.
    n_classes : int
        0 for numbers.
    loss : callable, optional
        Row losses of predicted numbers (n,) or shares (n, C), all rows; squared error or log loss otherwise.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x, folds = rng.normal(size=(2, 200)), np.arange(200) % 5
    >>> alone = Alone(x[0] + 0.1 * rng.normal(size=200), np.arange(200), folds, 0)
    >>> [bool(alone.losses(v).mean() < 0.1 * alone.baseline().mean()) for v in x]
    [True, False]
    """

    target: Array
    units: NDArray[Any]
    folds: NDArray[Any]
    n_classes: int
    loss: Callable[[Array], Array] | None = None

    def row_losses(self, predicted: Array) -> Array:
        """Return the losses of predictions of all rows."""
        if self.loss is not None:
            return self.loss(predicted)
        return squared_or_log_loss(self.target, predicted)

    def baseline(self) -> Array:
        """Return the losses of the mean, or of the class shares."""
        return self.row_losses(self._by_cells(lambda inside: np.zeros(len(self.target), dtype=np.int64)))

    def losses(self, values: Array) -> Array:
        """Return the losses of a column: floats (NaN where missing) are numbers, anything else is levels
        (None missing).

        Levels predict their mean or shares; numbers are cut by a small tree (at most sqrt(n) and 32 leaves of
        five rows) or take a straight line (of the mean, or of the log-odds) where that does better.
        """
        if values.dtype.kind != "f":
            codes = _merge_rare(_codes(values))
            return self.row_losses(self._by_cells(lambda inside: codes))
        if np.isnan(values).all():
            return self.baseline()
        x = _ranked(values.reshape(-1, 1))

        def leaves(inside: NDArray[Any]) -> NDArray[Any]:
            most = int(min(32, max(2, np.sqrt(inside.sum()))))
            kind = DecisionTreeClassifier if self.n_classes else DecisionTreeRegressor
            tree = kind(max_leaf_nodes=most, min_samples_leaf=_MIN_LEAF, random_state=0)
            learn = _spread(np.flatnonzero(inside))
            return np.asarray(tree.fit(x[learn], self.target[learn]).apply(x))

        by_tree = self.row_losses(self._by_cells(leaves))
        by_line = self.row_losses(self._by_odds(values) if self.n_classes else self._by_line(values))
        return by_line if by_line.mean() < by_tree.mean() else by_tree

    def standard_error(self, values: Array) -> float:
        """Return the standard error of a mean over rows that come in units, times 1.25."""
        sums = np.bincount(self.units, weights=values - values.mean())
        m = len(sums)
        return FACTOR * float(np.sqrt(m / max(1, m - 1) * (sums**2).sum())) / len(values)

    def _by_cells(self, cells: Callable[[NDArray[Any]], NDArray[Any]]) -> Array:
        """Return the predictions by cell, shrunk by one row towards the overall; `cells` gets the mask to
        learn from.
        """
        n = len(self.target)
        out = np.empty((n, self.n_classes) if self.n_classes else n)
        for fold in np.unique(self.folds):
            inside, outside = self.folds != fold, self.folds == fold
            out[outside] = self._of_cells(cells(inside), inside)[outside]
        return out

    def _of_cells(self, cell: NDArray[Any], inside: NDArray[Any]) -> Array:
        k = int(cell.max()) + 1
        count = np.bincount(cell[inside], minlength=k).astype(np.float64)
        if self.n_classes == 0:
            y = self.target.astype(np.float64)
            total = np.bincount(cell[inside], y[inside], minlength=k)
            return np.asarray(((total + y[inside].mean()) / (count + 1.0))[cell])
        codes = cell[inside] * self.n_classes + self.target[inside]
        counts = np.bincount(codes, minlength=k * self.n_classes).reshape(k, self.n_classes)
        overall = (counts.sum(axis=0) + 1.0 / self.n_classes) / (count.sum() + 1.0)
        return np.asarray(((counts + overall) / (count[:, None] + 1.0))[cell])

    def _by_odds(self, x: Array) -> Array:
        """Return the log-odds that are linear in the column; the shares of the rows without a value for
        those.
        """
        known = ~np.isnan(x)
        z = np.zeros((len(x), 1))
        z[known, 0] = x[known] - x[known].mean()
        size = float(np.abs(z).max())
        z /= (
            size * float(np.sqrt(np.mean((z / size) ** 2))) if size > 0.0 else 1.0
        )  # huge values would overflow
        out = self._by_cells(lambda inside: known.astype(np.int64))
        for fold in np.unique(self.folds):
            learn, outside = (self.folds != fold) & known, (self.folds == fold) & known
            classes = np.unique(self.target[learn])
            if len(classes) < 2 or not outside.any():
                continue
            rows = _spread(np.flatnonzero(learn))
            line = LogisticRegression(C=_WEAK).fit(z[rows], self.target[rows])
            shares = np.full((int(outside.sum()), self.n_classes), _SMALLEST)
            shares[:, line.classes_] = np.maximum(line.predict_proba(z[outside]), _SMALLEST)
            out[outside] = shares / shares.sum(axis=1, keepdims=True)
        return out

    def _by_line(self, x: Array) -> Array:
        """Return a least-squares line; the mean of the rows without a value for those."""
        y, known = self.target.astype(np.float64), ~np.isnan(x)
        out = np.empty(len(y))
        for fold in np.unique(self.folds):
            inside, outside = self.folds != fold, self.folds == fold
            learn, gaps = inside & known, inside & ~known
            predicted = np.full(len(y), y[gaps].mean() if gaps.any() else y[inside].mean())
            center = x[learn].mean() if learn.any() else 0.0
            spread = float(((x[learn] - center) ** 2).sum())
            slope = float(((x[learn] - center) * y[learn]).sum()) / spread if spread > 0.0 else 0.0
            predicted[known] = (y[learn].mean() if learn.any() else 0.0) + slope * (x[known] - center)
            out[outside] = predicted[outside]
        return out


def _spread(rows: NDArray[Any]) -> NDArray[Any]:
    """Return at most 20,000 of the rows, evenly spread: where to cut one column is known well enough from
    these.
    """
    return rows[:: -(-rows.size // _MOST_ROWS)] if rows.size else rows


def squared_or_log_loss(target: Array, predicted: Array) -> Array:
    """Return the squared error of numbers, or the log loss of shares (n, C)."""
    if predicted.ndim == 1:
        return np.asarray((target - predicted) ** 2)
    return np.asarray(-np.log(predicted[np.arange(len(target)), target]))


def dominance_p(
    alone: Array, full: Array, baseline: Array, error: Callable[[Array], float], units: int
) -> float:
    """p-value of "this column keeps at most 95 % of what all columns explain", for one column.

    Row i counts ``c_i = l_j(i) - l(i) - 0.05 (l_0(i) - l(i))``, with the out-of-fold losses of the column
    alone, of the model, and of the baseline; the column dominates when the mean is below 0 (one-sided
    t-test).

    Parameters
    ----------
    alone, full, baseline : arrays, shape (n,)
        Losses on the same rows.
    error : callable
        Standard error of the mean of a row quantity.
    units : int
        Rows, or groups of rows, for the degrees of freedom.
    """
    c = alone - full - (1.0 - KEEPS) * (baseline - full)
    return one_sided_p(float(c.mean()), error(c), units)


def one_sided_p(mean: float, error: float, n: int) -> float:
    """Return the p-value of "the mean is at least 0" against "it is below"."""
    return float(special.stdtr(n - 1, mean / error)) if error > 0.0 else float(mean >= 0.0)


def _codes(values: NDArray[Any]) -> NDArray[Any]:
    """Return levels as numbers from 1 in sorted order; 0 where missing."""
    text = np.array(["" if v is None or v != v else f"={v}" for v in values.tolist()])
    levels, codes = np.unique(text, return_inverse=True)
    return np.asarray(codes if bool(levels[0] == "") else codes + 1)


def _ranked(x: Array) -> Array:
    """Return the ranks instead of values: trees see the order only, and float32 would merge close values."""
    known = ~np.isnan(x)
    out = np.full(x.shape, np.nan, dtype=np.float32)
    out[known] = np.unique(x[known], return_inverse=True)[1]
    return out


def _merge_rare(codes: NDArray[Any]) -> NDArray[Any]:
    counts = np.bincount(codes)
    if len(counts) <= _MOST_LEVELS:
        return codes
    keep = np.zeros(len(counts), dtype=bool)
    keep[np.argsort(-counts)[:_MOST_LEVELS]] = True
    return np.where(keep[codes], codes, 0)
