"""How rich a class of classifiers is: the logarithm of its growth function, from what is known about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from empirisk.bounds.growth import log_growth
from empirisk.evaluation.metrics.predictions import classes_of, encode
from empirisk.evaluation.outputs import model_name
from empirisk.ladder.features import feature_map
from empirisk.ladder.linear import linear_form
from empirisk.results import Certificate, Kind


@dataclass(frozen=True)
class Capacity:
    """What is known about a class.

    Parameters
    ----------
    vc : float
        VC dimension, or an upper bound.
    log_growth : callable
        ``n -> log S_n``, or an upper bound.
    source : str
        "computed" or "declared".
    exact : bool
        Whether its fit has the smallest training error of the class (proved).
    """

    vc: float
    log_growth: Callable[[int], float]
    source: str
    exact: bool = False


class FixedClassifiers(ClassifierMixin, BaseEstimator):
    """A finite set of classifiers that were fixed beforehand; ``fit`` picks the one with the fewest errors.

    Parameters
    ----------
    members : sequence of fitted classifiers or callables
        Each gives labels for rows.
    """

    def __init__(self, members: Any) -> None:
        self.members = members

    def fit(self, X: Any, y: Any) -> Self:
        """Try every member of the class, and keep the first of those with the fewest errors."""
        errors = [float(np.mean(self._labels(m, X) != np.asarray(y))) for m in self.members]
        self.index_ = int(np.argmin(errors))
        self.classes_ = classes_of(np.asarray(y))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels that the chosen member gives the rows of X."""
        return self._labels(self.members[self.index_], X)

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate after trying every member again, for ``er.verify``."""
        errors = [float(np.mean(self._labels(m, X) != np.asarray(y))) for m in self.members]
        error, least = errors[self.index_], min(errors)
        claim = (
            f"training error {error:.6g}, the least of {len(errors)} members is {least:.6g}: all were tried"
        )
        return Certificate(Kind.EXACT, error - least, 1.0, claim)

    @staticmethod
    def _labels(member: Any, X: Any) -> NDArray[Any]:
        return np.asarray(member.predict(X) if hasattr(member, "predict") else member(copy(X)))

    def vc_dimension(self) -> int:
        """Return ``floor(log2 |H|)``: H classifiers cannot label more points in every way."""
        return len(self.members).bit_length() - 1

    def log_growth(self, n: int) -> float:
        """Return ``min(log |H|, n log 2)``: each of H classifiers labels the n points in one way."""
        return min(math.log(len(self.members)), n * math.log(2.0))


def capacity_of(model: Any, X: Any, predicted: NDArray[Any], declared: float | None) -> Capacity:
    """Return the capacity of the class that a fitted model comes from.

    Parameters
    ----------
    model : fitted classifier
        Of :mod:`empirisk.hypotheses`, a linear classifier (also behind steps that do not depend on the rows,
        and scalers), or anything with a declared dimension.
    X : table
        The rows of the fit.
    predicted : array of shape (n,)
        Its labels.
    declared : float or None
        A VC dimension that the user vouches for.

    Raises
    ------
    ValueError
        Nothing is known about the class.
    """
    if declared is not None:
        if not 0 <= declared < math.inf or declared != int(declared):
            raise ValueError(f"a VC dimension must be a whole number >= 0, got {declared!r}.")
        return Capacity(float(declared), log_growth(int(declared), None)[0], "declared")
    if hasattr(model, "log_growth") and hasattr(model, "vc_dimension"):
        dimension = float(model.vc_dimension())
        certificate = getattr(model, "certificate_", None)
        exact = isinstance(model, FixedClassifiers) or (certificate is not None and certificate.at_floor)
        return Capacity(dimension, model.log_growth, "computed", exact)
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    classes = np.asarray(last.classes_)
    form = linear_form(last, feature_map(model, X), encode(predicted, classes), classes)
    if isinstance(form, str):
        raise ValueError(
            f"the VC dimension of {model_name(model)} is not known ({form}); declare it in vc_dimensions, or "
            'use method="validation", which needs none.'
        )
    return Capacity(float(form.dimension), log_growth(form.dimension, None)[0], "computed")
