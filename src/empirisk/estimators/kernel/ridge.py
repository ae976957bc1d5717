"""Kernel ridge regression: least squares in the space of a kernel, with exact leave-one-out errors.

Saunders, Gammerman and Vovk 1998, ICML; leave-one-out as in Rifkin and Lippert 2007, MIT CSAIL TR-2007-025.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.checks import check_choice, check_flag
from empirisk.estimators.documented import documented
from empirisk.estimators.kernel.kernel_regressor import KernelRegressor
from empirisk.estimators.kernel.left_out import select_by_left_out
from empirisk.estimators.kernel.svc import SVC
from empirisk.estimators.linear.tune import StrengthSelection
from empirisk.kernels import kernel_of
from empirisk.losses import HalfSquared, Loss
from empirisk.problems.kernelised import KernelProblem
from empirisk.solvers.auto import resolve

__all__ = ["KernelRidge"]


@documented(SVC)
class KernelRidge(KernelRegressor):
    """Least squares over the functions of a kernel.

    ``min_{f,b} (1/S) sum_i s_i (f(x_i) + b - y_i)^2 / 2 + alpha ||f||^2 / 2``

    over the functions f of the kernel's space: ``f(x) = sum_i a_i k(x, x_i)`` with ``(K + alpha S diag(1/s))
    a + b = y`` and ``sum_i a_i = 0``.  scikit-learn's ``KernelRidge(alpha=c)`` has no intercept and is
    ``alpha = c / S``.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S.  ``"cv"`` chooses it by the exact leave-one-out
        error, or with K folds where `cv` is given.
    kernel : str, Kernel or list of these, default "gaussian"
        A name of :data:`empirisk.kernels.REGISTRY`, or an object such as ``er.kernels.Gaussian(gamma=0.1)``.
        With ``alpha="cv"`` a list is a grid: the kernel of the least leave-one-out error is taken.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    alphas : int or list of floats, default 20
        Strengths that ``"cv"`` tries.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds; leave-one-out by default.
    rule : {"min", "one_se"}, default "min"
        Smallest validation loss, or the strongest penalty within one standard error of it.
    solver : {"auto", "kernel_newton", "kernel_cg"} or Solver, default "auto"
        Cholesky's factorisation, or conjugate gradients, which do not need the kernel matrix in memory and
        stop at `tol`; "auto" takes these from 4000 rows on, unless the ridge is small, and where the matrix
        does not fit.
    random_state
        As in :class:`SVC`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 100
        Most Newton steps, of which one is exact, or bursts of 200 conjugate gradients.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its numbers.
    support_ : array of int
        Rows whose weight is not 0: all of positive sample weight, as a rule.
    dual_coef_ : array, shape (1, number of rows)
        Their weights a.
    intercept_ : float
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap.
    solution_, selection_
        As in :class:`SVC`.
    selections_ : list of (Kernel, StrengthSelection)
        With ``alpha="cv"`` and several kernels: all of them.

    Raises
    ------
    MemoryError
        When ``"kernel_newton"`` or leave-one-out do not find room for the kernel matrix and its factor, with
        a forecast.
    ValueError
        When leave-one-out meets ``solver="kernel_cg"``: it needs the eigenvectors of the whole matrix.

    Notes
    -----
    ``n^3/3`` flops and 16 n^2 bytes by ``"kernel_newton"``; ``2 n^2`` flops an iteration and up to 2 GB by
    ``"kernel_cg"``.  Leave-one-out for all strengths takes one eigendecomposition, about ``9 n^3`` flops.  A
    row is left out with its weight and all its copies, at the same ``alpha S``.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(0.0, 6.0, 40)
    >>> model = er.KernelRidge("cv", kernel=er.kernels.Gaussian(length_scale=1.0)).fit(x[:, None], np.sin(x))
    >>> bool(np.abs(model.predict([[1.5]]) - np.sin(1.5)) < 1e-3), model.selection_.method
    (True, 'exact leave-one-out')
    """

    selections_: list[tuple[Any, StrengthSelection]]

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        kernel: Any = "gaussian",
        fit_intercept: bool = True,
        alphas: Any = 20,
        cv: Any = None,
        rule: str = "min",
        solver: Any = "auto",
        random_state: Any = None,
        tol: float = 1e-6,
        max_iter: int = 100,
    ) -> None:
        self._set(locals())

    def _loss(self) -> Loss:
        return HalfSquared()

    def _has_intercept(self) -> bool:
        return check_flag("fit_intercept", self.fit_intercept)

    def _solver(self) -> Any:
        return self.solver

    def _kernel(self) -> Any:
        """Return the kernel as given, or the first one of a grid, which is looked through later."""
        if not isinstance(self.kernel, list | tuple):
            return self.kernel
        if not self.kernel:
            raise ValueError("kernel must hold at least one kernel, got an empty list")
        if self.alpha != "cv":
            raise ValueError('several kernels are compared by leave-one-out: give alpha="cv", or one kernel')
        return self.kernel[0]

    def _strength(self, rows: ArrayBlocks) -> tuple[float, KernelProblem | None]:
        if self.alpha != "cv" or self.cv is not None:
            return super()._strength(rows)
        self._refuse_without_matrix(rows)
        check_choice("rule", self.rule, {"min": 0, "one_se": 1})
        given = self.kernel if isinstance(self.kernel, list | tuple) else [self.kernel_]
        found = []
        best: tuple[float, KernelProblem] | None = None
        for one in given:
            self.kernel_ = kernel_of(one).resolved(rows.design.X, rows.weight)
            problem = self._problem_of(rows, 1.0)
            chosen = select_by_left_out(problem, self.alphas, self.rule)
            found.append((self.kernel_, chosen))
            least = float(chosen.loss[chosen.index_min])
            if best is None or least < best[0]:  # the matrices of the others are let go
                best = least, problem
                self.selection_ = chosen
        assert best is not None
        self.selections_, self.kernel_ = found, best[1].kernel
        if len(found) > 1:
            method = f"{self.selection_.method}, the best of {len(found)} kernels"
            self.selection_ = replace(self.selection_, method=method)
        return self.selection_.alpha, best[1]

    def _refuse_without_matrix(self, rows: ArrayBlocks) -> None:
        """Refuse leave-one-out by a solver that is there to do without the kernel matrix."""
        chosen = resolve(self._problem_of(rows, 1.0), self.solver) if self.solver != "auto" else None
        if not getattr(chosen, "stores_kernel", True):
            raise ValueError(
                'alpha="cv" without cv is exact leave-one-out, which needs the eigenvectors of the kernel '
                f"matrix: the solver {getattr(chosen, 'name', chosen)!r} does without the matrix; give cv=5, "
                'alpha as a number, or solver="auto"'
            )
