"""Linear discriminant analysis.

Fisher, Annals of Eugenics 7 (1936); Rao, Journal of the Royal Statistical Society B 10 (1948); Hastie,
Tibshirani and Friedman, Elements of Statistical Learning (2009), section 4.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.linalg as sla
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import Block
from empirisk.estimators.checks import check_count
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
from empirisk.results import Certificate, Kind, unconfirmed
from empirisk.typing import Array

__all__ = ["LinearDiscriminantAnalysis"]


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BayesRule):
    """Classes are Gaussian with means of their own and one covariance: boundaries are linear.

    ``log P(k | x) = log pi_k - (x - m_k)' C^-1 (x - m_k) / 2 + c(x)``

    with the means of the classes ``m_k`` and the pooled covariance
    ``C = sum_k sum_{i in k} s_i (x_i - m_k)(x_i - m_k)' / (S - K)``, which is unbiased.

    Parameters
    ----------
    shrinkage : float, "ledoit_wolf", "oas" or None, default None
        The share d of ``(1 - d) C + d mu I``, mu the mean variance: between 0 and 1, or estimated.  It is in
        the units of the columns: bring them to one scale before.
    priors : mapping or array, shape (K,), optional
        Chances of the classes, by label or in sorted order of the labels; the shares of the weights by
        default.
    n_components : int, optional
        Axes that :meth:`transform` returns; all, at most ``min(K - 1, p)``, by default.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    priors_ : array, shape (K,)
        Chances of the classes.
    means_ : array, shape (K, p)
        Means of the classes.
    covariance_ : array, shape (p, p)
        The pooled covariance, shrunk where that was asked for.
    shrinkage_ : float
        The share d; 0 without shrinkage.
    coef_, intercept_ : arrays, shapes (K, p) and (K,)
        Of the scores; of two classes one row, the second class against the first.
    xbar_ : array, shape (p,)
        The mean of the means by the priors.
    scalings_ : array, shape (p, r)
        Axes along which the classes differ most, scaled to variance 1 within the classes.
    explained_variance_ratio_ : array, shape (r,)
        Share of each axis in the variance between the classes.
    certificate_ : Certificate
        A closed form; the matrix that was inverted, and its condition number.

    Raises
    ------
    ValueError
        For a singular covariance, with the columns at fault; for no more rows than classes.

    Notes
    -----
    O(n p^2 + p^3), one pass over the rows ("ledoit_wolf" takes a second one), the same bits from a memory map
    as in memory.  Weights are repetitions: their sum counts rows.  Variances have the divisor S - K, where
    scikit-learn has S.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 2.0], [4.0, 2.0], [5.0, 4.0], [3.0, 3.0]])
    >>> model = er.LinearDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[1.0, 0.0], [4.0, 4.0]]), model.transform(X).shape
    (array(['a', 'b'], dtype='<U1'), (6, 1))
    """

    means_: Array
    covariance_: Array
    coef_: Array
    intercept_: Array
    _elsewhere: ClassVar[Mapping[str, str]] = {
        "solver": "there is one, by Cholesky's factor of the pooled covariance",
        "store_covariance": "covariance_ is always there",
        "tol": "singular covariances are refused",
    }

    def __init__(self, shrinkage: Any = None, *, priors: Any = None, n_components: int | None = None) -> None:
        self._set(locals())

    def _check_parameters(self) -> None:
        check_shrinkage(self.shrinkage)
        if self.n_components is not None:
            check_count("n_components", self.n_components, 1)

    def _sums(self, block: Block) -> ClassMoments:
        p = block.design.shape[1]
        refuse_memory(f"the covariance of {p:,} columns", 40.0 * p * p, "take fewer columns")
        return ClassMoments.of(block, len(self.classes_), "pooled")

    def _conclude(self, sums: ClassMoments, rows: Any = None) -> str:
        weight = sums.weight
        self._set_priors(weight)
        live = sums.live
        freedom = float(weight.sum()) - int(live.sum())
        if not freedom > 1e-9 * float(weight.sum()):
            raise ValueError(
                f"rows of weight {weight.sum():g} in {int(live.sum())} classes leave no degree of freedom "
                "for a covariance (n_samples must exceed the number of classes); add rows, and let "
                "sample_weight count rows"
            )
        C, self.shrinkage_ = sums.scatter / freedom, 0.0
        if self.shrinkage is not None:
            self.shrinkage_ = self._share(sums, C, freedom, rows)
            C = shrunk(C, self.shrinkage_)
        size = np.abs(sums.mean).max(axis=0)
        factor = Factor.of(C, "the pooled covariance of the classes", freedom, size, self._column)
        self.means_, self.covariance_ = sums.mean, C
        self._set_scores(factor, live)
        self._set_axes(factor, live)
        shrink = f", shrunk by {self.shrinkage_:.3g}," if self.shrinkage is not None else ""
        return (
            f"in closed form; the pooled covariance of {int(live.sum())} classes{shrink} was inverted by "
            f"Cholesky's factor, and its correlations have the condition number {factor.condition:.3g}"
        )

    def _share(self, sums: ClassMoments, C: Array, freedom: float, rows: Any) -> float:
        """Return the share of shrinkage: given, or estimated."""
        if self.shrinkage == "oas":
            return oas(C, freedom)
        if self.shrinkage == "ledoit_wolf":
            fourth = float(fourth_moments(rows, sums).sum())
            return ledoit_wolf(sums.scatter, float(sums.weight.sum()), fourth)
        return float(self.shrinkage)

    def _set_scores(self, factor: Factor, live: Array) -> None:
        """Set the linear scores of the classes; a class without rows has -inf everywhere."""
        self.xbar_ = self.priors_ @ self.means_
        Z = factor.whiten(np.where(live[:, None], self.means_ - self.xbar_, 0.0))
        coef = factor.unwhiten(Z)
        level = self._log_priors() - 0.5 * (Z * Z).sum(axis=1) - coef @ self.xbar_
        if len(self.classes_) == 2:
            coef, level = coef[1:] - coef[:1], level[1:] - level[:1]
        self.coef_, self.intercept_ = coef, level

    def _set_axes(self, factor: Factor, live: Array) -> None:
        """Set the axes: the singular vectors of the whitened means, from the largest share on."""
        root = np.sqrt(self.priors_)[:, None]
        between = root * factor.whiten(np.where(live[:, None], self.means_ - self.xbar_, 0.0))
        _, size, axes = sla.svd(between, full_matrices=False)
        most = max(1, min(int(live.sum()) - 1, factor.scale.size))
        wanted = most if self.n_components is None else int(self.n_components)
        if wanted > most:
            raise ValueError(
                f"n_components = {wanted} exceeds min(classes - 1, columns) = {most}: ask for fewer axes"
            )
        axes = axes[:most] * np.where(axes[:most].sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
        share = size**2 / max(float((size**2).sum()), np.finfo(float).tiny)
        self.scalings_ = factor.unwhiten(axes).T[:, :wanted]
        self.explained_variance_ratio_ = share[:wanted]
        self._n_features_out = wanted

    def _joint(self, X: Any) -> Array:
        score = X @ self.coef_.T + self.intercept_
        return np.column_stack([np.zeros(len(X)), score[:, 0]]) if len(self.classes_) == 2 else score

    def transform(self, X: Any) -> Array:
        """Return the rows along the axes of the largest differences between classes, shape (m, r).

        Parameters
        ----------
        X : array or data frame, shape (m, p)
        """
        X = self._checked(X)
        return np.asarray((X - self.xbar_) @ self.scalings_)

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        X = X.astype(np.float64)
        live = np.unique(codes[weight > 0.0])
        means = np.zeros((len(self.classes_), X.shape[1]))
        means[live] = [np.average(X[codes == k], axis=0, weights=weight[codes == k]) for k in live]
        Z = X - means[codes]
        C = (Z.T * weight) @ Z / (weight.sum() - len(live))
        C = shrunk(C, self.shrinkage_) if self.shrinkage is not None else C
        D = np.where(np.isin(np.arange(len(means)), live)[:, None], means - self.priors_ @ means, 0.0)
        coef = np.linalg.solve(C, D.T).T
        level = self._log_priors() - 0.5 * (coef * D).sum(axis=1) - coef @ (self.priors_ @ means)
        if len(means) == 2:
            coef, level = coef[1:] - coef[:1], level[1:] - level[:1]
        found = {"means_": means, "covariance_": C, "coef_": coef, "xbar_": self.priors_ @ means}
        return {**found, "intercept_": level} if np.isfinite(level).all() else found

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate where the rows say so, and the axes are those of the covariances."""
        again = super()._verify(X, y, sample_weight)
        return again if again.kind is Kind.NONE else self._other_axes() or again

    def _other_axes(self) -> Certificate | None:
        """Return why the axes are not those along which the means differ most, or None where they are.

        Axes of one eigenvalue may be turned, so that they are asked for what they do: variance 1 within the
        classes, no covariance between them, and the largest variances of the means.
        """
        C, S = self.covariance_, self.scalings_
        D = np.sqrt(self.priors_)[:, None] * (self.means_ - self.xbar_)
        between = (D @ S).T @ (D @ S)
        inner = np.linalg.solve(C, D.T)
        largest = np.linalg.eigvalsh(D @ inner)[::-1][: S.shape[1]]
        size = max(float(largest[0]), 1e-9)  # means that are equal differ along no axis
        far = max(
            float(np.abs(S.T @ C @ S - np.eye(S.shape[1])).max()),
            float(np.abs(between - np.diag(largest)).max()) / size,
        )
        if not far <= 1e-6:
            return unconfirmed(f"scalings_ are not the leading axes of these rows: they are off by {far:.2g}")
        return None
