"""The labelling of a finite domain on which a learner does worst: all samples, or samples drawn at random."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.typing import Array, IndexArray

__all__ = ["Learner", "Losses", "can_enumerate", "enumerate_samples", "simulate", "train_on"]

Learner = Callable[[Array, IndexArray, Array], NDArray[np.bool_]]
_CELLS = 500_000_000  # samples times labellings times points
TAIL = 1 / 8  # the risk of the theorem: it is reached with probability 1/7 or more


@dataclass(frozen=True, eq=False)
class Losses:
    """What a learner suffers on the labelling that is worst for it.

    Parameters
    ----------
    labelling : array of int, shape (N,)
        The labels of the domain.
    expected : float
        Mean over samples of the risk.
    tail : float
        Share of the samples with a risk of 1/8 or more.
    average : float
        Mean over all labellings (or those that were tried) of the expected risk.
    samples : int
        Samples behind the two numbers; 0 when they are exact.
    fits : int
        How often the learner was trained.
    risks : array
        The risks on the drawn samples; empty when the numbers are exact.
    """

    labelling: NDArray[np.int64]
    expected: float
    tail: float
    average: float
    samples: int
    fits: int
    risks: Array


def train_on(learner: Any) -> Learner:
    """Return a function of sample, labels and domain that returns one truth value for each point of the
    domain.
    """
    if hasattr(learner, "fit") and hasattr(learner, "predict"):
        return lambda X, y, domain: _fitted(learner, X, y, domain)
    if not callable(learner):
        raise TypeError(
            "learner must be a classifier with fit and predict, or a function of (X, y, domain) that returns "
            f"a label for each point of the domain; got {type(learner).__name__}"
        )
    return lambda X, y, domain: _binary(learner(X, y.copy(), domain.copy()), len(domain))


def _fitted(learner: Any, X: Array, y: IndexArray, domain: Array) -> NDArray[np.bool_]:
    try:
        model = clone(learner).fit(X, y)
    except ValueError:
        # Many classifiers refuse a sample with one class; the learner then predicts that class.
        if y.min() < y.max():
            raise
        return np.full(len(domain), bool(y[0]))
    return _binary(model.predict(domain), len(domain))


def _binary(labels: Any, n: int) -> NDArray[np.bool_]:
    """Return the predictions of the learner as booleans, after a check of their shape and values."""
    out = np.asarray(labels)
    if out.shape != (n,) or not np.isin(out, (0, 1)).all():
        raise ValueError(
            f"the learner must return 0 or 1 for each of the {n} points of the domain; it returned an array "
            f"of shape {out.shape} and type {out.dtype}"
        )
    return out.astype(bool)


def fits_needed(size: int, m: int) -> int:
    """Return the samples of m rows in sorted order with labels: ``sum_k C(N, k) C(m - 1, k - 1) 2^k``."""
    return sum(math.comb(size, k) * math.comb(m - 1, k - 1) * 2**k for k in range(1, min(size, m) + 1))


def can_enumerate(size: int, m: int, budget: int) -> bool:
    """Return whether all samples under all labellings are within the budget of fits and of memory."""
    if size > 20 or fits_needed(size, m) > budget:
        return False
    return bool(math.comb(size + m - 1, m) * size * 2**size <= _CELLS)


def enumerate_samples(train: Learner, domain: Array, m: int) -> Losses:
    """Return the expected risk under every labelling, over all samples; the worst labelling."""
    size = len(domain)
    labellings = (np.arange(2**size)[:, None] >> np.arange(size)) & 1
    risk = np.zeros(2**size)
    tail = np.zeros(2**size)
    fits = 0
    for sample in itertools.combinations_with_replacement(range(size), m):
        points, counts = np.unique(sample, return_counts=True)
        weight = math.factorial(m) / math.prod(math.factorial(int(c)) for c in counts) / float(size) ** m
        patterns = (np.arange(2 ** len(points))[:, None] >> np.arange(len(points))) & 1
        rows = np.array(sample)
        where = np.searchsorted(points, rows)
        answers = np.array([train(domain[rows], pattern[where], domain) for pattern in patterns])
        fits += len(patterns)
        shown = labellings[:, points] @ (1 << np.arange(len(points)))
        wrong = (answers[shown] != labellings).sum(axis=1)
        risk += weight * wrong / size
        tail += weight * (wrong >= TAIL * size)
    worst = int(np.argmax(risk))
    return Losses(
        labellings[worst].astype(np.int64),
        float(risk[worst]),
        float(tail[worst]),
        float(risk.mean()),
        0,
        fits,
        np.empty(0),
    )


def simulate(train: Learner, domain: Array, m: int, budget: int, rng: np.random.Generator) -> Losses:
    """Return the worst of some random labellings by a first half of the budget, measured by the second
    half.

    The labelling is chosen on other samples than those that measure it, so that the choice does not flatter.
    """
    size = len(domain)
    tried = max(2, min(50, math.isqrt(budget // 2)))
    repeats = max(1, budget // 2 // tried)
    labellings = rng.integers(0, 2, size=(tried, size))
    means = np.array([_risks(train, domain, f, m, repeats, rng).mean() for f in labellings])
    worst = labellings[int(np.argmax(means))]
    final = max(1, budget - tried * repeats)
    risks = _risks(train, domain, worst, m, final, rng)
    return Losses(
        worst.astype(np.int64),
        float(risks.mean()),
        float(np.mean(risks >= TAIL)),
        float(means.mean()),
        final,
        tried * repeats + final,
        risks,
    )


def _risks(
    train: Learner, domain: Array, labels: IndexArray, m: int, repeats: int, rng: np.random.Generator
) -> Array:
    """Return the risks on so many random samples, each in sorted order."""
    out = np.empty(repeats)
    for i in range(repeats):
        rows = np.sort(rng.integers(0, len(domain), size=m))
        out[i] = np.mean(train(domain[rows], labels[rows], domain) != labels)
    return out
