"""Criteria of heterogeneity: what a split makes smaller.  Adding one is one file and one row of REGISTRY."""

from typing import Any

from empirisk.trees.criteria.absolute_error import AbsoluteError
from empirisk.trees.criteria.base import Criterion
from empirisk.trees.criteria.entropy import Entropy
from empirisk.trees.criteria.gini import Gini
from empirisk.trees.criteria.misclassification import Misclassification
from empirisk.trees.criteria.newton_gain import NewtonGain
from empirisk.trees.criteria.poisson_deviance import PoissonDeviance
from empirisk.trees.criteria.squared_error import SquaredError

# Classes that meet the contract `Criterion`.
REGISTRY: dict[str, Any] = {
    "absolute_error": AbsoluteError,
    "entropy": Entropy,
    "gini": Gini,
    "misclassification": Misclassification,
    "newton": NewtonGain,
    "poisson": PoissonDeviance,
    "squared_error": SquaredError,
}

__all__ = [
    "REGISTRY",
    "AbsoluteError",
    "Criterion",
    "Entropy",
    "Gini",
    "Misclassification",
    "NewtonGain",
    "PoissonDeviance",
    "SquaredError",
]
