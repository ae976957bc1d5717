"""Intervals by resampling: compiled sums in O(n) memory, exact order statistics, any callable."""

from __future__ import annotations

from empirisk.resampling.bootstrap.api import bootstrap
from empirisk.resampling.bootstrap.distribution import AtomDifference, Atoms, Draws
from empirisk.resampling.bootstrap.result import Bootstrap

__all__ = ["AtomDifference", "Atoms", "Bootstrap", "Draws", "bootstrap"]
