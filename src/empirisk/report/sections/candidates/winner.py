"""The winner's curse: the smallest of all scores, plain and corrected for having been chosen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from empirisk import plots
from empirisk.evaluation.intervals import best_of
from empirisk.evaluation.intervals.bbc import SELECTION
from empirisk.evaluation.scoring import Scoring
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


def winner(choice: Choice, scoring: Scoring, seed: int, held_out: Json | None) -> Json | None:
    """Return the smallest of all scores, plain and corrected by the bootstrap of Tsamardinos et al.
    (2018).
    """
    own = [r.result.losses for r in choice.rows if r.result.candidate.role != "reference"]
    every = np.concatenate(own, axis=2)
    table = every.mean(axis=0)
    # Rows that no split tests have no loss, and a value with an infinite one is never the best.
    every = every[:, :, np.isfinite(np.nanmax(table, axis=0))]
    table = every[:, ~np.isnan(table[:, 0])].mean(axis=0)
    small = not 30 <= table.shape[0] <= MAX_BOOTSTRAP_ROWS or table.shape[1] < 2
    if small or scoring.sample.groups is not None:
        return None
    corrected = best_of(
        table,
        scoring.plan.folds or len(scoring.plan.splits),
        scoring.level,
        n_bootstrap=200,
        random_state=seed,
        target=scoring.target(who=SELECTION),
        errors=scoring.metric.errors,
    )
    naive = scoring.loss(every[:, :, int(np.argmin(table.mean(axis=0)))])
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
