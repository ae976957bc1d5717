"""Pegasos: step sizes 1/(alpha t), and the run that its theorem is about.

Shalev-Shwartz, Singer, Srebro and Cotter, Mathematical Programming 127 (2011), figure 1; Shalev-Shwartz and
Ben-David, Understanding Machine Learning (2014), section 15.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from empirisk.optimizers.strongly_convex import StronglyConvex

__all__ = ["Pegasos"]


@dataclass(frozen=True)
class Pegasos(StronglyConvex):
    """``g_t = 1 / (mu t)``, independent draws, plain columns, no intercept, and the mean of all iterates.

    For the hinge loss the steps are those of SGD for soft-margin machines: from
    ``theta_1 = 0``,

        ``w_t = theta_t / (mu t)``,   ``theta_(t+1) = theta_t + y_i x_i``  if ``y_i w_t.x_i < 1``,

    i random, and the output is ``(w_1 + ... + w_T) / T``.

    Parameters
    ----------
    mu : float
        Modulus of strong convexity of the objective, > 0: the strength alpha of the penalty
        ``alpha ||w||^2 / 2``.

    Examples
    --------
    >>> Pegasos(0.5).at(4)
    0.5
    """

    name = "pegasos"
    # What the schedule says of a run where the user does not: see `Schedule` of the contract.
    run = MappingProxyType(
        {"output": "average", "sampling": "replacement", "precondition": False, "fit_intercept": False}
    )
    whole = True
