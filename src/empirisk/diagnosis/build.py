"""Build the Context of a diagnosis: check the rows, fit the folds or take those of an evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from empirisk.data.progress import Progress
from empirisk.data.seeds import generator_of
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.identical import identical_rows
from empirisk.diagnosis.model_parts import solution_of
from empirisk.evaluation.cross import CrossEvaluation
from empirisk.evaluation.fit_folds import Fitted, assemble, fit_folds
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.sample import Sample

__all__ = ["column_names", "context"]


def context(
    est: Any,
    X: Any,
    y: ArrayLike | None,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    replicates: ArrayLike | str | None = None,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    evaluation: CrossEvaluation | None = None,
    margin: float | None = None,
    cv: Any = 5,
    level: float = 0.05,
    random_state: int | np.random.Generator | None = None,
    progress: Progress | None = None,
    sample_weight: ArrayLike | None = None,
    exposure: ArrayLike | None = None,
    offset: ArrayLike | None = None,
) -> Context:
    """Fit the model on the folds (or take those of `evaluation`) and gather what findings share.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 2))
    >>> ctx = context(Ridge(), X, X[:, 0] + rng.normal(size=120), random_state=0)
    >>> ctx.task, ctx.losses.shape, ctx.n_fits, ctx.columns
    ('regression', (120,), 0, ('x0', 'x1'))
    """
    rng = generator_of(random_state, shared=True)
    sample = Sample.of(est, X, y, groups, weights=sample_weight, exposure=exposure, offset=offset)
    X = sample.X if isinstance(X, Sample) else X
    if evaluation is None:
        counted = isinstance(cv, int | np.integer)
        plan = _one_repeat(sample.plan(cv, 1 if counted else None, rng))
        fitted = fit_folds(est, sample, plan, progress=progress, keep=solution_of)
    else:
        plan, fitted = _first_repeat(evaluation, sample)
    oof = assemble(fitted, sample.y, sample.classes, sample.groups)[0]
    return Context(
        est, sample.X, sample.y, sample.classes, plan, oof, sample.groups,
        None if time is None else _per_row(time, "time", sample.n),
        X_test, None if y_test is None else np.asarray(y_test), column_names(X),
        0.02 if margin is None else float(margin), level, int(rng.integers(2**31)),
        float(np.mean(fitted.seconds)), tuple(fitted.kept), _replicates(replicates, X, sample.n),
        sample.weights, sample.exposure, sample.offset,
    )  # fmt: skip


def _replicates(given: ArrayLike | str | None, X: Any, n: int) -> NDArray[Any] | None:
    """Return the numbers of the declared repeats: those of equal rows, or of equal entries of an array."""
    if given is None:
        return None
    if isinstance(given, str):
        if given != "equal":
            raise ValueError(
                "replicates must be 'equal' (rows equal in all columns are repeats), one value for each row, "
                f"or None; got {given!r}."
            )
        return identical_rows(X)
    return identical_rows(_per_row(given, "replicates", n)[:, None])


def _one_repeat(plan: Plan) -> Plan:
    """Return the first repeat of K folds; splits that do not test every row have none."""
    if plan.folds is None:
        raise ValueError("cv must test every row once (K folds), so that every row has a prediction.")
    splits = tuple(plan.splits[j] for j in plan.repeat(0))
    return Plan(plan.n, splits, len(splits), 1)


def _first_repeat(evaluation: CrossEvaluation, sample: Sample) -> tuple[Plan, Fitted]:
    """Return the fold fits of the first repeat of an evaluation, checked against the rows."""
    if not evaluation.out_of_fold:
        raise ValueError("evaluation must come from repeats of K folds, so that every row has a prediction.")
    if evaluation.plan.n != sample.n or not np.array_equal(evaluation.out_of_fold[0].y, sample.like.y):
        raise ValueError("evaluation was made with other rows or another y; give the same X and y, in order.")
    members = evaluation.plan.repeat(0)
    whole = evaluation.fitted
    splits = tuple(whole.plan.splits[j] for j in members)
    plan = Plan(sample.n, splits, len(splits), 1)
    return plan, Fitted(plan, tuple(whole.outputs[j] for j in members), {}, whole.seconds[list(members)])


def _per_row(values: ArrayLike, name: str, n: int) -> NDArray[Any]:
    out = np.asarray(values)
    if out.shape != (n,):
        raise ValueError(f"{name} must hold one value for each of the {n} rows, got shape {out.shape}.")
    return out


def column_names(X: Any) -> tuple[str, ...]:
    """Return the names of the columns, x0, x1, ... where there are none."""
    names = getattr(X, "columns", None)
    if names is not None:
        return tuple(str(c) for c in names)
    shape = getattr(X, "shape", None)
    width = int(shape[1]) if shape is not None and len(shape) == 2 else len(X[0]) if len(X) else 0
    return tuple(f"x{j}" for j in range(width))
