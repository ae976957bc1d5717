"""Ridge with non-negative coefficients: a copy-me file for an estimator.

Copy the class into the file of its family in src/empirisk/estimators/ (or into a new one), rename it, say in
`_penalty` and `_build` which problem it stands for, and add one row to REGISTRY in
src/empirisk/estimators/__init__.py, one name to src/empirisk/__init__.pyi, and one use to
tests/conformance/estimators.py.  scikit-learn's own checks, the invariances and the check of the certificate
then run over it by themselves.

An estimator is thin: parameters -> problem -> solve -> unpack.  `fit`, `verify`, the words and the
certificate come from the base class.
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.linear.squared_error import SquaredErrorEstimator
from empirisk.penalties import L2, Penalty

__all__ = ["NonNegativeRidge"]


class NonNegativeRidge(SquaredErrorEstimator):
    """Least squares with a squared L2 penalty on non-negative coefficients.

    ``min_{w >= 0, b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha ||w||^2 / 2``

    Parameters
    ----------
    alpha : float or "1/n", default "1/n"
        Strength on the mean-loss scale.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1.0, 1.0], [0.0, 0.0], [1.0, -1.0]])
    >>> NonNegativeRidge(alpha=2 / 3, fit_intercept=False).fit(X, [-1.0, 0.0, 1.0]).coef_.round(6)
    array([0.5, 0. ])
    """

    # The base class reads it; here the constraint is no choice.
    positive = True
    _alpha_words = ("1/n",)

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        fit_intercept: bool = True,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
    ) -> None:
        self._set(locals())

    def _penalty(self, alpha: float) -> Penalty:
        return L2(alpha, positive=True)
