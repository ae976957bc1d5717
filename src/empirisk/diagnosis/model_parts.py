"""The last step of a pipeline, its settings, and the pipeline with another last step."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from empirisk.estimators.linear.base import LinearEstimator

__all__ = ["family_of", "is_linear", "last_step", "solution_of", "with_last"]

LINEAR = (
    "sklearn.linear_model",
    "sklearn.svm._classes",
    "sklearn.discriminant_analysis",
)
NOT_LINEAR = ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "QuadraticDiscriminantAnalysis")


def last_step(est: Any) -> Any:
    """Return the estimator that predicts: the last step of a pipeline (a search is not opened)."""
    return last_step(est.steps[-1][1]) if hasattr(est, "steps") else est


def with_last(est: Any, *new: Any) -> Any:
    """Return a clone of `est` whose last step is replaced by the steps `new`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> with_last(make_pipeline(StandardScaler(), Ridge()), Ridge(alpha=10.0)).steps[-1][1]
    Ridge(alpha=10.0)
    """
    if not hasattr(est, "steps"):
        return new[0] if len(new) == 1 else Pipeline([(f"step{i}", s) for i, s in enumerate(new)])
    copied = clone(est)
    inner = copied.steps[-1][1]
    if hasattr(inner, "steps"):
        new = (with_last(inner, *new),)
    copied.steps = [*copied.steps[:-1], *((f"new{i}", s) for i, s in enumerate(new))]
    return copied


def is_linear(est: Any) -> bool:
    """Return whether the model that predicts is linear in its columns."""
    last = last_step(est)
    kind = type(last)
    if issubclass(kind, LinearEstimator):
        return True
    if kind.__name__ in NOT_LINEAR:
        return False
    return kind.__module__.startswith(LINEAR) or kind.__name__.startswith("PLS")


FAMILIES = {"PoissonRegressor": "poisson", "GammaRegressor": "gamma", "TweedieRegressor": "tweedie"}


def family_of(est: Any) -> str:
    """Return the family of a generalized linear model of numbers; "" for least squares and everything
    else.
    """
    last = last_step(est)
    own = str(last.family) if type(last).__name__ == "GeneralizedLinearModel" else ""
    return FAMILIES.get(type(last).__name__, "" if own == "gaussian" else own)


def solution_of(model: Any) -> Any:
    """Return the certified solution of a fitted estimator of ours, in a pipeline or a search too; else
    None.
    """
    last = last_step(model)
    return getattr(last_step(getattr(last, "best_estimator_", last)), "solution_", None)
