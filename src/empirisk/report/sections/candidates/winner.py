"""The winner's curse: the smallest of all scores, plain and corrected for having been chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from empirisk import plots
from empirisk.evaluation.intervals import best_of
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.intervals.bbc import SELECTION
from empirisk.evaluation.scoring import Scoring
from empirisk.evaluation.standing import weighted_rows
from empirisk.report.estimates import estimate
from empirisk.report.fit.choose import Choice
from empirisk.report.sections.base import Chart
from empirisk.report.shapes.checkers import Record, integer
from empirisk.report.shapes.values import estimate as estimated
from empirisk.report.shapes.values import maybe_estimate, numbers

__all__ = ["WINNER", "winner", "winner_chart"]

Json = dict[str, Any]
MAX_BOOTSTRAP_ROWS = 50_000


WINNER = Record(
    {
        "n_candidates": integer,
        "candidates": numbers,
        "naive": estimated,
        "corrected": estimated,
        "held_out": maybe_estimate,
    }
)


def winner(
    choice: Choice, scoring: Scoring, seed: int, held_out: Json | None, trials: Sequence[Floats] = ()
) -> Json | None:
    """Return the smallest of all scores, plain and corrected by the bootstrap of Tsamardinos et al. (2018).

    Parameters
    ----------
    choice : Choice
        Its rows are scored on all folds.
    scoring : Scoring
    seed : int
        Of the bootstrap.
    held_out : dict or None
        Loss of the chosen model on the test part, an estimate.
    trials : sequence of array of shape (n, t)
        Losses of what searches tried on the first repeat of the folds, from which they chose.
    """
    own = [r.result.losses for r in choice.rows if r.result.candidate.role != "reference"]
    every = np.concatenate(own, axis=2)
    table = every.mean(axis=0)
    # Rows that no split tests have no loss, and a value with an infinite one is never the best.
    every = every[:, :, np.isfinite(np.nanmax(table, axis=0))]
    scored = ~np.isnan(table[:, 0])
    table = every[:, scored].mean(axis=0)
    tried = [one[scored] for one in trials]
    table = np.concatenate([table, *(one[:, np.isfinite(one).all(axis=0)] for one in tried)], axis=1)
    small = not 30 <= table.shape[0] <= MAX_BOOTSTRAP_ROWS or table.shape[1] < 2
    if small or scoring.sample.groups is not None:
        return None
    weights = scoring.sample.weights
    if weights is not None:
        table = np.column_stack([weighted_rows(one, weights[scored]) for one in table.T])
    corrected = best_of(
        table,
        scoring.plan.folds or len(scoring.plan.splits),
        scoring.level,
        n_bootstrap=200,
        random_state=seed,
        target=scoring.target(who=SELECTION),
        errors=scoring.metric.errors and weights is None,
    )
    naive = scoring.loss(every[:, :, int(np.argmin(table[:, : every.shape[2]].mean(axis=0)))])
    return {
        "n_candidates": table.shape[1],
        "candidates": sorted(float(v) for v in table.mean(axis=0)),
        "naive": estimate(naive),
        "corrected": estimate(corrected),
        "held_out": held_out,
    }


def winner_chart(selection: Json) -> Iterator[Chart]:
    """Yield the picture of the curse, where it was measured."""
    if selection["winner"]:
        said = {key: selection[key] for key in ("label", "greater_is_better")}
        curse = selection["winner"] | said
        shown = partial(plots.WinnersCurseDisplay, curse)
        yield Chart("winner", "the winner's curse", shown, curse["corrected"], "candidates")
