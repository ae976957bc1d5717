"""A joint law of rows and labels that is known: chances of the classes, and the law of the rows in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.estimators.discriminant.base import given_priors
from empirisk.estimators.label_codes import plain_label, refuse_mixed
from empirisk.typing import Array, IndexArray

__all__ = ["JointLaw"]


@dataclass(frozen=True, eq=False)
class JointLaw:
    """``P(y = k) = pi_k``, and rows of class k have the law p_k.

    Parameters
    ----------
    labels : array, shape (K,)
        Sorted labels of the classes.
    laws : tuple of K laws
        Objects with ``log_prob(X)`` and ``sample(size, random_state)``.
    priors : array, shape (K,)
        Chances of the classes.
    columns : int
        Numbers in a row.

    Examples
    --------
    >>> from empirisk.distributions import Gaussian
    >>> law = JointLaw.of({"b": Gaussian(2.0), "a": Gaussian(0.0)}, {"a": 0.75, "b": 0.25})
    >>> law.labels.tolist(), law.priors.tolist(), law.log_joint(np.array([[1.0]])).round(4).tolist()
    (['a', 'b'], [0.75, 0.25], [[-1.7066, -2.8052]])
    """

    labels: Any
    laws: tuple[Any, ...]
    priors: Array
    columns: int

    @classmethod
    def of(cls, model: Any, priors: Any = None) -> JointLaw:
        """Return the law of a mapping from labels to laws; refuses what has no densities, by the label."""
        if not isinstance(model, Mapping) or len(model) < 2:
            raise ValueError(
                "model must be a mapping from at least 2 labels to the laws of their rows, such as "
                f"{{'a': er.distributions.Gaussian(0.0), 'b': er.distributions.Gaussian(2.0)}}, got {model!r}"
            )
        refuse_mixed(list(model))
        labels, place = np.unique(np.array(list(model)), return_index=True)
        given = list(model.values())
        laws = tuple(given[i] for i in place)
        columns = {plain_label(k): columns_of(k, law) for k, law in zip(labels, laws, strict=True)}
        if len(set(columns.values())) > 1:
            raise ValueError(f"the laws of model have rows of unlike lengths: {columns}; give one length")
        kinds = {getattr(law, "discrete", None) for law in laws} - {None}
        if len(kinds) > 1:
            raise ValueError(
                "model mixes laws with densities and laws of whole numbers, and Bayes' rule cannot weigh a "
                "density against a chance; give laws of one kind"
            )
        return cls(labels, laws, chances(priors, labels), columns[plain_label(labels[0])])

    def rows(self, X: Array) -> Array:
        """Return rows as the laws read them: plain numbers where a law is one of plain numbers."""
        flat = getattr(self.laws[0], "dimension", self.columns) == 0
        return X[:, 0] if flat else X

    def log_joint(self, X: Array) -> Array:
        """Return ``log pi_k + log p_k(x)``, a row for each row of X and a column for each class."""
        rows = self.rows(X)
        out = np.empty((len(X), len(self.laws)))
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors)
        for k, law in enumerate(self.laws):
            told = np.asarray(law.log_prob(rows.copy()), dtype=np.float64)
            if told.shape != (len(X),) or np.isnan(told).any() or (told == np.inf).any():
                what = "NaN or an infinite density" if told.shape == (len(X),) else f"the shape {told.shape}"
                raise ValueError(
                    f"log_prob of the law of {plain_label(self.labels[k])!r} returned {what} for {len(X)} "
                    "rows; it must return one number below infinity for each"
                )
            out[:, k] = log_priors[k] + told
        return out

    def sample(self, size: int, rng: np.random.Generator) -> tuple[Array, IndexArray]:
        """Return independent rows, shape (size, columns), and the codes of their classes."""
        codes = rng.choice(len(self.laws), size, p=self.priors)
        X = np.empty((size, self.columns))
        for k, law in enumerate(self.laws):
            mine = codes == k
            if mine.any():
                X[mine] = np.reshape(law.sample(int(mine.sum()), rng), (-1, self.columns))
        return X, codes


def columns_of(label: Any, law: Any) -> int:
    """Return how many numbers a row of a law has; asks for a draw where the law does not say."""
    if isinstance(law, type) or not (
        callable(getattr(law, "log_prob", None)) and callable(getattr(law, "sample", None))
    ):
        raise TypeError(
            f"the law of {plain_label(label)!r} must be an object with log_prob(X) and sample(size, "
            f"random_state), such as er.distributions.Gaussian(), got {law!r}"
        )
    told = getattr(law, "dimension", None)
    if told is None:
        draw = np.asarray(law.sample(2, np.random.default_rng(0)))
        if draw.ndim not in (1, 2) or len(draw) != 2:
            raise ValueError(
                f"sample(2, random_state) of the law of {plain_label(label)!r} returned the shape "
                f"{draw.shape}; it must return 2 rows"
            )
        told = draw.shape[1] if draw.ndim == 2 else 1
    return max(int(told), 1)


def chances(priors: Any, labels: Any) -> Array:
    """Return the chances of the classes: equal ones, or as given by label or in the order of the labels."""
    return np.full(len(labels), 1.0 / len(labels)) if priors is None else given_priors(priors, labels)
