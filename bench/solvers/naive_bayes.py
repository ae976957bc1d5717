"""Naive Bayes of ours and of scikit-learn, on sparse counts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import empirisk as er
from bench.solvers.base import Solver


def _fit(X: Any, y: Any, alpha: float, kind: Any) -> np.ndarray:
    return np.asarray(kind(alpha=alpha).fit(X, y).feature_log_prob_)


SOLVERS = {
    name: [
        Solver("empirisk", ours.__name__, partial(_fit, kind=ours)),
        Solver("scikit-learn", theirs.__name__, partial(_fit, kind=theirs)),
    ]
    for name, ours, theirs in (
        ("multinomial_nb", er.MultinomialNB, MultinomialNB),
        ("bernoulli_nb", er.BernoulliNB, BernoulliNB),
    )
}
