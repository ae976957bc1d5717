"""The last step of a pipeline, its settings, and the pipeline with another last step."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

__all__ = ["is_linear", "is_search", "last_step", "with_last"]

LINEAR = (
    "sklearn.linear_model",
    "empirisk.estimators",
    "sklearn.svm._classes",
    "sklearn.discriminant_analysis",
)
NOT_LINEAR = ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "QuadraticDiscriminantAnalysis")


def last_step(est: Any) -> Any:
    """The estimator that predicts: the last step of a pipeline (a search is not opened)."""
    return last_step(est.steps[-1][1]) if hasattr(est, "steps") else est


def with_last(est: Any, *new: Any) -> Any:
    """A clone of `est` whose last step is replaced by the steps `new`.

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
    """Whether the model that predicts is linear in its columns."""
    last = last_step(est)
    kind = type(last)
    if kind.__name__ in NOT_LINEAR:
        return False
    return kind.__module__.startswith(LINEAR) or kind.__name__.startswith("PLS")


def is_search(est: Any) -> bool:
    """Whether the estimator searches its own settings over a grid or a list."""
    last = last_step(est)
    return hasattr(last, "param_grid") or hasattr(last, "param_distributions")
