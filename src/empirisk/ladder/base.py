"""What a rung of the ladder sees, and how it says that its theorem does not apply."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.outputs import model_name
from empirisk.ladder.features import FeatureMap
from empirisk.ladder.linear import LinearForm
from empirisk.ladder.tuning import Tuning
from empirisk.results import Assumption, RiskCertificate

__all__ = ["Declared", "Problem", "refuse"]


@dataclass(frozen=True)
class Declared:
    """What the user knows beside the rows; every field is a statement made before they were seen."""

    radius: float | None = None
    loss_range: tuple[float, float] | None = None
    prior_scale: Any = 1.0
    prior: Any = None
    test_candidates: int = 1
    lipschitz: float | None = None
    bayes_risk: float | None = None


@dataclass(frozen=True)
class Problem:
    """One fitted model with its rows, as the rungs see it.

    Parameters
    ----------
    est : fitted estimator
        The model (the winner, when a search was passed).
    X : table of shape (n, p)
        The rows that the model was fitted on.
    y : array of shape (n,)
        Class codes (positions in ``est.classes_``) or numbers.
    classes : array or None
        Labels; None for a regression.
    losses : array of shape (n,) or None
        Losses of the model on these rows; None when no range of the loss is known.
    low, high : float
        The range of the loss.
    risk : str
        Its name.
    delta : float
        What each row of the table may fail with.
    declared : Declared
        Knowledge of the user.
    tuning : Tuning
        What was chosen on the rows.
    features : FeatureMap
        The part of the pipeline that does not depend on the rows, applied.
    linear : LinearForm or str
        The model as a linear function of those features, or why it is none.
    constant : float or None
        Measured risk of the best constant answer (the most frequent class, the mean), on the measured rows.
    test_losses : array or None
        Losses on the test rows.
    no_test : str
        Why there are no usable test rows.
    """

    est: Any
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any] | None
    losses: Floats | None
    low: float
    high: float
    risk: str
    delta: float
    declared: Declared
    tuning: Tuning
    features: FeatureMap
    linear: LinearForm | str
    constant: float | None = None
    test_losses: Floats | None = None
    no_test: str = "no test rows were given: pass X_test and y_test"
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """The number of rows that the bounds rest on."""
        return int(self.y.size)

    @property
    def model(self) -> Any:
        """The last step of a pipeline, or the estimator itself."""
        steps = getattr(self.est, "steps", None)
        return steps[-1][1] if steps else self.est

    @property
    def name(self) -> str:
        """What sentences call the model: the name of its class."""
        return model_name(self.est)

    @property
    def two_classes(self) -> bool:
        """Whether this is a classification of two classes."""
        return self.classes is not None and self.classes.size == 2

    @property
    def signs(self) -> Floats:
        """The labels of the two classes as -1 and +1."""
        return np.where(self.y == 1, 1.0, -1.0)


def refuse(problem: Problem, bound: str, reason: str, kind: str = "the fitted model") -> RiskCertificate:
    """Return the row of a theorem that says nothing here, and why."""
    return RiskCertificate(
        bound, math.nan, None, None, problem.n, applies=False, reason=reason, kind=kind, risk=problem.risk
    )


def rows_of_fit(problem: Problem) -> tuple[Assumption, ...]:
    """Return what every bound from the training rows assumes beside its theorem."""
    return (
        Assumption("X and y are the rows that the model was fitted on"),
        *problem.tuning.assumptions(),
    )
