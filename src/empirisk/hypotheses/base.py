"""What a hypothesis class is: its VC dimension, its growth, its labellings of points, its best member."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.validated import validated
from empirisk.hypotheses.growth import Growth
from empirisk.hypotheses.labels import check_weight, two_labels
from empirisk.hypotheses.points import (
    Labelled,
    check_integer,
    check_labelling,
    check_points,
    distinct,
    rounding,
)
from empirisk.hypotheses.shattering import Labelling, Shattering
from empirisk.hypotheses.verify import verify_hypothesis
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = ["Best", "Hypothesis", "HypothesisClass", "Spatial"]


class Hypothesis(Protocol):
    """A function from points to True and False; its `str` is its formula."""

    def __call__(self, points: Array) -> NDArray[np.bool_]: ...


@dataclass(frozen=True, eq=False)
class Best:
    """A hypothesis and a proved upper bound on what any hypothesis of the class gains.

    Parameters
    ----------
    hypothesis : Hypothesis
        The member of the class that was found.
    most : float or None
        No member has a larger sum of gains; None: the hypothesis itself has the largest.
    argument : str
        Why.
    """

    hypothesis: Hypothesis
    most: float | None
    argument: str


class HypothesisClass(ClassifierMixin, BaseEstimator):
    """Base of the classes; a subclass says which labellings exist and which of them gains most.

    After ``fit``: ``hypothesis_``, ``training_error_``, ``certificate_``, ``classes_``, ``n_features_in_``.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    listed: ClassVar[bool] = False  # whether its hypotheses stand in a list, so that `len` counts them

    classes_: NDArray[Any]
    n_features_in_: int
    hypothesis_: Hypothesis
    training_error_: float
    certificate_: Certificate

    # -- what a subclass gives ----------------------------------------------------------------------

    @abstractmethod
    def vc_dimension(self) -> int | float:
        """Return the size of the largest set of points that the class labels in every way; ``math.inf`` if
        none is.
        """

    @abstractmethod
    def _growth(self, n: int) -> Growth:
        """Return the growth function for an integer n >= 0."""

    @abstractmethod
    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        """Return the labellings of distinct points, one a row; rows may repeat."""

    @abstractmethod
    def _best(self, data: Labelled) -> Best:
        """Return the hypothesis with the largest sum of gains over the points that it calls positive."""

    def _realising(self, data: Labelled) -> Hypothesis | None:
        """Return a hypothesis that is positive where the gain is, if there is one; else any or None."""
        return self._best(data).hypothesis

    def _dimension(self) -> int | None:
        """Return the number of coordinates of a point; None when it may be any."""
        return 1

    def _among(self, dimension: int) -> HypothesisClass:
        """Return this class on points with so many coordinates."""
        return self

    # -- what a class can express -------------------------------------------------------------------

    def growth(self, n: int) -> Growth:
        """Return the growth function: the largest number of labellings of n points.

        Parameters
        ----------
        n : int
            Number of points, >= 0.

        Returns
        -------
        Growth
            An integer whose attribute ``exact`` tells the value from an upper bound, and ``argument`` why.
        """
        return self._growth(check_integer("n", n, 0))

    @property
    def log_members(self) -> float:
        """Logarithm of the number of its hypotheses, which is infinite for most classes."""
        return math.inf

    def log_growth(self, n: int) -> float:
        """Natural logarithm of ``growth(n)``, also where the integer would be too long.

        Parameters
        ----------
        n : int
            Number of points, >= 0.

        Returns
        -------
        float
        """
        if check_integer("n", n, 0) <= self.vc_dimension():
            return n * math.log(2.0)
        return math.log(self.growth(n))

    def restriction(self, points: Any, max_labellings: int = 2**20) -> NDArray[np.bool_]:
        """Return the labellings of these points by hypotheses of the class.

        Parameters
        ----------
        points : array, shape (n, d) or (n,) on the line
            The points; copies get the same label.
        max_labellings : int
            Refuse when the class may have more labellings of this many points.

        Returns
        -------
        array of bool, shape (number of labellings, n)
            Distinct rows in lexicographic order.

        Raises
        ------
        ValueError
            When there may be more than `max_labellings`, and for points that are no points of the domain.
        """
        X = self._points(points)
        unique, inverse = distinct(X)
        here = self._among(X.shape[1])
        here._forecast(len(unique), check_integer("max_labellings", max_labellings, 1))
        return np.unique(here._labellings(unique)[:, inverse], axis=0)

    def shatters(self, points: Any) -> Shattering:
        """Return whether the class labels these points in all ``2^n`` ways, with a witness when not.

        Parameters
        ----------
        points : array, shape (n, d) or (n,) on the line
            The points.

        Returns
        -------
        Shattering
            True or false; ``witness`` is a labelling that no hypothesis makes, ``hypothesis(labelling)``
            a hypothesis that makes a labelling.
        """
        X = self._points(points)
        witness, argument = self._among(X.shape[1])._witness(X)
        return Shattering(self.words, X, witness, argument, lambda wanted: self.realise(X, wanted))

    def realise(self, points: Any, labelling: Any) -> Hypothesis | None:
        """Return a hypothesis with this labelling of the points, or None when the class has none.

        Parameters
        ----------
        points : array, shape (n, d) or (n,) on the line
            The points.
        labelling : array of bool, shape (n,)
            The label wanted for each point.

        Returns
        -------
        Hypothesis or None
        """
        X = self._points(points)
        wanted = check_labelling(labelling, len(X))
        unique, inverse = distinct(X)
        ones = np.bincount(inverse[wanted], minlength=len(unique)).astype(float)
        zeros = np.bincount(inverse[~wanted], minlength=len(unique)).astype(float)
        if (ones * zeros).any():
            return None
        found = self._realising(Labelled(unique, ones - zeros, float(ones.sum()), float(len(X))))
        return found if found is not None and np.array_equal(found(X), wanted) else None

    # -- learning -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the training error ``sum_i s_i 1[h(x_i) != y_i] / sum_i s_i`` over the class.

        Parameters
        ----------
        X : array or data frame, shape (n, d) or (n,) on the line
            Points.
        y : array, shape (n,)
            Two labels of any kind; the larger is the positive one.
        sample_weight : array, shape (n,), optional
            Weights >= 0; a weight of 2 equals the row twice, 0 equals its absence.

        Returns
        -------
        self
            With ``hypothesis_``, ``training_error_`` and ``certificate_``, which says how far the error
            can be from the smallest in the class.
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        with as_before(self):
            points, y = self._validated(X, y)
            classes, positive = two_labels(y)
            weight = check_weight(sample_weight, len(points))
            kept = weight > 0.0
            unique, inverse = distinct(points[kept])
            signed = np.where(positive[kept], weight[kept], -weight[kept])
            gain = np.bincount(inverse, weights=signed, minlength=len(unique)).astype(np.float64)
            data = Labelled(unique, gain, float(weight[positive].sum()), float(weight.sum()))
            best = self._best(data)
            self.classes_ = classes
            self.hypothesis_ = best.hypothesis
            wrong = best.hypothesis(points) != positive
            self.training_error_ = float(weight[wrong].sum() / weight.sum())
            self.certificate_ = _certificate(self.words, data, best, self.training_error_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each point.

        Parameters
        ----------
        X : array or data frame, shape (n, d) or (n,) on the line
            Points.

        Returns
        -------
        array, shape (n,)
            Members of ``classes_``.
        """
        check_is_fitted(self, "hypothesis_")
        points = self._validated(X)
        positive = self.hypothesis_(points)
        return np.asarray(self.classes_[np.where(positive, len(self.classes_) - 1, 0)])

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Certificate:
        """Return the certificate of the fitted hypothesis, computed anew for ``er.verify``."""
        check_is_fitted(self, "hypothesis_")
        return verify_hypothesis(self, self._validated(X), y, sample_weight)

    # -- helpers ------------------------------------------------------------------------------------

    def _points(self, points: Any) -> Array:
        """Return the points as an array, after the check that they lie in the domain of the class."""
        return check_points(points, self._dimension(), self.words)

    def _validated(self, X: Any, y: Any = None) -> Any:
        """Return the points (and labels) for fit and predict, with the names of the columns."""
        if self._dimension() == 1 and not hasattr(X, "columns") and np.ndim(X) == 1:
            X = np.reshape(np.asarray(X), (-1, 1))
        if y is None:
            with numbers_only(X):
                X = validated(self, X, reset=False, dtype=np.float64, ensure_all_finite=False)
            return self._points(X)
        with numbers_only(X):
            X, y = validated(self, X, y, dtype=np.float64, ensure_all_finite=False)
        return self._points(X), y

    def _forecast(self, n: int, limit: int) -> None:
        """Refuse an answer that may be too large."""
        if n * math.log(2.0) > math.log(limit) and self.log_growth(n) > math.log(limit):
            size = self.growth(n) if n <= 10_000 else f"e^{self.log_growth(n):.4g}"
            raise ValueError(
                f"the restriction may hold up to {size!s} labellings of {n} distinct points, more than "
                f"max_labellings = {limit}: give fewer points, or raise max_labellings"
            )

    def _witness(self, X: Array) -> tuple[Labelling | None, str]:
        """Return a labelling that no hypothesis makes (None: all are made), and why."""
        unique, inverse = distinct(X)
        if len(unique) < len(X):
            copy = int(np.flatnonzero(np.bincount(inverse) > 1)[0])
            witness = np.zeros(len(X), dtype=bool)
            witness[np.flatnonzero(inverse == copy)[0]] = True
            return witness, "two of the points are equal"
        vc = self.vc_dimension()
        # Any d + 1 points hold a labelling that is not made; the others may then have any labels.
        head = min(len(X), int(vc) + 1) if math.isfinite(vc) else len(X)
        self._forecast(head, 2**20)
        few, place = distinct(X[:head])
        made = np.unique(self._labellings(few)[:, place], axis=0)
        if len(made) == 2**head:
            return None, f"all {2**head} labellings are made"
        witness = np.zeros(len(X), dtype=bool)
        witness[:head] = _first_missing(made)
        if head == len(X):
            return witness, f"{len(made)} of {2**head} labellings are made"
        return witness, f"{len(made)} of the {2**head} labellings of the first {head} points are made"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class Spatial(HypothesisClass):
    """Base of the classes in R^d, where d is a parameter or is taken from the points."""

    n_features: int | None

    def _dimension(self) -> int | None:
        return None if self.n_features is None else check_integer("n_features", self.n_features, 1)

    def _among(self, dimension: int) -> HypothesisClass:
        if self.n_features is not None:
            return self
        return type(self)(**(self.get_params(deep=False) | {"n_features": dimension}))

    def _d(self) -> int:
        """Return the number of coordinates: as given, else as seen by ``fit``."""
        known = self._dimension() or getattr(self, "n_features_in_", None)
        if known is None:
            raise ValueError(
                f"{type(self).__name__} does not know the number of coordinates yet: give n_features, or fit"
            )
        return int(known)


def _first_missing(made: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the first labelling in lexicographic order that is no row of the sorted, distinct rows."""
    n = made.shape[1]
    codes = made.astype(object) @ np.array([1 << (n - 1 - j) for j in range(n)], dtype=object)
    missing = next((i for i, code in enumerate(codes) if code != i), len(codes))
    return np.array([bool(missing >> (n - 1 - j) & 1) for j in range(n)])


def _certificate(words: str, data: Labelled, best: Best, error: float) -> Certificate:
    """Return how far the training error can be from the smallest in the class."""
    if best.most is None:
        claim = f"no hypothesis of the {words} has a smaller training error than {error:.6g}: {best.argument}"
        return Certificate(Kind.EXACT, 0.0, 1.0, claim, floor=rounding(data.gain, data.total))
    if math.isinf(best.most):
        claim = f"no argument that the training error {error:.6g} is the smallest: {best.argument}"
        return Certificate(Kind.NONE, error, 1.0, claim)
    least = data.error(best.most)
    claim = (
        f"training error {error:.6g}, and no hypothesis of the {words} is below {least:.6g}: {best.argument}"
    )
    return Certificate(Kind.EXACT, max(0.0, error - least), 1.0, claim, floor=rounding(data.gain, data.total))
