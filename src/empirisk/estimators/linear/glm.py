"""Logistic regression, binary and multinomial: probabilities of classes from linear scores.

Cox, Journal of the Royal Statistical Society B 20 (1958).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.agreement import agreeing
from empirisk.estimators.checks import check_alpha, check_count, check_flag, check_number, check_rule
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.labels import LinearClassifier
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.estimators.linear.tune import StrengthSelection, select_by_folds
from empirisk.estimators.log_probabilities import LogProbabilities, softmax_logs
from empirisk.losses import Logistic, Loss, Softmax
from empirisk.penalties import L1, L2, ElasticNetPenalty, Penalty, Zero
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import find_separation
from empirisk.results import Solution, Status
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["LogisticRegression", "SeparationError"]


_CLASS_WEIGHTED = (
    "no standard errors: class weights make some rows count more than they are, so the log-likelihood is "
    "not that of the data; refit with class_weight=None"
)


@documented(FactorColumns)
class LogisticRegression(LogProbabilities, LinearClassifier):
    """Logistic regression for two or more classes.

    ``min_{w,b} (1/S) sum_i s_i loss(y_i, x_i.w + b) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    with ``log(1 + exp(-y z))`` for two classes (the second of ``classes_`` is +1) and
    ``logsumexp(z) - z_y`` for more, where w has one column per class.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S, the strength of scikit-learn's ``C=1``.
        ``"cv"`` chooses it over a warm-started path with K folds by the validation log-loss.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1, between them elastic net.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; "balanced" gives every class weight S/K.
    alphas : int or list of floats, default 100
        Strengths that ``"cv"`` tries.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 (stratified by class) by default.
    rule : {"min", "one_se"}, default "min"
        Smallest validation loss, or the strongest penalty within one standard error of it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the folds.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had the same classes, and as many
        columns of the same names; else, and where those are worse than the model without columns, it starts
        anew, without a warning.  Optimum and certificate are the same; fits on growing rows or of near
        strengths need about half the steps.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    coef_ : array, shape (1, p) or (K, p)
    intercept_ : array, shape (1,) or (K,)
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap; KKT residual without a penalty.
    solution_ : Solution
        Status, steps, trace.
    selection_ : StrengthSelection
        With ``alpha="cv"``.

    Raises
    ------
    SeparationError
        With alpha = 0 on classes that a linear rule separates, completely or quasi-completely.

    Notes
    -----
    O(n p) per quasi-Newton step, O(n p^2) per Newton step.

    References
    ----------
    Albert & Anderson 1984 (Biometrika 71) on separation; Boyd & Vandenberghe 2004, chapter 9.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = er.LogisticRegression().fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[2.5]]), model.certificate_.within(1e-6)
    (array(['yes'], dtype='<U3'), True)
    """

    selection_: StrengthSelection
    probabilities_open: ClassVar[bool] = True  # a logistic link: never 0 for a class that occurs
    _elsewhere: ClassVar[Mapping[str, str]] = {
        "C": "give alpha = 1/(S C), S the sum of the weights (number of rows); alpha='1/n' is C = 1"
    }

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        l1_ratio: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        alphas: Any = 100,
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

    # -- the problem --------------------------------------------------------------------------------

    def _penalty(self, alpha: float) -> Penalty:
        ratio = check_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        if alpha == 0.0:
            return Zero()
        if ratio in (0.0, 1.0):
            return L2(alpha) if ratio == 0.0 else L1(alpha)
        return ElasticNetPenalty(alpha, ratio)

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        k = len(self.classes_)
        loss: Loss = Logistic() if k == 2 else Softmax()
        intercept = check_flag("fit_intercept", self.fit_intercept)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        data = ArrayBlocks(design, y, weight)

        def at(strength: float) -> LinearProblem:
            return LinearProblem(loss, self._penalty(strength), data, intercept, 1.0, 0 if k == 2 else k)

        if alpha is not None:
            return at(alpha)
        given = check_alpha(self.alpha)
        if given == "1/n":
            return at(1.0 / data.total_weight)
        if given == "cv":
            self.selection_ = select_by_folds(
                at(1.0),
                alphas=self.alphas,
                cv=self.cv,
                rule=check_rule(self.rule),
                seed=check_seed(self.random_state),
                tol=self._tolerance(),
            )
            return at(self.selection_.alpha)
        return at(float(given))

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        steps = check_count("max_iter", self.max_iter, 1)
        solution = solve(problem, self.solver, w0=start, tol=self._tolerance(), max_steps=steps)
        if solution.status is Status.UNBOUNDED:
            # Once more, for the names of the columns and classes.
            found = find_separation(problem, self._names(), self.classes_)
            advice = "add a penalty (alpha > 0) or drop the columns that separate"
            raise SeparationError(f"{found.sentence}; {advice}")
        return solution

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        super()._unpack(problem, w)
        if problem.n_outputs and problem.intercept:
            # Equal shifts of all intercepts are the same model: take the centred one.
            b = problem.split(w)[1]
            self.intercept_ = np.asarray(b - b.mean(), dtype=problem.design.dtype)

    # -- predictions --------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (n, K), columns in the order of ``classes_``."""
        z = self.decision_function(X)
        return agreeing(np.asarray(softmax(_two_columns(z), axis=1)), z)

    def _log_probabilities(self, X: Any) -> Array:
        return softmax_logs(self.decision_function(X))

    def _words(self) -> dict[str, Any]:
        blocked = _CLASS_WEIGHTED if self.class_weight is not None else ""
        return {**super()._words(), "classes": self.classes_, "blocked": blocked}


def _two_columns(z: Array) -> Array:
    return z if z.ndim == 2 else np.column_stack([np.zeros_like(z), z])
