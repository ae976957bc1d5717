"""The ladder of bounds: every theorem about the risk of one fitted model, or why it says nothing."""

from __future__ import annotations

from empirisk.selection.ladder.risk_bounds import risk_bounds
from empirisk.selection.ladder.rungs import RUNGS
from empirisk.selection.ladder.table import RiskBounds

__all__ = ["RUNGS", "RiskBounds", "risk_bounds"]
