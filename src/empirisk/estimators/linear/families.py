"""Families and links of generalized linear models: which pairs have a loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

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
    Tweedie,
)
from empirisk.losses.links import LINKS
from empirisk.typing import Array

__all__ = ["FAMILIES", "family_loss", "link_name", "tweedie_loss", "with_labels"]

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
    "tweedie": _family("power", "log", lambda power, a: Tweedie(power), ("sqrt", "identity", "inverse")),
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


def tweedie_loss(power: float) -> Loss:
    """Return the log-link loss of a variance power; the squared error (identity link) for 0."""
    named: dict[float, Loss] = {0.0: HalfSquared(), 1.0: Poisson(), 2.0: Gamma(), 3.0: InverseGaussian()}
    if power in named:
        return named[power]
    if not 1.0 < power < 2.0:
        raise ValueError(
            "power must be 0 (normal), 1 (Poisson), 2 (gamma), 3 (inverse Gaussian) or between 1 and 2, "
            f"got {power!r}"
        )
    return Tweedie(power)


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
