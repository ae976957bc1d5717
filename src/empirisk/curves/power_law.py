"""A power law through a learning curve: drawn for the eye, never trusted for an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from empirisk.curves.diminishing import FASTEST
from empirisk.data.brief import Brief
from empirisk.evaluation.intervals.base import Floats

__all__ = ["PowerLaw", "fit_power_law"]

EXPONENTS = np.linspace(0.05, FASTEST, 146)


@dataclass(frozen=True, repr=False)
class PowerLaw(Brief):
    """``loss(rows) = a + b rows^-c``.

    Parameters
    ----------
    a, b, c : float
        Limit, scale (>= 0) and exponent.
    """

    a: float
    b: float
    c: float

    def __call__(self, rows: ArrayLike) -> Floats:
        """Return the loss at these numbers of rows."""
        return np.asarray(self.a + self.b * np.asarray(rows, dtype=np.float64) ** -self.c)

    def __str__(self) -> str:
        return f"{self.a:.4g} + {self.b:.3g} rows^-{self.c:.2f}"


def fit_power_law(sizes: ArrayLike, losses: ArrayLike) -> PowerLaw | None:
    """``min over a, b >= 0, c in [0.05, 1.5]`` of ``sum_j m_j (loss_j - a - b m_j^-c)^2``.

    The weights ``m_j`` say that larger training sets are less at the mercy of their luck. None with fewer
    than three sizes: three numbers are not fitted to two.

    Parameters
    ----------
    sizes, losses : arrays of shape (k,)
        Training rows and mean losses.

    Examples
    --------
    >>> law = fit_power_law([50, 100, 200, 400], [0.2 + 3.0 / m for m in (50, 100, 200, 400)])
    >>> round(law.a, 3), round(law.b, 2), round(law.c, 2)
    (0.2, 3.0, 1.0)
    """
    m, y = np.asarray(sizes, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    if m.size < 3 or not np.isfinite(y).all():
        return None
    weight = m / m.sum()
    best, found = np.inf, None
    centre = float(weight @ y)
    for c in EXPONENTS:
        x = (m / m[-1]) ** -c
        x_bar = float(weight @ x)
        slope = max(0.0, float(weight @ ((x - x_bar) * (y - centre))) / float(weight @ (x - x_bar) ** 2))
        a = centre - slope * x_bar
        misfit = float(weight @ (y - a - slope * x) ** 2)
        if misfit < best:
            best, found = misfit, PowerLaw(a, float(slope * m[-1] ** c), float(c))
    return found
