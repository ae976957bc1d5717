"""Quantile regression over the functions of a kernel.

Takeuchi, Le, Sears and Smola, JMLR 7 (2006).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.kernel.kernel_regressor import KernelRegressor
from empirisk.estimators.kernel.svc import SVC
from empirisk.losses import Loss, Quantile
from empirisk.solvers.smo import SMO

__all__ = ["KernelQuantile"]


@documented(SVC)
class KernelQuantile(KernelRegressor):
    """The quantile of a target as a smooth function of the columns.

    ``min_{f,b} (1/S) sum_i s_i rho_q(y_i - f(x_i) - b) + alpha ||f||^2 / 2,  rho_q(r) = max(q r, (q - 1) r)``

    over the functions f of the kernel's space.  Because b is free, about a share q of the targets lies below.

    Parameters
    ----------
    q : float, default 0.5
        Level of the quantile, in (0, 1); 0.5 is the median.
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S.  ``"cv"`` chooses it with K folds by the loss.
    kernel : str or Kernel, default "gaussian"
        As in :class:`SVC`.
    cache_size, alphas
        As in :class:`SVC`.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 by default.
    rule, random_state, tol, max_iter
        As in :class:`SVC`.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its numbers.
    support_ : array of int
        Rows whose weight is not 0: all but those that are fitted exactly by luck.
    dual_coef_ : array, shape (1, number of support vectors)
        Their weights.
    intercept_ : float
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap.
    solution_, selection_
        As in :class:`SVC`.

    Notes
    -----
    Cost as :class:`SVC`.  Fits at several levels are made one by one and may cross where rows are few.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(0.0, 1.0, 50)[:, None]
    >>> y = np.tile([0.0, 1.0, 2.0, 3.0, 4.0], 10)
    >>> model = er.KernelQuantile(0.7, alpha=10.0).fit(x, y)
    >>> model.predict([[0.5]]).round(2)
    array([3.])
    """

    def __init__(
        self,
        q: float = 0.5,
        *,
        alpha: float | str = "1/n",
        kernel: Any = "gaussian",
        cache_size: float = 500.0,
        alphas: Any = 10,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
    ) -> None:
        self._set(locals())

    def _loss(self) -> Loss:
        return Quantile(check_number("q", self.q, 0.0, 1.0))

    def _solver(self) -> SMO:
        megabytes = check_number("cache_size", self.cache_size, 0.0, closed=False)
        return SMO.until(self._tolerance(), 1e6 * megabytes)
