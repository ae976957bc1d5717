"""How much a projection changes distances: measured on pairs of rows, beside what a theorem promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from empirisk.data.brief import Brief
from empirisk.results.estimate import Estimate
from empirisk.typing import Array, IndexArray

__all__ = ["DistortionReport", "measure_distortion", "pairs_of"]

SHOWN = 2000  # ratios that a report keeps


@dataclass(frozen=True, eq=False, repr=False)
class DistortionReport(Brief):
    """Squared distances after a projection over those before, on pairs of rows.

    Parameters
    ----------
    share : Estimate
        Share of all pairs whose ratio is outside ``1 -+ epsilon``.
    ratios : array
        Of the pairs that were looked at, rising; at most 2,000 evenly spaced ones.
    low, high : float
        The smallest and the largest ratio seen.
    epsilon : float
        What counts as kept.
    width : int
        Columns after the projection.
    all_pairs : bool
        Whether every pair was looked at.
    theorem : str
        What is promised for all pairs, or that nothing is.
    """

    share: Estimate
    ratios: Array
    low: float
    high: float
    epsilon: float
    width: int
    all_pairs: bool
    theorem: str

    def __str__(self) -> str:
        e = self.share
        looked = f"all {e.n:,} pairs" if self.all_pairs else f"{e.n:,} pairs"
        span = "" if self.all_pairs else f" ({e.level:.0%} interval {e.low:.3g} to {e.high:.3g})"
        return (
            f"{e.value:.3g} of {looked} are off by more than {self.epsilon:.3g}{span}; ratios from "
            f"{self.low:.3f} to {self.high:.3f}; {self.theorem}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the ratios as a histogram with the band that counts as kept; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.distortion import DistortionDisplay

        e = self.share
        return DistortionDisplay(
            {
                "ratios": self.ratios.tolist(),
                "epsilon": self.epsilon,
                "share": e.to_dict(),
                "width": self.width,
                "all_pairs": self.all_pairs,
                "theorem": self.theorem,
            }
        ).plot(ax)


def pairs_of(n: int, count: int, rng: np.random.Generator) -> tuple[IndexArray, IndexArray, bool]:
    """Return pairs of different rows: all of them where they are at most `count`, else so many at random."""
    if n * (n - 1) // 2 <= count:
        one, two = np.triu_indices(n, 1)
        return one, two, True
    one = rng.integers(n, size=count)
    two = rng.integers(n - 1, size=count)
    return one, two + (two >= one), False


def measure_distortion(
    X: Any,
    project: Callable[[Any], Array],
    epsilon: float,
    pairs: tuple[IndexArray, IndexArray, bool],
    level: float,
    theorem: str,
) -> DistortionReport:
    """Return the ratios of squared distances on pairs, and the share outside with its exact interval.

    Parameters
    ----------
    X : array or CSR array, shape (n, p)
    project : callable
        A linear map of rows.
    epsilon : float
    pairs : tuple
        Of :func:`pairs_of`.
    level : float
    theorem : str

    Notes
    -----
    Pairs of equal rows have no ratio and are kept by every linear map; they count as kept.  Pairs are drawn
    independently of each other, so that the number outside is binomial given the projection, and the interval
    is that of Clopper and Pearson (1934).  Differences are projected, not their ends: nothing cancels.
    """
    one, two, every = pairs
    before, after = np.empty(len(one)), np.empty(len(one))
    step = max(1, (1 << 22) // X.shape[1])
    for a in range(0, len(one), step):
        apart = X[one[a : a + step]] - X[two[a : a + step]]
        dense = isinstance(apart, np.ndarray)
        squares = np.square(apart, dtype=np.float64) if dense else apart.multiply(apart)
        before[a : a + step] = np.asarray(squares.sum(axis=1)).ravel()
        after[a : a + step] = np.square(project(apart), dtype=np.float64).sum(axis=1)
    known = before > 0.0
    ratio = np.sort(after[known] / before[known])
    outside = int((np.abs(ratio - 1.0) > epsilon).sum())
    count = len(one)
    low, high = (outside / count,) * 2 if every else _clopper_pearson(outside, count, level)
    method = "all pairs" if every else "Clopper-Pearson"
    share = Estimate(outside / count, low, high, level, count, method, target="share of pairs outside")
    kept = ratio if len(ratio) <= SHOWN else ratio[np.arange(SHOWN) * (len(ratio) - 1) // (SHOWN - 1)]
    ends = (float(ratio[0]), float(ratio[-1])) if len(ratio) else (1.0, 1.0)
    return DistortionReport(share, kept, *ends, epsilon, 0, every, theorem)


def _clopper_pearson(hits: int, n: int, level: float) -> tuple[float, float]:
    tail = 0.5 * (1.0 - level)
    low = float(stats.beta.ppf(tail, hits, n - hits + 1)) if hits else 0.0
    return low, float(stats.beta.ppf(1.0 - tail, hits + 1, n - hits)) if hits < n else 1.0
