"""Tuning within a budget: ranges of every estimator, the search through them, and its result."""

from __future__ import annotations

from empirisk.search.tuning.tune import Tuned, tune

__all__ = ["Tuned", "tune"]
