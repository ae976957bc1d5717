"""What mixtures of rows and of regressions share: starts, EM, the number of parts, what is read off a fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np

from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks, Block
from empirisk.data.seeds import check_seed
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_count, check_number
from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.mixture_selection import MixtureSelection, criterion_of, numbers_of
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.mixtures.base import DegenerateError, Parts
from empirisk.problems.latent import LatentProblem
from empirisk.results import Certificate, Solution
from empirisk.solvers.latent_starts import LatentSolution, Starts, expectation_maximization
from empirisk.typing import Array, IndexArray

__all__ = ["MixtureFit", "by_stretches", "stretches", "unit_weights"]

# Rows whose chances are in memory at once.
STRETCH = 16_384


class MixtureFit(Estimator):
    """Base of what is fitted by EM from several starts.

    A subclass has the parameters ``n_components, init, n_init, criterion, tol, max_iter, random_state``, and
    gives ``_begun(problem, seed)``, functions that make one start each, and ``_public(parts)``, the blocks of
    parameters under their public names.
    """

    n_components: Any
    init: Any
    n_init: int
    criterion: str
    tol: float
    max_iter: int
    random_state: Any
    n_features_in_: int
    labels_: IndexArray
    weights_: Array
    n_components_: int
    n_iter_: int
    log_likelihood_: float
    bic_: float
    aic_: float
    icl_: float
    solution_: Solution
    certificate_: Certificate
    selection_: MixtureSelection
    starts_: Starts
    _parts: Parts

    def _begun(self, problem: LatentProblem, seed: int) -> list[Callable[[], Array]]:
        raise NotImplementedError

    def _public(self, parts: Parts) -> dict[str, Array]:
        raise NotImplementedError

    def _choose(self, problem: LatentProblem) -> None:
        """Fit each number of parts to the rows of a problem, choose one, and set what is known of it."""
        numbers, word = numbers_of(self.n_components, self.criterion)
        check_count("n_init", self.n_init, 1)
        check_number("tol", self.tol, 0.0)
        check_count("max_iter", self.max_iter, 1)
        live = int(problem.data.map_sum(lambda block: int((np.asarray(block.weight) > 0.0).sum())))
        if max(numbers) > live:
            raise ValueError(
                f"n_components = {max(numbers)}, but X has n_samples = {live} rows of positive weight: take "
                "at most as many components as rows"
            )
        if live < 2:
            raise ValueError("X has n_samples = 1 row of positive weight; a component needs 2 for a spread")
        seed = check_seed(self.random_state)
        fits: dict[int, LatentSolution] = {}
        singular: dict[int, str] = {}
        for k in numbers:
            try:
                fits[k] = self._fit_number(replace(problem, n_parts=k), seed)
            except DegenerateError as error:
                if len(numbers) == 1:
                    raise
                singular[k] = str(error)
        if not fits:
            raise ValueError(f"no number of components has a fit: {singular[numbers[0]]}")
        values = {k: self._row_values(replace(problem, n_parts=k), fit, word) for k, fit in fits.items()}
        free = {k: self._free(k, problem) for k in fits}
        logs = {k: fit.state.evaluation.log_likelihood for k, fit in fits.items()}
        weight = cast(ArrayBlocks, problem.data).weight
        self.selection_ = criterion_of(word, values, weight, logs, free, singular)
        self.n_components_ = self.selection_.best
        self._publish(replace(problem, n_parts=self.n_components_), fits[self.n_components_])

    def _fit_number(self, problem: LatentProblem, seed: int) -> LatentSolution:
        begun = self._begun(problem, seed)
        return expectation_maximization(
            problem, begun[:1] if problem.n_parts == 1 else begun, tol=self.tol, max_steps=self.max_iter
        )

    def _free(self, k: int, problem: LatentProblem) -> int:
        return k - 1 + problem.family.free(k, problem.data.n_cols)

    def _row_values(self, problem: LatentProblem, fit: LatentSolution, word: str) -> Array:
        """Return what each row gives to a criterion: log f, and for ICL the log of its largest chance."""
        return np.concatenate([
            log + np.log(chance.max(axis=1)) if word == "icl" else log
            for _, log, chance in stretches(problem, fit.w)
        ])  # fmt: skip

    def _publish(self, problem: LatentProblem, fit: LatentSolution) -> None:
        """Number the parts by their first rows, and set what is known of the fit."""
        k = problem.n_parts
        found, weights, sure = [], [], 0.0
        for block, _, chance in stretches(problem, fit.w):
            found.append(chance.argmax(axis=1))
            weights.append(block.weight)
            sure += float(block.weight @ np.log(chance.max(axis=1)))
        self.labels_, old = first_seen(np.concatenate(found), np.concatenate(weights))
        order = np.concatenate([old, np.setdiff1d(np.arange(k), old)]).astype(np.intp)
        parts = problem.parts(fit.w)
        self._parts = {name: np.array(b[order] if len(b) == k else b) for name, b in parts.items()}
        self.weights_ = np.exp(problem.log_weights(fit.w))[order]
        w = problem.pack(np.log(self.weights_), self._parts)
        self.starts_ = fit.starts
        self.solution_ = Solution(
            w,
            fit.status,
            fit.certificate,
            fit.n_steps,
            fit.n_passes,
            fit.trace,
            note=fit.note,
            solver=fit.solver,
        )
        self.certificate_, self.n_iter_ = fit.certificate, fit.n_steps
        self.log_likelihood_ = fit.state.evaluation.log_likelihood
        free, n = self._free(k, problem), problem.facts.total
        self.bic_ = free * float(np.log(n)) - 2.0 * self.log_likelihood_
        self.aic_ = 2.0 * free - 2.0 * self.log_likelihood_
        self.icl_ = self.bic_ - 2.0 * sure
        dtype = next(iter(problem.data)).design.dtype
        for name, numbers in self._public(self._parts).items():
            setattr(self, name, numbers.astype(dtype))

    def _warn(self) -> None:
        """Say where EM ended before its tolerance."""
        if not self.solution_.status.ok:
            warnings.warn(
                f"ER001: EM took max_iter = {self.n_iter_} steps, and the gradient norm "
                f"{self.certificate_.value:.2g} is above tol = {self.tol:g}: raise max_iter, or tol if that "
                "is good enough",
                CertificateWarning,
                stacklevel=caller_level(),
            )


def unit_weights(weight: Array) -> Array:
    """Return weights as multiples of their unit."""
    multiple = WeightUnit.of(weight).multiple
    return np.ones(len(weight)) if multiple is None else multiple


def by_stretches(block: Block, f: Callable[[Any, Array], Array]) -> Array:
    """Return ``f(X, y)`` of the rows of a block, some thousands at a time, one below the other."""
    n = len(block.weight)
    slices = [slice(a, a + STRETCH) for a in range(0, n, STRETCH)]
    return np.concatenate([f(block.design.X[at], block.y[at]) for at in slices])


def stretches(problem: LatentProblem, w: Array) -> Iterator[tuple[Block, Array, Array]]:
    """Yield some thousands of rows at a time, with their log-densities and chances."""
    parts, logs = problem.parts(w), problem.log_weights(w)
    for block in problem.data:
        for a in range(0, len(block.weight), STRETCH):
            at = slice(a, a + STRETCH)
            rows = Block(
                Design(block.design.X[at]), block.y[at], np.asarray(block.weight[at]), block.start + a
            )
            yield rows, *problem.family.rows(parts, logs, rows)
