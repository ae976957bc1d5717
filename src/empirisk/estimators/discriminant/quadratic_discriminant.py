"""Quadratic discriminant analysis.

Smith, Annals of Eugenics 13 (1947); Hastie, Tibshirani and Friedman, Elements of Statistical Learning (2009),
section 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import Block
from empirisk.estimators.discriminant.base import BayesRule
from empirisk.estimators.discriminant.class_moments import ClassMoments
from empirisk.estimators.discriminant.covariance import (
    Factor,
    check_shrinkage,
    fourth_moments,
    ledoit_wolf,
    oas,
    shrunk,
)
from empirisk.estimators.discriminant.linear_discriminant import LinearDiscriminantAnalysis
from empirisk.estimators.documented import documented
from empirisk.typing import Array

__all__ = ["QuadraticDiscriminantAnalysis"]


@documented(LinearDiscriminantAnalysis)
class QuadraticDiscriminantAnalysis(BayesRule):
    """Classes are Gaussian, each with a mean and a covariance of its own: boundaries are quadratic.

    ``log P(k | x) = log pi_k - (x - m_k)' C_k^-1 (x - m_k) / 2 - log det(C_k) / 2 + c(x)``

    with ``C_k = sum_{i in k} s_i (x_i - m_k)(x_i - m_k)' / (S_k - 1)``, which is unbiased.

    Parameters
    ----------
    shrinkage : float, "ledoit_wolf", "oas" or None, default None
        The share d of ``(1 - d) C_k + d mu_k I``, mu_k the mean variance of the class: between 0 and 1, or
        estimated for each class.  It is in the units of the columns: bring them to one scale before.
    priors
        As in :class:`LinearDiscriminantAnalysis`.

    Attributes
    ----------
    classes_, priors_
        As in :class:`LinearDiscriminantAnalysis`.
    means_ : array, shape (K, p)
        Means of the classes.
    covariance_ : array, shape (K, p, p)
        Covariances of the classes, shrunk where that was asked for.
    shrinkage_ : array, shape (K,)
        The share d of each class; 0 without shrinkage.
    conditions_ : array, shape (K,)
        Condition numbers of the correlations of the classes.
    certificate_ : Certificate
        A closed form; the matrices that were inverted, and the largest condition number.

    Raises
    ------
    ValueError
        For a class with a singular covariance, by name, with the columns at fault.

    Notes
    -----
    O(n p^2 + K p^3), one pass over the rows ("ledoit_wolf" takes a second one), the same bits from a memory
    map as in memory.  Weights are repetitions: their sum in a class counts its rows.  A class needs more rows
    than columns unless its covariance is shrunk.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[-1.0], [0.0], [1.0], [-6.0], [0.0], [6.0]])
    >>> model = er.QuadraticDiscriminantAnalysis().fit(X, ["narrow"] * 3 + ["wide"] * 3)
    >>> model.predict([[0.5], [4.0]])
    array(['narrow', 'wide'], dtype='<U6')
    """

    means_: Array
    covariance_: Array
    _elsewhere: ClassVar[Mapping[str, str]] = {
        "reg_param": "give shrinkage, which mixes with the mean variance of the class",
        "store_covariance": "covariance_ is always there",
        "tol": "singular covariances are refused",
    }

    def __init__(self, shrinkage: Any = None, *, priors: Any = None) -> None:
        self._set(locals())

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)

    def _sums(self, block: Block) -> ClassMoments:
        p, K = block.design.shape[1], len(self.classes_)
        refuse_memory(f"the covariances of {K} classes with {p:,} columns", 40.0 * K * p * p, "take fewer")
        return ClassMoments.of(block, K, "each")

    def _conclude(self, sums: ClassMoments, rows: Any = None) -> str:
        self._set_priors(sums.weight)
        K, p = sums.mean.shape
        fourth = fourth_moments(rows, sums) if self.shrinkage == "ledoit_wolf" else np.zeros(K)
        self.means_, self.covariance_ = sums.mean, np.zeros((K, p, p))
        self.shrinkage_, self.conditions_ = np.zeros(K), np.ones(K)
        self._scales, self._lower = np.ones((K, p)), np.tile(np.eye(p), (K, 1, 1))
        for k in np.flatnonzero(sums.live):
            factor = self._factor(int(k), sums, float(fourth[k]))
            self._scales[k], self._lower[k], self.conditions_[k] = (
                factor.scale,
                factor.lower,
                factor.condition,
            )
        worst = int(self.conditions_.argmax())
        return (
            f"in closed form; the covariances of {int(sums.live.sum())} classes were inverted by Cholesky's "
            "factors, and the largest condition number of their correlations is "
            f"{self.conditions_[worst]:.3g}, in {self._class(worst)}"
        )

    def _factor(self, k: int, sums: ClassMoments, fourth: float) -> Factor:
        """Set the covariance of class k, and return its factor."""
        weight, scatter = float(sums.weight[k]), sums.scatter[k]
        freedom = weight - 1.0
        if not freedom > 1e-9:
            raise ValueError(
                f"{self._class(k)} has rows of weight {weight:g} (n_samples of a class must be at least 2 "
                "for a covariance); add rows, let sample_weight count rows, or take "
                "LinearDiscriminantAnalysis"
            )
        C = scatter / freedom
        if self.shrinkage is not None:
            if self.shrinkage == "oas":
                share = oas(C, freedom)
            elif self.shrinkage == "ledoit_wolf":
                share = ledoit_wolf(scatter, weight, fourth)
            else:
                share = float(self.shrinkage)
            C, self.shrinkage_[k] = shrunk(C, share), share
        self.covariance_[k] = C
        size = np.abs(sums.mean[k])
        return Factor.of(C, f"the covariance of {self._class(k)}", freedom, size, self._column)

    def _joint(self, X: Any) -> Array:
        out = np.empty((len(X), len(self.classes_)))
        log_priors = self._log_priors()
        for k in range(len(self.classes_)):
            factor = Factor(self._scales[k], self._lower[k], float(self.conditions_[k]))
            Z = factor.whiten(X - self.means_[k])
            out[:, k] = log_priors[k] - 0.5 * ((Z * Z).sum(axis=1) + factor.log_determinant)
        return out

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        X = X.astype(np.float64)
        means, C = np.zeros_like(self.means_), np.zeros_like(self.covariance_)
        for k in np.unique(codes[weight > 0.0]):
            rows, s = X[codes == k], weight[codes == k]
            means[k] = np.average(rows, axis=0, weights=s)
            Z = rows - means[k]
            C[k] = (Z.T * s) @ Z / (s.sum() - 1.0)
            C[k] = shrunk(C[k], float(self.shrinkage_[k])) if self.shrinkage is not None else C[k]
        live = np.bincount(codes, weight, len(C)) > 0.0
        scales, lower = np.ones_like(means), np.tile(np.eye(len(means[0])), (len(C), 1, 1))
        for k in np.flatnonzero(live):  # of the stated covariance, whose last digits the small pivots magnify
            scales[k] = np.sqrt(np.diagonal(self.covariance_[k]))
            R = self.covariance_[k] / scales[k][:, None] / scales[k]
            try:
                lower[k] = np.linalg.cholesky(0.5 * (R + R.T))
            except np.linalg.LinAlgError:  # a covariance that was changed, which differs from C
                lower[k] = np.nan
        return {"means_": means, "covariance_": C, "_scales": scales, "_lower": lower}
