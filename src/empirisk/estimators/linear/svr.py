"""Linear support vector regression: a line that is as flat as errors of up to epsilon allow.

Drucker, Burges, Kaufman, Smola and Vapnik, Advances in Neural Information Processing Systems 9 (1996).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.checks import check_choice, check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.scalar_regression import ScalarRegressor
from empirisk.estimators.linear.svm import C_IS_ALPHA, LinearSVC, support_bits
from empirisk.losses import EpsilonInsensitive, Loss, SquaredEpsilonInsensitive
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.typing import IndexArray

__all__ = ["LinearSVR"]


@documented(LinearSVC, FactorColumns)
class LinearSVR(ScalarRegressor):
    """Linear support vector regression: errors up to epsilon are free.

    ``min_{w,b} (1/S) sum_i s_i max(0, |x_i.w + b - y_i| - epsilon) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    with ``r = l1_ratio``; ``loss="squared_epsilon_insensitive"`` has half the square of the maximum.

    scikit-learn's ``LinearSVR(C)`` is ``alpha = 1/(S C)`` for the epsilon-insensitive loss and ``1/(2 S C)``
    for its square; it penalises the intercept, which is free here.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S.  ``"cv"`` chooses it with K folds by the validation
        loss.
    epsilon : float, default 0.0
        Half the width of the tube, >= 0, in units of the target; 0 is least absolute deviations, penalised.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default "epsilon_insensitive"
        Errors outside the tube count as they are, or squared.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1, between them elastic net.
    fit_intercept, alphas
        As in :class:`LinearSVC`.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 by default.
    rule, random_state
        As in :class:`LinearSVC`.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol, max_iter, warm_start
        As in :class:`LinearSVC`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    alpha_
        As in :class:`LinearSVC`.
    support_ : array of int
        Rows on the border of the tube or outside: their dual value is not 0.
    certificate_, solution_, selection_
        As in :class:`LinearSVC`.

    Raises
    ------
    TypeError
        For C, which is called alpha here.

    Notes
    -----
    Cost as :class:`LinearSVC`.

    References
    ----------
    Vapnik 1995, The Nature of Statistical Learning Theory, section 6.1; Smola & Schoelkopf 2004 (Statistics
    and Computing 14).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.arange(5.0)[:, None], np.array([0.1, 0.9, 2.1, 2.9, 4.1])
    >>> model = er.LinearSVR(alpha=1e-3, epsilon=0.2).fit(X, y)
    >>> bool(np.all(np.abs(model.predict(X) - y) <= 0.2 + 1e-6)), model.certificate_.within(1e-6)
    (True, True)
    """

    _supports: NDArray[np.uint8]
    _elsewhere = C_IS_ALPHA

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        epsilon: float = 0.0,
        loss: str = "epsilon_insensitive",
        l1_ratio: float = 0.0,
        fit_intercept: bool = True,
        alphas: Any = 20,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    @property
    def support_(self) -> IndexArray:
        """Numbers of the rows whose dual value is not 0."""
        check_is_fitted(self)
        return np.flatnonzero(np.unpackbits(self._supports))

    def _loss(self) -> Loss:
        kinds = {
            "epsilon_insensitive": EpsilonInsensitive,
            "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
        }
        made: Loss = check_choice("loss", self.loss, kinds)(check_number("epsilon", self.epsilon, 0.0))
        return made

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        super()._finish(problem, solution)
        theta = self.solution_.dual
        if theta is None:
            theta = -problem.loss.grad(problem.data.y, problem.scores(self._pack(problem)))
        self._supports = support_bits(theta[:, None], problem.data.weight)
