"""Laws of rows without clusters, one a file.  Adding one is a file and a row of REGISTRY.

The test of no clusters draws from those that are tested in this order, and stops at the first that holds;
boxes are the hardest to tell from clusters where there are few columns.
"""

from empirisk.partitions.nulls.base import Axes, Null, Prepared, principal_axes
from empirisk.partitions.nulls.box import BoxNull
from empirisk.partitions.nulls.elliptical import EllipticalNull
from empirisk.partitions.nulls.gaussian import GaussianNull
from empirisk.partitions.nulls.one_cloud import OneCloudNull
from empirisk.partitions.nulls.uniform import UniformNull

REGISTRY: dict[str, type[Null]] = {
    "box": BoxNull,
    "uniform": UniformNull,
    "gaussian": GaussianNull,
    "elliptical": EllipticalNull,
    "one_cloud": OneCloudNull,
}

__all__ = [
    "REGISTRY",
    "Axes",
    "BoxNull",
    "EllipticalNull",
    "GaussianNull",
    "Null",
    "OneCloudNull",
    "Prepared",
    "UniformNull",
    "principal_axes",
]


def __dir__() -> list[str]:
    return sorted(__all__)
