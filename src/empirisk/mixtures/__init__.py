"""Mixture families: densities of the parts of a mixture.  Adding one is a file and a row of REGISTRY."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from empirisk.mixtures.base import DegenerateError, Family
from empirisk.mixtures.bernoulli import Bernoulli
from empirisk.mixtures.diagonal import Diagonal
from empirisk.mixtures.eev import EEV
from empirisk.mixtures.eve import EVE
from empirisk.mixtures.evi import EVI
from empirisk.mixtures.evv import EVV
from empirisk.mixtures.full import Full
from empirisk.mixtures.incomplete import Incomplete
from empirisk.mixtures.multinomial import Multinomial
from empirisk.mixtures.poisson import Poisson
from empirisk.mixtures.regression import LinearRegressions
from empirisk.mixtures.spherical import Spherical
from empirisk.mixtures.tied import Tied
from empirisk.mixtures.tied_diagonal import TiedDiagonal
from empirisk.mixtures.tied_spherical import TiedSpherical
from empirisk.mixtures.vee import VEE
from empirisk.mixtures.vei import VEI
from empirisk.mixtures.vev import VEV
from empirisk.mixtures.vve import VVE

_ROWS: tuple[Any, ...] = (
    Bernoulli,
    Diagonal,
    EEV,
    EVE,
    EVI,
    EVV,
    Full,
    Incomplete,
    Multinomial,
    Poisson,
    LinearRegressions,
    Spherical,
    Tied,
    TiedDiagonal,
    TiedSpherical,
    VEE,
    VEI,
    VEV,
    VVE,
)
REGISTRY: dict[str, Any] = {row.name: row for row in _ROWS}

__all__ = [
    "EEV",
    "EVE",
    "EVI",
    "EVV",
    "REGISTRY",
    "VEE",
    "VEI",
    "VEV",
    "VVE",
    "Bernoulli",
    "DegenerateError",
    "Diagonal",
    "Family",
    "Full",
    "Incomplete",
    "LinearRegressions",
    "Multinomial",
    "Poisson",
    "Spherical",
    "Tied",
    "TiedDiagonal",
    "TiedSpherical",
    "family_of",
]


def family_of(name: Any, parameter: str = "family", kind: type = object) -> Family:
    """Return a family by its name or by the three letters that mclust gives to it; a family is itself.

    Parameters
    ----------
    name : str or Family
    parameter : str
        What a message calls it.
    kind : type
        Names of families of this kind alone are known.

    Examples
    --------
    >>> family_of("VVV").name, family_of("tied").letters
    ('full', 'EEE')
    """
    known = {key: row for key, row in REGISTRY.items() if issubclass(row, kind)}
    if not isinstance(name, str):
        if callable(getattr(name, "maximise", None)) and not isinstance(name, type):
            return name  # type: ignore[no-any-return]
    else:
        for row in known.values():
            if name == row.name or name.upper() == row.letters:
                return row()  # type: ignore[no-any-return]
    listed = ", ".join(f"{key!r}" for key in known)
    letters = ", ".join(repr(row.letters) for row in known.values() if row.letters)
    near = get_close_matches(name, known, n=1) if isinstance(name, str) else []
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{parameter} must be {listed}, or by letters {letters}; got {name!r}{meant}")


def __dir__() -> list[str]:
    return sorted(__all__)
