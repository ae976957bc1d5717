"""Models along the values of one parameter: by a warm-started path where the estimator offers one."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from empirisk.estimators import REGISTRY
from empirisk.estimators.linear.path import path
from empirisk.evaluation.outputs import model_name

__all__ = ["check_values", "fit_along", "has_path"]


def has_path(est: Any, param: str, values: Sequence[Any]) -> bool:
    """Return whether `param` is the strength of one of our penalised models (the last step of a pipeline
    counts).
    """
    last, name = _last(est, param)
    numbers = all(not isinstance(v, bool) and isinstance(v, Real) and float(v) > 0.0 for v in values)
    ours = type(last) in REGISTRY.values() and "alpha" in last.get_params(deep=False)
    return ours and name == "alpha" and numbers


def _last(est: Any, param: str) -> tuple[Any, str]:
    """Return the estimator that owns `param`, if it is the whole or the last step; and the bare name."""
    steps = getattr(est, "steps", None)
    if not steps:
        return est, param
    head, _, rest = param.partition("__")
    return (steps[-1][1], rest) if head == steps[-1][0] else (None, "")


def check_values(est: Any, param: str, values: Sequence[Any]) -> list[Any]:
    """Return the values as plain Python objects; an unknown parameter or no values are refused."""
    tried = list(values)
    if not tried:
        raise ValueError("values is empty; give the values of the parameter to try.")
    if param not in est.get_params(deep=True):
        known = ", ".join(sorted(est.get_params(deep=True))[:20])
        raise ValueError(f"param = {param!r} is no parameter of {model_name(est)}; it has {known}.")
    clone(est).set_params(**{param: tried[0]})
    return [v.item() if isinstance(v, np.generic) else v for v in tried]


def fit_along(est: Any, X: Any, y: Any, param: str | None, values: Sequence[Any]) -> Iterator[Any]:
    """Fitted models, one for each value, in their order.

    Parameters
    ----------
    est : estimator
        It is cloned.
    X, y
        Training rows.
    param : str or None
        As in ``set_params``; None fits the estimator as it is, once.
    values : sequence
        What to set it to.
    """
    if param is None:
        yield clone(est).fit(X, y)
        return
    if not has_path(est, param, values):
        for value in values:
            yield clone(est).set_params(**{param: value}).fit(X, y)
        return
    steps = getattr(est, "steps", None)
    if not steps:
        yield from _path(est, X, y, values)
        return
    before = clone(est[:-1]) if len(steps) > 1 else None
    for model in _path(steps[-1][1], X if before is None else before.fit_transform(X, y), y, values):
        whole = copy.copy(est)
        whole.steps = [*(before.steps if before is not None else []), (steps[-1][0], model)]
        yield whole


def _path(est: Any, X: Any, y: Any, values: Sequence[Any]) -> Iterator[Any]:
    strengths = np.array([float(v) for v in values])
    found = path(est, X, y, alphas=strengths)
    model = clone(est).set_params(alpha=float(found.alphas[0])).fit(X, y)
    # The path is sorted from the strongest; equal strengths stay next to each other.
    place = np.empty(strengths.size, dtype=np.intp)
    place[np.argsort(-strengths, kind="stable")] = np.arange(strengths.size)
    for value, k in zip(values, place, strict=True):
        at = copy.copy(model).set_params(alpha=value)
        at.coef_ = found.coefs[k].reshape(np.shape(model.coef_)).astype(model.coef_.dtype)
        at.intercept_ = np.reshape(found.intercepts[k], np.shape(model.intercept_))
        at.alpha_ = float(found.alphas[k])
        yield at
