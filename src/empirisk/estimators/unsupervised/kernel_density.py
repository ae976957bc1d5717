"""A density as a sum of windows, one around each row.

Rosenblatt, Annals of Mathematical Statistics 27 (1956); Parzen, ibid. 33 (1962); Duin, IEEE Transactions on
Computers C-25 (1976), on the bandwidth of the largest leave-one-out likelihood.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.seeds import generator_of
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import (
    check_count,
    check_finite,
    check_flag,
    check_number,
    check_weights,
    naming_lone_weight,
)
from empirisk.estimators.estimator import Estimator
from empirisk.neighbors import BandwidthSelection, RowScale, RowsInWindows, bandwidth_grid, window_of
from empirisk.neighbors.bandwidths import refuse_extremes, weighted_mean_and_se
from empirisk.neighbors.row_scale import dense
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array, IndexArray

__all__ = ["KernelDensity"]


class KernelDensity(DensityMixin, Estimator):
    """A density that is a weighted mean of windows around the training rows.

    ``f(x) = sum_i s_i k(||z - z_i|| / h) / (S c h^p d)`` with ``z = x / scale``, c the integral of
    ``k(||u||)`` over p columns, and d the product of the scales.

    Parameters
    ----------
    bandwidth : "cv" or float > 0, default "cv"
        h, in standard deviations of a column (in the unit of X with ``standardise=False``).  ``"cv"`` takes
        the one of the largest leave-one-out log-likelihood.
    window : {"gaussian", "epanechnikov", "tricube", "boxcar"}, default "gaussian"
        k(u): ``exp(-u^2/2)``, ``1 - u^2``, ``(1 - u^3)^3`` or 1; all but the first are 0 for u > 1, and so is
        the density where no row is near.
    standardise : bool, default True
        Whether columns are divided by their standard deviations, else taken as they are.
    bandwidths : int or array, default 30
        With ``"cv"``: how many are compared (2 at least), on a grid that the rows span, or which.

    Attributes
    ----------
    bandwidth_ : float
        h that is used, in the unit of the parameter.
    scale_ : array, shape (p,)
        What the columns were divided by.
    selection_ : BandwidthSelection
        With ``"cv"``: for every bandwidth the mean of ``-log f(x_i)``, f being the density of the other rows,
        with its standard error; infinite where a row has no other within the window.
    n_samples_fit_ : int
        Distinct rows of positive weight.
    certificate_ : Certificate
        Of kind NONE, with the reason.

    Raises
    ------
    ValueError
        For parameters out of range, a single distinct row with ``"cv"``, constant columns (with
        ``standardise=True``), and rows too far away for a distance.
    MemoryError
        For sparse rows (which are made dense) that do not fit, with the forecast.

    Notes
    -----
    O(n p) a row, and as much for every training row with ``"cv"``, on all threads; no matrix of all pairs is
    stored.  Sums are relative to the nearest row, so that logarithms of densities far below the smallest
    double are right.  A row of weight 2 is the row twice.  Copies are left out together: one at a distance of
    0 would promise the narrowest window (Silverman 1986, section 3.4.3); rows that were rounded to few
    numbers get windows that are rather too wide for it.  The bandwidth of the largest likelihood suits the
    sparsest rows: heavy tails make it wide, and with windows that end it is at least the largest distance
    from a row to its nearest one.

    References
    ----------
    Silverman 1986, Density Estimation for Statistics and Data Analysis, sections 3.4.3, 3.4.4 and 4.2.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[-1.0], [1.0]])
    >>> er.KernelDensity(0.5).fit(X).score_samples([[0.0], [100.0]]).round(1).tolist()
    [-2.2, -19602.9]
    """

    bandwidth_: float
    scale_: Array
    selection_: BandwidthSelection
    n_samples_fit_: int
    n_features_in_: int
    solution_: Solution
    _scale: RowScale
    _rows: RowsInWindows
    _seen: tuple[Array, IndexArray]
    _place: IndexArray

    def __init__(
        self,
        bandwidth: Any = "cv",
        *,
        window: str = "gaussian",
        standardise: bool = True,
        bandwidths: Any = 30,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Keep the distinct rows, and choose the bandwidth where it is to be chosen.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        y : None
            Ignored.
        sample_weight : array, shape (n,), optional
            Weights >= 0; their scale changes nothing.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            self._learn(X, sample_weight)
            self.bandwidth_ = self._chosen()
            self.solution_ = Solution(np.zeros(0), Status.COMPLETED, self._reason(), 0)
        return self

    def _checked(self, X: Any, fitting: bool) -> Any:
        with numbers_only(X):
            X = validated(
                self, canonical(X), reset=fitting, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False,
            )  # fmt: skip
        check_finite(Design(X), getattr(self, "feature_names_in_", None))
        return X

    def _learn(self, X: Any, sample_weight: Any) -> None:
        """Keep the distinct rows with their total weights, on the scale of distances."""
        X = self._checked(X, True)
        weight = check_weights(sample_weight, X.shape[0])
        window = window_of(self.window)
        standardise = check_flag("standardise", self.standardise)
        # Adding 0 makes a negative zero positive: the two are one number.
        rows, place = np.unique(dense(X) + 0.0, axis=0, return_inverse=True)
        self._place = place.ravel()
        total = np.zeros(len(rows))
        np.add.at(total, self._place, weight / weight.max())
        live = total > 0.0
        if standardise:
            self._refuse_constant(rows[live])
        self._scale = RowScale.of(rows[live], total[live], standardise)
        self.scale_ = self._scale.scale if standardise else np.ones(rows.shape[1])
        self.n_samples_fit_ = int(live.sum())
        z = self._scale.apply(rows)
        self._seen = z, np.where(live, np.cumsum(live) - 1, -1)
        self._rows = RowsInWindows(z[live], total[live], np.zeros(self.n_samples_fit_), window)

    def _refuse_constant(self, rows: Array) -> None:
        """Refuse columns without a spread, which no bandwidth in standard deviations fits."""
        same = np.flatnonzero(rows.min(axis=0) == rows.max(axis=0))
        if len(same):
            names = getattr(self, "feature_names_in_", None)
            label = repr(names[same[0]]) if names is not None else str(same[0])
            raise ValueError(
                f"column {label} is the same in all rows (n_samples = {len(rows)} distinct ones of positive "
                "weight): it has no spread to measure a bandwidth in; drop it, or take standardise=False and "
                "a number as bandwidth"
            )

    def _chosen(self) -> float:
        """Return the bandwidth: given, or that of the largest leave-one-out likelihood."""
        if not isinstance(self.bandwidth, str):
            width = check_number("bandwidth", self.bandwidth, 0.0, closed=False)
            refuse_extremes(self._scale.inner(width), "bandwidth")
            return width
        if self.bandwidth != "cv":
            raise ValueError(f'bandwidth must be a number > 0 or "cv", got {self.bandwidth!r}')
        kept, n = self._rows, self.n_samples_fit_
        if n < 2:
            raise ValueError(
                'bandwidth="cv" needs at least 2 distinct rows for leave-one-out, got n_samples = 1 of them'
            )
        times = kept.weight * (n / kept.weight.sum())
        grid, given = bandwidth_grid(self.bandwidths, kept.rows, times, kept.window)
        grid = refuse_extremes(self._scale.inner(grid) if given else grid, "bandwidths")
        loss, se = weighted_mean_and_se(-self._log_density(kept.rows, grid, np.arange(n)), times)
        if not np.isfinite(loss).any():
            raise ValueError(
                "every one of the bandwidths leaves a row without others in its window, where the density of "
                "the others is 0; give larger ones, or a Gaussian window"
            )
        method = f"exact leave-one-out of {n:,} distinct rows, -log density"
        self.selection_ = BandwidthSelection(self._scale.outer(grid), loss, se, "min", method)
        return self.selection_.best

    def _log_density(self, z: Array, widths: Array, left_out: IndexArray | None = None) -> Array:
        """Return log f for m bandwidths and q rows on the scale of distances, shape (m, q)."""
        kept = self._rows
        mass = np.asarray(kept.weight.sum())
        if left_out is not None:
            # Sums before and after a row: what it leaves is no difference, which could cancel.
            before = np.concatenate([[0.0], np.cumsum(kept.weight)[:-1]])
            after = np.concatenate([np.cumsum(kept.weight[:0:-1])[::-1], [0.0]])
            mass = np.where(left_out >= 0, (before + after)[left_out], mass)
        p = kept.rows.shape[1]
        unit = kept.window.log_mass(p) + p * np.log(widths)[:, None] + self._scale.log_volume
        return np.asarray(kept.fits(z, widths, left_out).log_mass - np.log(mass) - unit)

    def _reason(self) -> Certificate:
        """Return why there is no optimum to be far from."""
        how = (
            f", the best of {len(self.selection_.bandwidths)} by exact leave-one-out"
            if isinstance(self.bandwidth, str)
            else ""
        )
        claim = (
            "none: nothing is minimised over the rows together: the density is a mean of "
            f"{self.n_samples_fit_:,} windows in closed form, with bandwidth {self.bandwidth_:.3g}{how}"
        )
        return Certificate(Kind.NONE, math.inf, 1.0, claim)

    @property
    def certificate_(self) -> Certificate:
        """Why nothing is claimed about an optimum."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def score_samples(self, X: Any) -> Array:
        """Return the logarithm of the density at each row, shape (m,); -inf where it is 0.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), or None
            New rows; None is the training rows, each without itself and its copies.
        """
        check_is_fitted(self)
        width = self._scale.inner(self.bandwidth_)
        if X is not None:
            return np.asarray(self._log_density(self._scale.apply(self._checked(X, False)), width)[0])
        if self.n_samples_fit_ < 2:
            raise ValueError("score_samples(None) leaves each row out, and needs at least 2 distinct rows")
        return np.asarray(self._log_density(self._seen[0], width, self._seen[1])[0][self._place])

    def score(self, X: Any, y: Any = None) -> float:
        """Return the log-likelihood of rows: the sum of :meth:`score_samples`.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p)
            Rows.
        y : None
            Ignored.
        """
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> Array:
        """Draw rows from the density, shape (n_samples, p).

        Parameters
        ----------
        n_samples : int, default 1
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed; None is new at each call.
        """
        check_is_fitted(self)
        count = check_count("n_samples", n_samples, 1)
        generator = generator_of(random_state)
        kept = self._rows
        p = kept.rows.shape[1]
        near = kept.rows[generator.choice(len(kept.rows), count, p=kept.weight / kept.weight.sum())]
        way = generator.standard_normal((count, p))
        radius = kept.window.radii(generator, p, count) * self._scale.inner(self.bandwidth_)
        return self._scale.undo(near + way * (radius / np.linalg.norm(way, axis=1))[:, None])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
