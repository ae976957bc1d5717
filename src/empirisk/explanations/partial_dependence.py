"""Partial dependence: the mean score as a function of one or two columns, with bands.

Friedman, Annals of Statistics 29 (2001).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.frames import like_input
from empirisk.data.seeds import Seed, generator_of
from empirisk.data.tabular import Tabular
from empirisk.data.threads import at_most
from empirisk.estimators.checks import check_count
from empirisk.evaluation.beside import sizes
from empirisk.evaluation.ratio import effective
from empirisk.explanations.places import places
from empirisk.explanations.reading import Reading, in_words, read_model
from empirisk.explanations.replaced import chosen_rows, replaced_scores
from empirisk.typing import Array

__all__ = ["PartialDependence", "mean_bands", "partial_dependence"]


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence(Tabular):
    """Mean score along the values of one or two columns, with the curves of the single rows behind it.

    Parameters
    ----------
    features : list of str
        One or two columns.
    grid : array, shape (G, d)
        Where the columns were set (codes of categories).
    labels : list of str
        The places in words.
    value : array, shape (G, k)
        Mean over the rows.
    pointwise, simultaneous : arrays, shape (2, G, k)
        Lower and upper ends: of one place at a time, and of all places together.
    individual : array, shape (G, n, k)
        The score of each row with the columns set (ICE).
    outputs : list of str
        Names of the k numbers.
    scale : str
        What the score is.
    level : float
        Coverage.
    categorical : bool
        Whether the column is categorical.
    centered : bool
        Whether each row's curve is measured from its own mean.

    Examples
    --------
    >>> import empirisk as er
    >>> stump = er.trees.Trees.stump(feature=0, threshold=1.5, values=[[1.0], [5.0]], n_features=2)
    >>> er.partial_dependence(stump, [[1.0, 0.0], [2.0, 0.0]], 0).value[:, 0]
    array([1., 5.])
    """

    features: list[str]
    grid: Array
    labels: list[str]
    value: Array
    pointwise: Array
    simultaneous: Array
    individual: Array = field(repr=False)
    outputs: list[str]
    scale: str
    level: float
    categorical: bool
    centered: bool

    @property
    def title(self) -> str:
        """The first line above the table: what depends on which columns."""
        return f"Partial dependence of the {self.scale} on {' and '.join(self.features)}"

    def _columns(self) -> dict[str, list[Any]]:
        g, k = self.value.shape
        out: dict[str, list[Any]] = {
            name: np.repeat(self.grid[:, i], k).tolist() for i, name in enumerate(self.features)
        }
        if k > 1:
            out["output"] = self.outputs * g
        out["value"] = self.value.ravel().tolist()
        out["low"], out["high"] = (end.ravel().tolist() for end in self.pointwise)
        out["band_low"], out["band_high"] = (end.ravel().tolist() for end in self.simultaneous)
        return out

    def _shown(self) -> dict[str, list[Any]]:
        keep = np.unique(np.linspace(0, len(self.grid) - 1, 11).round().astype(int))
        out = {" and ".join(self.features): [self.labels[g] for g in keep]}
        for c, name in enumerate(self.outputs):
            low, high = self.simultaneous[:, keep, c]
            out[name or "value"] = [
                f"{v:.4g} [{a:.4g}, {b:.4g}]" for v, a, b in zip(self.value[keep, c], low, high, strict=True)
            ]
        return out

    def _notes(self) -> list[str]:
        n = self.individual.shape[1]
        return [
            f"Bands hold at all places together with {self.level:.0%} and are about the mean over all rows "
            f"that these {n} were drawn from; the model is held fixed.",
            "Rows are moved to places where there may be no such rows; where columns depend on each other, "
            "mistrust the ends.",
        ]

    def plot(self, *, output: int = 0, most_rows: int = 50, ax: Any = None) -> Any:
        """The curve with both bands and curves of some rows; two columns as a map; returns the Plot.

        Parameters
        ----------
        output : int, default 0
            Which of the outputs.
        most_rows : int, default 50
            Curves of single rows to show.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.dependence import DependenceDisplay

        n = self.individual.shape[1]
        shown = np.unique(np.linspace(0, n - 1, min(most_rows, n)).round().astype(int))
        name = self.outputs[output]
        return DependenceDisplay(
            {
                "features": self.features,
                "grid": self.grid.tolist(),
                "labels": self.labels,
                "categorical": self.categorical,
                "value": self.value[:, output].tolist(),
                "low": self.pointwise[0, :, output].tolist(),
                "high": self.pointwise[1, :, output].tolist(),
                "band_low": self.simultaneous[0, :, output].tolist(),
                "band_high": self.simultaneous[1, :, output].tolist(),
                "rows": [self.individual[:, r, output].tolist() for r in shown],
                "scale": (f"{self.scale} of {name}" if name else self.scale)
                + (" (from each row's mean)" if self.centered else ""),
                "level": self.level,
                "n": n,
            }
        ).plot(ax)


@like_input
def partial_dependence(
    model: Any,
    X: Any,
    features: Any,
    *,
    grid: Any = 50,
    level: float = 0.95,
    centered: bool = False,
    max_rows: int = 10_000,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    sample_weight: Any = None,
    exposure: Any = None,
    offset: Any = None,
) -> PartialDependence:
    """``PD(v) = mean over rows i of f(x_i with the columns S set to v)``, with bands over the rows.

    Parameters
    ----------
    model : fitted estimator, or Trees
        Boosting of ours is shown on the raw score, other models on the mean or probability.
    X : array, data frame or sparse matrix, shape (n, p)
        Rows to average over.
    features : str, int, or a pair of them
        The columns S.
    grid : int or array, default 50
        Number of places: quantiles from 1 % to 99 % of a numeric column (of a pair the square root of it for
        each; where ties leave fewer, quantiles of the distinct values between), all categories of a
        categorical one.  Or the places, shape (G,) or (G, 2).
    level : float, default 0.95
        Coverage of the bands.
    centered : bool, default False
        Measure each row's curve from its mean over the places.  The band is then about the shape alone, and
        is narrower, since rows differ most in level.
    max_rows : int, default 10_000
        More rows are thinned at random.
    n_jobs : int, optional
        Threads of the loops of our models; default all that OpenMP has, or the `n_jobs` of the model.  The
        result does not depend on it.
    random_state : int, Generator, RandomState or None, default 0
        Of that draw, and of the simultaneous band.
    sample_weight : array, shape (n,), optional
        How many rows of the population each row stands for: the means are weighted, and the bands are those
        of the linearised ratio.
    exposure, offset : array, shape (n,), optional
        Of the rows, for models that predict with them: the curve is then the mean *count* of rows like these.
        Without them a model that was fitted with exposures is shown for one unit of exposure: its *rate*.
        The title says which. Boosting is shown on the raw score, the logarithm of a rate, and takes none.

    Returns
    -------
    PartialDependence

    Raises
    ------
    ValueError
        For an unknown column, more than two columns, a column without values.

    Notes
    -----
    The pointwise band is the t interval of the rows' values at one place.  The simultaneous band widens it to
    the quantile of the largest deviation over all places, by simulation of a Gaussian vector with the
    correlation of the rows' curves.  Neither knows how the model would change with other training rows.

    Cost: one prediction for each row and place.

    References
    ----------
    Friedman 2001, Annals of Statistics 29; Goldstein et al. 2015, Peeking inside the black box (ICE).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = er.GradientBoostingRegressor(n_estimators=20).fit(X, X[:, 0] + X[:, 1] ** 2)
    >>> er.partial_dependence(model, X, 0, grid=[-1.0, 0.0, 1.0]).value.shape
    (3, 1)
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie in (0, 1), got {level!r}")
    check_count("max_rows", max_rows, 1)
    reading = read_model(model, X, exposure=exposure, offset=offset)
    weights = None if sample_weight is None else sizes("sample_weight", sample_weight, len(reading.X))
    pair = [features] if isinstance(features, str | int | np.integer) else list(features)
    columns = [reading.column(f) for f in pair]
    if not 1 <= len(columns) <= 2 or len(set(columns)) < len(columns):
        raise ValueError(f"features must be one column or two different ones, got {features!r}")
    places = _places(reading, columns, grid)
    chosen = chosen_rows(len(reading.X), max_rows, random_state)
    rows, weights = reading.X[chosen], None if weights is None else weights[chosen]
    with at_most(n_jobs):
        curves = replaced_scores(reading.score, rows, columns, places)
    if centered:
        curves = curves - curves.mean(axis=0)
    value, pointwise, simultaneous = mean_bands(curves, level, random_state, weights)
    return PartialDependence(
        [reading.features[j] for j in columns],
        places,
        [
            " and ".join(in_words(reading.categories[j], v) for j, v in zip(columns, at, strict=True))
            for at in places
        ],
        value,
        pointwise,
        simultaneous,
        curves,
        reading.outputs,
        reading.scale,
        level,
        reading.categories[columns[0]] is not None,
        centered,
    )


def _places(reading: Reading, columns: list[int], grid: Any) -> Array:
    if not isinstance(grid, int | np.integer) or isinstance(grid, bool):
        given = np.asarray(grid, dtype=np.float64)
        given = given[:, None] if given.ndim == 1 else given
        if given.ndim != 2 or given.shape[1] != len(columns) or len(given) == 0:
            raise ValueError(f"grid must be a number of places, or places of shape (G, {len(columns)})")
        if not np.isfinite(given).all():
            raise ValueError("grid holds NaN or infinity: give finite values")
        for i, j in enumerate(columns):
            levels = reading.categories[j]
            if levels is not None and not np.isin(given[:, i], np.arange(len(levels))).all():
                raise ValueError(
                    f"grid: places of the categorical column {reading.features[j]} are codes below "
                    f"{len(levels)}"
                )
        return given
    size = check_count("grid", grid, 1)
    each = size if len(columns) == 1 else max(2, int(np.sqrt(size)))
    axes: list[Array] = []
    for j in columns:
        levels, x = reading.categories[j], reading.X[:, j]
        x = x[~np.isnan(x)]
        if levels is not None:
            axes.append(np.arange(len(levels), dtype=np.float64))
        elif not len(x):
            raise ValueError(f"column {reading.features[j]} has no values in X; give the places as grid")
        else:
            axes.append(places(x, each))
    return np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)


def mean_bands(
    curves: Array, level: float, random_state: Seed, weights: Array | None = None
) -> tuple[Array, Array, Array]:
    """Weighted means over rows of curves (places, rows, k); the pointwise and the simultaneous band."""
    g, n, k = curves.shape
    value, worth = np.average(curves, axis=1, weights=weights), effective(weights, n)
    if weights is not None:  # the mean of these is the weighted mean, and their spread that of the ratio
        curves = value[:, None] + (weights / weights.mean())[:, None] * (curves - value[:, None])
    if worth < 2.0:
        open_ends = np.stack([np.full((g, k), -np.inf), np.full((g, k), np.inf)])
        return value, open_ends, open_ends
    se = curves.std(axis=1, ddof=1) / np.sqrt(n)
    factor = stats.t.ppf(0.5 + 0.5 * level, worth - 1.0)
    wide = np.stack([_largest_deviation(curves[:, :, c], level, random_state, worth) for c in range(k)])
    wide = np.maximum(wide, factor)
    return (
        value,
        np.stack([value - factor * se, value + factor * se]),
        np.stack([value - wide * se, value + wide * se]),
    )


def _largest_deviation(curves: Array, level: float, random_state: Seed, n: float) -> float:
    """Quantile of the largest of the places' studentised deviations (t with n - 1 degrees of freedom)."""
    moves = curves - curves.mean(axis=1, keepdims=True)
    size = np.sqrt((moves**2).sum(axis=1))
    moves = moves[size > 0.0] / size[size > 0.0, None]
    if not len(moves):
        return 0.0
    values, vectors = np.linalg.eigh(moves @ moves.T)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    rng = generator_of(random_state)
    draws = np.abs(rng.standard_normal((10_000, len(values))) @ root.T).max(axis=1)
    return float(np.quantile(draws / np.sqrt(rng.chisquare(n - 1, 10_000) / (n - 1)), level))
