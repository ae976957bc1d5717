"""The next richer class: squares and products for linear models, boosted trees for the others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler

from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import is_linear, last_step, with_last
from empirisk.selection.outputs import unpenalised
from empirisk.selection.rows import take_rows

__all__ = ["richer"]

MOST_COLUMNS = 30
ROUNDS = 100
BOOSTED = ("GradientBoosting", "HistGradientBoosting", "XGB", "LGBM", "CatBoost")


def richer(ctx: Context) -> tuple[Any, str]:
    """An estimator of the next richer class and its name in words.

    Linear models of at most 30 columns (after the preprocessing of a pipeline) get all squares and products
    before their last step, unless they have no penalty and fewer than ten training rows for each coefficient;
    other models, and linear ones with more columns, are replaced by 100 rounds of boosted trees.
    """
    last = last_step(ctx.est)
    if type(last).__name__.startswith(BOOSTED):
        raise NotRun("no class richer than boosted trees is tried")
    p, sparse = _width(ctx)
    products = p * (p + 3) // 2
    crowded = unpenalised(ctx.est) and ctx.plan.n_train < 10 * products
    if is_linear(ctx.est) and p <= MOST_COLUMNS and not crowded:
        scale = StandardScaler(with_mean=not sparse)
        steps = (PolynomialFeatures(2, include_bias=False), scale, clone(last))
        return with_last(ctx.est, *steps), "the same model with squares and products of the columns"
    kind = HistGradientBoostingClassifier if is_classifier(ctx.est) else HistGradientBoostingRegressor
    trees = kind(max_iter=ROUNDS, early_stopping=False, random_state=ctx.seed)
    steps = (FunctionTransformer(_dense, accept_sparse=True), trees) if sparse else (trees,)
    return with_last(ctx.est, *steps), f"{ROUNDS} rounds of boosted trees"


def _width(ctx: Context) -> tuple[int, bool]:
    """Columns that reach the last step, and whether they come as a sparse matrix."""
    table = ctx.X
    if hasattr(ctx.est, "steps") and len(ctx.est.steps) > 1:
        train = ctx.plan.splits[0][0]
        few = train[: min(train.size, 5000)]
        before = clone(ctx.est[:-1])
        try:
            table = before.fit_transform(take_rows(ctx.X, few), ctx.y[few])
        except Exception as error:
            raise NotRun(f"the steps before the model could not be fitted: {error}") from error
    return (int(table.shape[1]) if hasattr(table, "shape") else len(table[0])), hasattr(table, "tocsr")


def _dense(X: Any) -> Any:
    return np.asarray(X.todense()) if hasattr(X, "todense") else X
