"""A pipeline taken apart into its model and the steps before it, and fits of the model at many values.

This is the one door to many fits of a recipe on the same rows: candidates, searches, curves and
decompositions use it.  Whether an estimator fits many values of a parameter for little more than the price of
one is asked of it (``_values_together``), and so is the way (``_fit_each``).  A class that overrides methods
of an estimator without saying the way anew is fitted value by value, so that what it overrides counts.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from empirisk.estimators import REGISTRY

__all__ = ["Parts", "Steps", "each_value", "parts_of", "together"]

# Names that say nothing of a fit: those of Python, and what scikit-learn gives every class.
GIVEN = re.compile(r"__\w+__|_abc_\w+|set_\w+_request")

Steps = tuple[list[tuple[str, Any]], ...]


@dataclass(frozen=True)
class Parts:
    """An estimator as pipelines around a model.

    Parameters
    ----------
    pipelines : tuple of Pipeline
        From the outermost one to the one whose last step is the model; empty for a model by itself.
    model : estimator
        What stands at the end.
    parameter : str
        The name of what varies, as the model knows it; "" for nothing.
    prefix : str
        What stands before a name of the model in the names of the whole.
    """

    pipelines: tuple[Pipeline, ...]
    model: Any
    parameter: str
    prefix: str

    @property
    def steps(self) -> tuple[Any, ...]:
        """The steps before the model, from the first to the last."""
        return tuple(step for pipeline in self.pipelines for _, step in pipeline.steps[:-1])

    @property
    def whole_estimator(self) -> Any:
        """What was taken apart: the outermost pipeline, or the model by itself."""
        return self.pipelines[0] if self.pipelines else self.model

    def fit_before(self, X: Any, y: Any) -> tuple[Steps, Any]:
        """Return copies of the steps before the model, fitted, and the rows as the model gets them."""
        fitted = []
        for pipeline in self.pipelines:
            before: Any = None
            if len(pipeline.steps) > 1:
                before = clone(pipeline[:-1])
                X = before.fit_transform(X, y)
            fitted.append([] if before is None else before.steps)
        return tuple(fitted), X

    def fit_each(self, X: Any, y: Any, values: Sequence[Any], **rows: Any) -> Iterator[Any]:
        """Yield the model fitted at each value on rows as it gets them; once where nothing varies."""
        if not self.parameter:
            yield clone(self.model).fit(X, y, **rows)
        elif len(values) > 1 and together(self, values):
            yield from self.model._fit_each(X, y, self.parameter, values, **rows)
        else:
            for value in values:
                yield clone(self.model).set_params(**{self.parameter: value}).fit(X, y, **rows)

    def whole(self, steps: Steps, model: Any) -> Any:
        """Return the fitted model behind these fitted steps, as the estimator would be after its fit."""
        for pipeline, before in zip(reversed(self.pipelines), reversed(steps), strict=True):
            around = copy.copy(pipeline)
            around.steps = [*before, (pipeline.steps[-1][0], model)]
            model = around
        return model


def parts_of(est: Any, parameter: str = "") -> Parts:
    """Take an estimator apart as far as what varies belongs to the last step.

    Pipelines of other classes, with a cache, or with steps that take more than rows and targets stay whole.
    """
    pipelines: list[Pipeline] = []
    prefix = ""
    while type(est) is Pipeline and est.memory is None and not getattr(est, "transform_input", None):
        name, last = est.steps[-1]
        step, _, rest = parameter.partition("__")
        if not hasattr(last, "fit") or (parameter and not (step == name and rest)):
            break
        pipelines.append(est)
        prefix, parameter, est = f"{prefix}{name}__", rest, last
    return Parts(tuple(pipelines), est, parameter, prefix)


def together(parts: Parts, values: Sequence[Any]) -> bool:
    """Return whether the model says that fits at these values cost little more than one of them."""
    asked = getattr(parts.model, "_values_together", None)
    if not parts.parameter or not len(values) or asked is None or not asked(parts.parameter, values):
        return False
    return not _overridden(type(parts.model))


def _overridden(cls: type) -> bool:
    """Return whether a class overrides methods that the way of fitting values together may go around.

    The way holds for the class that defines it and for the registered estimators; what stands below both
    has to say it anew.  A fit goes through methods under many names, so each of them counts.
    """
    spoken = {id(known) for known in REGISTRY.values()}
    below: list[type] = []
    for base in cls.__mro__:
        if "_fit_each" in vars(base) or id(base) in spoken:
            return any(
                hasattr(base, name) and hasattr(value, "__get__") and not GIVEN.fullmatch(name)
                for one in below
                for name, value in vars(one).items()
            )
        below.append(base)
    return True


def each_value(
    est: Any, X: Any, y: Any, parameter: str = "", values: Sequence[Any] = (), **rows: Any
) -> Iterator[Any]:
    """Yield an estimator fitted at each value of a parameter; steps before the model are fitted once.

    Parameters
    ----------
    est : estimator
        It stays as it is.
    X, y
        Training rows.
    parameter : str
        As in ``set_params``; "" fits the estimator as it is, once.
    values : sequence
        What to set it to, in the order of the fits.
    **rows
        What ``fit`` takes of the rows beside X and y, by the names that it has there.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(8.0)[:, None]
    >>> trees = each_value(er.DecisionTreeRegressor(), X, X[:, 0] > 3, "alpha", [1, 0])
    >>> [tree.get_n_leaves() for tree in trees]
    [1, 2]
    """
    parts = parts_of(est, parameter)
    steps, X = parts.fit_before(X, y)
    told = {name.removeprefix(parts.prefix): values for name, values in rows.items()}
    for model in parts.fit_each(X, y, values, **told):
        yield parts.whole(steps, model)
