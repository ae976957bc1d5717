"""What every feature map shares: reading rows, names of features, and a failed fit that changes nothing."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_finite, check_weights, is_count, naming_lone_weight, pair_noun
from empirisk.estimators.estimator import Estimator
from empirisk.typing import Array

__all__ = ["ColumnMap", "FeatureMap", "FewerComponentsWarning", "warn_fewer"]


class FewerComponentsWarning(UserWarning):
    """ER004: fewer components than were asked for have variance above rounding."""


class FeatureMap(TransformerMixin, Estimator):
    """Base of the transformers from rows to features.

    A subclass gives ``_learn(X, weight)``, which sets attributes that end in an underscore,
    ``_expand(X)`` and ``_made(names)``, the names of the features.
    """

    n_features_in_: int
    _without_optimum: ClassVar[str] = "its features are formulas, and its fit seeks no optimum"
    # Whether rows may come as a sparse matrix, which then is CSR.
    _takes_sparse: ClassVar[bool] = False
    # Whether there are at most as many features as rows.
    _capped: ClassVar[bool] = False

    def _learn(self, X: Any, weight: Array) -> None:
        raise NotImplementedError

    def _expand(self, X: Any) -> Array:
        raise NotImplementedError

    def _made(self, names: list[str]) -> list[str]:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from the rows what the features need.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            float32 stays float32, other numbers become float64; a sparse matrix where the class says so.
        y : ignored
        sample_weight : array, shape (n,), optional
            Weights >= 0; a row of weight 0 is absent, a weight of 2 is the row twice.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            X = self._read(X, reset=True)
            self._learn(X, check_weights(sample_weight, X.shape[0]).astype(np.float64))
        return self

    def transform(self, X: Any) -> Array:
        """Return the features of new rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
        """
        check_is_fitted(self)
        self._forecast(X, getattr(self, "n_components_", getattr(self, "n_components", None)))
        return self._expand(self._read(X, reset=False))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Learn from the rows, and return their features.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
        y : ignored
        **fit_params
            ``sample_weight``.

        Raises
        ------
        MemoryError
            The features of these rows do not fit into memory; said before any work.
        """
        wanted: Any = getattr(self, "n_components", None)
        shape: Any = getattr(X, "shape", None)
        if self._capped and is_count(wanted, 1) and shape:
            wanted = min(wanted, shape[0])
        self._forecast(X, wanted)
        return super().fit_transform(X, y, **fit_params)

    def _forecast(self, X: Any, wanted: Any) -> None:
        """Refuse so many features of these rows that memory cannot hold them."""
        shape = getattr(X, "shape", ())
        if not shape or not is_count(wanted, 1):
            return
        n = int(shape[0])
        size = 4.0 if getattr(X, "dtype", None) == np.float32 else 8.0
        refuse_memory(
            f"the features of {n:,} rows ({wanted:,} each)", size * n * wanted, "lower n_components"
        )

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features, in their order.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns; those seen in ``fit`` by default.
        """
        check_is_fitted(self)
        return np.asarray(self._made(self._names(input_features)), dtype=object)

    def _names(self, given: Any = None) -> list[str]:
        """Return the names of the columns; checked against those of ``fit`` when given."""
        seen = getattr(self, "feature_names_in_", None)
        if given is None:
            return list(seen) if seen is not None else [f"x{j}" for j in range(self.n_features_in_)]
        if seen is not None and list(given) != list(seen):
            raise ValueError("input_features is not equal to feature_names_in_: give the names seen in fit")
        if len(given) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), got "
                f"{len(given)}"
            )
        return list(given)

    def _read(self, X: Any, reset: bool) -> Any:
        with numbers_only(X):
            X = validated(
                self,
                X,
                reset=reset,
                dtype=[np.float64, np.float32],
                ensure_all_finite=False,
                accept_sparse="csr" if self._takes_sparse else False,
            )
        check_finite(Design(X), getattr(self, "feature_names_in_", None), pair_noun(self))
        if isinstance(X, np.ndarray):
            return X
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return X

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        return tags


class ColumnMap(FeatureMap):
    """Base of the maps that expand each column into functions of it.

    A subclass gives ``_suffixes(j)``, the endings of the names that column j becomes.
    """

    def _suffixes(self, column: int) -> list[str]:
        raise NotImplementedError

    def _made(self, names: list[str]) -> list[str]:
        """Return the name of the column with an ending for each function of it."""
        return [f"{name}_{end}" for j, name in enumerate(names) for end in self._suffixes(j)]

    def _each(self, name: str, given: Any) -> list[Any]:
        """Return one value of a parameter for each column."""
        if np.ndim(given) == 0:
            return [given] * self.n_features_in_
        values = list(given)
        if len(values) != self.n_features_in_:
            raise ValueError(
                f"{name} has {len(values)} values for {self.n_features_in_} columns: give one for each, or a "
                "single one for all"
            )
        return values


def warn_fewer(asked: int, found: int, of: str) -> None:
    """Say that n_components exceeds the rank, where it does.

    Parameters
    ----------
    asked, found : int
        Components that were asked for, and those whose variance is above rounding.
    of : str
        What has the rank, in words.
    """
    if found < asked:
        warnings.warn(
            f"ER004: n_components = {asked}, and the rank of {of} is {found}: there "
            f"{'is 1 component' if found == 1 else f'are {found} components'}; give n_components <= {found}",
            FewerComponentsWarning,
            stacklevel=caller_level(),
        )
