"""The recipe of a candidate: from the rows of a table to an unfitted pipeline of an encoder, a feature step
where the candidate has one, and an estimator.

Whatever the report fits, on some of the rows or on all of the training part, is this pipeline, and the saved
model is one that was fitted. So every number can be asked of the library again, with the same recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from empirisk.evaluation import candidate as evaluation
from empirisk.evaluation.before import Before
from empirisk.evaluation.beside import taken_as
from empirisk.evaluation.parts import parts_of
from empirisk.report.fit.bayes import bayes_estimator
from empirisk.report.fit.candidates import REFERENCE, Candidate, alpha_grid, estimator_for
from empirisk.report.fit.compared import compared_estimator, compared_grid
from empirisk.report.fit.encode import Origin, feature_origin, make_encoder, n_numbers
from empirisk.report.fit.grown import grown_estimator, grown_grid
from empirisk.report.fit.native import level_positions, native_encoder, native_origin
from empirisk.report.fit.network import network_estimator, network_grid
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.steps import step_of
from empirisk.report.read.carried import CARRIED
from empirisk.report.read.table import Table
from empirisk.search.tuning.ranges import PRUNINGS

__all__ = ["Encoders", "estimator_of", "origins_of", "parameter_grid", "recipe", "recipe_along", "unable"]

ENCODE, STEP, MODEL = "encode", "features", "model"
MAX_LEVELS = 250  # that scikit-learn's boosting takes in one column; the rarest share the last code


class Encoders:
    """Unfitted encoders of a table, one object for all candidates that take the same encoding.

    Parameters
    ----------
    table : Table
        Decides the columns; no row of it is looked at.
    n_rows : int, optional
        Rows that models are made for, where they are fitted on fewer than the table has: networks learn
        longer on few, and machines have more folds.
    """

    def __init__(self, table: Table, n_rows: int | None = None) -> None:
        self.table = table
        self.n_rows = table.n_rows if n_rows is None else n_rows
        self._made: dict[str, Any] = {}

    def on(self, n_rows: int) -> Encoders:
        """Return encoders of the same table, for models that are fitted on so many rows."""
        return Encoders(self.table, n_rows)

    def of(self, candidate: Candidate) -> Any:
        """Return the encoder that a candidate takes (:attr:`Candidate.encoding`)."""
        kind = candidate.encoding
        if candidate.name == REFERENCE:
            levels = [c for c in self.table.columns if c.role == "feature" and c.kind != "text"]
            many = any(c.n_distinct >= MAX_LEVELS for c in levels)
            kind = "capped" if many else "native"
        if kind not in self._made:
            self._made[kind] = (
                native_encoder(self.table, MAX_LEVELS if kind == "capped" else None)
                if kind in ("native", "capped")
                else make_encoder(self.table, scale=kind != "counts", marks=kind == "numbers")
            )
        return self._made[kind]


def estimator_of(
    candidate: Candidate, table: Table, value: float, seed: int, n_rows: int | None = None
) -> Any:
    """Return the unfitted estimator behind the encoder; trees are told which of its columns hold levels.

    It is made for as many rows as the table has, or for `n_rows`.
    """
    n = table.n_rows if n_rows is None else n_rows
    rates = table.exposure is not None
    if candidate.name == REFERENCE:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        made = HistGradientBoostingRegressor if table.task == "regression" else HistGradientBoostingClassifier
        return made(categorical_features=level_positions(table) or None, random_state=seed)
    if candidate.grown:
        return grown_estimator(candidate, table.task, value, level_positions(table), seed, rates)
    if candidate.compares:
        return compared_estimator(candidate, table.task, value, seed, n)
    if candidate.kind == "bayes":
        return bayes_estimator(candidate, table)
    if candidate.kind == "network":
        return network_estimator(table.task, value, seed, n)
    return estimator_for(candidate, table.task, value, rates)


def recipe(
    candidate: Candidate, table: Table, value: float, seed: int, encoders: Encoders | None = None
) -> Pipeline:
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
        Of the draws of a forest, and of the reference.
    encoders : Encoders, optional
        Of the table, when several candidates are to share their encoder.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Takes what :func:`empirisk.report.fit.encode.model_frame` gives.
    """
    encoders = encoders or Encoders(table)
    steps = [(ENCODE, encoders.of(candidate))]
    if candidate.step:
        steps.append((STEP, step_of(candidate.step).transformer(n_numbers(table))))
    return Pipeline([*steps, (MODEL, estimator_of(candidate, table, value, seed, encoders.n_rows))])


def recipe_along(
    candidate: Candidate, table: Table, values: Sequence[float], seed: int, encoders: Encoders | None = None
) -> evaluation.Candidate:
    """Return a candidate with the values of its parameter, as the fold engine of the library takes it.

    Parameters
    ----------
    candidate, table, seed, encoders
        As in :func:`recipe`.
    values : sequence of float
        Values of the parameter, the simplest model first; ignored where the candidate has none.
    """
    if not candidate.parameter:
        pipeline = recipe(candidate, table, float("nan"), seed, encoders)
        return evaluation.Candidate(pipeline, name=candidate.label)
    name = {"rounds": "n_estimators"}.get(candidate.parameter, candidate.parameter)
    tried = [float(v) if name == "alpha" else int(v) for v in values]
    pipeline = recipe(candidate, table, float(tried[0]), seed, encoders)
    return evaluation.Candidate(pipeline, f"{MODEL}__{name}", tried, candidate.label)


def parameter_grid(
    candidate: Candidate,
    sample: Sample,
    encoders: Encoders,
    before: Before,
    size: int,
    fewest: int,
    rows: NDArray[np.intp] | None = None,
) -> NDArray[np.float64]:
    """Return the values of the parameter to try, the simplest model first; one NaN where there is none.

    They come from the whole training part, or from some of its rows, and are the same in every fold, of which
    the smallest trains on `fewest` rows.
    """
    rows = np.arange(sample.n) if rows is None else rows
    if not candidate.parameter:
        return np.array([np.nan])
    if candidate.compares:
        return compared_grid(candidate, rows.size, fewest, size)
    if candidate.kind == "network":
        return network_grid(size)
    plain = candidate.linear and not candidate.l1_ratio
    if candidate.parameter == "rounds" or candidate.step or plain:  # none of these grids looks at columns
        X: Any = np.empty((rows.size, 0))
    else:
        parts = parts_of(recipe(candidate, encoders.table, 1.0, 0, encoders))
        _, X = before.fitted(parts, sample.dealt, rows)
    if candidate.grown:
        # Prunings come from one tree: a shorter path saves hardly any time, and misses the best of them.
        most = PRUNINGS if candidate.kind == "tree" else size
        return grown_grid(candidate, X, sample.y[rows], level_positions(encoders.table), most)
    weights, exposure = (None if v is None else v[rows] for v in (sample.weights, sample.exposure))
    return alpha_grid(candidate, X, sample.y[rows], sample.n_classes, size, weights, exposure)


def unable(candidate: Candidate, table: Table) -> str:
    """Return why a candidate cannot use the exposures or weights that a table has, "" where it can."""
    model = estimator_of(candidate, table, 1.0, 0)
    for role, (name, _) in CARRIED.items():
        if table.names(role) and not taken_as(model, name):  # type: ignore[arg-type]
            return f"it takes no {role}"
    return ""


def origins_of(candidate: Candidate, encoder: Any, encoded: Any = None) -> list[Origin]:
    """Return where the columns of a fitted encoder's matrix come from."""
    return native_origin(encoder) if candidate.encoding == "native" else feature_origin(encoder, encoded)
