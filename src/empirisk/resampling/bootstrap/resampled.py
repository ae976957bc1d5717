"""A statistic after resampling: what every path hands to the intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.bootstrap.distribution import Distribution

__all__ = ["Resampled"]


@dataclass(frozen=True)
class Resampled:
    """Value and distribution of each number of a statistic.

    Parameters
    ----------
    labels : tuple of str
        What the numbers are called.
    value : array of shape (k,)
        The statistic of the data.
    distributions : sequence of Distribution
        One for each number.
    left_out : callable
        The jackknife, made when BCa asks: for each sample or stratum the values without each unit, (m, k).
    units : tuple of int
        Units of each sample.
    grouped : bool
        Whether the units are groups of rows.
    exact : bool
        Whether the distributions are exact.
    errors : (array (k,), array (B, k)) or None
        Standard errors of the value and of the resampled values, for the studentised method.
    note : str
        What the user should know about BCa.
    caution : str
        What is known to shorten every interval of this statistic.
    refusal : str
        Why no interval can be right, where that is known.
    """

    labels: tuple[str, ...]
    value: Floats
    distributions: Sequence[Distribution]
    left_out: Callable[[], Sequence[Floats]]
    units: tuple[int, ...]
    grouped: bool = False
    exact: bool = False
    errors: tuple[Floats, Floats] | None = None
    note: str = ""
    caution: str = ""
    refusal: str = ""
