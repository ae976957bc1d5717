"""Which steps of a pipeline hand the rows that they are fitted on to the model as they hand it new rows.

Cross-fitted encoders do not, and components whose fit is a decomposition do so up to rounding alone.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator
from sklearn.pipeline import Pipeline

__all__ = ["passes_alike"]


def passes_alike(step: Any) -> bool:
    """Return whether ``fit_transform`` of a step is its fit and then ``transform``, bit for bit.

    It is where the step has the method of scikit-learn's mixin, which is these two calls, and where it is
    made of such steps.

    Examples
    --------
    >>> from sklearn.preprocessing import OneHotEncoder, TargetEncoder
    >>> passes_alike(OneHotEncoder()), passes_alike(TargetEncoder())
    (True, False)
    """
    if step is None or isinstance(step, str):  # "passthrough" and "drop"
        return True
    if type(step) is ColumnTransformer:
        return all(passes_alike(inner) for _, inner, _ in step.transformers) and passes_alike(step.remainder)
    if type(step) is Pipeline:
        return step.memory is None and all(passes_alike(inner) for _, inner in step.steps)
    if type(step) is MissingIndicator:  # a method of its own, which is the two calls all the same
        return True
    return getattr(type(step), "fit_transform", None) is TransformerMixin.fit_transform
