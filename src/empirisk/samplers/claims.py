"""What the certificate of draws says: how well means are known, whether chains agree, what helps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.wording import counted

__all__ = ["claims"]

# Above this chains are not taken to agree (Vehtari et al. 2021, section 4).
_AGREE = 1.01
# Effective draws below which no Monte-Carlo error is believed (as there: 100 for each of four chains).
_FEW = 400.0
# The Monte-Carlo error that the advice aims at, in posterior deviations.
_AIM = 0.01
# A fraction of missing information below which energies move too slowly (Stan and ArviZ warn there).
_SLOW = 0.3


def claims(draws: Any, value: float) -> list[str]:
    """Return the sentences of a certificate, the most important one first.

    Parameters
    ----------
    draws : Draws
    value : float
        The largest Monte-Carlo standard error of a mean, in posterior deviations.
    """
    chains, n, _ = draws.draws.shape
    out = [_agreement(draws, value)]
    few = float(np.min([draws.ess_bulk.min(), draws.ess_tail.min()]))
    if math.isfinite(few) and few < _FEW:
        out.append(
            f"The smallest effective sample size is {few:,.0f}, below the {_FEW:,.0f} that Monte-Carlo "
            "errors need to be believed."
        )
    if math.isfinite(value) and value > _AIM:
        more = math.ceil(n * ((value / _AIM) ** 2 - 1.0))
        out.append(f"{counted(more, 'more draw')} of each chain would bring the error to 1 % of a deviation.")
    if draws.divergences:
        out.append(
            f"{counted(draws.divergences, 'transition')} of {chains * n:,} diverged: places of strong "
            f"curvature are sampled too seldom; {draws.remedy}."
        )
    if (draws.bfmi < _SLOW).any():
        c = int(np.nanargmin(draws.bfmi))
        out.append(
            f"The energy of chain {c + 1} changes little from draw to draw (E-BFMI {draws.bfmi[c]:.2f}, and "
            f"{_SLOW} is the limit): tails are reached slowly; write the model in other parameters."
        )
    if not draws.exact:
        out.append(
            f"The {draws.method} chains settle to a law that differs from the target by a bias of the "
            "order of the step, which this error does not count: half the step has half of it."
        )
    if draws.interrupted:
        out.append("The run was interrupted: these are the draws up to then.")
    return out


def _agreement(draws: Any, value: float) -> str:
    """The first sentence: how well means are known, or why that cannot be told."""
    worst = float(np.max(draws.r_hat)) if np.isfinite(draws.r_hat).all() else math.inf
    if not math.isfinite(value):
        return "There are too few draws, or they do not move: no Monte-Carlo error can be given."
    j = int(np.argmax(draws.r_hat))
    if worst > _AGREE:
        return (
            f"The chains do not agree yet (R-hat {worst:.3f} for {draws.names[j]!r}, and 1.01 is the "
            "limit), so that no error can be believed: draw more, or warm up longer."
        )
    return (
        f"Each mean is known to {100.0 * value:.2g} % of its posterior deviation (largest Monte-Carlo "
        f"standard error), and the chains agree: R-hat is at most {worst:.3f}."
    )
