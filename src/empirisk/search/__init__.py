"""Choosing settings: grids, random draws, racing, zooming, and the honest score of the winner."""

from __future__ import annotations

from empirisk.search.base import SearchWarning
from empirisk.search.grid_search import GridSearch
from empirisk.search.points import LogUniform
from empirisk.search.random_search import RandomSearch
from empirisk.search.result import SearchResult
from empirisk.search.tuning import Tuned, tune

__all__ = ["GridSearch", "LogUniform", "RandomSearch", "SearchResult", "SearchWarning", "Tuned", "tune"]
