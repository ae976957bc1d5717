"""Principal components in the place of numeric columns: regression on components (Massy 1965).

Where many columns are noisy readings of a few factors, a weighted sum of the leading components has few
coefficients to learn.  Their number is that of parallel analysis (Horn 1965), which looks at no target.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from empirisk.estimators.features.pca import PCA
from empirisk.report.fit.encode import Origin
from empirisk.wording import counted, percent

__all__ = ["Components"]

Floats = NDArray[np.float64]
FEWEST = 10  # numeric columns; of fewer, there is little to save
# Rows for each column from which the coefficients of all columns cost less than a twentieth of the noise.
ENOUGH = 20
LEAST_ROWS = 20
LOOKED_AT = 600  # rows that the eigenvalues are of when the step is suggested
# Seconds for a cell times the shorter side, and for a table of parallel analysis of that side.
_PRODUCT, _TABLE = 4.0e-10, 5.0e-8


class Components:
    """Scores on the leading components of the numeric columns; the other columns pass."""

    name: ClassVar[str] = "components"
    label: ClassVar[str] = "on components"
    title: ClassVar[str] = "principal components"
    unit: ClassVar[str] = "coefficients and loadings"
    weighted: ClassVar[bool] = True
    reading: ClassVar[str] = (
        "The numeric columns enter through components; the coefficients are those of the columns, which is"
        " the same sum."
    )
    why_none: ClassVar[str] = (
        "the components were found on the same rows, and an ordinary interval would hold them fixed"
    )

    def suggested(self, X: Floats, y: NDArray[Any], numbers: int, n: int, n_classes: int) -> str:
        """Return why components may win: many numeric columns for the rows, and few large eigenvalues.

        An eigenvalue of the correlations is large above ``(1 + sqrt(p / m))^2``, the edge of independent
        columns (Marchenko and Pastur 1967); there must be some, and at most a quarter of the columns.

        Parameters
        ----------
        X, y, numbers, n, n_classes
            As :class:`empirisk.report.fit.steps.base.FeatureStep` says; the targets are not looked at.
        """
        Z = X[:LOOKED_AT, :numbers]
        m = Z.shape[0]
        if numbers < FEWEST or n > ENOUGH * numbers or m < LEAST_ROWS:
            return ""
        Z = Z - Z.mean(axis=0)
        sd = Z.std(axis=0)
        Z = Z[:, sd > 1e-8] / sd[sd > 1e-8]
        p = Z.shape[1]
        if p < FEWEST:
            return ""
        values = np.linalg.eigvalsh(Z @ Z.T if m < p else Z.T @ Z)[::-1] / m
        large = int(np.count_nonzero(values > (1.0 + sqrt(p / m)) ** 2))
        if not 1 <= large <= p // 4:
            return ""
        share = float(values[:large].sum()) / p
        return (
            f"{counted(numbers, 'numeric column')} for {counted(n, 'training row')} are correlated, with"
            f" {percent(share)} of their variance in {counted(large, 'component')}"
        )

    def transformer(self, numbers: int) -> ColumnTransformer:
        """Return the unfitted transformer; parallel analysis chooses the number in every fit."""
        chosen = ("components", PCA("parallel", random_state=0), list(range(numbers)))
        return ColumnTransformer([chosen], remainder="passthrough")

    def seconds(self, n: float, numbers: int) -> float:
        """Return the predicted seconds of one fit on n rows."""
        side = min(n, numbers)
        return 2e-3 + _PRODUCT * n * numbers * side + _TABLE * side * side * max(1.0, side / 50.0)

    def n_numbers(self, fitted: Any) -> int:
        """Return how many loadings a fitted transformer holds."""
        return int(np.size(_pca(fitted).components_))

    def inputs(self, fitted: Any, origins: Sequence[Origin]) -> list[str]:
        """Return the names of the components and of the columns that pass."""
        pca = _pca(fitted)
        named = [f"component {j + 1} of the numeric columns" for j in range(pca.n_components_)]
        return [*named, *(o.name for o in origins[pca.n_features_in_ :])]

    def terms(self, fitted: Any, origins: Sequence[Origin]) -> list[Origin]:
        """Return the encoded columns: a weighted sum of components is one of columns."""
        return list(origins)

    def of_terms(self, fitted: Any, X: Floats) -> Floats:
        """Return the encoded rows as they are."""
        return X

    def told(self, fitted: Any, coef: Floats) -> tuple[Floats, Floats]:
        """Return ``V'w`` for the numeric columns, and ``-m'V'w`` for the intercept, m being their means.

        Parameters
        ----------
        fitted : ColumnTransformer
        coef : array of shape (q,) or (q, k)
            Of the components and of the columns that pass.
        """
        pca = _pca(fitted)
        head = np.asarray(pca.components_.T @ coef[: pca.n_components_])
        return np.concatenate([head, coef[pca.n_components_ :]]), -np.asarray(pca.mean_ @ head)

    def sentence(self, fitted: Any, origins: Sequence[Origin]) -> str:
        """Return how many components there are, and why so many."""
        pca = _pca(fitted)
        share = float(np.sum(pca.explained_variance_ratio_))
        above = 0 if pca.choice_ is None else int(pca.choice_["found"])
        why = "as many as parallel analysis finds" if above else "parallel analysis finds none, one is kept"
        return (
            f"The {counted(pca.n_features_in_, 'numeric column')} enter through"
            f" {counted(pca.n_components_, 'principal component')} ({why}; {percent(share)} of their"
            " variance)."
        )


def _pca(fitted: Any) -> Any:
    """Return the fitted components inside a transformer."""
    return fitted.named_transformers_["components"]
