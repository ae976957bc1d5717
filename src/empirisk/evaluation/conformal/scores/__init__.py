"""Conformal scores by name: one formula a file, one row a score."""

from __future__ import annotations

from empirisk.evaluation.conformal.scores.absolute import Absolute
from empirisk.evaluation.conformal.scores.aps import Adaptive
from empirisk.evaluation.conformal.scores.base import Band, ClassTable, ConformalScore
from empirisk.evaluation.conformal.scores.lac import LeastAmbiguous
from empirisk.evaluation.conformal.scores.normalized import Normalized
from empirisk.evaluation.conformal.scores.quantile import Quantile

__all__ = [
    "REGISTRY",
    "Absolute",
    "Adaptive",
    "Band",
    "ClassTable",
    "ConformalScore",
    "LeastAmbiguous",
    "Normalized",
    "Quantile",
]

REGISTRY: dict[str, type[ConformalScore]] = {
    "absolute": Absolute,
    "normalized": Normalized,
    "quantile": Quantile,
    "lac": LeastAmbiguous,
    "aps": Adaptive,
}


def __dir__() -> list[str]:
    return sorted(__all__)
