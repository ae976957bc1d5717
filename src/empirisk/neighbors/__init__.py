"""Searches for neighbours: exact, ties by the number of the row, the same for any number of threads; and
windows around rows.
"""

from empirisk.neighbors.bandwidths import BandwidthSelection, bandwidth_grid
from empirisk.neighbors.index import ALGORITHMS, Index
from empirisk.neighbors.local_fit import LocalFits, RowsInWindows
from empirisk.neighbors.metrics import REGISTRY as METRICS
from empirisk.neighbors.metrics import Metric, metric_of
from empirisk.neighbors.remembered import Remembered
from empirisk.neighbors.row_scale import RowScale
from empirisk.neighbors.windows import REGISTRY as WINDOWS
from empirisk.neighbors.windows import Window, window_of

__all__ = [
    "ALGORITHMS",
    "METRICS",
    "WINDOWS",
    "BandwidthSelection",
    "Index",
    "LocalFits",
    "Metric",
    "Remembered",
    "RowScale",
    "RowsInWindows",
    "Window",
    "bandwidth_grid",
    "metric_of",
    "window_of",
]


def __dir__() -> list[str]:
    return sorted(__all__)
