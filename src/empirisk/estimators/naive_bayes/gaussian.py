"""Gaussian naive Bayes: within a class every column is Gaussian, and the columns are independent."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.estimators.checks import check_number
from empirisk.estimators.discriminant.class_moments import ClassMoments
from empirisk.estimators.documented import documented
from empirisk.estimators.naive_bayes.base import NaiveBayes
from empirisk.estimators.naive_bayes.multinomial import MultinomialNB
from empirisk.estimators.scales import TINY, too_small
from empirisk.estimators.undecided import UndecidedError
from empirisk.typing import Array

__all__ = ["GaussianNB"]

EPS = float(np.finfo(float).eps)


@documented(MultinomialNB)
class GaussianNB(NaiveBayes):
    """Columns are Gaussian and independent within a class.

    ``log P(k | x) = log pi_k - sum_j ((x_j - m_kj)^2 / v_kj + log v_kj) / 2 + c(x)``

    with the means m of the classes and ``v_kj = sum_{i in k} s_i (x_ij - m_kj)^2 / (S_k - 1)``, the unbiased
    variances.

    Parameters
    ----------
    var_smoothing : float, default 1e-9
        Share of the variance of a column over all rows that is added to its variance in each class, >= 0.
        With 0 a column that does not vary in a class is refused by name.
    priors
        As in :class:`MultinomialNB`.

    Attributes
    ----------
    classes_, priors_
        As in :class:`MultinomialNB`.
    theta_, var_ : arrays, shape (K, p)
        Means and variances, smoothing included.
    certificate_ : Certificate
        A closed form; variances that rest on smoothing alone are named.

    Raises
    ------
    ValueError
        For a class with one row; a variance of 0 without smoothing, by class and column.

    Notes
    -----
    O(n p), one pass, the same bits from a memory map as in memory.  Weights are repetitions.  scikit-learn
    divides by S_k where this divides by S_k - 1, and adds a share of the *largest* variance of all columns,
    which depends on their units.  A column that is constant over all rows is left out.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> model = er.GaussianNB().fit([[1.0], [2.0], [3.0], [7.0], [9.0]], ["a", "a", "a", "b", "b"])
    >>> model.predict([[2.5], [8.0]]), model.var_.round(6).ravel()
    (array(['a', 'b'], dtype='<U1'), array([1., 2.]))
    """

    theta_: Array
    var_: Array

    def __init__(self, var_smoothing: float = 1e-9, *, priors: Any = None) -> None:
        self._set(locals())

    def _check_parameters(self) -> None:
        check_number("var_smoothing", self.var_smoothing, 0.0)

    def _sums(self, block: Block) -> ClassMoments:
        return ClassMoments.of(block, len(self.classes_), "diagonal")

    def _stored(self, sums: ClassMoments) -> tuple[Array, Array, Array]:
        return sums.weight, sums.mean, sums.scatter

    def _restored(self, kept: Any) -> ClassMoments:
        return ClassMoments("diagonal", *kept)

    def _conclude(self, sums: ClassMoments, rows: Any = None) -> str:
        self._set_priors(sums.weight)
        live, total = sums.live, float(sums.weight.sum())
        for k in map(int, np.flatnonzero(live & ~(sums.weight > 1.0 + 1e-9))):
            raise UndecidedError(
                f"{self._class(k)} has rows of weight {sums.weight[k]:g} (n_samples of a class must be at "
                "least 2 for a variance); add rows, and let sample_weight count rows"
            )
        center = sums.weight @ sums.mean / total
        between = sums.weight @ (sums.mean - center) ** 2
        whole = (sums.scatter.sum(axis=0) + between) / total
        if not np.isfinite(whole).all():
            j = int(np.flatnonzero(~np.isfinite(whole))[0])
            raise ValueError(f"{self._column(j)} of X holds numbers whose squares overflow; rescale it")
        size = np.abs(sums.mean).max(axis=0)
        for j in np.flatnonzero(too_small(whole, size))[:1]:
            raise ValueError(
                f"{self._column(j)} of X holds numbers whose squares are rounded to 0; rescale it"
            )
        rounding = np.maximum((8.0 * EPS * size) ** 2, TINY)
        constant = whole <= rounding
        variance = np.ones_like(sums.mean)
        variance[live] = sums.scatter[live] / (sums.weight[live, None] - 1.0)
        zero = (variance <= rounding) & live[:, None] & ~constant
        if self.var_smoothing == 0.0 and zero.any():
            k, j = np.argwhere(zero)[0]
            raise UndecidedError(
                f"{self._column(j)} does not vary in {self._class(k)}, and var_smoothing is 0: its density "
                "would be infinite; drop the column, or give var_smoothing > 0"
            )
        variance = variance + self.var_smoothing * whole
        variance[:, constant] = 1.0
        self.theta_, self.var_ = sums.mean, variance
        return f"in closed form: means and unbiased variances of the classes{self._named(zero, constant)}"

    def _named(self, zero: Array, constant: Array) -> str:
        """Return what the claim says of variances that are 0."""
        said = ""
        if zero.any():
            k, j = np.argwhere(zero)[0]
            said += (
                f"; {int(zero.sum())} of them would be 0 without smoothing, the first that of "
                f"{self._column(j)} in {self._class(k)}"
            )
        if constant.any():
            said += f"; {self._column(int(np.flatnonzero(constant)[0]))} is constant and says nothing"
            said += f" ({int(constant.sum())} such)" if constant.sum() > 1 else ""
        return said

    def _joint(self, X: Any) -> Array:
        out = np.empty((len(X), len(self.classes_)))
        level = self._log_priors() - 0.5 * np.log(self.var_).sum(axis=1)
        for k in range(len(self.classes_)):
            Z = X - self.theta_[k]
            out[:, k] = level[k] - 0.5 * ((Z * Z) / self.var_[k]).sum(axis=1)
        return out

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        X = X.astype(np.float64)
        mean, var = np.zeros_like(self.theta_), np.ones_like(self.var_)
        center = np.average(X, axis=0, weights=weight)
        whole = np.average((X - center) ** 2, axis=0, weights=weight)
        for k in np.unique(codes[weight > 0.0]):
            rows, s = X[codes == k], weight[codes == k]
            mean[k] = np.average(rows, axis=0, weights=s)
            var[k] = (s[:, None] * (rows - mean[k]) ** 2).sum(axis=0) / (s.sum() - 1.0)
        var = var + self.var_smoothing * whole
        var[:, np.ptp(X[weight > 0.0], axis=0) == 0.0] = 1.0
        return {"theta_": mean, "var_": var}
