"""Chains whose gradients come from few rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.samplers.chains import TOLD, Chains
from empirisk.typing import Array

__all__ = ["MinibatchChains"]

# Steps that are left out by default: in units of the posterior a step is about a hundredth.
_WARM_UP = 1000


class MinibatchChains(Chains):
    """The state of all chains of :class:`~empirisk.samplers.SGLD`, as :class:`Chains` keeps it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        target: Any = self.target
        sampler: Any = self.sampler
        self.rows: int = int(target.problem.data.n_rows)
        self.batch: int = min(int(sampler.batch), self.rows)
        if self.factor is None and sampler.step is None:
            raise ValueError(
                f"{target.title} has no covariance near its mode that steps could be measured in "
                f"({target.size} parameters): give SGLD a step, in units of the parameters"
            )
        self.anchor = target.anchor() if sampler.control_variates else None

    @property
    def default_warm_up(self) -> int:
        """How many steps are left out where none is given."""
        return _WARM_UP

    def warm_up(self, count: int) -> None:
        """Take steps that are not kept; the sizes of a schedule go on from there."""
        for _, told in self.advance(count):
            if told[:, :, 3].any():
                raise ValueError(
                    f"steps of {self.sampler.name} left the finite numbers within the warm-up: "
                    f"{self.sampler.remedy}"
                )

    def _run(self, now: int, thin: int, search: bool) -> tuple[Array, Array]:
        """Take `now` steps, and return the kept draws and what was told of them."""
        sampler: Any = self.sampler
        sizes = sampler.sizes(self.taken + 1, now, self.rows, self.target.size)
        if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
            raise ValueError(f"the schedule {sampler.step!r} gives a step that is no finite number > 0")
        draws, lost = _loops.run_minibatches(
            self.call,
            self.anchor,
            self.w,
            self.scale,
            self.factor,
            self.seed,
            self.taken,
            sizes,
            thin,
            self.batch,
            bool(sampler.replace),
        )
        told = np.zeros((len(draws), len(TOLD)))
        # No step is refused, and U is not known: that would take all rows.
        told[:, 0] = told[:, 4] = told[:, 6] = np.nan
        told[:, 1] = self.batch / self.rows
        told[:, 3] = lost
        told[:, 5] = np.tile(sizes[thin - 1 :: thin], self.count)
        return draws, told
