"""The ladder of bounds: every theorem about the risk of one fitted model, or why it says nothing."""

from __future__ import annotations

from empirisk.ladder.risk_bounds import risk_bounds
from empirisk.ladder.rungs import RUNGS
from empirisk.ladder.table import RiskBounds

__all__ = ["RUNGS", "RiskBounds", "risk_bounds"]
