"""Support vector classification with kernels: the widest margin in the space of a kernel.

Boser, Guyon and Vapnik 1992, COLT; Cortes and Vapnik, Machine Learning 20 (1995).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from empirisk.data.offered import offered
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.agreement import agreeing, largest
from empirisk.estimators.checks import check_choice, check_flag, check_number, is_number
from empirisk.estimators.kernel.hard_margin import hard_strength
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.estimators.kernel.score_probabilities import ScoreProbabilities
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.estimators.linear.svm import C_IS_ALPHA
from empirisk.estimators.linear.tune import fold_pairs
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.estimators.stated import disputed
from empirisk.losses import Hinge, Loss
from empirisk.problems.kernelised import KernelProblem
from empirisk.results import Certificate, Kind, Solution
from empirisk.solvers.smo import SMO
from empirisk.typing import Array

__all__ = ["ELSEWHERE", "SVC"]

# Numbers of the kernel belong to the kernel.
OF_KERNEL = "it belongs to the kernel: give kernel=er.kernels.{0}"
ELSEWHERE = {
    **C_IS_ALPHA,
    "gamma": OF_KERNEL.format("Gaussian(gamma=...)"),
    "degree": OF_KERNEL.format("Polynomial(degree=...)"),
    "coef0": OF_KERNEL.format("Polynomial(degree=..., constant=...)"),
    "decision_function_shape": 'give multi_class="one_vs_one" or "one_vs_rest", which is what is fitted',
}


class SVC(LogProbabilities, ClassifierMixin, KernelEstimator):
    """Support vector classification with a kernel.

    ``min_{f,b} (1/S) sum_i s_i max(0, 1 - y_i (f(x_i) + b)) + alpha ||f||^2 / 2``

    over the functions f of the kernel's space, with labels y of -1 and +1 (the last of ``classes_``); its
    dual is
    ``max sum_i b_i y_i - b'K b / 2`` with ``0 <= y_i b_i <= s_i / (S alpha)`` and ``sum_i b_i = 0``, and
    ``f(x) = sum_i b_i k(x, x_i)``.  scikit-learn's and LIBSVM's ``SVC(C)`` is ``alpha = 1 / (S C)``.

    More than two classes are one such problem for each pair of classes, on their rows, or for each class
    against the rest; all of them have the same C.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S, ``C = 1``.  ``"cv"`` chooses it with K folds by the
        hinge loss.  0 is the hard margin: refused when the classes cannot be separated.
    kernel : str or Kernel, default "gaussian"
        A name of :data:`empirisk.kernels.REGISTRY`, or an object such as ``er.kernels.Gaussian(gamma=0.1)``.
        The default has ``gamma = 1 / (p variance of X)``.
    multi_class : {"one_vs_one", "one_vs_rest"}, default "one_vs_one"
        With one against one, every pair of classes votes, and the sum of its scores decides ties.
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; "balanced" gives every class weight S/K.
    probability : bool, default False
        Whether ``predict_proba`` is wanted: it takes one more fit for each fold of `cv`.
    cache_size : float, default 500
        Megabytes for rows of the kernel matrix; the limit is kept.
    alphas : int or list of floats, default 10
        Strengths that ``"cv"`` tries.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds for ``alpha="cv"`` and for probabilities, 5 (stratified by class) by default.
    rule : {"min", "one_se"}, default "min"
        Smallest validation loss, or the strongest penalty within one standard error of it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the folds.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Most looks at the certificate.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    kernel_ : Kernel
        The kernel with its numbers.
    support_ : array of int
        Rows whose weight is not 0 in some of the problems.
    dual_coef_ : array, shape (number of problems, number of support vectors)
        Their weights b, signs included.
    intercept_ : array, shape (number of problems,)
    margin_ : array, shape (number of problems,)
        ``1 / ||f||``, the distance in the kernel's space at which the loss of a row becomes 0.
    slack_ : array, shape (n,)
        Hinge loss of each training row, the mean over the problems that it takes part in.
    alpha_ : float
        Strength used.  With ``alpha=0`` the largest one that was tried at which no row has slack; the machine
        is the same for all smaller ones.
    certificate_ : Certificate
        Duality gap, of the sum of the problems.
    solution_ : Solution
        Status, looks, trace.
    selection_ : StrengthSelection
        With ``alpha="cv"``.

    Raises
    ------
    TypeError
        For C, which is called alpha here.
    ValueError
        For a kernel that is not positive semi-definite on the rows, and a hard margin that does not exist.

    Notes
    -----
    Between O(n^2) and O(n^3) values of the kernel, of which those in the cache are computed once.  Rows of
    the kernel are read in float32; the certificate is computed in float64.

    Probabilities are made from scores of rows that a fit has not seen (the folds of `cv`, each fit begun at
    the weights of the whole).  Two classes: ``1 / (1 + exp(-A z))`` with one A for positive and one for
    negative scores, so that the probability is above 1/2 where the score is above 0.  More classes: a
    softmax of the scores times one number.  Both are monotone, and what
    ``predict`` names is what ``predict_proba`` says is most probable.

    References
    ----------
    Fan, Chen & Lin 2005 (JMLR 6); Wen et al. 2018 (JMLR 19); Platt 1999; Guo et al. 2017 (ICML) on one
    temperature.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> model = er.SVC(alpha=0.01).fit(X, ["same", "same", "other", "other"])
    >>> model.predict([[0.9, 0.9], [0.1, 0.9]])
    array(['same', 'other'], dtype='<U5')
    """

    classes_: Any
    margin_: Array
    slack_: Array
    _elsewhere = ELSEWHERE
    _scale: ScoreProbabilities | None = None

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        kernel: Any = "gaussian",
        multi_class: str = "one_vs_one",
        class_weight: Any = None,
        probability: bool = False,
        cache_size: float = 500.0,
        alphas: Any = 10,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        tol: float = 1e-6,
        max_iter: int = 10_000,
    ) -> None:
        self._set(locals())

    # -- fit ----------------------------------------------------------------------------------------

    def _loss(self) -> Loss:
        return Hinge()

    def _solver(self) -> SMO:
        megabytes = check_number("cache_size", self.cache_size, 0.0, closed=False)
        return SMO.until(self._tolerance(), 1e6 * megabytes)

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        return weigh_classes(self.class_weight, self.classes_, targets.astype(np.intp), weight)

    def _splits(self) -> list[tuple[Any, Any]]:
        """Return the classes on the negative and on the positive side of each problem."""
        k = len(self.classes_)
        if k == 2:
            return [(0, 1)]
        pairs = check_choice("multi_class", self.multi_class, {"one_vs_one": True, "one_vs_rest": False})
        if pairs:
            return list(combinations(range(k), 2))
        return [([j for j in range(k) if j != i], i) for i in range(k)]

    def _problems(self, rows: ArrayBlocks, alpha: float) -> list[KernelProblem]:
        """Return a problem of two classes each; rows of other classes have no weight there."""
        total, out = rows.total_weight, []
        for low, high in self._splits():
            plus, minus = np.isin(rows.y, high), np.isin(rows.y, low)
            weight = np.where(plus | minus, rows.weight, 0.0)
            mass = float(weight.sum())
            if not mass > 0.0:
                raise ValueError(
                    "a pair of classes has no rows with positive weight; leave these classes out"
                )
            data = replace(rows, y=np.where(plus, 1.0, -1.0), weight=weight)
            out.append(self._problem_of(data, alpha * total / mass))
        return out

    def _strength(self, rows: ArrayBlocks) -> tuple[float, KernelProblem | None]:
        if self.alpha == 0.0 and not isinstance(self.alpha, bool):
            return hard_strength(self, rows)
        return super()._strength(rows)

    def _finish(self, rows: ArrayBlocks, solved: list[KernelProblem]) -> None:
        check_flag("probability", self.probability)
        self._scale = self._calibrated(rows, solved[0].facts.rows) if self.probability else None

    def _keep(self, rows: ArrayBlocks, alpha: float, solutions: list[Solution]) -> None:
        super()._keep(rows, alpha, solutions)
        n, problems = len(rows.y), self._problems(rows, alpha)
        lost, count = np.zeros(n), np.zeros(n)
        square = np.empty(len(solutions))
        for k, (problem, solution) in enumerate(zip(problems, solutions, strict=True)):
            a, b = problem.split(solution.w)
            z = _scores_of(problem, solution)
            square[k] = float(a @ (z - b))
            part = problem.data.weight > 0.0
            lost[part] += problem.loss.value(problem.data.y[part], z[part])
            count[part] += 1.0
        with np.errstate(divide="ignore"):
            self.margin_ = 1.0 / np.sqrt(np.maximum(square, 0.0))
        self.slack_ = lost / np.maximum(count, 1.0)

    def _calibrated(self, rows: ArrayBlocks, shared: Any) -> ScoreProbabilities:
        """Return probabilities learned from the scores of rows that were left out of a fit.

        The fits read the kernel from where the whole fit read it, `shared`, and begin at its weights.
        """
        scores = np.zeros((len(rows.y), 1 if len(self.classes_) == 2 else len(self.classes_)))
        seen = np.zeros(len(rows.y), dtype=bool)
        seed = check_seed(self.random_state)
        whole = self._weights_and_intercept(len(rows.y))
        for train, test in fold_pairs(rows, self.cv, seed, True):
            weight = np.zeros_like(rows.weight)
            weight[train] = rows.weight[train]
            left = np.unique(rows.y[weight > 0.0])
            if len(left) < len(self.classes_):
                continue  # a fold that holds all rows of a class tells nothing about scores
            problems = self._problems(replace(rows, weight=weight), self.alpha_)
            problems[0].facts.rows = shared
            found = self._all_solved(problems, whole)
            shared = problems[0].facts.rows
            z = np.stack(
                [
                    p.times_kernel(p.split(s.w)[0]) + p.split(s.w)[1]
                    for p, s in zip(problems, found, strict=True)
                ],
                axis=1,
            )
            scores[test], seen[test] = self._of_classes(z[test]), True
        live = seen & (rows.weight > 0.0)
        return ScoreProbabilities.learned(scores[live], rows.y[live].astype(np.intp), rows.weight[live])

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate of the weights, where the slopes of probabilities are found again, too."""
        again = super()._verify(X, y, sample_weight)
        drawn = self.random_state is None or is_number(self.random_state, 0.0)
        if again.kind is Kind.NONE or self._scale is None or not drawn:
            return again
        found = self._calibrated(self._encoded(X, y, sample_weight, fitting=False), None)
        return disputed(self._scale, vars(found), tol=1e-3) or again

    def _weights_and_intercept(self, n: int) -> list[Array]:
        """Return the parameters of each problem, as its solver takes them for a start."""
        out = np.zeros((len(self.dual_coef_), n + 1))
        out[:, self.support_], out[:, n] = self.dual_coef_, np.ravel(self.intercept_)
        return list(out)

    # -- predictions --------------------------------------------------------------------------------

    def _of_classes(self, z: Array) -> Array:
        """Return the scores of the classes, (n, K), from those of the problems; (n, 1) for two classes."""
        k = len(self.classes_)
        if k == 2 or self.multi_class == "one_vs_rest":
            return z
        votes, sums = np.zeros((len(z), k)), np.zeros((len(z), k))
        for p, (low, high) in enumerate(self._splits()):
            wins = z[:, p] > 0.0
            votes[:, high] += wins
            votes[:, low] += ~wins
            sums[:, high] += z[:, p]
            sums[:, low] -= z[:, p]
        # Sums are squeezed between -1/3 and 1/3: they decide among classes of equal votes alone.
        return votes + sums / (3.0 * (np.abs(sums) + 1.0))

    def decision_function(self, X: Any) -> Array:
        """Return the scores: shape (n,) for two classes, (n, K) for more.

        One against the rest: ``f_k(x) + b_k``.  One against one: the number of pairs that vote for the class,
        and between -1/3 and 1/3 the sum of its scores, squeezed.
        """
        z = self._of_classes(self._scores(X))
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """Return the class of the largest score of each row, shape (n,)."""
        chosen = largest(self.decision_function(X))
        return self.classes_[chosen]

    @property
    def probabilities_open(self) -> bool:
        """Probabilities have a logistic link: none is 0."""
        return True

    def _has_probabilities(self) -> bool:
        """Return whether probabilities were asked for, and say what to do where they were not."""
        if not self.probability:
            raise AttributeError(
                "this SVC has no probabilities: fit it with probability=True, which takes a fit for each fold"
            )
        return True

    def _probability_scale(self) -> ScoreProbabilities:
        """Return what the fit learnt of probabilities, or say that it did not."""
        check_is_fitted(self)
        if self._scale is None:
            raise NotFittedError(
                "this SVC was fitted with probability=False: fit it again to have probabilities"
            )
        return self._scale

    @offered(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (n, K), in the order of ``classes_``.

        Raises
        ------
        AttributeError
            Unless the model was fitted with ``probability=True``.
        """
        scale, z = self._probability_scale(), self.decision_function(X)
        return agreeing(scale.probabilities(z.reshape(len(z), -1)), z)

    def _log_probabilities(self, X: Any) -> Array:
        scale, z = self._probability_scale(), self.decision_function(X)
        return scale.logarithms(z.reshape(len(z), -1))


def _scores_of(problem: KernelProblem, solution: Solution) -> Array:
    """Return the scores of the training rows: those that the last look was about, or new ones."""
    state = solution.state
    if state is not None and state.evaluation is not None and np.array_equal(state.w, solution.w):
        return np.asarray(state.evaluation.scores)
    a, b = problem.split(solution.w)
    return problem.times_kernel(a) + b
