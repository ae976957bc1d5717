"""Information in bits: a copy-me file for a criterion of trees.

Copy to src/empirisk/trees/criteria/<name>.py, rename, change the formulas, and add one row to REGISTRY of
that folder.  tests/trees/ and tests/conformance/test_reach.py then test it: gains of grown trees against the
definition, losses of rows against the heterogeneity, and that every tree estimator takes it.

`loop` names the functor of the compiled loops.  A multiple of a criterion that has one (as here) says
`scale` and needs no C++.  Any other needs functors in cpp/trees/criteria.hpp (of two sums, and for shares of
the weights of K classes), a row in `kind_of` of cpp/bind/trees_exact.cpp with its kind wherever cpp/trees/
asks for a `SplitKind`, and a row in `grow_by_name` of cpp/bind/trees_forest.cpp; until then the loops refuse
it by name, and the tests say so.

Criteria of means start from ``MeanCriterion``; see squared_error.py there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import xlogy

from empirisk.trees.criteria.shares import ClassCriterion
from empirisk.typing import Array

__all__ = ["Information"]


@dataclass(frozen=True)
class Information(ClassCriterion):
    """``h = -sum_k p_k log2 p_k``: bits that a code for the classes of the rows needs.

    Parameters
    ----------
    n_classes : int, default 2
        K.

    References
    ----------
    Quinlan 1986, Induction of decision trees, Machine Learning 1.

    Examples
    --------
    >>> Information().heterogeneity(np.array([0, 0, 1, 1]), np.ones(4))
    1.0
    """

    name = "information"
    loop = "entropy"
    scale = 1.0 / math.log(2.0)
    unseen_is_infinite = True

    def score(self, sums: Array) -> Array:
        """``sum_k s_k log2(s_k / s)``, s_k the weight of class k: minus the weight times the
        heterogeneity.
        """
        total = sums.sum(axis=-1)
        nats = xlogy(sums, sums).sum(axis=-1) - xlogy(total, total)
        return np.asarray(nats / math.log(2.0))

    def row_loss(self, y: Array, value: Array) -> Array:
        """``-log2 p_y``: the loss of a row whose class has share p_y in its leaf."""
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log2(value[np.arange(len(y)), y.astype(np.intp)]))
