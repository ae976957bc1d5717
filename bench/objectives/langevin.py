"""Ten thousand steps of Langevin dynamics with gradients of 256 rows, all of the same size.

The steps are judged by what they are for: the means of the parameters, in posterior deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.objectives.posterior import LogisticLaw


@dataclass(frozen=True)
class Chain:
    """What each solver does: `step` is in units of the posterior covariance, as of the first of all.

    Parameters
    ----------
    step : float
    control_variates : bool
        Whether gradients are corrected by those at the mode.
    mode, deviation : array, shape (d,)
        Where the chain begins, and the size of the posterior; peers are given them.
    """

    step: float
    control_variates: bool
    mode: np.ndarray
    deviation: np.ndarray
    steps: int = 10_000
    batch: int = 256


class LangevinMean:
    """The largest error of a mean of the draws, in posterior deviations.

    A chain of T steps of size h in these units is worth about T h / 2 draws, so that the errors of means are
    about ``sqrt(2 / (T h))`` of a deviation, and ``sqrt(4 / (T h))`` where the noise of rows doubles the
    variance.  Four of these errors count: the largest of fifty is more than three with a chance of 13 %.

    Parameters
    ----------
    name : str
        Of the row.
    step : float
    control_variates : bool
    accuracy : float
        The largest error that counts.
    """

    def __init__(self, name: str, step: float, control_variates: bool, accuracy: float) -> None:
        self.name, self.step, self.control_variates = name, step, control_variates
        self.accuracy = accuracy

    def strength(self, X: Any, y: Any) -> Chain:
        """Return the steps to take, from the mode of the posterior."""
        known = LogisticLaw().moments(X, y)
        return Chain(self.step, self.control_variates, known.mean, known.deviation)

    def value(self, X: Any, y: Any, chain: Chain, result: np.ndarray) -> float:
        """Return the largest error of the means of draws (steps, d)."""
        mean = np.asarray(result, dtype=np.float64).mean(axis=0)
        return float(np.max(np.abs(mean - chain.mode) / chain.deviation))

    def null(self, X: Any, y: Any) -> float:
        """Return 1, because errors are measured in deviations."""
        return 1.0

    def reference(self, X: Any, y: Any, chain: Chain) -> np.ndarray:
        """Return the mean that expansion about the mode gives, as a single draw."""
        return chain.mode[None, :]


OBJECTIVES = (
    LangevinMean("sgld", 0.08, True, accuracy=0.2),
    # Rows bring as much noise as the law has, so that variances double.
    LangevinMean("sgld_plain", 2.5e-3, False, accuracy=1.6),
)
