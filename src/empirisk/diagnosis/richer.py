"""The next richer class: squares and products for linear models, boosted trees for the others."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.columns import columns_of
from empirisk.diagnosis.model_parts import is_linear, last_step, with_last
from empirisk.diagnosis.strongest import Strongest
from empirisk.estimators import REGISTRY, GradientBoostingClassifier, GradientBoostingRegressor
from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.outputs import unpenalised
from empirisk.evaluation.rows import take_rows

__all__ = ["Richer", "coded_table", "richer"]

MOST_COLUMNS = 30  # up to which a quadratic model is tried: it has about 500 terms then
STRENGTHS = 20  # of the model's own search; more take time and change little
ROUNDS = 100  # of boosting, without early stopping: every fold gets the same model
MOST_ROWS = 10_000  # that the richer model is fitted to
WIDE, STRONGEST = 200, 50  # of more than so many columns, so many are kept
MOST_CELLS = 20_000_000  # 160 MB in float64, which is copied once
BOOSTED = ("GradientBoosting", "HistGradientBoosting", "XGB", "LGBM", "CatBoost")


@dataclass(frozen=True)
class Richer:
    """A model of the next richer class.

    Parameters
    ----------
    model : estimator
        Unfitted.
    X : array or None
        What it is fitted on, when that is not the table of the user's model.
    words : str
        What to call it.
    plan : Plan or None
        The scored folds with fewer training rows, when there are many.
    """

    model: Any
    X: Floats | None
    words: str
    plan: Plan | None = None


def richer(ctx: Context) -> Richer:
    """Return a model of the next richer class.

    Linear models of at most 30 columns (after the preprocessing of a pipeline) get all squares and products
    before their last step, unless they have no penalty and fewer than ten training rows for each coefficient
    (our models that choose their strength then try 20 of them);
    other models, and linear ones with more columns, are compared with 100 rounds of boosted trees on the
    columns as given (levels as numbers), which costs less than trees behind one-hot codes and loses nothing.
    The trees see 10,000 training rows at most, and of over 200 columns the 50 that go most with the target
    in those rows: what they gain is a lower bound, and cheap.
    """
    last = last_step(ctx.est)
    if type(last).__name__.startswith(BOOSTED):
        raise NotRun("no class richer than boosted trees is tried")
    if is_linear(ctx.est):
        p, sparse = _width(ctx)
        products = p * (p + 3) // 2
        crowded = unpenalised(ctx.est) and ctx.plan.n_train < 10 * products
        if p <= MOST_COLUMNS and not crowded:
            model, chosen = _coarse(last)
            steps = (PolynomialFeatures(2, include_bias=False), StandardScaler(with_mean=not sparse), model)
            words = f"the same model with squares and products of the columns{chosen}"
            return Richer(with_last(ctx.est, *steps), None, words)
    kind: Any = GradientBoostingClassifier if is_classifier(ctx.est) else GradientBoostingRegressor
    trees: Any = kind(n_estimators=ROUNDS, early_stopping=False, random_state=ctx.seed)
    if ctx.rates and float(ctx.oof.y.min()) >= 0.0:  # an exposure is a factor of means
        trees.set_params(loss="poisson")
    words, plan = f"{ROUNDS} rounds of boosted trees", None
    if len(ctx.columns) > WIDE:
        words = f"{words} on the {STRONGEST} strongest columns"
        trees = make_pipeline(Strongest(STRONGEST, is_classifier(ctx.est)), trees)
    if ctx.plan.n_train > MOST_ROWS:
        words, plan = f"{words} on {MOST_ROWS:,} rows", _fewer(ctx)
    return Richer(trees, coded_table(ctx), words, plan)


def _coarse(last: Any) -> tuple[Any, str]:
    """Return a clone that chooses its strength among 20 on the same range where it would try more; and the
    words.

    Squares and products are many columns, and a path over them is nearly all that a diagnosis costs.
    """
    params = last.get_params(deep=False)
    tried = params.get("alphas")
    searches = type(last) in REGISTRY.values() and params.get("alpha") == "cv"
    if not searches or not isinstance(tried, Integral) or tried <= STRENGTHS:
        return clone(last), ""
    return clone(last).set_params(alphas=STRENGTHS), f" (its strength among {STRENGTHS}, not {tried})"


def _fewer(ctx: Context) -> Plan:
    """Return the scored folds with random parts of their training rows."""
    rng = np.random.default_rng(ctx.seed)
    splits = ((np.sort(rng.permutation(train)[:MOST_ROWS]), test) for train, test in ctx.scored_plan.splits)
    return Plan(ctx.n, tuple(splits), None, 0)


def coded_table(ctx: Context) -> Floats:
    """Return the columns as numbers (texts by their rank among the levels, missing values as NaN); cached."""
    if "coded" not in ctx.cache:
        shape = getattr(ctx.X, "shape", None)
        if shape is not None and len(shape) != 2:
            raise NotRun("X is no table of columns, so that boosted trees cannot be tried")
        if ctx.n * len(ctx.columns) > MOST_CELLS:
            raise NotRun(f"X has more than {MOST_CELLS:,} cells, so that boosted trees are not tried")
        ctx.cache["coded"] = np.column_stack([_numbers(c) for c in columns_of(ctx.X)])
    made: Floats = ctx.cache["coded"]
    return made


def _numbers(column: Any) -> Floats:
    if column.dtype.kind == "f":
        return np.asarray(column)
    known = np.array([v is not None for v in column])
    out = np.full(column.size, np.nan)
    out[known] = np.unique(column[known].astype(str), return_inverse=True)[1]
    return out


def _width(ctx: Context) -> tuple[int, bool]:
    """Return the columns that reach the last step, and whether they come as a sparse matrix."""
    table = ctx.X
    if hasattr(ctx.est, "steps") and len(ctx.est.steps) > 1:
        train = ctx.plan.splits[0][0]
        few = train[: min(train.size, 1000)]
        before = clone(ctx.est[:-1])
        try:
            table = before.fit_transform(take_rows(ctx.X, few), ctx.y[few])
        except Exception as error:
            raise NotRun(f"the steps before the model could not be fitted: {error}") from error
    return (int(table.shape[1]) if hasattr(table, "shape") else len(table[0])), hasattr(table, "tocsr")
