"""Hypothesis classes: what they can express, and their best members.  One class a file, one row a class."""

from empirisk.hypotheses.base import Best, Hypothesis, HypothesisClass
from empirisk.hypotheses.growth import Growth, cover, sauer
from empirisk.hypotheses.intervals import Intervals
from empirisk.hypotheses.shattering import Shattering
from empirisk.hypotheses.thresholds import Thresholds

REGISTRY: dict[str, type[HypothesisClass]] = {
    "intervals": Intervals,
    "thresholds": Thresholds,
}

__all__ = [
    "REGISTRY",
    "Best",
    "Growth",
    "Hypothesis",
    "HypothesisClass",
    "Intervals",
    "Shattering",
    "Thresholds",
    "cover",
    "sauer",
]
