"""The region that holds most rows: a half-space of a kernel's space, as far from the origin as can be.

Scholkopf, Platt, Shawe-Taylor, Smola and Williamson, Neural Computation 13 (2001).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import OutlierMixin

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_count, check_number, check_weights
from empirisk.estimators.documented import documented
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.estimators.kernel.svc import ELSEWHERE, SVC
from empirisk.estimators.stated import disputed
from empirisk.problems.one_class import OneClassProblem
from empirisk.results import Certificate
from empirisk.solvers.one_class import solve_one_class
from empirisk.typing import Array

__all__ = ["OneClassSVM"]


@documented(SVC)
class OneClassSVM(OutlierMixin, KernelEstimator):
    """The region of a kernel that holds most rows: what is outside is unlike them.

    ``min_{f,r} ||f||^2 / 2 - r + (1/(nu S)) sum_i s_i max(0, r - f(x_i))``

    over the functions f of the kernel's space and numbers r; its dual is ``max -a'K a / 2`` with
    ``0 <= a_i <= s_i / (nu S)`` and ``sum_i a_i = 1``, and ``f(x) = sum_i a_i k(x_i, x)``.  A row is inside
    where ``f(x) >= r``.  Less than the share nu of the weight of the training rows is outside, and at least
    that share lies on the support vectors.  The scores of scikit-learn's and LIBSVM's one-class machine at
    the same nu are nu S times these.

    Parameters
    ----------
    nu : float, default 0.5
        In (0, 1].
    kernel : str or Kernel, default "gaussian"
        As in :class:`SVC`.
    cache_size : float, default 500
        As in :class:`SVC`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Most looks at the certificate.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its numbers.
    support_ : array of int
        Rows whose weight is not 0.
    dual_coef_ : array, shape (1, number of support vectors)
        Their weights a.
    offset_ : float
        r.
    intercept_ : array, shape (1,)
        ``-r``.
    certificate_ : Certificate
        Duality gap, relative to what is gained over ``f = 0``.
    solution_ : Solution
        Status, looks.

    Raises
    ------
    ValueError
        For nu out of range, and a kernel that is not positive semi-definite on the rows.

    Notes
    -----
    Between O(n^2) and O(n^3) values of the kernel, of which those in the cache are computed once; rows of it
    are read in float32, and the certificate is computed in float64.  With a kernel of distances the region is
    where a sum of bumps on the support vectors is high; with a linear kernel it is a half-space.

    References
    ----------
    Scholkopf, Platt, Shawe-Taylor, Smola & Williamson 2001.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0]])
    >>> er.OneClassSVM(nu=0.3).fit(X).predict([[0.15], [5.0]])
    array([ 1, -1])
    """

    offset_: float

    _elsewhere = {k: ELSEWHERE[k] for k in ("gamma", "degree", "coef0")}  # noqa: RUF012

    def __init__(
        self,
        nu: float = 0.5,
        *,
        kernel: Any = "gaussian",
        cache_size: float = 500.0,
        tol: float = 1e-6,
        max_iter: int = 10_000,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the region.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows; with a precomputed kernel its matrix on the training rows, (n, n).
        y : None
            Ignored.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.

        Returns
        -------
        self
        """
        with as_before(self):
            problem = self._region(X, sample_weight, fitting=True)
            megabytes = check_number("cache_size", self.cache_size, 0.0, closed=False)
            looks = check_count("max_iter", self.max_iter, 1)
            solution = solve_one_class(problem, 1e6 * megabytes, self._tolerance(), looks)
            a, self.offset_ = solution.w[:-1], float(solution.w[-1])
            self.support_ = np.flatnonzero(a)
            self.dual_coef_, self.intercept_ = a[None, self.support_], np.array([-self.offset_])
            self._keep_solution(problem.data, [solution])
        self._warn()
        return self

    def _region(self, X: Any, sample_weight: Any, fitting: bool) -> OneClassProblem:
        """Return the problem of the checked rows; learns ``kernel_`` when fitting."""
        nu = check_number("nu", self.nu, 0.0, 1.0, closed=False)
        with numbers_only(X):
            X = validated(
                self, canonical(X), reset=fitting, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False,
            )  # fmt: skip
        design = Design(X)
        squares = self._checked_squares(design)
        weight = check_weights(sample_weight, design.shape[0])
        if fitting:
            self._learn_kernel(design, squares, weight)
        return OneClassProblem(self.kernel_, nu, ArrayBlocks(design, np.ones(len(weight)), weight))

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Return the certificate, recomputed from the weights of the rows and the offset alone."""
        problem = self._region(X, sample_weight, fitting=False)
        if (other := self._other_rows(problem.data.design.X)) is not None:
            return other
        if (other := disputed(self, {"intercept_": np.array([-self.offset_])})) is not None:
            return other
        a = np.zeros(problem.n)
        a[self.support_] = self.dual_coef_[0]
        return problem.certify(a, None, self.offset_)

    def score_samples(self, X: Any) -> Array:
        """Return ``f(x)`` of each row, shape (m,).

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p)
            New rows.
        """
        X = self._rows(X)
        return np.asarray(self.kernel_.product(X, self._centres, self.dual_coef_[0]), dtype=X.dtype)

    def decision_function(self, X: Any) -> Array:
        """Return ``f(x) - r`` of each row, shape (m,): negative outside.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p)
            New rows.
        """
        return self._scores(X)[:, 0]

    def predict(self, X: Any) -> Any:
        """Return 1 for the rows inside and -1 for those outside, shape (m,).

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p)
            New rows.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)
