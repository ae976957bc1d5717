"""What estimators over a kernel share: validate -> kernel problem -> solve -> keep the rows that count."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import (
    check_alpha,
    check_count,
    check_finite,
    check_number,
    check_weights,
    is_number,
    pair_noun,
)
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.kernel.strength import select_strength
from empirisk.estimators.kernel_rows import checked_squares, refuse_underflow
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.linear.tune import StrengthSelection
from empirisk.estimators.stated import disputed
from empirisk.kernels import Kernel, kernel_of
from empirisk.kernels.likeness import likeness_note
from empirisk.losses.base import Loss
from empirisk.problems.kernelised import KernelProblem
from empirisk.results import Certificate, Solution, unconfirmed
from empirisk.solvers.by_features import by_features
from empirisk.solvers.solve import solve
from empirisk.typing import Array, IndexArray

__all__ = ["KernelEstimator"]


class KernelEstimator(Estimator):
    """Base of the estimators whose scores are ``sum_j a_j k(x, x_j) + b``.

    A subclass says how targets become one problem or several (:meth:`_posed`) and what becomes of their
    solutions (:meth:`_unpack`).  After ``fit``: ``kernel_``, ``support_``, ``dual_coef_``, ``intercept_``,
    ``alpha_``, ``solution_``, and the property ``certificate_``.
    """

    kernel: Any
    alpha: Any
    tol: float
    max_iter: int
    kernel_: Kernel
    support_: IndexArray
    dual_coef_: Array
    intercept_: Any
    alpha_: float
    solution_: Solution
    selection_: StrengthSelection
    n_features_in_: int
    _centres: Any
    _n_rows: int = 0  # of the fit, with those of weight 0

    # -- what a subclass gives ----------------------------------------------------------------------

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Return the targets as the losses want them; learns ``classes_`` when fitting."""
        raise NotImplementedError

    def _weights(self, weight: Array, targets: Array) -> Array:
        """Return the weights of the rows; classifiers multiply them by the weights of the classes here."""
        return weight

    def _loss(self) -> Loss:
        """Return the loss that the parameters name."""
        raise NotImplementedError

    def _problems(self, rows: ArrayBlocks, alpha: float) -> list[KernelProblem]:
        """Return the problems that are solved one by one, each on all rows; one by default."""
        return [self._problem_of(rows, alpha)]

    # -- the flow -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the objective of the class docstring.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; with a precomputed kernel its matrix on the training rows, (n, n).
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.

        Returns
        -------
        self
        """
        with as_before(self):
            rows = self._encoded(X, y, sample_weight, fitting=True)
            self._finish(rows, self._fit_rows(rows))
        self._warn()
        return self

    def _fit_rows(self, rows: ArrayBlocks) -> list[KernelProblem]:
        """Choose the strength, where it is to be chosen, solve, and keep what predictions need; return what
        was solved.
        """
        alpha, known = self._strength(rows)
        problems = self._problems(rows, alpha)
        if known is not None:
            problems[0].facts.share(known.facts)
        self._keep(rows, alpha, self._all_solved(problems, [None] * len(problems)))
        return problems

    def _strength(self, rows: ArrayBlocks) -> tuple[float, KernelProblem | None]:
        """Return the strength that the parameter says; "1/n" is one over the total weight.

        With it comes a problem on the same rows that has read their kernel, where the choice took one.
        """
        given = check_alpha(self.alpha)
        if given == "cv":
            self.selection_, seen = select_strength(self, rows)
            return self.selection_.alpha, seen
        return (1.0 / rows.total_weight if given == "1/n" else float(given)), None

    def _all_solved(self, problems: list[KernelProblem], starts: Sequence[Array | None]) -> list[Solution]:
        """Return the solutions of problems on the same rows, which read the kernel from one place."""
        out = []
        for problem, start in zip(problems, starts, strict=True):
            problem.facts.share(problems[0].facts)
            out.append(self._solve(problem, start))
        return out

    def _solve(self, problem: KernelProblem, start: Array | None) -> Solution:
        """Return the minimiser; an iteration may begin at `start`."""
        steps, tol = check_count("max_iter", self.max_iter, 1), self._tolerance()
        flat = by_features(problem, tol, steps)
        return flat or solve(problem, self._solver(), w0=start, tol=tol, max_steps=steps)

    def _solver(self) -> Any:
        return "auto"

    def _tolerance(self) -> float:
        return check_number("tol", self.tol, 0.0, closed=False)

    def _keep(self, rows: ArrayBlocks, alpha: float, solutions: list[Solution]) -> None:
        """Set the attributes of a fit: the rows whose weight is not 0 in some problem, and these weights."""
        n = len(rows.y)
        weights = np.stack([s.w[:n] for s in solutions], axis=1)
        self.support_ = np.flatnonzero(weights.any(axis=1))
        self.dual_coef_ = weights[self.support_].T
        self.intercept_ = np.array([s.w[n] if len(s.w) > n else 0.0 for s in solutions])
        self.alpha_ = alpha
        self._keep_solution(rows, solutions)

    def _keep_solution(self, rows: ArrayBlocks, solutions: list[Solution]) -> None:
        """Keep the support vectors, and what is said of the solutions."""
        self._centres = self.kernel_.centres(rows.design.X, self.support_)
        self._n_rows = len(rows.y)
        told = _together(solutions)
        likeness = likeness_note(self.kernel_, rows.design.X)
        # A path of given strengths chooses nothing, whatever an earlier fit did.
        edge = self.selection_.note if str(getattr(self, "alpha", "")) == "cv" else ""
        note = "; ".join(part for part in (told.note, edge, likeness) if part)
        self.solution_ = replace(told, state=None, note=note)
        self.n_iter_ = self.solution_.n_steps

    def _finish(self, rows: ArrayBlocks, solved: list[KernelProblem]) -> None:
        """Hook for what is made of the fit after it; what was solved holds rows of the kernel."""

    def _look_at_targets(self, y: Any) -> None:
        """Hook for checks of y that name the row."""

    def _warn(self) -> None:
        if not self.solution_.status.ok:
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=caller_level())

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether these are strengths > 0: rows of the kernel and solutions are shared along them."""
        return parameter == "alpha" and all(is_number(value, 0.0, closed=False) for value in values)

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield the models in the order of the values, each begun at the solutions of the one before."""
        if not self._values_together(parameter, values):
            yield from super()._fit_each(X, y, parameter, values, **rows)
            return
        first = clone(self)
        data = first._encoded(X, y, **{"sample_weight": None, **rows}, fitting=True)
        learned = {k: v for k, v in vars(first).items() if k not in first.get_params(deep=False)}
        parts: list[KernelProblem] = []
        starts: list[Array | None] = []
        for value in values:
            model = clone(self).set_params(alpha=value)
            vars(model).update(learned)
            alpha = float(value)
            fresh = model._problems(data, alpha)
            parts = [p.with_strength(q.alpha) for p, q in zip(parts, fresh, strict=True)] if parts else fresh
            starts = starts or [None] * len(parts)
            solutions = model._all_solved(parts, starts)
            starts = [s.w for s in solutions]
            model._keep(data, alpha, solutions)
            model._finish(data, parts)
            model._warn()
            yield model

    # -- rows ---------------------------------------------------------------------------------------

    def _encoded(self, X: Any, y: Any, sample_weight: Any, fitting: bool) -> ArrayBlocks:
        """Return the checked rows, targets as the losses want them, and weights; learns ``kernel_``."""
        self._look_at_targets(y)
        with numbers_only(X, y):
            X, y = validated(
                self, canonical(X), y, reset=fitting, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False, **self._y_options(),
            )  # fmt: skip
            design = Design(X)
            squares = self._checked_squares(design)
            targets = self._targets(y, fitting)
        weight = self._weights(check_weights(sample_weight, design.shape[0]), targets)
        if fitting:
            self._learn_kernel(design, squares, weight)
        return ArrayBlocks(design, targets, weight)

    def _checked_squares(self, design: Design) -> Array:
        """Return the sum of squares of each column of rows that are finite and whose squares are."""
        names = getattr(self, "feature_names_in_", None)
        check_finite(design, names, pair_noun(self))
        return checked_squares(design, names)

    def _learn_kernel(self, design: Design, squares: Array, weight: Array) -> None:
        """Set ``kernel_``: the kernel with numbers in place of words."""
        given = kernel_of(self._kernel())
        given.check(design.X)
        if given.explicit(design.X) is None:  # linear machines bring the columns to one scale
            refuse_underflow(given, design, squares)
        self.kernel_ = given.resolved(design.X, weight)

    def _y_options(self) -> dict[str, Any]:
        return {}

    def _rows(self, X: Any) -> Any:
        """Return new rows, checked against those of the fit."""
        check_is_fitted(self)
        with numbers_only(X):
            X = validated(
                self, canonical(X), reset=False, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False,
            )  # fmt: skip
        check_finite(Design(X), getattr(self, "feature_names_in_", None), pair_noun(self))
        return X

    def _scores(self, X: Any) -> Array:
        """``sum_j a_j k(x, x_j) + b`` of each problem, shape (n, number of problems)."""
        X = self._rows(X)
        if not len(self.support_):
            return np.tile(self.intercept_, (X.shape[0], 1))
        z = self.kernel_.product(X, self._centres, np.ascontiguousarray(self.dual_coef_.T))
        return np.asarray(z + self.intercept_, dtype=X.dtype)

    # -- words --------------------------------------------------------------------------------------

    def _problem_of(self, rows: ArrayBlocks, alpha: float) -> KernelProblem:
        return KernelProblem(self._loss(), self.kernel_, alpha, rows, self._has_intercept())

    def _posed(self, rows: ArrayBlocks) -> KernelProblem:
        """Return the problem that a fit on these rows would solve, all parameters checked."""
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        problem = self._problem_of(rows, self._strength(rows)[0])
        problem.preflight()
        return problem

    def _has_intercept(self) -> bool:
        return True

    def _kernel(self) -> Any:
        """Return the kernel as given; hook for parameters that hold several."""
        return self.kernel

    @property
    def certificate_(self) -> Certificate:
        """How far the fit can be from the optimum, and by which argument."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate, recomputed from the weights of the rows alone."""
        rows = self._encoded(X, y, sample_weight, fitting=False)
        if (other := self._other_rows(rows.design.X)) is not None:
            return other
        found = []
        for k, problem in enumerate(self._problems(rows, self.alpha_)):
            a = np.zeros(problem.n)
            a[self.support_] = self.dual_coef_[k]
            w = problem.join(a, float(np.ravel(self.intercept_)[k]))
            found.append(self._certified(problem, w, k))
        return _summed(found)

    def _other_rows(self, X: Any) -> Certificate | None:
        """Return why a fit is not confirmed on rows that are not those of the fit; None where they are.

        Their number is compared, and those that new rows are compared with.
        """
        n = X.shape[0]
        had = self._n_rows or n  # models of earlier versions do not know
        had = max(had, int(self.support_.max(initial=-1)) + 1)
        if n != had:
            return unconfirmed(f"there are {n} rows, and the fit had {had}")
        if not len(self.support_):
            return None
        return disputed(self, {"_centres": self.kernel_.centres(X, self.support_)}, tol=1e-6)

    def _certified(self, problem: KernelProblem, w: Array, k: int) -> Certificate:
        """Return the smaller gap of two for problem k: dual values from the weights, or from the slopes.

        Losses with kinks have no others at an optimum.
        """
        a = problem.split(w)[0]
        both = [problem.certify(w, None, 0.0, theta) for theta in (problem.dual_of(a), None)]
        return min(both, key=lambda c: c.value)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = bool(getattr(self.kernel, "precomputed", self.kernel == "precomputed"))
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "solution_" in state:  # one number a row, which `verify` can find again
            state["solution_"] = replace(state["solution_"], dual=None)
        return state


def _together(solutions: list[Solution]) -> Solution:
    """Return the solutions of problems that were solved one by one as that of their sum."""
    if len(solutions) == 1:
        return solutions[0]
    worst = max(solutions, key=lambda s: s.certificate.relative)
    notes = "; ".join(dict.fromkeys(s.note for s in solutions if s.note))
    return replace(
        worst,
        w=np.concatenate([s.w for s in solutions]),
        certificate=_summed([s.certificate for s in solutions]),
        n_steps=sum(s.n_steps for s in solutions),
        n_passes=sum(s.n_passes for s in solutions),
        note=notes,
        dual=None,
    )


def _summed(certificates: list[Certificate]) -> Certificate:
    """Return the certificate of a sum of problems: values, scales and floors add up."""
    if len(certificates) == 1:
        return certificates[0]
    bad = next((c for c in certificates if not np.isfinite(c.value)), None)
    if bad is not None:
        return bad
    value, scale, floor = (sum(getattr(c, k) for c in certificates) for k in ("value", "scale", "floor"))
    claim = (
        f"F(w) - min F <= {value:.2g} (relative {value / scale:.1g} of the null models' {scale:.3g}), by "
        f"{certificates[0].kind.value}, F the sum over {len(certificates)} problems of two classes"
    )
    return Certificate(certificates[0].kind, value, scale, claim, 0.0, floor)
