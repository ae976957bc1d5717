"""Codings of factors: the numbers that the levels of a category become in a linear model.

Adding one is a file and a row of REGISTRY.
"""

from empirisk.codings.base import Coding
from empirisk.codings.helmert import Helmert
from empirisk.codings.indicators import Indicators
from empirisk.codings.sum_to_zero import Sum
from empirisk.codings.treatment import Treatment

REGISTRY: dict[str, type] = {
    "helmert": Helmert,
    "indicators": Indicators,
    "sum": Sum,
    "treatment": Treatment,
}

__all__ = ["REGISTRY", "Coding", "Helmert", "Indicators", "Sum", "Treatment"]


def __dir__() -> list[str]:
    return sorted(__all__)
