"""What principal components draw: their variances, and rows and columns in the plane of two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.features.base import FeatureMap
from empirisk.reduction.how_many import parallel
from empirisk.typing import Array

__all__ = ["ComponentCharts"]

SHOWN = 30  # components of the chart of variances
COLUMNS = 400  # columns up to which it is compared with independent ones
ROWS = 2000  # rows of a biplot
ARROWS = 10  # columns of a biplot


class ComponentCharts(FeatureMap):
    """Charts of fitted components; a subclass holds their attributes."""

    n_features_in_: int
    components_: Array
    explained_variance_: Array
    explained_variance_ratio_: Array
    n_components_: int
    total_weight_: float
    choice_: dict[str, Any] | None
    _shares: Array

    def plot(self, X: Any = None, *, ax: Any = None) -> Any:
        """Draw the variances of the components, or with rows the biplot.

        Parameters
        ----------
        X : array or data frame, shape (n, p), optional
            Rows to draw with the columns in the plane of the first two components.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
        """
        return self._chart(X).plot(ax)

    def _chart(self, X: Any = None) -> Any:
        """Return the Display of the variances, or with rows of the biplot, before it is drawn."""
        from empirisk.plots.biplot import BiplotDisplay
        from empirisk.plots.scree import ScreeDisplay

        check_is_fitted(self)
        return ScreeDisplay(self.scree()) if X is None else BiplotDisplay(self.biplot(X))

    def scree(self) -> dict[str, Any]:
        """The variances as a chart takes them, with those of independent columns (parallel analysis).

        Returns
        -------
        dict
            ``values`` and ``reference`` (shares of the variance; the reference is None beyond 400 columns),
            ``name`` (of the reference), ``kept``, ``columns`` and ``explained`` (by those kept).
        """
        check_is_fitted(self)
        choice, reference, name = self.choice_, None, ""
        values = self.explained_variance_ratio_
        if choice is not None:
            values, reference = np.array(choice["values"]), choice["reference"]
            name = "a broken stick" if choice["rule"] == "broken_stick" else "independent columns"
        if reference is None and self.n_features_in_ <= COLUMNS:
            rng, name = np.random.default_rng(0), "independent columns"
            reference = parallel(self._shares, self.total_weight_, len(values), rng).tolist()
        return {
            "values": values[:SHOWN].tolist(),
            "reference": None if reference is None else reference[:SHOWN],
            "name": name,
            "kept": self.n_components_,
            "columns": self.n_features_in_,
            "explained": min(1.0, float(self.explained_variance_ratio_.sum())),
        }

    def biplot(self, X: Any) -> dict[str, Any]:
        """Rows at their first two components, and the loadings of the columns, as a chart takes them.

        Parameters
        ----------
        X : array or data frame, shape (n, p)

        Returns
        -------
        dict
            ``rows`` (evenly spaced in their order where there are more than 2,000), ``n``, ``arrows`` (name
            and two loadings of the ten columns with the longest) and ``shares`` of the two components.

        Raises
        ------
        ValueError
            For a fit of one component.
        """
        check_is_fitted(self)
        if self.n_components_ < 2:
            raise ValueError("a biplot needs two components, and this fit has one: raise n_components")
        X = self._read(X, reset=False)
        n = X.shape[0]
        drawn = np.arange(n) if n <= ROWS else np.arange(ROWS) * n // ROWS
        at = self._expand(X[drawn])[:, :2]
        loading = np.asarray(self.components_[:2], dtype=np.float64).T
        longest = np.argsort(-np.square(loading).sum(axis=1), kind="stable")[:ARROWS]
        names = self._names()
        return {
            "rows": at.tolist(),
            "n": n,
            "arrows": [{"name": str(names[j]), "x": loading[j, 0], "y": loading[j, 1]} for j in longest],
            "shares": self.explained_variance_ratio_[:2].tolist(),
        }
