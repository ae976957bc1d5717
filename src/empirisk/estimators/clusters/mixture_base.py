"""What all mixtures share: starts, EM, the choice of the number of parts, what is read off the best fit."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks, Block
from empirisk.data.seeds import check_seed, generator_of
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_count, check_finite, check_number
from empirisk.estimators.clusters.base import Clusterer, first_seen
from empirisk.estimators.clusters.mixture_selection import MixtureSelection, criterion_of, numbers_of
from empirisk.estimators.clusters.mixture_starts import starts_of
from empirisk.estimators.clusters.mixture_verify import recomputed
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.mixtures.base import DegenerateError, Family, Parts
from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.problems.latent import LatentProblem, facts_of
from empirisk.results import Certificate, Solution, unconfirmed
from empirisk.solvers.latent_starts import LatentSolution, expectation_maximization
from empirisk.typing import Array, IndexArray

__all__ = ["MixtureBase"]


def _table(problem: LatentProblem) -> ArrayBlocks:
    """Return the rows of a problem that this file has made."""
    return cast(ArrayBlocks, problem.data)


# Rows whose chances are in memory at once.
STRETCH = 16_384


class MixtureBase(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """Base of the mixtures; a subclass says by ``_chosen_family()`` what the parts are.

    It has the parameters ``n_components, init, n_init, criterion, ridge, tol, max_iter, random_state``.
    """

    n_components: Any
    init: Any
    n_init: int
    criterion: str
    ridge: float
    tol: float
    max_iter: int
    random_state: Any
    weights_: Array
    n_components_: int
    n_iter_: int
    log_likelihood_: float
    bic_: float
    aic_: float
    icl_: float
    solution_: Solution
    selection_: MixtureSelection
    starts_: Any
    _parts: Parts

    def _chosen_family(self) -> Family:
        raise NotImplementedError

    def _ridge(self) -> float:
        return check_number("ridge", self.ridge, 0.0)

    def _read(self, X: Any, reset: bool) -> Any:
        """Return the rows as a C-ordered array; NaN where the family takes missing cells."""
        if not self._chosen_family().missing:
            return super()._read(X, reset)
        with numbers_only(X):
            X = validate_data(
                self, X, reset=reset, dtype=[np.float64, np.float32], order="C", ensure_all_finite=False
            )
        there = np.where(np.isnan(X), X.dtype.type(0.0), X)
        check_finite(Design(there), getattr(self, "feature_names_in_", None))
        return X

    def problem(self, X: Any, sample_weight: Any = None, n_components: int | None = None) -> LatentProblem:
        """Return what is minimised for these rows: the mean negative log-likelihood, over the parameters.

        Parameters
        ----------
        X : array, shape (n, p)
            Rows.
        sample_weight : array, shape (n,), optional
            Weights >= 0.
        n_components : int, optional
            The parameter of that name, or the chosen number, where it is left out.
        """
        X = np.asarray(X)
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        number = getattr(self, "n_components_", self.n_components) if n_components is None else n_components
        return self._problem(X, weight, check_count("n_components", number, 1))

    def _problem(self, X: Array, weight: Array, k: int) -> LatentProblem:
        multiple = WeightUnit.of(weight).multiple
        unit = np.ones(len(X)) if multiple is None else multiple
        shapes = self._chosen_family().shapes(k, X.shape[1])
        refuse_memory(
            f"a mixture of {k} parts with {X.shape[1]} columns",
            8.0 * 8.0 * sum(math.prod(shape) for shape in shapes.values()),
            "take fewer components, or a family without correlations such as 'diagonal'",
        )
        data = ArrayBlocks(Design(X), np.broadcast_to(np.zeros(()), len(X)), unit)
        family, names = self._chosen_family(), getattr(self, "feature_names_in_", None)
        family.check(Block(data.design, data.y, data.weight, 0), names)
        facts = facts_of(data, self._ridge(), names, missing=family.missing)
        return LatentProblem(family, data, k, self._ridge(), facts)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the parts to the rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            float32 stays float32, other numbers become float64.
        y : None
            Ignored.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a row of weight 0 is absent, but for its label, and a weight of 2 is the row twice.

        Returns
        -------
        self
        """
        super().fit(X, y, sample_weight)
        if not self.solution_.status.ok:
            warnings.warn(
                f"ER001: EM took max_iter = {self.n_iter_} steps, and the gradient norm "
                f"{self.certificate_.value:.2g} is above tol = {self.tol:g}: raise max_iter, or tol if that "
                "is good enough",
                CertificateWarning,
                stacklevel=2,
            )
        return self

    def _group(self, X: Any, weight: Array) -> None:
        """Fit each number of parts, choose one, and read labels and criteria off it."""
        numbers, word = numbers_of(self.n_components, self.criterion)
        check_count("n_init", self.n_init, 1)
        check_number("tol", self.tol, 0.0)
        check_count("max_iter", self.max_iter, 1)
        live = int((weight > 0.0).sum())
        if max(numbers) > live:
            raise ValueError(
                f"n_components = {max(numbers)}, but X has n_samples = {live} rows of positive weight: take "
                "at most as many components as rows"
            )
        if live < 2:
            raise ValueError("X has n_samples = 1 row of positive weight; a component needs 2 for a spread")
        problem, seed = self._problem(X, weight, numbers[0]), check_seed(self.random_state)
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
        self.selection_ = criterion_of(word, values, _table(problem).weight, logs, free, singular)
        self.n_components_ = self.selection_.best
        self._publish(replace(problem, n_parts=self.n_components_), fits[self.n_components_], weight)

    def _fit_number(self, problem: LatentProblem, seed: int) -> LatentSolution:
        begun = starts_of(problem, self.init, 1 if problem.n_parts == 1 else self.n_init, seed)
        return expectation_maximization(problem, begun, tol=self.tol, max_steps=self.max_iter)

    def _free(self, k: int, problem: LatentProblem) -> int:
        return k - 1 + problem.family.free(k, problem.data.n_cols)

    def _row_values(self, problem: LatentProblem, fit: LatentSolution, word: str) -> Array:
        """Return what each row gives to a criterion: log f, and for ICL the log of its largest chance."""
        return np.concatenate([
            log + np.log(chance.max(axis=1)) if word == "icl" else log
            for log, chance in self._each(_table(problem).design.X, problem, fit.w)
        ])  # fmt: skip

    def _each(self, X: Any, problem: LatentProblem, w: Array) -> Any:
        """Yield log-densities and chances, some thousands of rows at a time."""
        parts, logs = problem.parts(w), problem.log_weights(w)
        for a in range(0, X.shape[0], STRETCH):
            rows = X[a : a + STRETCH]
            one = np.ones(len(rows))
            yield problem.family.rows(parts, logs, Block(Design(rows), one, one, a))

    def _publish(self, problem: LatentProblem, fit: LatentSolution, weight: Array) -> None:
        """Number the parts by their first rows, and set what is known of the fit."""
        X, k = _table(problem).design.X, problem.n_parts
        found, sure = [], []
        for _, chance in self._each(X, problem, fit.w):
            found.append(chance.argmax(axis=1))
            sure.append(np.log(chance.max(axis=1)))
        labels, old = first_seen(np.concatenate(found), weight)
        order = np.concatenate([old, np.setdiff1d(np.arange(k), old)]).astype(np.intp)
        self.labels_ = labels
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
        self.icl_ = self.bic_ - 2.0 * float(_table(problem).weight @ np.concatenate(sure))
        self._show(X.dtype)

    def _show(self, dtype: Any) -> None:
        """Set the blocks of parameters under their public names, covariances in the place of factors."""
        family = self._chosen_family()
        for name, block in self._parts.items():
            if name == "factors" and isinstance(family, GaussianFamily):
                name, block = "covariances", family.covariances_of(self._parts)
            setattr(self, f"{name}_", block.astype(dtype))

    def _rows(self, X: Any) -> tuple[Array, Array]:
        """Return log-densities and chances of rows."""
        check_is_fitted(self, "_parts")
        X = self._read(X, reset=False)
        family, k = self._chosen_family(), self.n_components_
        one = np.ones(X.shape[0])
        family.check(Block(Design(X), one, one, 0), getattr(self, "feature_names_in_", None))
        refuse_memory(f"{len(one)} x {k} chances", 8.0 * len(one) * (k + 1), "ask for fewer rows at a time")
        logs = np.log(self.weights_)
        found = [
            family.rows(self._parts, logs, Block(Design(X[a : a + STRETCH]), one, one[a : a + STRETCH], 0))
            for a in range(0, len(one), STRETCH)
        ]
        return np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])

    def predict(self, X: Any) -> IndexArray:
        """Return the part of the largest chance for each row (the MAP rule), shape (m,).

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        """
        return np.asarray(self._rows(X)[1].argmax(axis=1), dtype=np.intp)

    def predict_proba(self, X: Any) -> Array:
        """Return the chances of the parts given each row, shape (m, n_components_).

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        """
        return self._rows(X)[1]

    def transform(self, X: Any) -> Array:
        """Return the chances of the parts as features of rows, as :meth:`predict_proba` gives them.

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        """
        return self.predict_proba(X)

    @property
    def _n_features_out(self) -> int:
        """The number of features: one for each part."""
        return self.n_components_

    def score_samples(self, X: Any) -> Array:
        """Return the logarithm of the density at each row, shape (m,).

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        """
        return self._rows(X)[0]

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean logarithm of the density.

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        y : None
            Ignored.
        """
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Array, IndexArray]:
        """Draw rows from the mixture, shape (n_samples, p), and the part of each.

        Parameters
        ----------
        n_samples : int, default 1
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed; None is new at each call.
        """
        check_is_fitted(self, "_parts")
        count, rng = check_count("n_samples", n_samples, 1), generator_of(random_state)
        labels = rng.choice(self.n_components_, count, p=self.weights_ / self.weights_.sum())
        out = np.empty((count, self.n_features_in_))
        for k in range(self.n_components_):
            mine = labels == k
            out[mine] = self._chosen_family().draw(self._parts, k, int(mine.sum()), rng)
        return out, labels

    def outlier_scores(self, X: Any, n_draws: int = 10_000, random_state: Any = 0) -> Array:
        """Return the share of draws from the mixture that have a larger density than each row, shape (m,).

        A row of the mixture has a uniform score, so that scores above 0.99 are those of one row in a hundred;
        the share of n draws has a standard error of at most ``0.5 / sqrt(n)``.

        Parameters
        ----------
        X : array, shape (m, p)
            Rows.
        n_draws : int, default 10000
            How many draws.
        random_state : int, Generator, RandomState or None, default 0
            Seed of the draws.
        """
        own = self.score_samples(X)
        drawn = self.sample(check_count("n_draws", n_draws, 1), random_state)[0]
        others = np.sort(self.score_samples(drawn.astype(self._dtype(), copy=False)))
        return np.asarray(1.0 - np.searchsorted(others, own, side="right") / len(others))

    def _dtype(self) -> Any:
        return next(iter(self._parts.values())).dtype

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Recompute the likelihood and one step of EM in plain NumPy."""
        check_is_fitted(self, "_parts")
        X = self._read(X, reset=False)
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if len(X) != len(self.labels_):
            return unconfirmed(f"the fit had {len(self.labels_)} rows, and these are {len(X)}")
        problem = self._problem(X, weight, len(self.weights_))
        chances = (chance for _, chance in self._each(X, problem, self.solution_.w))
        return recomputed(self, problem, chances, self._free(problem.n_parts, problem))
