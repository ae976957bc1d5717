"""The simplest model that was tried, scored on the test part beside the one that was chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from empirisk.evaluation.metrics import Predictions
from empirisk.report.fit.choose import Choice, Row
from empirisk.report.fit.final import fit_final
from empirisk.report.fit.held_out_scores import predictions
from empirisk.report.fit.sample import Sample
from empirisk.report.read.table import Table

__all__ = ["Simplest", "score_simplest", "simplest_row"]


@dataclass(frozen=True)
class Simplest:
    """The simplest candidate at the parameter that was chosen for it, and what it says of the test part."""

    row: Row
    scores: Predictions


def simplest_row(choice: Choice) -> Row | None:
    """Return the candidate that the chosen one is compared with, by the folds of the training part alone.

    Of the linear models without a feature step, the one that holds the fewest numbers, and of those the one
    with the smallest loss; without a linear one the pruned tree. One that holds no number is the constant
    prediction again and does not count, nor does one whose path the time cut off before its best value: it
    would say how short the time was, and not how good a simple model is. None where nothing is left, or where
    it is the chosen one.
    """
    own = [r for r in choice.rows if r.result.candidate.role == "candidate" and r.complexity > 0]
    own = [r for r in own if math.isfinite(r.score.value) and not r.unfinished]
    linear = [r for r in own if r.result.candidate.linear and not r.result.candidate.step]
    some = linear or [r for r in own if r.result.candidate.kind == "tree"]
    found = min(some, key=lambda r: (r.complexity, r.score.value), default=None)
    return None if found is choice.row else found


def score_simplest(choice: Choice, train: Sample, test: Sample, table: Table, seed: int) -> Simplest | None:
    """Fit the simplest candidate on the training part, once, and return what it says of the test part."""
    row = simplest_row(choice)
    if row is None:
        return None
    model = fit_final(train, row.result.candidate, float(row.result.alphas[row.at]), table, seed)
    return Simplest(row, predictions(model.pipeline, test))
