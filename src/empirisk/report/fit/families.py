"""Families of targets with a log link: which of them a numeric target suggests, and their losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.losses import Gamma, HalfSquared, Poisson, Tweedie

__all__ = ["FAMILIES", "Family", "family_loss", "suggested_family"]

FEWEST = 30
# A log link differs from a straight line where the mean moves by a factor: not for years or body heights.
LEAST_VARIATION = 0.3
LEAST_SKEWNESS = 1.0  # of positive targets for which a log link is worth a candidate


@dataclass(frozen=True)
class Family:
    """A law of the target around a mean ``exp(z)``.

    Parameters
    ----------
    name, label : str
        For programs and for readers.
    power : float
        The variance is proportional to ``mean^power``.
    metric : str
        Deviance that goes with it.
    why : str
        What about a target suggests it.
    how : str, default "log link"
        What stands beside the label.
    cost : float, default 1.0
        Time of a fit over what is forecast for a straight line.
    """

    name: str
    label: str
    power: float
    metric: str
    why: str
    how: str = "log link"
    cost: float = 1.0

    def loss(self) -> Any:
        """Return the negative log-likelihood as a loss of the score."""
        return {"poisson": Poisson, "gamma": Gamma, "tweedie": Tweedie}[self.name]()

    def estimator(self, alpha: float, l1_ratio: float) -> Any:
        """Return the unfitted estimator at a strength."""
        from empirisk.estimators import GammaRegressor, PoissonRegressor, TweedieRegressor

        made = {"poisson": PoissonRegressor, "gamma": GammaRegressor, "tweedie": TweedieRegressor}
        return made[self.name](alpha=alpha, l1_ratio=l1_ratio)

    def slope_scale(self, mean: float) -> float:
        """The derivative of the loss at the constant score is ``(mean - y)`` times this."""
        return float(mean ** (1.0 - self.power))

    def curvature_scale(self, mean: float) -> float:
        """Return the size of the second derivative at the constant score, which a penalty is to be measured
        by.
        """
        return float(mean ** (2.0 - self.power))


FAMILIES: dict[str, Family] = {
    "poisson": Family(
        "poisson", "Poisson regression", 1.0, "poisson_deviance", "it holds counts (whole numbers from 0 up)"
    ),
    "gamma": Family(
        "gamma", "Gamma regression", 2.0, "gamma_deviance", "it is positive and skewed to the right"
    ),
    "tweedie": Family(
        "tweedie",
        "Tweedie regression",
        1.5,
        "tweedie_deviance",
        "it is positive and skewed to the right, with exact zeros",
        "power 1.5, log link",
        4.0,  # its certificate searches for every conjugate
    ),
}


def suggested_family(y: NDArray[Any]) -> Family | None:
    """Return the family that the values of a target suggest; None where a straight line is as good a
    start.

    Counts: whole numbers from 0 up that reach down to a quarter of their mean, with at most 50 different
    values or one for every three rows. Otherwise skewed to the right (skewness above 1): Gamma when all are
    positive, Tweedie when at least 1 % (and five) are exactly 0. In each case the standard deviation must be
    at least 0.3 of the mean.

    Parameters
    ----------
    y : array of shape (n,)
        Training targets.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> suggested_family(rng.poisson(2.0, size=200).astype(float)).name
    'poisson'
    >>> suggested_family(rng.normal(10.0, 1.0, size=200)) is None
    True
    """
    y = np.asarray(y, dtype=np.float64)
    if y.size < FEWEST or y.min() < 0.0 or y.max() == y.min():
        return None
    mean, spread = float(y.mean()), float(y.std())
    if spread < LEAST_VARIATION * mean:
        return None
    few = np.unique(y).size <= max(50, y.size // 3)
    if few and not np.mod(y, 1.0).any() and y.min() <= 0.25 * mean:
        return FAMILIES["poisson"]
    if float(np.mean(((y - mean) / spread) ** 3)) <= LEAST_SKEWNESS:
        return None
    zeros = int(np.count_nonzero(y == 0.0))
    if zeros == 0:
        return FAMILIES["gamma"]
    return FAMILIES["tweedie"] if zeros >= max(5, 0.01 * y.size) else None


def family_loss(name: str) -> Any:
    """Return the loss of a family by name; half the squared error for ""."""
    return FAMILIES[name].loss() if name else HalfSquared()
