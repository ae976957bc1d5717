"""Hypothesis classes: what they can express, and their best members.  One class a file, one row a class."""

from empirisk.hypotheses.annuli import Annuli
from empirisk.hypotheses.balls import Balls
from empirisk.hypotheses.base import Best, Hypothesis, HypothesisClass
from empirisk.hypotheses.boxes import Boxes
from empirisk.hypotheses.conjunctions import Conjunctions
from empirisk.hypotheses.finite import FiniteClass
from empirisk.hypotheses.growth import Growth, cover, sauer
from empirisk.hypotheses.growth_curve import growth_curve
from empirisk.hypotheses.halfspaces import Halfspaces
from empirisk.hypotheses.intervals import Intervals
from empirisk.hypotheses.neighbours import NearestNeighbours
from empirisk.hypotheses.polynomials import PolynomialThresholds
from empirisk.hypotheses.shattering import Shattering
from empirisk.hypotheses.sine import Sine
from empirisk.hypotheses.stumps import DecisionStumps
from empirisk.hypotheses.thresholds import Thresholds

REGISTRY: dict[str, type[HypothesisClass]] = {
    "annuli": Annuli,
    "balls": Balls,
    "boxes": Boxes,
    "conjunctions": Conjunctions,
    "decision_stumps": DecisionStumps,
    "finite_class": FiniteClass,
    "halfspaces": Halfspaces,
    "intervals": Intervals,
    "nearest_neighbours": NearestNeighbours,
    "polynomial_thresholds": PolynomialThresholds,
    "sine": Sine,
    "thresholds": Thresholds,
}

__all__ = [
    "REGISTRY",
    "Annuli",
    "Balls",
    "Best",
    "Boxes",
    "Conjunctions",
    "DecisionStumps",
    "FiniteClass",
    "Growth",
    "Halfspaces",
    "Hypothesis",
    "HypothesisClass",
    "Intervals",
    "NearestNeighbours",
    "PolynomialThresholds",
    "Shattering",
    "Sine",
    "Thresholds",
    "cover",
    "growth_curve",
    "sauer",
]


def __dir__() -> list[str]:
    return sorted(__all__)
