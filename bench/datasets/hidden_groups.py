"""Mixtures on which rules for several starts are compared: rows that were drawn, and small real tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sklearn import datasets

import empirisk as er
from empirisk.estimators.clusters.mixture_fit import MixtureFit

# What a problem is called, its estimator, and the rows (with targets, for lines).
Row = tuple[str, MixtureFit, tuple[Any, ...]]
COVARIANCES = ("full", "diagonal", "spherical", "tied")


def problems(n_init: int) -> Iterator[Row]:
    """Yield all problems; estimators have so many starts."""
    yield from _groups(n_init)
    yield from _tables(n_init)
    yield from _without_groups(n_init)
    yield from _counts(n_init)
    yield from _lines(n_init)


def _groups(n_init: int) -> Iterator[Row]:
    """Yield Gaussian groups: few and many rows, apart and overlapping, of equal and of falling sizes."""
    shapes, ways = ((2, 3), (2, 8), (5, 5), (8, 10)), (1.0, 2.0, 4.0)
    cases = product((300, 1500, 6000), shapes, ways, (False, True))
    for i, (n, (p, k), apart, uneven) in enumerate(cases, 1):
        covariance = "full" if i % 3 == 0 else COVARIANCES[i % 4]
        model = er.GaussianMixture(k, covariance=covariance, n_init=n_init)
        yield f"groups, {n} x {p}, {apart:g} apart", model, (_rows(n, p, k, apart, uneven, i),)


def _rows(n: int, p: int, k: int, apart: float, uneven: bool, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    middle = apart * rng.normal(size=(k, p))
    turns = np.eye(p) + 0.4 * rng.normal(size=(k, p, p)) / np.sqrt(p)
    turns *= np.exp(0.4 * rng.normal(size=k))[:, None, None]
    weight = 0.6 ** np.arange(k) if uneven else np.ones(k)
    label = rng.choice(k, n, p=weight / weight.sum())
    return middle[label] + np.einsum("nij,nj->ni", turns[label], rng.standard_normal((n, p)))


def _tables(n_init: int) -> Iterator[Row]:
    digits = datasets.load_digits().data
    digits = digits - digits.mean(axis=0)
    tables = {
        "iris": datasets.load_iris().data,
        "wine": datasets.load_wine().data[:, :8],
        "breast cancer": np.log(datasets.load_breast_cancer().data[:, :5]),
        "diabetes": datasets.load_diabetes().data[:, [0, 2, 3, 4, 5, 8, 9]],
        "digits": digits @ np.linalg.svd(digits, full_matrices=False)[2][:8].T,
    }
    for name, X in tables.items():
        for covariance, k in product(("full", "diagonal", "tied", "vei", "vee"), (3, 6)):
            model = er.GaussianMixture(k, covariance=covariance, n_init=n_init)
            yield name, model, (np.ascontiguousarray(X),)


def _without_groups(n_init: int) -> Iterator[Row]:
    """Yield long tails and skewed columns, which parts have to share, and groups from random chances."""
    for i, (n, covariance, k) in enumerate(product((500, 2000), ("full", "diagonal"), (4, 8)), 100):
        rng = np.random.default_rng(i)
        tails = rng.standard_t(3, (n, 3)) @ (np.eye(3) + 0.5 * rng.normal(size=(3, 3)))
        skewed = np.exp(0.7 * rng.normal(size=(n, 3)) @ (np.eye(3) + 0.3 * rng.normal(size=(3, 3))))
        for name, X in (("long tails", tails), ("skewed", skewed)):
            yield f"{name}, {n} x 3", er.GaussianMixture(k, covariance=covariance, n_init=n_init), (X,)
        model = er.GaussianMixture(k, covariance=covariance, init="random", n_init=n_init)
        yield f"groups from random chances, {n} x 4", model, (_rows(n, 4, k, 2.0, True, i),)


def _counts(n_init: int) -> Iterator[Row]:
    for i, (n, k, p) in enumerate(product((500, 3000), (3, 6), (8, 16)), 200):
        rng = np.random.default_rng(i)
        label = rng.integers(k, size=n)
        answers = (rng.random((n, p)) < rng.beta(1.5, 1.5, (k, p))[label]).astype(float)
        counts = rng.poisson(rng.gamma(2.0, 2.0, (k, p // 2))[label]).astype(float)
        for name, family, cells in (("answers", "bernoulli", answers), ("counts", "poisson", counts)):
            model = er.Mixture(k, family=family, init="random", n_init=n_init)
            yield f"{name}, {n} x {cells.shape[1]}", model, (cells,)


def _lines(n_init: int) -> Iterator[Row]:
    for i, (n, k, noise) in enumerate(product((300, 3000), (2, 4), (0.3, 1.0)), 300):
        rng = np.random.default_rng(i)
        x, label = rng.normal(size=(n, 2)), rng.integers(k, size=n)
        slopes = rng.normal(size=(k, 3)) * 2.0
        y = slopes[label, 0] + (x * slopes[label, 1:]).sum(axis=1) + noise * rng.normal(size=n)
        yield f"lines, {n} x 2", er.RegressionMixture(k, n_init=n_init), (x, y)
