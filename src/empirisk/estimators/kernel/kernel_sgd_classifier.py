"""Soft-margin machines over a kernel by stochastic subgradient steps, with a certificate.

Shalev-Shwartz, Singer, Srebro and Cotter, Mathematical Programming 127 (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.bounds import pegasos
from empirisk.bounds.base import Guarantee
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.seeds import check_seed
from empirisk.estimators.agreement import largest
from empirisk.estimators.checks import check_alpha, check_count, check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.estimators.kernel.svc import SVC
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.losses import Hinge, Loss
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.mercer import refuse_no_kernel
from empirisk.results import Certificate, Solution
from empirisk.solvers.kernel_walk import best_certificate, kernel_walk, walked
from empirisk.typing import Array

__all__ = ["KernelSGDClassifier"]

# "auto" draws so many rows at least, and so many times the number of rows.
FEWEST, EACH = 10_000, 20


@documented(SVC)
class KernelSGDClassifier(ClassifierMixin, KernelEstimator):
    """Soft-margin classification with a kernel, by stochastic subgradient steps.

    ``min_f (1/S) sum_i s_i max(0, 1 - y_i f(x_i)) + alpha ||f||^2 / 2``

    over the functions f of the kernel's space, with labels y of -1 and +1 (the last of ``classes_``), by the
    steps that textbooks print: from ``beta = 0``, step t has ``f_t = sum_j beta_j k(x_j, .) / (alpha t)``,
    draws a row i with probability ``s_i / S``, and adds y_i to ``beta_i`` where ``y_i f_t(x_i) < 1``.  The
    model is the mean of ``f_1 ... f_T``.  More than two classes are one such problem for each class against
    the rest, on the same draws.

    Parameters
    ----------
    alpha : float or "1/n", default "1/n"
        Strength on the mean-loss scale, > 0; ``"1/n"`` is 1/S.  A text that writes ``lambda/2 ||f||^2`` has
        ``alpha = lambda``, one that writes ``lambda ||f||^2`` has ``alpha = 2 lambda``.
    kernel : str or Kernel, default "gaussian"
        As in :class:`SVC`.
    n_draws : int or "auto", default "auto"
        T, the number of rows that are drawn, one a step; "auto" is 20 for each row with weight, and 10,000 at
        least.
    class_weight : dict, "balanced" or None, default None
        As in :class:`SVC`.
    cache_size : float, default 500
        Megabytes for the kernel matrix; where it needs more, rows of it are computed in blocks as they are
        drawn.
    random_state : int, Generator, RandomState or None, default None
        Seed of the draws; None is 0.  Equal seeds give equal bits.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    kernel_ : Kernel
        The kernel with its numbers.
    support_ : array of int
        Rows whose weight is not 0 in some of the problems.
    dual_coef_ : array, shape (1 or K, number of support vectors)
        Their weights: the mean of ``beta / (alpha t)``.
    shares_ : array, shape (1 or K, number of support vectors)
        The share of the draws of a row that added its label; with the sign of the label they are the dual
        values of the certificate.
    intercept_ : array, shape (1,) or (K,)
        Zeros: the steps have none.
    alpha_ : float
        Strength used.
    t_ : int
        Steps taken.
    certificate_ : Certificate
        Duality gap of the mean, of the sum of the problems: true whatever the draws were; small once
        T is many times ``1 / alpha``.
    solution_ : Solution
        Status, steps, passes.

    Raises
    ------
    ValueError
        On a strength of 0, labels of one class, and rows that the kernel is not defined for.

    Notes
    -----
    With the matrix stored n^2 values of the kernel, and n flops for each step that adds something; else O(T)
    rows of the kernel against the rows with a weight.  :class:`SVC` goes on to the optimum (of the problem
    with a free constant), whatever alpha is: these steps are for a first look, and for the number that their
    theorem promises (:meth:`guarantee`).

    References
    ----------
    Shalev-Shwartz, Singer, Srebro & Cotter 2011 (Pegasos); Shalev-Shwartz & Ben-David 2014, section 16.3.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> model = er.KernelSGDClassifier(alpha=0.01).fit(X, ["same", "same", "other", "other"])
    >>> model.predict([[0.9, 0.9], [0.1, 0.9]])
    array(['same', 'other'], dtype='<U5')
    """

    classes_: Any
    t_: int
    shares_: Array

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        kernel: Any = "gaussian",
        n_draws: int | str = "auto",
        class_weight: Any = None,
        cache_size: float = 500.0,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    # -- fit ----------------------------------------------------------------------------------------

    def _loss(self) -> Loss:
        return Hinge()

    def _has_intercept(self) -> bool:
        return False

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        return weigh_classes(self.class_weight, self.classes_, targets.astype(np.intp), weight)

    def _strength(self, rows: ArrayBlocks) -> tuple[float, None]:
        given = check_alpha(self.alpha, ("1/n",))
        return (1.0 / rows.total_weight if given == "1/n" else float(given)), None

    def _problems(self, rows: ArrayBlocks, alpha: float) -> list[KernelProblem]:
        """Return one problem for two classes, else one for each class against the rest."""
        k = len(self.classes_)
        which = [1] if k == 2 else range(k)
        return [self._problem_of(replace(rows, y=np.where(rows.y == c, 1.0, -1.0)), alpha) for c in which]

    def _all_solved(self, problems: list[KernelProblem], starts: Sequence[Array | None]) -> list[Solution]:
        """Return the means of the steps, which all problems take on the same draws, from 0."""
        for problem in problems:
            problem.preflight()
            problem.facts.share(problems[0].facts)
            refuse_no_kernel(problem)
        if isinstance(self.n_draws, str) and self.n_draws == "auto":
            steps = max(FEWEST, EACH * int(np.count_nonzero(problems[0].data.weight)))
        else:
            steps = check_count("n_draws", self.n_draws, 1)
        megabytes = check_number("cache_size", self.cache_size, 0.0, closed=False)
        walks = kernel_walk(problems, steps, check_seed(self.random_state), 1e6 * megabytes)
        self.t_ = steps
        out = []
        for problem, walk in zip(problems, walks, strict=True):
            problem.facts.share(problems[0].facts)
            out.append(walked(problem, walk, steps))
        return out

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Answer no: steps of one strength tell nothing about another."""
        return False

    def _warn(self) -> None:
        """Say nothing: the steps promise no tolerance, and the certificate says how good the result is."""

    def _keep(self, rows: ArrayBlocks, alpha: float, solutions: list[Solution]) -> None:
        super()._keep(rows, alpha, solutions)
        self.shares_ = np.abs([s.dual[self.support_] for s in solutions if s.dual is not None])

    def _certified(self, problem: KernelProblem, w: Array, k: int) -> Certificate:
        theta = np.zeros(problem.n)
        theta[self.support_] = self.shares_[k] * problem.data.y[self.support_]
        return best_certificate(problem, w, theta)

    # -- predictions --------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Return the scores: shape (n,) for two classes, (n, K) for more."""
        z = self._scores(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """Return the class of the largest score of each row, shape (n,)."""
        chosen = largest(self.decision_function(X))
        return self.classes_[chosen]

    # -- theory -------------------------------------------------------------------------------------

    def guarantee(self, X: Any, y: Any, sample_weight: Any = None) -> Guarantee:
        """How near to the minimum the mean is in expectation over the draws, by the theorem on these steps.

        ``E F(mean) - F* <= 2 rho^2 (1 + log T) / (alpha T)``, with rho^2 the largest ``k(x, x)`` of the rows;
        for each of the problems.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit.

        Returns
        -------
        Guarantee
            See :func:`empirisk.bounds.pegasos`; its n is the number of steps T.
        """
        rows = self._encoded(X, y, sample_weight, fitting=False)
        problem = self._problems(rows, self.alpha_)[0]
        square = float(problem.diagonal[rows.weight > 0.0].max())
        return pegasos(n=self.t_, rho=float(np.sqrt(square)), alpha=self.alpha_)
