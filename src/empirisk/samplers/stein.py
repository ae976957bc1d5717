"""How far the spread of draws is from that of their target, where nothing accepts or refuses the steps.

Stein's identity: under a density proportional to ``exp(-U)`` each parameter has ``E (w_j - E w_j) dU/dw_j =
1``, by parts, where the density vanishes at its border.  Draws of another law give another number: of a
Gaussian target with all variances s times too large it is s.  Gradients at some of the draws measure it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array

__all__ = ["Spread", "spread_of"]

# Draws at which the gradient is asked for: as many as cost what the run cost, between these.
_FEW, _MANY = 100, 400
# Standard errors that a ratio must be off by before it is taken for a bias.
_SURE = 3.0
# The ratio of variances from which a spread is taken for another one: deviations are off by a tenth.
_OFF = 1.21
# Products of places and gradients beyond which draws ran away: their squares overflow.
_AWAY = 1e150


@dataclass(frozen=True, repr=False)
class Spread(Brief):
    """Variances of the draws over those of the target, by Stein's identity.

    Parameters
    ----------
    ratios, errors : arrays, shape (d,)
        Of each parameter, and their Monte-Carlo standard errors; infinite where draws ran away.
    places : int
        How many draws were looked at.
    """

    ratios: Array
    errors: Array
    places: int

    @property
    def worst(self) -> int:
        """The parameter whose ratio is surest to be off."""
        if not np.isfinite(self.ratios).all():
            return int(np.argmin(np.isfinite(self.ratios)))
        off = np.abs(np.log(np.maximum(self._nearest, 1e-300)))
        return int(np.argmax(off))

    @property
    def _nearest(self) -> Array:
        """The ratios moved to 1 by three standard errors, and no farther."""
        low, high = self.ratios - _SURE * self.errors, self.ratios + _SURE * self.errors
        return np.asarray(np.clip(1.0, low, high))

    @property
    def off(self) -> bool:
        """Whether some deviation differs surely from that of the target by more than a tenth."""
        if not np.isfinite(self.ratios).all():
            return True
        near = self._nearest
        return bool(((near > _OFF) | (near < 1.0 / _OFF)).any())

    @property
    def mean(self) -> float:
        """The mean ratio of all parameters."""
        return float(self.ratios.mean())


def spread_of(call: Any, draws: Array, passes: float) -> Callable[[], Spread]:
    """Return the function that compares the spread of draws with that of their target, when it is asked.

    Parameters
    ----------
    call : tuple or callable
        What the loops ask for U and its gradient.
    draws : array, shape (chains, n, d)
        In the coordinates of the loops.
    passes : float
        Gradients of all rows that the run had the work of.
    """

    def look() -> Spread:
        chains, n, d = draws.shape
        each = min(n, max(4, -(-int(np.clip(passes, _FEW, _MANY)) // chains)))
        at = draws[:, np.linspace(0, n - 1, each).astype(np.intp)]
        places = np.ascontiguousarray(at.reshape(-1, d))
        grad, u = np.zeros_like(places), np.zeros(len(places))
        with np.errstate(over="ignore", invalid="ignore"):
            _loops.ask_places(call, places, grad, u)
            product = (at - draws.mean(axis=(0, 1))) * grad.reshape(at.shape)
        ratios, errors = np.full(d, np.inf), np.full(d, np.inf)
        if np.isfinite(u).all() and (np.abs(product) < _AWAY).all():
            ratios = product.mean(axis=(0, 1))
            sizes = np.array([ess_mean(product[:, :, j]) for j in range(d)])
            errors = product.std(axis=(0, 1), ddof=1) / np.sqrt(sizes)
        return Spread(ratios, errors, len(places))

    return look
