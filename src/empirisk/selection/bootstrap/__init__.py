"""Intervals by resampling: compiled sums in O(n) memory, exact order statistics, any callable."""

from __future__ import annotations

from empirisk.selection.bootstrap.api import bootstrap
from empirisk.selection.bootstrap.distribution import AtomDifference, Atoms, Draws
from empirisk.selection.bootstrap.result import Bootstrap

__all__ = ["AtomDifference", "Atoms", "Bootstrap", "Draws", "bootstrap"]
