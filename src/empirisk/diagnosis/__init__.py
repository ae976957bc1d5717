"""Findings about one model: each a test or an interval with a stated null, and each may say "cannot tell"."""

from __future__ import annotations

from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.diagnosis.base import Context, Finder
from empirisk.diagnosis.baseline import no_better_than_the_baseline
from empirisk.diagnosis.build import context
from empirisk.diagnosis.class_rows import rows_of_a_class
from empirisk.diagnosis.collinearity import collinearity
from empirisk.diagnosis.concentration import distance_concentration
from empirisk.diagnosis.dead_units import dead_units
from empirisk.diagnosis.dominating import dominating_feature
from empirisk.diagnosis.drift import drift
from empirisk.diagnosis.formula import target_is_a_formula
from empirisk.diagnosis.grid_edge import grid_edge
from empirisk.diagnosis.hidden_imbalance import hidden_imbalance
from empirisk.diagnosis.influential import influential_rows
from empirisk.diagnosis.miscalibration import miscalibration
from empirisk.diagnosis.more_rows import more_rows
from empirisk.diagnosis.noise_ceiling import noise_ceiling
from empirisk.diagnosis.overdispersion import overdispersion
from empirisk.diagnosis.overfitting import overfitting
from empirisk.diagnosis.result import Diagnosis
from empirisk.diagnosis.row_order import row_order
from empirisk.diagnosis.separated import separation
from empirisk.diagnosis.twins import twins_across_folds
from empirisk.diagnosis.underfitting import underfitting
from empirisk.diagnosis.unstable_folds import unstable_folds

# code: the finding. Adding one is one file here, one row, and a page docs/findings/<code>.md.
REGISTRY: dict[str, Finder] = {
    "ER201": overfitting,
    "ER202": underfitting,
    "ER203": more_rows,
    "ER204": no_better_than_the_baseline,
    "ER205": unstable_folds,
    "ER206": dominating_feature,
    "ER207": twins_across_folds,
    "ER208": row_order,
    "ER209": drift,
    "ER210": miscalibration,
    "ER211": hidden_imbalance,
    "ER212": collinearity,
    "ER213": separation,
    "ER214": influential_rows,
    "ER215": grid_edge,
    "ER216": rows_of_a_class,
    "ER217": noise_ceiling,
    "ER218": overdispersion,
    "ER219": target_is_a_formula,
    "ER220": distance_concentration,
    "ER221": dead_units,
}

__all__ = ["REGISTRY", "Answer", "Context", "Diagnosis", "Finder", "Outcome", "context"]


def __dir__() -> list[str]:
    return sorted(__all__)
