"""Models of several targets, seen as one model for each target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils import Tags, get_tags

from empirisk.evaluation.outputs import model_name

__all__ = ["models_of_targets"]


class OneTarget:
    """What a model of several targets says about one of them.

    Parameters
    ----------
    est : fitted estimator or pipeline
        Predictions have shape (n, k); probabilities are a list of k arrays.
    number : int
        The target's column.
    """

    def __init__(self, est: Any, number: int) -> None:
        self.est, self.number = est, number
        if is_classifier(est):
            self.classes_ = np.asarray(est.classes_[number])
        if hasattr(est, "predict_proba"):
            self.predict_proba = self._probabilities

    def predict(self, X: Any, **rows: Any) -> NDArray[Any]:
        """Return the predictions of the target, shape (n,)."""
        said = np.asarray(self.est.predict(X, **rows))[:, self.number]
        known = getattr(self, "classes_", None)
        return said if known is None else said.astype(known.dtype)

    def _probabilities(self, X: Any, **rows: Any) -> NDArray[Any]:
        """Return the probabilities of the target's classes, shape (n, K)."""
        return np.asarray(self.est.predict_proba(X, **rows)[self.number])

    def __sklearn_tags__(self) -> Tags:
        return get_tags(self.est)


def models_of_targets(est: Any, names: Sequence[Any]) -> dict[Any, Any]:
    """Return a model for each target: those that a fit on several targets made, else views of one model.

    Raises
    ------
    ValueError
        The names are not those of the fit, or the model is of one target.
    """
    models = getattr(est, "by_target_", None)
    if models is not None:
        if list(models) != list(names):
            raise ValueError(
                f"y holds the targets {list(names)}, and {model_name(est)} was fitted on {list(models)}: "
                "give the same columns in the same order"
            )
        return dict(models)
    if is_classifier(est) and not isinstance(getattr(est, "classes_", None), list):
        raise ValueError(
            f"y holds {len(names)} targets, and {model_name(est)} predicts one: give one column of y"
        )
    return {name: OneTarget(est, j) for j, name in enumerate(names)}
