"""Langevin steps with gradients of few rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_steps
from empirisk.typing import Array

__all__ = ["SGLD"]

# The default step, where rows bring no noise; with it, the sum of both biases stays about as small.
_STEP = 0.1


@dataclass(frozen=True)
class SGLD(Sampler):
    """``w' = w - h_t C g(w) + sqrt(2 h_t) L z``, ``C = L L'``, g an unbiased gradient of U from `batch` rows.

    Stochastic gradient Langevin dynamics (Welling and Teh, ICML 2011).  C is the inverse Hessian at the mode,
    so that steps have no unit.  Nothing is accepted or refused: with a constant step the law of the chain
    differs from the target by a bias of the order of h, from the step and from the noise of the rows; of a
    short step half has half of it.  With control variates the noise of the rows is that of
    ``grad l_i(w) - grad l_i(mode)``, which is small near the mode (Baker, Fearnhead, Fox and Nemeth,
    Statistics and Computing 29, 2019).

    Parameters
    ----------
    step : float, Schedule or None, default None
        h; a schedule of ``er.optimizers``, such as ``InverseTime(1.0)``, gives one for each step, counted
        from the first of the warm-up.  None means ``0.1 / (1 + d / batch)`` with control variates and
        ``0.1 / (1 + n / batch)`` without.
    batch : int, default 256
        Rows of a step, at most n of them.
    replace : bool, default True
        Whether rows are drawn independently; False takes slices of an order of all rows that is drawn anew
        for each epoch.
    control_variates : bool, default True
        Whether gradients are corrected by those at the mode, which takes one pass over all rows and n
        numbers.

    Examples
    --------
    >>> SGLD(step=0.05, batch=64).sizes(1, 2, n=1000, d=3)
    array([0.05, 0.05])
    """

    step: Any = None
    batch: int = 256
    replace: bool = True
    control_variates: bool = True

    name = "sgld"
    exact = False
    draws_rows = True
    remedy = "take a smaller step, or larger batches"

    def __post_init__(self) -> None:
        check_steps("batch", self.batch, 2**32 - 1)
        if self.step is None or callable(getattr(self.step, "at", None)):
            return
        number = np.ndim(self.step) == 0 and np.asarray(self.step).dtype.kind in "iuf"
        if not (number and math.isfinite(self.step) and self.step > 0.0):
            raise ValueError(
                f"step must be a finite number > 0, a schedule of er.optimizers, or None, got {self.step!r}"
            )

    @property
    def given_step(self) -> float | None:
        """The step, where it is one number."""
        return None if self.step is None or callable(getattr(self.step, "at", None)) else float(self.step)

    def default_thin(self, d: int) -> int:
        """Return 10: a step of about 0.1 forgets a tenth of its place, and single ones are worth little."""
        return 10

    def sizes(self, first: int, count: int, n: int, d: int) -> Array:
        """Return the sizes of `count` steps from number `first`, which is 1 for the first of all.

        Parameters
        ----------
        first, count : int
        n, d : int
            Rows and parameters, which the default depends on.
        """
        if self.step is None:
            noise = (d if self.control_variates else n) / min(self.batch, n)
            return np.full(count, _STEP / (1.0 + noise))
        if callable(getattr(self.step, "at", None)):
            return np.array([float(self.step.at(t)) for t in range(first, first + count)])
        return np.full(count, float(self.step))
