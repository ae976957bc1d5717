"""Losses along an axis: against the number of training rows, and against one parameter."""

from __future__ import annotations

from empirisk.curves.extrapolation import Extrapolation
from empirisk.curves.learning import learning_curve
from empirisk.curves.learning_result import LearningCurve
from empirisk.curves.model_selection import model_selection_curve
from empirisk.curves.model_selection_result import ModelSelectionCurve
from empirisk.curves.power_law import PowerLaw, fit_power_law

__all__ = [
    "Extrapolation",
    "LearningCurve",
    "ModelSelectionCurve",
    "PowerLaw",
    "fit_power_law",
    "learning_curve",
    "model_selection_curve",
]
