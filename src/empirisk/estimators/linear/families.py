"""Families and links of generalized linear models: which pairs have a loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from empirisk.estimators.checks import check_number, is_number
from empirisk.losses import (
    Bernoulli,
    CLogLog,
    Gamma,
    HalfSquared,
    InverseGaussian,
    Linked,
    Logistic,
    Loss,
    NegativeBinomial,
    Poisson,
    Probit,
    StableTweedie,
    Tweedie,
)
from empirisk.losses.links import LINKS
from empirisk.typing import Array

__all__ = ["FAMILIES", "family_loss", "link_name", "positive_targets", "tweedie_loss", "with_labels"]

Made = Callable[[float, float], Loss]


def _under(own: str, base: Made, links: Sequence[str]) -> dict[str, Made]:
    """Return the family under links that are not its own, made of LINKS[own]."""
    return {
        name: (lambda power, a, link=LINKS[own][name]: Linked(base(power, a), link))  # type: ignore[misc]
        for name in links
    }


def _family(own: str, link: str, base: Made, others: Sequence[str]) -> dict[str, Made]:
    """Return the links of a family: its own first, then the others."""
    return {link: base, **_under(own, base, others)}


def _shares(power: float, a: float) -> Loss:
    return Bernoulli(Logistic())


def tweedie_loss(power: Any) -> Loss:
    """Return the log-link loss of a variance power; the squared error (identity link) for 0.

    Examples
    --------
    >>> tweedie_loss(1.0), tweedie_loss(1.5), tweedie_loss(-1.0)
    (Poisson(), Tweedie(power=1.5), StableTweedie(power=-1.0))
    """
    power = check_number("power", power, -math.inf)
    named: dict[float, Loss] = {0.0: HalfSquared(), 1.0: Poisson(), 2.0: Gamma(), 3.0: InverseGaussian()}
    if power in named:
        return named[power]
    if 0.0 < power < 1.0:
        raise ValueError(
            f"power must not lie between 0 and 1, where there is no law, got {power!r}: 0 is normal, "
            "1 Poisson, 2 gamma, 3 inverse Gaussian"
        )
    return Tweedie(power) if 1.0 < power < 2.0 else StableTweedie(power)


def positive_targets(power: Any) -> bool:
    """Return whether targets of a variance power are never negative, which scikit-learn's tags tell."""
    return not is_number(power, -math.inf, 0.0)


def _tweedie(link: str) -> Made:
    """Return the family of a variance power under a link: its named law where there is one."""

    def made(power: float, a: float) -> Loss:
        base = tweedie_loss(power)
        own = "identity" if base.quadratic else "log"
        return base if link == own else Linked(base, LINKS["power"][link])

    return made


# family: link: loss from (power, extra_dispersion).  The first link is the default.
FAMILIES: dict[str, dict[str, Made]] = {
    "gaussian": _family("power", "identity", lambda power, a: HalfSquared(), ("log", "inverse", "sqrt")),
    "binomial": {
        "logit": _shares,
        "probit": lambda power, a: Bernoulli(Probit()),
        "cloglog": lambda power, a: Bernoulli(CLogLog()),
        **_under("odds", _shares, ("loglog", "cauchit", "log", "identity")),
    },
    "poisson": _family("power", "log", lambda power, a: Poisson(), ("identity", "sqrt")),
    "gamma": _family("power", "log", lambda power, a: Gamma(), ("inverse", "identity", "sqrt")),
    "inverse_gaussian": _family(
        "power", "log", lambda power, a: InverseGaussian(), ("inverse_squared", "inverse", "identity", "sqrt")
    ),
    "tweedie": {name: _tweedie(name) for name in ("log", "sqrt", "identity", "inverse")},
    "negative_binomial": _family("power", "log", lambda power, a: NegativeBinomial(a), ("identity", "sqrt")),
}


def _listed(names: Mapping[str, Any]) -> str:
    return ", ".join(repr(name) for name in names)


def link_name(family: Any, link: Any) -> str:
    """Return the link of a pair, the family's first one for None; refuses what there is no loss for."""
    if not isinstance(family, str) or family not in FAMILIES:
        raise ValueError(f"family must be one of {_listed(FAMILIES)}, got {family!r}")
    links = FAMILIES[family]
    if link is None:
        return next(iter(links))
    if not isinstance(link, str) or link not in links:
        pairs = "; ".join(f"{name}: {', '.join(known)}" for name, known in FAMILIES.items())
        raise ValueError(
            f"link must be {_listed(links)} (or None) for the family {family!r}, got {link!r}; "
            f"there are {pairs}"
        )
    return link


def family_loss(family: Any, link: Any, power: float, extra_dispersion: float) -> Loss:
    """Return the loss of a family and a link.

    Examples
    --------
    >>> family_loss("poisson", None, 1.5, 1.0)
    Poisson()
    >>> family_loss("gamma", "identity", 1.5, 1.0).name
    'gamma_identity'
    >>> family_loss("gamma", "logit", 1.5, 1.0)
    Traceback (most recent call last):
        ...
    ValueError: link must be 'log', 'inverse', 'identity', 'sqrt' (or None) for the family 'gamma', got ...
    """
    return FAMILIES[family][link_name(family, link)](power, extra_dispersion)


def with_labels(loss: Loss, y: Array) -> tuple[Loss, Array]:
    """Return the shares that are all 0 or 1 as labels -1 and +1 of the simpler loss; everything else as it
    is.

    Examples
    --------
    >>> with_labels(Bernoulli(), np.array([0.0, 1.0]))
    (Logistic(), array([-1.,  1.]))
    """
    found = loss.labelled(y) if loss.shares and np.all((y == 0.0) | (y == 1.0)) else None
    return (loss, y) if found is None else (found[0], 2.0 * y - 1.0)
