"""Suspected leaks: the cross-validated score with and without a column of the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.evaluation.fit_folds import each_fit
from empirisk.evaluation.row_losses import losses_over
from empirisk.evaluation.scoring import Scoring
from empirisk.report.fit.choose import Row
from empirisk.report.fit.recipe import recipe_along
from empirisk.report.fit.sample import Sample
from empirisk.report.progress import Stages
from empirisk.report.read.table import Table
from empirisk.results import Estimate

__all__ = ["table_without", "without_column"]


def table_without(table: Table, column: str) -> Table:
    """Return the table with a column that is no feature."""
    columns = tuple(replace(c, role="dropped") if c.name == column else c for c in table.columns)
    return replace(table, columns=columns)


def without_column(
    sample: Sample, table: Table, row: Row, column: str, scoring: Scoring, progress: Stages, seed: int
) -> tuple[Estimate, Estimate] | None:
    """Return the loss without a column, and how much it rises by leaving the column out.

    Parameters
    ----------
    sample : Sample
        Training rows.
    table : Table
        Decides the columns.
    row : Row
        The chosen candidate, with its losses on the same folds.
    column : str
        The suspect.
    scoring, progress, seed
        As in the cross-validation.

    Returns
    -------
    (Estimate, Estimate) or None
        None when there is no other column.
    """
    bare = table_without(table, column)
    if not bare.features:
        return None
    candidate, losses = row.result.candidate, np.full_like(row.losses, np.nan)
    recipe = recipe_along(candidate, bare, [float(row.result.alphas[row.at])], seed)
    rows, folds = sample.dealt, scoring.plan.folds or len(scoring.plan.splits)
    for fit in each_fit(recipe, rows, scoring.plan):
        losses[fit.split // folds, fit.test] = losses_over(
            fit.outputs(scoring.metric.needs), rows, fit.test, scoring.metric
        )
        progress.advance(column)
    return scoring.loss(losses, recipe.estimator), scoring.difference(losses, row.losses)
