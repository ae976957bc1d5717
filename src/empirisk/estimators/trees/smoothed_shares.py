"""Additive smoothing of class shares, so that no class is called impossible because few rows were seen.

Lidstone, Transactions of the Faculty of Actuaries 8 (1920); with one row for each class it is the rule of
succession of Laplace, Essai philosophique sur les probabilités (1814).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.columns import Table
from empirisk.estimators.checks import check_number, is_number
from empirisk.estimators.trees.tree_base import TreeClassifier
from empirisk.typing import Array

__all__ = ["SmoothedShares"]


class SmoothedShares(TreeClassifier):
    """Base of the classifiers whose probabilities are shares of rows: ``(p + s/n) / (1 + s K/n)``.

    Here p is a share, s the parameter `smoothing`, K the number of classes and n the total weight of the
    training rows.  With s = 0 the shares are what they are, bit for bit.
    """

    smoothing: float
    _total_weight: float

    @property
    def probabilities_open(self) -> bool | None:
        """True where `smoothing` keeps every probability above 0; None leaves it to the kind of model."""
        return True if is_number(self.smoothing, 0.0, closed=False) else None

    def _grow(self, table: Table, targets: Array, weight: Array, **more: Any) -> None:
        self._note_weight(weight)
        super()._grow(table, targets, weight, **more)

    def _note_weight(self, weight: Array) -> None:
        """Note the total weight of the training rows, beside which `smoothing` stands."""
        check_number("smoothing", self.smoothing, 0.0)
        self._total_weight = float(weight.sum())

    def _smoothed(self, shares: Array) -> Array:
        """Return the shares, shape (n, K), or bounds of such shares, with `smoothing` rows of each class."""
        if self.smoothing == 0.0:
            return shares
        added = float(self.smoothing) / self._total_weight
        return np.asarray((shares + added) / (1.0 + added * shares.shape[1]))
