"""Margins: average predictions, effects and contrasts of a fitted model, with intervals."""

from empirisk.explanations.margins.api import margins
from empirisk.explanations.margins.result import Margins

__all__ = ["Margins", "margins"]
