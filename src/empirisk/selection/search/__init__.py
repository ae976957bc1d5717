"""Choosing settings: grids, random draws, racing, zooming, and the honest score of the winner."""

from __future__ import annotations

from empirisk.selection.search.base import SearchWarning
from empirisk.selection.search.grid_search import GridSearch
from empirisk.selection.search.points import LogUniform
from empirisk.selection.search.random_search import RandomSearch
from empirisk.selection.search.result import SearchResult

__all__ = ["GridSearch", "LogUniform", "RandomSearch", "SearchResult", "SearchWarning"]
