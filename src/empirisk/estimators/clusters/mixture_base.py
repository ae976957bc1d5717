"""What all mixtures of rows share: reading rows, densities, draws, outliers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import ArrayBlocks, Block
from empirisk.data.seeds import generator_of
from empirisk.data.sparse_cells import is_sparse
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_count, check_finite, check_number, check_weights
from empirisk.estimators.clusters.base import Clusterer
from empirisk.estimators.clusters.mixture_fit import STRETCH, MixtureFit, stretches, unit_weights
from empirisk.estimators.clusters.mixture_selection import numbers_of
from empirisk.estimators.clusters.mixture_starts import starts_of
from empirisk.estimators.clusters.mixture_verify import recomputed
from empirisk.mixtures.base import Family, Parts
from empirisk.mixtures.columns import column_ends
from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.problems.latent import LatentProblem, facts_of
from empirisk.results import Certificate, unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["MixtureBase"]


class MixtureBase(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MixtureFit, Clusterer):
    """Base of the mixtures of rows; a subclass says by ``_chosen_family()`` what the parts are.

    It has the parameters ``n_components, init, n_init, criterion, ridge, tol, max_iter, random_state``.
    """

    ridge: float

    def _chosen_family(self) -> Family:
        raise NotImplementedError

    @property
    def _takes_sparse(self) -> bool:  # type: ignore[override]  # it hangs on the family
        """Whether the family reads sparse rows; no where it is none."""
        try:
            return self._chosen_family().sparse
        except ValueError:
            return False

    def _ridge(self) -> float:
        return check_number("ridge", self.ridge, 0.0)

    def _read(self, X: Any, reset: bool) -> Any:
        """Return the rows as a C-ordered array; NaN where the family takes missing cells."""
        if not self._chosen_family().missing:
            return super()._read(X, reset)
        with numbers_only(X):
            X = validated(
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
        X = X if is_sparse(X) else np.asarray(X)
        weight = check_weights(sample_weight, X.shape[0])
        number = getattr(self, "n_components_", self.n_components) if n_components is None else n_components
        return self._problem(X, weight, check_count("n_components", number, 1))

    def _problem(self, X: Array, weight: Array, k: int) -> LatentProblem:
        shapes = self._chosen_family().shapes(k, X.shape[1])
        refuse_memory(
            f"a mixture of {k} parts with {X.shape[1]} columns",
            8.0 * 8.0 * sum(math.prod(shape) for shape in shapes.values()),
            "take fewer components, or a family without correlations such as 'diagonal'",
        )
        data = ArrayBlocks(Design(X), np.broadcast_to(np.zeros(()), X.shape[0]), unit_weights(weight))
        family, names = self._chosen_family(), getattr(self, "feature_names_in_", None)
        family.check(Block(data.design, data.y, data.weight, 0), names)
        if not family.sparse:
            family.check_table(*column_ends(data), names)
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
        self._warn()
        return self

    def _group(self, X: Any, weight: Array) -> None:
        """Fit the parts to rows in memory."""
        self._choose(self._problem(X, weight, max(numbers_of(self.n_components, self.criterion)[0])))

    def _begun(self, problem: LatentProblem, seed: int) -> list[Callable[[], Array]]:
        return starts_of(problem, self.init, self.n_init, seed)

    def _public(self, parts: Parts) -> dict[str, Array]:
        """Return the blocks of parameters by name, covariances in the place of factors."""
        family = self._chosen_family()
        return {
            "covariances_" if name == "factors" else f"{name}_": (
                family.covariances_of(parts)
                if name == "factors" and isinstance(family, GaussianFamily)
                else block
            )
            for name, block in parts.items()
        }

    def _rows(self, X: Any) -> tuple[Array, Array]:
        """Return log-densities and chances of rows."""
        check_is_fitted(self, "_parts")
        return self._densities(self._read(X, reset=False))

    def _densities(self, X: Any) -> tuple[Array, Array]:
        """Return log-densities and chances of rows that were read."""
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
        others = np.sort(self._densities(drawn.astype(self._dtype(), copy=False))[0])
        return np.asarray(1.0 - np.searchsorted(others, own, side="right") / len(others))

    def _dtype(self) -> Any:
        return next(iter(self._parts.values())).dtype

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Recompute the likelihood and one step of EM in plain NumPy."""
        check_is_fitted(self, "_parts")
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0])
        if X.shape[0] != len(self.labels_):
            return unconfirmed(f"the fit had {len(self.labels_)} rows, and these are {X.shape[0]}")
        problem = self._problem(X, weight, len(self.weights_))
        chances = (chance for _, _, chance in stretches(problem, self.solution_.w))
        return recomputed(self, problem, chances, self._free(problem.n_parts, problem))
