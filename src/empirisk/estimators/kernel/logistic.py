"""Logistic regression over the functions of a kernel.

Zhu and Hastie, Journal of Computational and Graphical Statistics 14 (2005).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.agreement import agreeing, largest
from empirisk.estimators.checks import check_flag
from empirisk.estimators.documented import documented
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.estimators.kernel.svc import SVC
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.estimators.log_probabilities import LogProbabilities, one_against_rest_logs
from empirisk.losses import Logistic, Loss
from empirisk.problems.kernelised import KernelProblem
from empirisk.typing import Array

__all__ = ["KernelLogisticRegression"]


@documented(SVC)
class KernelLogisticRegression(LogProbabilities, ClassifierMixin, KernelEstimator):
    """Logistic regression with a kernel: probabilities of classes from smooth scores.

    ``min_{f,b} (1/S) sum_i s_i log(1 + exp(-y_i (f(x_i) + b))) + alpha ||f||^2 / 2``

    over the functions f of the kernel's space, with labels y of -1 and +1 (the last of ``classes_``).  More
    than two classes are one such problem for each class against the rest; the probabilities are theirs,
    divided by their sum.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S.  ``"cv"`` chooses it with K folds by the log-loss.
    kernel : str or Kernel, default "gaussian"
        As in :class:`SVC`.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    class_weight, alphas, cv, rule, random_state
        As in :class:`SVC`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 100
        Most Newton steps.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    kernel_ : Kernel
        The kernel with its numbers.
    support_ : array of int
        Rows whose weight is not 0.
    dual_coef_ : array, shape (1 or K, number of rows)
        Their weights.
    intercept_ : array, shape (1,) or (K,)
    alpha_ : float
        Strength used.
    certificate_, solution_, selection_
        As in :class:`SVC`.

    Raises
    ------
    MemoryError
        When the kernel matrix and its factor do not fit into memory, with a forecast.

    Notes
    -----
    ``n^3/3`` flops for each of some 5 Newton steps, and 16 n^2 bytes.  It is the mode of the Gaussian process
    classifier whose prior covariance is ``k / (S alpha)``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = er.KernelLogisticRegression(alpha=0.01).fit(X, ["a", "b", "b", "a"])
    >>> model.predict([[1.5], [3.5]])
    array(['b', 'a'], dtype='<U1')
    """

    classes_: Any

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        kernel: Any = "gaussian",
        fit_intercept: bool = True,
        class_weight: Any = None,
        alphas: Any = 10,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        tol: float = 1e-6,
        max_iter: int = 100,
    ) -> None:
        self._set(locals())

    def _loss(self) -> Loss:
        return Logistic()

    def _has_intercept(self) -> bool:
        return check_flag("fit_intercept", self.fit_intercept)

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        return weigh_classes(self.class_weight, self.classes_, targets.astype(np.intp), weight)

    def _problems(self, rows: ArrayBlocks, alpha: float) -> list[KernelProblem]:
        """Return one problem for two classes, else one for each class against the rest."""
        k = len(self.classes_)
        which = [1] if k == 2 else range(k)
        return [self._problem_of(replace(rows, y=np.where(rows.y == c, 1.0, -1.0)), alpha) for c in which]

    def decision_function(self, X: Any) -> Array:
        """Return the scores: log-odds of the second class, shape (n,), or of each class, shape (n, K)."""
        z = self._scores(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """Return the class of the largest score of each row, shape (n,)."""
        chosen = largest(self.decision_function(X))
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (n, K), in the order of ``classes_``."""
        z = self.decision_function(X)
        return agreeing(np.asarray(np.exp(one_against_rest_logs(z))), z)

    def _log_probabilities(self, X: Any) -> Array:
        return one_against_rest_logs(self.decision_function(X))
