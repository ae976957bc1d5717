"""A least estimator that carries one object as a parameter, to see what `sklearn.clone` makes of it."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator


class Holder(BaseEstimator):
    """An estimator that does nothing but hold one parameter."""

    def __init__(self, value: Any = None) -> None:
        self.value = value
