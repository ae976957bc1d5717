"""Linear support vector classification: the plane with the widest margin, and a price for rows inside it.

Cortes and Vapnik, Machine Learning 20 (1995).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_alpha, check_choice, check_count, check_flag, check_rule
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.labels import LinearClassifier
from empirisk.estimators.linear.scalar_regression import elastic_net
from empirisk.estimators.linear.tune import StrengthSelection, select_by_folds
from empirisk.losses import Hinge, Loss, ModifiedHuber, OneVersusRest, SquaredHinge
from empirisk.penalties import L1, L2
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Solution
from empirisk.solvers.by_target import single_starts
from empirisk.solvers.one_by_one import single_problems, together
from empirisk.solvers.solve import solve
from empirisk.typing import Array, IndexArray

__all__ = ["C_IS_ALPHA", "LinearSVC", "support_bits"]

# A dual value this small beside the largest is rounding: its row supports nothing.
SUPPORT = 1e-9


def support_bits(theta: Array, weight: Array) -> NDArray[np.uint8]:
    """Return which rows have a dual value, a bit each: a fitted model must not grow like its data."""
    size = np.abs(theta)
    live = (size > SUPPORT * size.max(axis=0, initial=0.0)).any(axis=1)
    return np.packbits(live & np.asarray(weight > 0.0))


KINDS: dict[str, type] = {"hinge": Hinge, "squared_hinge": SquaredHinge, "modified_huber": ModifiedHuber}

# What scikit-learn's C is here.
C_IS_ALPHA = {
    "C": (
        "give alpha = 1/(S C), S the sum of the weights (number of rows), or 1/(2 S C) for the squared "
        "losses, which here have a factor of 1/2; alpha='1/n' is C = 1"
    )
}


@documented(FactorColumns)
class LinearSVC(LinearClassifier):
    """Linear support vector classification.

    ``min_{w,b} (1/S) sum_i s_i max(0, 1 - y_i (x_i.w + b)) + alpha ||w||^2 / 2``

    with labels y of -1 and +1 (the last of ``classes_``); ``loss="squared_hinge"`` has half the square of the
    maximum, ``penalty="l1"`` has ``alpha ||w||_1``.  More than two classes are one such problem for each
    class against the rest: the objective is their sum, and so is its certificate; ``class_certificates_`` has
    each class's own.

    ============================================  ==========================
    scikit-learn's LinearSVC, LIBLINEAR           alpha
    ============================================  ==========================
    ``loss="hinge"``, ``C``  (-s 3)               ``1 / (S C)``
    ``loss="squared_hinge"``, ``C``  (-s 1, -s 2) ``1 / (2 S C)``
    ``penalty="l1"``, ``C``  (-s 5)               ``1 / (2 S C)``
    ============================================  ==========================

    They penalise the intercept, which is free here: compare with ``fit_intercept=False``, or with a large
    ``intercept_scaling``.  LIBSVM's linear kernel has a free intercept and ``alpha = 1 / (S C)``.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S, ``C = 1`` for the hinge.  ``"cv"`` chooses it with
        K folds by the validation loss.
    loss : {"hinge", "squared_hinge", "modified_huber"}, default "hinge"
        The hinge leaves most rows without influence; its square is smooth, faster to minimise, and pulls
        harder on rows far on the wrong side; "modified_huber" is the square until ``y_i z_i = -1`` and a line
        beyond, so that wrong labels far out pull no harder.
    penalty : {"l2", "l1"}, default "l2"
        L1 leaves columns out.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; "balanced" gives every class weight S/K.
    alphas : int or list of floats, default 20
        Strengths that ``"cv"`` tries.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 (stratified by class) by default.
    rule : {"min", "one_se"}, default "min"
        Smallest validation loss, or the strongest penalty within one standard error of it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the folds.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`; for the hinge and L2 it takes Newton's method on augmented
        Lagrangians, an interior point, or dual coordinate ascent, by the shape of X.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had the same classes, and as many
        columns of the same names; else, and where those are worse than the model without columns, it starts
        anew, without a warning.  Optimum and certificate are the same; fits on nearly the same rows or of
        near strengths take fewer steps. The interior point, which `"auto"` takes for few rows of the hinge,
        gains only where they are the optimum already.
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
    support_ : array of int
        Rows without which the fit would be another: their dual value is not 0 (for some class).
    margin_ : array, shape (1,) or (K,)
        ``1 / ||w||``: the distance from the plane at which the loss of a row becomes 0.
    certificate_ : Certificate
        Duality gap; KKT residual without a penalty.
    class_certificates_ : tuple of Certificate
        One for each of the problems of two classes.
    solution_ : Solution
        Status, steps, trace; the dual values in ``solution_.dual``.
    selection_ : StrengthSelection
        With ``alpha="cv"``.

    Raises
    ------
    TypeError
        For C, which is called alpha here.

    Notes
    -----
    O(n p) for each of some 20 passes when n >> p; O(entries of X) per epoch of coordinate ascent for many
    columns.  The coefficients are unique; the intercept of the hinge need not be.

    There is no ``predict_proba``: the hinge only learns which class is the more probable one.
    ``sklearn.calibration.CalibratedClassifierCV`` makes probabilities of its scores; ``LogisticRegression``
    models them.

    References
    ----------
    Cortes & Vapnik 1995, Machine Learning 20; Hsieh et al. 2008 (ICML); Li, Sun & Toh 2018 (SIAM J.
    Optimization 28); Rifkin & Klautau 2004 (JMLR 5) on one-versus-rest.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> model = er.LinearSVC(alpha=0.01).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[2.9]]), model.support_, model.margin_.round(6)
    (array(['yes'], dtype='<U3'), array([1, 2]), array([1.]))
    """

    selection_: StrengthSelection
    _supports: NDArray[np.uint8]
    margin_: Array
    class_certificates_: tuple[Certificate, ...]
    _elsewhere = C_IS_ALPHA

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        loss: str = "hinge",
        penalty: str = "l2",
        fit_intercept: bool = True,
        class_weight: Any = None,
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

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        k = len(self.classes_)
        base: Loss = check_choice("loss", self.loss, KINDS)()
        ratio = check_choice("penalty", self.penalty, {"l2": L2, "l1": L1}).l1_ratio
        intercept = check_flag("fit_intercept", self.fit_intercept)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        data = ArrayBlocks(design, y, weight)
        given = check_alpha(self.alpha) if alpha is None else alpha
        start = 1.0 if given == "cv" else 1.0 / data.total_weight if given == "1/n" else float(given)
        loss, outputs = (base, 0) if k == 2 else (OneVersusRest(base, k), k)
        problem = LinearProblem(loss, elastic_net(start, ratio), data, intercept, n_outputs=outputs)
        if given != "cv":
            return problem
        self.selection_ = select_by_folds(
            problem,
            alphas=self.alphas,
            cv=self.cv,
            rule=check_rule(self.rule),
            seed=check_seed(self.random_state),
            tol=self._tolerance(),
        )
        return problem.with_strength(self.selection_.alpha)

    @property
    def support_(self) -> IndexArray:
        """Numbers of the rows whose dual value is not 0."""
        check_is_fitted(self)
        return np.flatnonzero(np.unpackbits(self._supports))

    def _solve(self, problem: LinearProblem, start: Array | None) -> Solution:
        if problem.moved is not None:
            near = None if start is None else problem.moved[0].to_near(start)
            return problem.from_near(self._solve(problem.moved[1], near), self._tolerance())
        steps = check_count("max_iter", self.max_iter, 1)
        parts = single_problems(problem)
        starts = single_starts(start, parts, problem)
        solved = [
            solve(part, self.solver, w0=w0, tol=self._tolerance(), max_steps=steps)
            for part, w0 in zip(parts, starts, strict=True)
        ]
        return together(problem, solved)

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        super()._finish(problem, solution)
        parts, w, theta = single_problems(problem), self._pack(problem), self.solution_.dual
        if theta is None:
            theta = -problem.loss.grad(problem.data.y, problem.scores(w))
        columns = np.reshape(theta, (len(problem.data.y), -1))
        self._supports = support_bits(columns, problem.data.weight)
        with np.errstate(divide="ignore"):
            self.margin_ = 1.0 / np.linalg.norm(self.coef_, axis=1)
        certificate = self.solution_.certificate
        if len(parts) == 1:
            self.class_certificates_ = (certificate,)
            return
        own = zip(parts, w.T, columns.T, strict=True)
        self.class_certificates_ = tuple(
            part.certify(np.ascontiguousarray(v), theta=np.ascontiguousarray(t)) for part, v, t in own
        )
        claim = f"{certificate.claim}, F the sum over {len(parts)} classes, each versus the rest"
        self.solution_ = replace(self.solution_, certificate=replace(certificate, claim=claim))
