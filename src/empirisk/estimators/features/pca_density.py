"""What principal components say of rows: how far they lie from their plane, and how probable they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.checks import check_choice, check_weights
from empirisk.estimators.features.base import FeatureMap
from empirisk.results.estimate import Estimate, check_level
from empirisk.typing import Array

__all__ = ["ComponentDensity"]


class ComponentDensity(FeatureMap):
    """Errors, densities and intervals of fitted components; a subclass holds their attributes."""

    components_: Array
    explained_variance_: Array
    noise_variance_: float
    mean_: Array
    n_components_: int
    total_weight_: float
    whiten: bool

    def _squares(self, X: Any) -> tuple[Array, Array]:
        """Return components (not whitened) and squared distances from their plane, of rows that were read."""
        V = np.asarray(self.components_, dtype=np.float64)
        n = X.shape[0]
        Z, left = np.empty((n, len(V))), np.empty(n)
        step = max(1, (1 << 19) // X.shape[1])
        for a in range(0, n, step):
            part = X[a : a + step]
            part = (part if isinstance(part, np.ndarray) else part.toarray()) - self.mean_
            Z[a : a + step] = part @ V.T
            left[a : a + step] = np.square(part - Z[a : a + step] @ V).sum(axis=1)
        return Z, left

    def reconstruction_error(self, X: Any, sample_weight: Any = None, level: float = 0.95) -> Estimate:
        """Return the mean squared distance of rows from the plane of the components, with an interval.

        ``||x - m - V V'(x - m)||^2``, averaged over the rows; for rows that the fit did not see it estimates
        that of the population.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
        sample_weight : array, shape (n,), optional
            Weights, which are repetitions of rows.
        level : float, default 0.95
            Of Student's interval for a mean.

        Returns
        -------
        Estimate
        """
        check_is_fitted(self)
        level = check_level(level)
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0]).astype(np.float64)
        _, left = self._squares(X)
        total = float(weight.sum())
        mean = float(weight @ left) / total
        method, target = "Student's t for a mean", "mean squared distance of a new row from the plane"
        if total <= 2.0:
            reason = f"{total:.3g} rows have no interval"
            return Estimate(mean, None, None, level, int(total), method, reason, target)
        error = math.sqrt(float(weight @ np.square(left - mean)) / (total - 1.0) / total)
        half = float(stats.t.ppf(0.5 + 0.5 * level, total - 1.0)) * error
        return Estimate(mean, max(0.0, mean - half), mean + half, level, round(total), method, target=target)

    def score_samples(self, X: Any) -> Array:
        """Return the log-density of rows under probabilistic components.

        Normal with mean m and variances ``l_j`` along the components and ``noise_variance_`` across them
        (Tipping and Bishop 1999, J. Royal Statistical Society B 61).

        Parameters
        ----------
        X : array or data frame, shape (n, p)

        Raises
        ------
        ValueError
            Where no variance is left across the components, so that there is no density.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        k, p = self.n_components_, X.shape[1]
        noise = self.noise_variance_
        if k < p and not noise > 1e-14 * float(self.explained_variance_[0]):
            raise ValueError(
                f"the {k} components hold all variance of the {p} columns: there is no density across them; "
                "lower n_components, or drop columns that others determine"
            )
        Z, left = self._squares(X)
        logs = float(np.log(self.explained_variance_).sum())
        distance = np.square(Z) @ (1.0 / self.explained_variance_)
        if k < p:
            logs, distance = logs + (p - k) * math.log(noise), distance + left / noise
        return np.asarray(-0.5 * (p * math.log(2.0 * math.pi) + logs + distance))

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-density of rows, by which searches choose ``n_components``.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
        y : ignored
        """
        return float(self.score_samples(X).mean())

    def explained_variance_intervals(
        self, X: Any = None, sample_weight: Any = None, *, level: float = 0.95, method: str = "normal"
    ) -> list[Estimate]:
        """Return the explained variances with intervals for those of the population.

        Parameters
        ----------
        X : array or data frame, shape (n, p), optional
            The rows of the fit, which ``"fourth_moments"`` needs.
        sample_weight : array, shape (n,), optional
            The weights of the fit.
        level : float, default 0.95
            Of each interval by itself.
        method : {"normal", "fourth_moments"}, default "normal"
            ``l exp(-+ z sqrt(2/S))``, for normal rows; or ``l exp(-+ z sqrt((kurtosis_j - 1)/S))``, where
            kurtosis_j is that of component j, for rows with finite fourth moments.

        Returns
        -------
        list of Estimate

        Notes
        -----
        ``sqrt(n) (log l_j - log lambda_j)`` tends to N(0, 2) for normal rows (Anderson 1963, Annals of
        Mathematical Statistics 34), to N(0, kurtosis_j - 1) else (Waternaux 1976, Biometrika 63). Both are
        for many rows, few columns, and a variance that stands apart from its neighbours: where it does not,
        leading variances are too large and the intervals do not cover, which the reason says.

        Examples
        --------
        >>> import numpy as np, empirisk as er
        >>> X = np.random.default_rng(0).normal(size=(400, 2)) * [3.0, 1.0]
        >>> print(er.PCA().fit(X).explained_variance_intervals()[0])
        9.1 [7.9, 10.4]
        """
        check_is_fitted(self)
        level = check_level(level)
        way = check_choice("method", method, {m: m for m in ("normal", "fourth_moments")})
        count = self.n_components_
        spread = np.full(count, 2.0)
        if way == "fourth_moments":
            spread = self._kurtosis(X, sample_weight) - 1.0
        z = float(stats.norm.ppf(0.5 + 0.5 * level))
        half = z * np.sqrt(spread / self.total_weight_)
        said = {"normal": "Anderson 1963, normal rows", "fourth_moments": "Waternaux 1976, fourth moments"}
        return [
            Estimate(
                float(value),
                float(value * math.exp(-h)),
                float(value * math.exp(h)),
                level,
                round(self.total_weight_),
                said[way],
                self._crowded(j),
                f"variance of the population along component {j}",
            )
            for j, (value, h) in enumerate(zip(self.explained_variance_, half, strict=True))
        ]

    def _kurtosis(self, X: Any, sample_weight: Any) -> Array:
        if X is None:
            raise ValueError('method="fourth_moments" needs X, the rows of the fit')
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0]).astype(np.float64)
        if abs(float(weight.sum()) - self.total_weight_) > 1e-9 * self.total_weight_:
            raise ValueError(
                f"the weights sum to {weight.sum():.6g} and those of the fit to {self.total_weight_:.6g}: "
                "give the rows and the weights of the fit"
            )
        square = np.square(self._squares(X)[0] / np.sqrt(self.explained_variance_))
        return np.asarray(
            (weight / weight.sum()) @ np.square(square) / ((weight / weight.sum()) @ square) ** 2
        )

    def _crowded(self, j: int) -> str:
        """Say where a variance is closer to a neighbour than its own error."""
        values = self.explained_variance_
        near = [values[i] for i in (j - 1, j + 1) if 0 <= i < len(values)]
        error = math.sqrt(2.0 / self.total_weight_)
        if any(abs(math.log(values[j] / v)) < 2.0 * error for v in near):
            return "a neighbouring variance is within two standard errors: the interval may not cover"
        return ""
