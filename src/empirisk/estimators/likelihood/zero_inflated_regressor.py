"""Zero-inflated counts: a mixture of zeros that had to be and of counts that may be 0 as well.

Lambert, Technometrics 34 (1992).
"""

from __future__ import annotations

from typing import Any, ClassVar

from empirisk.estimators.documented import documented
from empirisk.estimators.likelihood.hurdle_regressor import HurdleRegressor
from empirisk.estimators.likelihood.two_part_base import TwoPartRegressor
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.problems.likelihoods.two_part import ZeroInflated

__all__ = ["ZeroInflatedRegressor"]


@documented(HurdleRegressor, FactorColumns)
class ZeroInflatedRegressor(TwoPartRegressor):
    """Counts of which some are 0 for a reason of their own: ``P(0) = pi + (1 - pi) f(0)``.

    ``min -(1/S) sum_i s_i log P(y_i) + (alpha/2) (||w||^2 + ||u||^2)``,  ``P(y) = (1 - pi) f(y)`` for y > 0,
    ``logit(pi) = v.u + c``.

    Parameters
    ----------
    family, zero_columns, alpha
        As in :class:`HurdleRegressor`.
    n_init : int >= 1, default 5
        Starts of Newton's method; the best end is taken, and ``starts_`` has the objectives of all.
    tol, max_iter
        As in :class:`HurdleRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_, zero_coef_, intercept_, zero_intercept_, dispersion_, log_likelihood_, starts_, alpha_
        As in :class:`HurdleRegressor`.
    certificate_ : Certificate
        KKT residual in the metric of the Hessian, of a local minimum: the likelihood is not concave.
    solution_
        As in :class:`HurdleRegressor`.

    Raises
    ------
    ValueError
        For negative targets, targets without a zero or of zeros alone, and where the likelihood has no
        maximum: a dispersion, or a chance of structural zeros, that runs off.

    Notes
    -----
    O(n (p + q)^2) per Newton step; sparse columns are made dense.

    References
    ----------
    D. Lambert, "Zero-inflated Poisson regression", Technometrics 34 (1992).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 1))
    >>> y = rng.poisson(np.exp(0.5 + 0.5 * x[:, 0])) * (rng.random(500) < 0.7)
    >>> model = er.ZeroInflatedRegressor(zero_columns=[]).fit(x, y)
    >>> model.coef_.round(2), round(model.intercept_, 2), round(model.zero_intercept_, 2)
    (array([0.51]), 0.48, -0.83)
    """

    _likelihood: ClassVar[type[ZeroInflated]] = ZeroInflated
    _kind: ClassVar[str] = "Zero-inflated"
    _zero_words: ClassVar[str] = "a structural 0"

    def __init__(
        self,
        family: str = "poisson",
        *,
        zero_columns: Any = None,
        alpha: float | str = 0.0,
        n_init: int = 5,
        tol: float = 1e-12,
        max_iter: int = 200,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())
