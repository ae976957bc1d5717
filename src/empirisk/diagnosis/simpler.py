"""One step more regularised: a small table of parameter moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from empirisk.diagnosis.model_parts import last_step, with_last
from empirisk.wording import number

__all__ = ["MOVES", "simpler"]

Params = dict[str, Any]
Move = Callable[[Params, int], Params]


def _alpha(name: str = "alpha") -> Move:
    def move(params: Params, n: int) -> Params:
        now = params.get(name)
        if now == "1/n":
            now = 1.0 / n
        if isinstance(now, str) or now is None or np.ndim(now):
            return {}
        return {name: 10.0 * float(now) if now > 0.0 else 1.0 / n}

    return move


def _inverse(params: Params, n: int) -> Params:
    """Return C / 10; a model with next to no penalty (C of 1000 and more) gets C = 1."""
    now = params.get("C", 1.0)
    unpenalised = params.get("penalty", "l2") is None or now >= 1000.0
    moved: Params = {"C": 1.0 if unpenalised else now / 10.0}
    return {**moved, "penalty": "l2"} if params.get("penalty", "l2") is None else moved


def _neighbours(params: Params, n: int) -> Params:
    k = params["n_neighbors"]
    if isinstance(k, str):  # "cv" has looked for it
        return {}
    return {"n_neighbors": min(max(3 * k, 15), max(1, n // 2))} if k < n // 2 else {}


def _window(params: Params, n: int) -> Params:
    """Return a window three times as wide, which holds more rows."""
    h = params["bandwidth"]
    return {} if isinstance(h, str) else {"bandwidth": 3.0 * float(h)}


def _tree(params: Params, n: int) -> Params:
    """Return a penalty on leaves x 4; else half the depth if it is limited; else leaves x 4 (ten rows at
    least).
    """
    alpha = params.get("alpha")
    if isinstance(alpha, float | int) and alpha > 0.0:
        return {"alpha": 4.0 * alpha}
    if params.get("max_depth"):
        return {"max_depth": params["max_depth"] // 2} if params["max_depth"] > 1 else {}
    leaf = params["min_samples_leaf"]
    return {"min_samples_leaf": max(4 * leaf, 10) if isinstance(leaf, int) else min(4 * leaf, 0.25)}


def _forest(params: Params, n: int) -> Params:
    leaf = params["min_samples_leaf"]
    return {"min_samples_leaf": 4 * leaf if isinstance(leaf, int) else min(4 * leaf, 0.25)}


def _rounds(name: str) -> Move:
    def move(params: Params, n: int) -> Params:
        now = params.get(name) or 100
        return {name: now // 2} if now > 1 else {}

    return move


# Class name of the last step: the move. Names serve our estimators and those of other libraries alike.
MOVES: dict[str, Move] = {
    **dict.fromkeys(("Ridge", "Lasso", "ElasticNet", "RidgeClassifier", "KernelRidge"), _alpha()),
    **dict.fromkeys(("SGDClassifier", "SGDRegressor", "MLPClassifier", "MLPRegressor"), _alpha()),
    **dict.fromkeys(
        ("PoissonRegressor", "GammaRegressor", "TweedieRegressor", "QuantileRegressor"), _alpha()
    ),
    "HuberRegressor": _alpha(),
    **dict.fromkeys(("LogisticRegression", "SVC", "SVR", "LinearSVC", "LinearSVR"), _inverse),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), _neighbours),
    "KernelSmoother": _window,
    **dict.fromkeys(("DecisionTreeClassifier", "DecisionTreeRegressor"), _tree),
    **dict.fromkeys(("ExtraTreeClassifier", "ExtraTreeRegressor"), _tree),
    **dict.fromkeys(("RandomForestClassifier", "RandomForestRegressor"), _forest),
    **dict.fromkeys(("ExtraTreesClassifier", "ExtraTreesRegressor"), _forest),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), _rounds("n_estimators")),
    **dict.fromkeys(("XGBClassifier", "XGBRegressor", "LGBMClassifier"), _rounds("n_estimators")),
    "LGBMRegressor": _rounds("n_estimators"),
    **dict.fromkeys(("AdaBoostClassifier", "AdaBoostRegressor"), _rounds("n_estimators")),
    **dict.fromkeys(("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"), _rounds("max_iter")),
}


def simpler(est: Any, n: int) -> tuple[Any, str] | None:
    """Return a clone one step more regularised, and what was changed in words; None where no step is
    known.

    Penalty x 10 (of leaves x 4), k x 3 (15 at least), windows x 3, leaves x 4, depth / 2, half the boosting
    rounds; least squares gets a ridge whose penalty is chosen by generalised cross-validation.

    Parameters
    ----------
    est : estimator or pipeline
        Of a pipeline the last step is changed.
    n : int
        Training rows of a fold.

    Examples
    --------
    >>> from sklearn.linear_model import Lasso
    >>> simpler(Lasso(alpha=0.5), 80)
    (Lasso(alpha=5.0), 'alpha=5')
    """
    last = last_step(est)
    kind = type(last).__name__
    if kind == "LinearRegression" and not getattr(last, "positive", False):
        ridge = make_pipeline(StandardScaler(with_mean=False), RidgeCV(alphas=np.logspace(-2, 5, 15)))
        return with_last(est, ridge), "a ridge penalty"
    move = MOVES.get(kind)
    if move is None:
        return None
    if move is _inverse and "C" not in last.get_params(deep=False):
        move = _alpha()  # ours of the same name
    changed = move(last.get_params(deep=False), n)
    if not changed:
        return None
    other = clone(last).set_params(**changed)
    words = ", ".join(f"{k}={number(v)}" if isinstance(v, float) else f"{k}={v}" for k, v in changed.items())
    return with_last(est, other), words
