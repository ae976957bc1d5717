"""A recipe from rows to fitted models: an estimator, and the values of one parameter that are tried."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.estimators import REGISTRY
from empirisk.estimators.linear.path import path
from empirisk.evaluation.outputs import model_name
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.sample import Sample

__all__ = ["Candidate", "fit_along", "has_path"]


class Candidate:
    """A recipe from rows to fitted models: an estimator, and the values of one parameter that are tried.

    Where the parameter is the penalty strength of one of our linear models (alone or at the end of a
    pipeline), all values are fitted along one warm-started path, and the steps before the model once.

    Parameters
    ----------
    estimator : estimator
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline.
    parameter : str, optional
        The name of what varies, as in ``set_params``; "" for the estimator as it is.
    values : sequence, optional
        What the parameter is set to, in the order in which the fits come.
    name : str, optional
        What to call it; the class name by default.

    Raises
    ------
    ValueError
        An unknown parameter, a parameter without values, or values without a parameter.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> sample = er.selection.Sample(X, X[:, 0] + rng.normal(size=60))
    >>> recipe = er.selection.Candidate(er.Ridge(), "alpha", [1.0, 0.1])
    >>> [round(float(model.alpha_), 3) for model in recipe.fits(sample, np.arange(40))]
    [1.0, 0.1]
    """

    def __init__(
        self, estimator: Any, parameter: str = "", values: Sequence[Any] = (), name: str = ""
    ) -> None:
        self.estimator, self.parameter = estimator, parameter
        if len(values) and not parameter:
            raise ValueError("values belong to a parameter; name it.")
        self.values = tuple(_checked(estimator, parameter, values)) if parameter else ()
        self.name = name or model_name(estimator)

    @property
    def n_values(self) -> int:
        """How many models come out of a fit: one for each value, and one where nothing varies."""
        return len(self.values) if self.parameter else 1

    @property
    def shares_path(self) -> bool:
        """Whether all values are fitted along one warm-started path."""
        return bool(self.parameter) and has_path(self.estimator, self.parameter, self.values)

    def fits(self, sample: Sample, rows: NDArray[np.intp]) -> Iterator[Any]:
        """Return the models that are fitted on some rows of a sample, one for each value in their order."""
        est = self.estimator
        if not self.parameter:
            yield sample.fit(clone(est), rows)
        elif self.shares_path and not sample.arguments(est, rows):
            yield from fit_along(est, take_rows(sample.X, rows), sample.y[rows], self.parameter, self.values)
        else:
            for value in self.values:
                yield sample.fit(clone(est).set_params(**{self.parameter: value}), rows)

    def __repr__(self) -> str:
        if not self.parameter:
            return f"Candidate({self.name})"
        shown = ", ".join(f"{v:.3g}" if isinstance(v, float) else repr(v) for v in self.values[:3])
        more = ", ..." if len(self.values) > 3 else ""
        return f"Candidate({self.name}, {self.parameter} = {shown}{more})"


def _checked(est: Any, param: str, values: Sequence[Any]) -> list[Any]:
    """Return the values as plain Python objects; an unknown parameter or no values are refused."""
    tried = list(values)
    if not tried:
        raise ValueError("values is empty; give the values of the parameter to try.")
    if param not in est.get_params(deep=True):
        known = ", ".join(sorted(est.get_params(deep=True))[:20])
        raise ValueError(f"param = {param!r} is no parameter of {model_name(est)}; it has {known}.")
    clone(est).set_params(**{param: tried[0]})
    return [v.item() if isinstance(v, np.generic) else v for v in tried]


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
