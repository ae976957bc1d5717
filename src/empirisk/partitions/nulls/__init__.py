"""Laws of rows without clusters, one a file.  Adding one is a file and a row of REGISTRY.

The test of no clusters draws from those that are tested in this order, and stops at the first that holds;
uniform rows are the hardest to tell from clusters where there are few columns.
"""

from empirisk.partitions.nulls.base import Axes, Null, principal_axes
from empirisk.partitions.nulls.box import BoxNull
from empirisk.partitions.nulls.elliptical import EllipticalNull
from empirisk.partitions.nulls.gaussian import GaussianNull
from empirisk.partitions.nulls.uniform import UniformNull

REGISTRY: dict[str, type[Null]] = {
    "box": BoxNull,
    "uniform": UniformNull,
    "gaussian": GaussianNull,
    "elliptical": EllipticalNull,
}

__all__ = [
    "REGISTRY",
    "Axes",
    "BoxNull",
    "EllipticalNull",
    "GaussianNull",
    "Null",
    "UniformNull",
    "principal_axes",
]


def __dir__() -> list[str]:
    return sorted(__all__)
