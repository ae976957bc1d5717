"""What the certificate of draws says: how well means are known, whether chains agree, what helps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.samplers.tails import HEAVY
from empirisk.wording import beyond, counted, number

__all__ = ["claims", "doubts"]

# Above this chains are not taken to agree (Vehtari et al. 2021, section 4).
_AGREE = 1.01
# Effective draws below which no Monte-Carlo error is believed (as there: 100 for each of four chains).
_FEW = 400.0
# The Monte-Carlo error that the advice aims at, in posterior deviations.
_AIM = 0.01
# A fraction of missing information below which energies move too slowly (Stan and ArviZ warn there).
_SLOW = 0.3
# A share of diverging transitions from which the places that they miss may hold too much mass.
_MANY = 0.01
# Nats for each parameter by which U may fall along all chains before they are taken to run away: in a law
# that they have settled to, it moves by about one.
_FALL = 1000.0


def claims(draws: Any, value: float, why: list[str]) -> list[str]:
    """Return the sentences of a certificate, the most important one first.

    Parameters
    ----------
    draws : Draws
    value : float
        The largest Monte-Carlo standard error of a mean, in posterior deviations.
    why : list of str
        The reasons to believe none, as :func:`doubts` gives them.
    """
    chains, n, _ = draws.draws.shape
    out = list(why) if why else [_known(draws, value)]
    if not why and value > _AIM:
        more = math.ceil(n * ((value / _AIM) ** 2 - 1.0))
        out.append(f"{counted(more, 'more draw')} of each chain would bring the error to 1 % of a deviation.")
    if 0 < draws.divergences < _MANY * chains * n:
        out.append(_diverged(draws))
    if (draws.bfmi < _SLOW).any():
        c = int(np.nanargmin(draws.bfmi))
        out.append(
            f"The energy of chain {c + 1} changes little from draw to draw (E-BFMI {draws.bfmi[c]:.2f}, and "
            f"{_SLOW} is the limit): tails are reached slowly; write the model in other parameters."
        )
    if not draws.exact:
        out.append(_bias(draws))
    if not draws.one_mode:
        out.append(
            "Modes that none of the chains met are outside of this claim: start= of the target can start "
            "chains apart."
        )
    out.extend(draws.notes)
    if draws.interrupted:
        out.append("The run was interrupted: these are the draws up to then.")
    return out


def doubts(draws: Any, value: float) -> list[str]:
    """Return the reasons why no error of the draws can be believed, the first one first; none is good.

    Parameters
    ----------
    draws : Draws
    value : float
        The largest Monte-Carlo standard error of a mean, in deviations.
    """
    chains, n, _ = draws.draws.shape
    fall = _fall(draws)
    if fall > _FALL * len(draws.names):
        return [
            f"U falls along every chain, by {number(fall)} in the kept draws: exp(-U) has no finite mass, or "
            "chains have not reached it yet, so that no error can be believed; look at U, or warm up longer."
        ]
    out = []
    if draws.divergences >= max(1.0, _MANY * chains * n):
        out.append(_diverged(draws))
    if not math.isfinite(value):
        return [*out, "There are too few draws, or they do not move: no Monte-Carlo error can be given."]
    if draws.r_hat.max() > _AGREE:
        out.append(_disagreement(draws))
    few = float(np.min([draws.ess_bulk.min(), draws.ess_tail.min()]))
    if few < _FEW:
        more = math.ceil(n * (_FEW / few - 1.0))
        out.append(
            f"The smallest effective sample size is {few:,.0f}, below the {_FEW:,.0f} that Monte-Carlo "
            f"errors need to be believed; about {counted(more, 'more draw')} of each chain would reach it."
        )
    if draws.spread is not None and draws.spread.off:
        out.append(_other_spread(draws))
    tails = draws.tails
    if (tails > HEAVY).any():
        j = int(np.nanargmax(tails))
        out.append(
            f"The tails of {draws.names[j]!r} are too heavy for errors of a mean to be believed (Pareto "
            f"shape {tails[j]:.2f}, and {HEAVY} is the limit; from 0.5 on there is no deviation, from 1 on "
            "no mean): look at quantiles."
        )
    return out


def _known(draws: Any, value: float) -> str:
    """How well means are known, and what the chains say about each other."""
    known = (
        f"Each mean is known to {100.0 * value:.2g} % of its posterior deviation (largest Monte-Carlo "
        "standard error)"
    )
    worst = f"R-hat is at most {draws.r_hat.max():.3f}"
    if len(draws.draws) == 1:
        return f"{known}, if the one chain has met all of the mass: it has no other to agree with ({worst})."
    return f"{known}, and the chains agree: {worst}."


def _disagreement(draws: Any) -> str:
    """That chains, or the halves of the only one, do not agree, and what helps."""
    j = int(np.argmax(draws.r_hat))
    who = "The halves of the one chain" if len(draws.draws) == 1 else "The chains"
    return (
        f"{who} do not agree yet (R-hat {beyond(float(draws.r_hat[j]), _AGREE)} for {draws.names[j]!r}, and "
        f"{_AGREE} is the limit), so that no error can be believed: draw more, or warm up longer."
    )


def _diverged(draws: Any) -> str:
    """How many transitions diverged, what that means, and what helps."""
    chains, n, _ = draws.draws.shape
    return (
        f"{counted(draws.divergences, 'transition')} of {chains * n:,} diverged: places of strong curvature "
        f"are sampled too seldom; {draws.remedy}."
    )


def _other_spread(draws: Any) -> str:
    """That the draws of an unadjusted sampler have another spread than the target, and what helps."""
    spread, j = draws.spread, draws.spread.worst
    # Coordinates of the steps are the parameters, or fewer.
    name = repr(draws.names[j]) if len(spread.ratios) == len(draws.names) else "a coordinate"
    if not np.isfinite(spread.ratios[j]):
        said = "The draws ran away from the target"
    else:
        said = (
            f"The variance of {name} is about {number(float(spread.ratios[j]))} times that of "
            f"the target (Stein's identity at {spread.places:,} draws)"
        )
    return f"{said}: the steps are too long, and no error can be believed; {draws.remedy}."


def _bias(draws: Any) -> str:
    """What is known of the bias of chains whose steps are always taken."""
    said = (
        f"The {draws.method} chains settle to a law that differs from the target by a bias, which this error "
        "does not count and which vanishes with the step"
    )
    if draws.spread is None or draws.spread.off:
        return said + "."
    return (
        f"{said}: their variances are about {number(draws.spread.mean)} times those of the target, in the "
        f"mean over parameters (Stein's identity at {draws.spread.places:,} draws)."
    )


def _fall(draws: Any) -> float:
    """By how much U falls along the chain along which it falls least, from each quarter to the next; 0 where
    it does not.
    """
    u = draws.told[:, :, 4]
    if u.shape[1] < 16 or np.isnan(u).any():
        return 0.0
    quarter = u.shape[1] // 4
    means = u[:, : 4 * quarter].reshape(len(u), 4, quarter).mean(axis=2)
    return float(-np.diff(means, axis=1).max() * 3.0) if (np.diff(means, axis=1) < 0.0).all() else 0.0
