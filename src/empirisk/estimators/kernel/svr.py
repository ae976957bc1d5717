"""Support vector regression with kernels: the smoothest function within a tube, and a price outside it.

Drucker, Burges, Kaufman, Smola and Vapnik 1996, NIPS 9; Smola and Schoelkopf, Statistics and Computing 14
(2004).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.kernel.kernel_regressor import KernelRegressor
from empirisk.estimators.kernel.svc import ELSEWHERE, SVC
from empirisk.losses import EpsilonInsensitive, Loss
from empirisk.solvers.smo import SMO

__all__ = ["SVR"]


@documented(SVC)
class SVR(KernelRegressor):
    """Support vector regression with a kernel: errors up to epsilon are free.

    ``min_{f,b} (1/S) sum_i s_i max(0, |f(x_i) + b - y_i| - epsilon) + alpha ||f||^2 / 2``

    over the functions f of the kernel's space.  scikit-learn's and LIBSVM's ``SVR(C)`` is ``alpha = 1 / (S
    C)``.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S, ``C = 1``.  ``"cv"`` chooses it with K folds by the
        loss of the fit.
    kernel : str or Kernel, default "gaussian"
        As in :class:`SVC`.
    epsilon : float, default 0.1
        Half the width of the tube, >= 0, in units of the target.
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
        Rows on the border of the tube or outside.
    dual_coef_ : array, shape (1, number of support vectors)
        Their weights.
    intercept_ : float
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap.
    solution_, selection_
        As in :class:`SVC`.

    Raises
    ------
    TypeError
        For C, which is called alpha here.

    Notes
    -----
    Cost as :class:`SVC`, with two dual values a row.

    References
    ----------
    Vapnik 1995, The Nature of Statistical Learning Theory, section 6.1.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> model = er.SVR(alpha=1e-3, epsilon=0.05).fit(x[:, None], np.sin(x))
    >>> bool(np.abs(model.predict(x[:, None]) - np.sin(x)).max() < 0.06)
    True
    """

    _elsewhere = ELSEWHERE

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        kernel: Any = "gaussian",
        epsilon: float = 0.1,
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
        return EpsilonInsensitive(check_number("epsilon", self.epsilon, 0.0))

    def _solver(self) -> SMO:
        megabytes = check_number("cache_size", self.cache_size, 0.0, closed=False)
        return SMO.until(self._tolerance(), 1e6 * megabytes)
