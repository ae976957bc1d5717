"""The recipe of a candidate: from the rows of a table to an unfitted pipeline of an encoder and an estimator.

Whatever the report fits, on some of the rows or on all of the training part, is this pipeline, and the saved
model is one that was fitted. So every number can be asked of the library again, with the same recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.pipeline import Pipeline

from empirisk.evaluation import candidate as evaluation
from empirisk.report.fit.candidates import Candidate, estimator_for
from empirisk.report.fit.encode import make_encoder
from empirisk.report.fit.grown import grown_estimator
from empirisk.report.fit.native import level_positions, native_encoder
from empirisk.report.read.table import Table

__all__ = ["encoder_of", "estimator_of", "recipe", "recipe_along"]

ENCODE, MODEL = "encode", "model"


def encoder_of(candidate: Candidate, table: Table) -> Any:
    """Return an unfitted encoder of the kind that a candidate takes."""
    return native_encoder(table) if candidate.grown else make_encoder(table)


def estimator_of(candidate: Candidate, table: Table, value: float, seed: int) -> Any:
    """Return the unfitted estimator behind the encoder; trees are told which of its columns hold levels."""
    if candidate.grown:
        return grown_estimator(candidate, table.task, value, level_positions(table), seed)
    return estimator_for(candidate, table.task, value)


def recipe(candidate: Candidate, table: Table, value: float, seed: int) -> Pipeline:
    """Return the unfitted pipeline of a candidate at one value of its parameter.

    Parameters
    ----------
    candidate : Candidate
        A row of the candidates.
    table : Table
        Decides the columns; no row of it is looked at.
    value : float
        Of the candidate's parameter; NaN where it has none.
    seed : int
        Of the draws of a forest.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Takes what :func:`empirisk.report.fit.encode.model_frame` gives.
    """
    steps = [
        (ENCODE, encoder_of(candidate, table)),
        (MODEL, estimator_of(candidate, table, value, seed)),
    ]
    return Pipeline(steps)


def recipe_along(
    candidate: Candidate, table: Table, values: Sequence[float], seed: int
) -> evaluation.Candidate:
    """Return a candidate with the values of its parameter, as the fold engine of the library takes it.

    Parameters
    ----------
    candidate, table, seed
        As in :func:`recipe`.
    values : sequence of float
        Values of the parameter, the simplest model first; ignored where the candidate has none.
    """
    if not candidate.parameter:
        return evaluation.Candidate(recipe(candidate, table, float("nan"), seed), name=candidate.label)
    name = {"alpha": "alpha", "rounds": "n_estimators"}[candidate.parameter]
    tried = [int(v) if name == "n_estimators" else float(v) for v in values]
    pipeline = recipe(candidate, table, float(tried[0]), seed)
    return evaluation.Candidate(pipeline, f"{MODEL}__{name}", tried, candidate.label)
