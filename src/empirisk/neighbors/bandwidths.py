"""Bandwidths that are compared, and the one that a rule chooses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.choice_table import ChoiceTable
from empirisk.neighbors.windows import Window
from empirisk.typing import Array

__all__ = ["BandwidthSelection", "bandwidth_grid", "refuse_extremes", "weighted_mean_and_se"]

# Losses that differ by less are equal: windows that hold all rows alike differ by rounding alone.
TIED = 1e-9
# Bandwidths reach down to this share of the reference.
LOWEST = 1.0 / 32.0
# Bandwidths beyond these, in units of the spread of a column, have squares that over- or underflow.
SMALLEST, LARGEST = 1e-100, 1e100


@dataclass(frozen=True, repr=False)
class BandwidthSelection(ChoiceTable):
    """Leave-one-out losses of bandwidths, and the ones that two rules choose.

    Parameters
    ----------
    bandwidths : array, shape (a,)
        Rising, in the unit of ``bandwidth_``.
    loss, se : arrays, shape (a,)
        Weighted mean loss of training rows that the others predict, and its standard error; infinite where
        some row has none.
    rule : str
        ``"min"`` or ``"one_se"``.
    method : str
        How they were found, and what was averaged.
    """

    bandwidths: Array
    loss: Array
    se: Array
    rule: str
    method: str
    parameter = "bandwidth"

    def _tried(self) -> Array:
        return self.bandwidths

    def _how(self) -> str:
        return self.method

    @property
    def index_min(self) -> int:
        """Position of the smallest loss; of equal ones that of the largest bandwidth."""
        least = float(self.loss.min())
        return int(np.flatnonzero(self.loss <= least + TIED * abs(least))[-1])

    @property
    def index_one_se(self) -> int:
        """Position of the largest bandwidth within one standard error of the smallest loss."""
        best = self.index_min
        return int(np.flatnonzero(self.loss <= self.loss[best] + self.se[best])[-1])

    @property
    def index(self) -> int:
        """Position of the bandwidth that the rule chooses."""
        return self.index_one_se if self.rule == "one_se" else self.index_min

    @property
    def best(self) -> float:
        """The bandwidth that the rule chooses."""
        return float(self.bandwidths[self.index])

    @property
    def at_the_edge(self) -> bool:
        """Whether the smallest bandwidth was chosen: one below it might be better."""
        return self.index == 0 and len(self.bandwidths) > 1


def bandwidth_grid(given: Any, rows: Array, times: Array, window: Window) -> tuple[Array, bool]:
    """Return bandwidths to compare, rising, and whether they were given as numbers.

    A count asks for so many, evenly spaced in the logarithm, from a 32nd of the normal reference
    ``(4 / (n (p + 2)))^(1 / (p + 4))`` (Silverman 1986, section 4.3.2; in units of the largest spread of a
    column, and of the window's own) to one that holds all rows wherever it stands.

    Parameters
    ----------
    given : int >= 2 or array of numbers > 0
    rows : array, shape (n, p)
        On the scale on which distances are taken, their mean at 0.
    times : array, shape (n,)
        How often each row counts.
    window : Window

    Raises
    ------
    ValueError
        For anything else.
    """
    if np.ndim(given) == 0 and isinstance(given, int | np.integer) and not isinstance(given, bool):
        if given < 2:
            raise ValueError(
                f"bandwidths must be a number of them >= 2 or a list of numbers > 0, got {given!r}"
            )
        n, p = float(times.sum()), rows.shape[1]
        unit = float(np.sqrt(np.einsum("i,ij,ij->j", times, rows, rows).max(initial=0.0) / n)) or 1.0
        reference = unit * (4.0 / (n * (p + 2.0))) ** (1.0 / (p + 4.0)) / window.deviation(p)
        reach = 2.0 * float(np.sqrt(np.square(rows).sum(axis=1).max(initial=0.0)))
        return np.geomspace(LOWEST * reference, max(reach, reference), int(given)), False
    try:
        grid = np.sort(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.empty(0)
    if grid.ndim != 1 or not len(grid) or not (np.isfinite(grid) & (grid > 0.0)).all():
        raise ValueError(f"bandwidths must be a number of them >= 2 or a list of numbers > 0, got {given!r}")
    return grid, True


def refuse_extremes(width: Array, name: str) -> Array:
    """Refuse bandwidths that are nothing beside the rows, or hold them all many times over.

    Parameters
    ----------
    width : array
        Bandwidths on the scale on which distances are taken.
    name : str
        The parameter that messages name.
    """
    bad = ~((width >= SMALLEST) & (width <= LARGEST))
    if bad.any():
        raise ValueError(
            f"{name} must be between {SMALLEST:g} and {LARGEST:g} times the spread of the columns, got "
            f"{float(width[bad][0]):.3g} times"
        )
    return width


def weighted_mean_and_se(loss: Array, times: Array) -> tuple[Array, Array]:
    """Return means over the last axis of losses that count so many times, and their standard errors; infinite
    where a loss is.

    Examples
    --------
    >>> weighted_mean_and_se(np.array([[1.0, 3.0]]), np.ones(2))
    (array([2.]), array([1.]))
    """
    n = float(times.sum())
    with np.errstate(invalid="ignore"):
        mean = np.asarray((loss * times).sum(axis=-1) / n)
        off = (times * np.square(loss - mean[..., None])).sum(axis=-1)
    se = np.sqrt(off / n / max(n - 1.0, 1.0))
    return mean, np.where(np.isfinite(mean), se, np.inf)
