"""The columns that a linear model has coefficients for: numbers as they are, factors by their coding.

Chambers and Hastie, Statistical Models in S (1992), chapter 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from empirisk.codings.factors import Factors
from empirisk.data.design import Design
from empirisk.data.plain_numbers import names_in_order, numbers_only, refuse_odd_table
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_finite, check_weights
from empirisk.estimators.new_rows import new_rows
from empirisk.typing import Array

__all__ = ["FactorColumns", "columns_named"]

READ: dict[str, Any] = {
    "accept_sparse": ["csr", "csc"],
    "dtype": [np.float64, np.float32],
    "order": None,
    "ensure_all_finite": False,
}


class FactorColumns:
    """What linear models do with the columns of categories of a table.

    Parameters
    ----------
    categorical_features : "from_dtype", None, list or dict, default "from_dtype"
        Which columns are factors: those of text and categories of a pandas or polars frame, none, those that
        a list names (or numbers), or the former and the keys of a dictionary, whose values say how: a
        reference level, or a coding of :mod:`empirisk.codings`.  A factor has a coefficient for each level
        but the most frequent one, with which it compares.

    Attributes
    ----------
    terms_ : tuple of str
        Names of the columns of ``coef_``, such as ``age`` and ``sex[male]``.
    terms_groups_ : dict
        For each column of X the positions of its columns in ``coef_``.
    """

    categorical_features: Any = "from_dtype"
    n_features_in_: int
    _factors: Factors | None = None

    @property
    def terms_(self) -> tuple[str, ...]:
        """The name of each column of ``coef_``: names of columns of X (or x0, x1, ...), and of levels."""
        check_is_fitted(self)
        named = self._names()
        return tuple(f"x{j}" for j in range(self.n_features_in_)) if named is None else tuple(map(str, named))

    @property
    def terms_groups_(self) -> dict[str, tuple[int, ...]]:
        """The positions of the columns of ``coef_`` that each column of X became, by its name."""
        terms = self.terms_
        if self._factors is None:
            return {name: (j,) for j, name in enumerate(terms)}
        return dict(self._factors.groups)

    def _names(self) -> Any:
        """Return the names of the columns of ``coef_``, or None where the columns of X have none."""
        if self._factors is not None:
            return np.array(self._factors.terms, dtype=object)
        return getattr(self, "feature_names_in_", None)

    def _numbers(self, X: Any, y: Any, weight: Any, fitting: bool) -> tuple[Any, Any]:
        """Return the columns as numbers, and y as an array; learns the names and the levels when fitting."""
        if fitting:
            self.__dict__.pop("_factors", None)
            refuse_odd_table(X)
            intercept = bool(getattr(self, "fit_intercept", True))
            found = Factors.fit(X, self.categorical_features, _given(X, weight), intercept)
            if found is not None:
                self._factors = found
        options = {**READ, **self._y_options()}  # type: ignore[attr-defined]
        if self._factors is None:
            with numbers_only(X, y):
                rows: tuple[Any, Any] = validated(self, canonical(X), y, reset=fitting, **options)
            return rows
        X = self._coded(X, _given(X, weight), fitting)
        with numbers_only(X, y):
            rows = check_X_y(X, y, estimator=self, **options)
        return rows

    def _coded(self, X: Any, weight: Array | None = None, fitting: bool = False) -> Any:
        """Return a table with factors as numbers, after a look at its names."""
        assert self._factors is not None
        if not hasattr(X, "shape"):
            X = np.asarray(X, dtype=object)
        refuse_odd_table(X)
        with names_in_order():
            validate_data(self, X, reset=fitting, skip_check_array=True)
        return self._factors.matrix(X, weight)

    def _design(self, X: Any) -> Any:
        """Return the new rows as numbers, checked against those of the fit."""
        if self._factors is None:
            return new_rows(self, X)
        check_is_fitted(self)
        X = self._coded(X)
        check_finite(Design(X), self._names())
        return X


def columns_named(R: Any, model: Any) -> Any:
    """Return a hypothesis in which the name of a factor stands for all of its coefficients.

    Examples
    --------
    >>> import pandas as pd, empirisk as er
    >>> X = pd.DataFrame({"arm": ["a", "b", "c", "a", "b", "c"], "x": [1.0, 2.0, 4.0, 3.0, 5.0, 7.0]})
    >>> columns_named("arm", er.LinearRegression().fit(X, [1.0, 2.0, 2.5, 1.5, 3.0, 4.0]))
    ['arm[b]', 'arm[c]']
    """
    several = [R] if isinstance(R, str) else R
    if isinstance(R, Mapping) or not len(several) or not all(isinstance(name, str) for name in several):
        return R
    terms, groups = model.terms_, model.terms_groups_
    out: list[str] = []
    for name in several:
        if name in terms or not groups.get(name):
            out.append(name)
        else:
            out.extend(terms[j] for j in groups[name])
    return out


def _given(X: Any, weight: Any) -> Array | None:
    """Return the weights of a table as numbers; None where there are none."""
    if weight is None or not hasattr(X, "shape"):
        return None
    return check_weights(weight, int(X.shape[0]))
