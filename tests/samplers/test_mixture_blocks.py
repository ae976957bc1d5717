"""Mixtures of Gaussians by blocks: sums over all labellings, Geweke's test, names that do not matter."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln, multigammaln

from empirisk.distributions import NormalInverseWishart
from empirisk.samplers import BlockTarget, Gibbs, mixture_blocks, sample
from empirisk.samplers.block_chains import BlockChains
from empirisk.typing import Array
from tests.samplers.test_gibbs import near

PRIORS = {
    1: NormalInverseWishart([0.5], 0.4, 6.0, [[3.0]]),
    2: NormalInverseWishart([0.5, -0.5], 0.4, 8.0, [[3.0, 0.5], [0.5, 2.0]]),
}


def updated(prior: NormalInverseWishart, x: Array) -> tuple[Array, float, float, Array]:
    """Return mean, strength, freedom and scale after rows, by the textbook."""
    k, n, P, u = prior.strength, float(prior.freedom or 0.0), prior.scale, prior.mean
    if not len(x):
        return u, k, n, P
    m, S = x.mean(axis=0), (x - x.mean(axis=0)).T @ (x - x.mean(axis=0))
    N, gap = len(x), x.mean(axis=0) - u
    return (k * u + N * m) / (k + N), k + N, n + N, P + S + k * N / (k + N) * np.outer(gap, gap)


def log_evidence(prior: NormalInverseWishart, x: Array) -> float:
    """Return the logarithm of the density of rows of one part, whatever the part is."""
    d = prior.dimension
    _, k, n, P = updated(prior, x)
    k0, n0, P0 = prior.strength, float(prior.freedom or 0.0), prior.scale
    out = multigammaln(n / 2.0, d) - multigammaln(n0 / 2.0, d) + 0.5 * d * math.log(k0 / k)
    logs = 0.5 * n0 * np.linalg.slogdet(P0)[1] - 0.5 * n * np.linalg.slogdet(P)[1]
    return float(out + logs - 0.5 * len(x) * d * math.log(math.pi))


def by_labellings(X: Array, K: int, a: float, prior: NormalInverseWishart) -> tuple[Array, Array, float]:
    """Return the mean and second moments of a new row, and of the sum of squared weights."""
    n, d = X.shape
    mass, first, second, square = [], [], [], []
    for z in itertools.product(range(K), repeat=n):
        labels = np.array(z)
        groups = [X[labels == k] for k in range(K)]
        count = np.array([len(g) for g in groups])
        mass.append(sum(log_evidence(prior, g) for g in groups) + float(gammaln(a + count).sum()))
        weight = (a + count) / (K * a + n)
        laws = [updated(prior, g) for g in groups]
        first.append(sum(w * u for w, (u, *_) in zip(weight, laws, strict=True)))
        second.append(
            sum(
                w * (np.outer(u, u) + (1.0 + 1.0 / k) * P / (nu - d - 1.0))
                for w, (u, k, nu, P) in zip(weight, laws, strict=True)
            )
        )
        square.append(((a + count) * (a + count + 1.0)).sum() / ((K * a + n) * (K * a + n + 1.0)))
    share = np.exp(np.array(mass) - max(mass))
    share /= share.sum()
    return (
        np.tensordot(share, first, 1),
        np.tensordot(share, second, 1),
        float(share @ np.array(square)),
    )


@pytest.mark.full  # thousands of sweeps in Python
@pytest.mark.parametrize(("d", "K", "n"), [(1, 2, 6), (1, 3, 5), (2, 2, 6)])
def test_draws_are_those_of_a_sum_over_all_labellings(d: int, K: int, n: int) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d)) + 2.0 * (np.arange(n)[:, None] % 2)
    a, prior = 1.5, PRIORS[d]
    first, second, square = by_labellings(X, K, a, prior)
    target = mixture_blocks(X, K, concentration=a, prior=prior)
    x = sample(target, method="gibbs", draws=1500, warm_up=200, random_state=1).draws
    w, m = x[..., :K], x[..., K : K + K * d].reshape(*x.shape[:2], K, d)
    near((w**2).sum(axis=-1), square)
    for i in range(d):
        near((w * m[..., i]).sum(axis=-1), float(first[i]))
    at = {pair: t for t, pair in enumerate(zip(*np.triu_indices(d), strict=True))}
    C = x[..., K + K * d :].reshape(*x.shape[:2], K, len(at))
    for (i, j), t in at.items():
        near((w * (m[..., i] * m[..., j] + C[..., t])).sum(axis=-1), float(second[i, j]))


@pytest.mark.full  # thousands of targets
def test_mixtures_and_rows_drawn_in_turn_have_the_prior() -> None:
    # Geweke, Journal of the American Statistical Association 99, 2004.
    rng = np.random.default_rng(4)
    n, K, a, steps, prior = 5, 2, 2.0, 5000, PRIORS[1]
    u, k, nu, P = float(prior.mean[0]), prior.strength, 6.0, 3.0
    m, C = (v.reshape(K) for v in prior.sample(K, rng))
    w, z = rng.dirichlet([a, a]), np.zeros(n)
    kept = np.empty((steps, 3 * K))
    for t in range(steps):
        z = rng.choice(K, size=n, p=w)
        y = m[z] + np.sqrt(C[z]) * rng.normal(size=n)
        chains = BlockChains(mixture_blocks(y, K, concentration=a, prior=prior), Gibbs(), 1, t)  # type: ignore[arg-type]
        state = {"labels": z.astype(float), "weights": w, "parts": np.concatenate([m, C])}
        chains.states[0] = state
        chains.warm_up(1)
        w, m, C = chains.states[0]["weights"], *chains.states[0]["parts"].reshape(2, K)
        kept[t] = np.concatenate([w, m, C])
    for j in range(K):
        w, m, C = kept[None, :, j], kept[None, :, K + j], kept[None, :, 2 * K + j]
        near(w, 0.5)
        near(w**2, a * (a + 1.0) / (2.0 * a * (2.0 * a + 1.0)))
        near(1.0 / C, nu / P)
        near(1.0 / C**2, nu * (nu + 2.0) / P**2)
        near(m, u)
        near(k * (m - u) ** 2 / C, 1.0)
        near(w * m, 0.5 * u)


def test_parts_are_told_in_the_order_of_their_means() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(-4.0, 0.5, 30), rng.normal(0.0, 1.0, 50), rng.normal(5.0, 1.5, 20)])
    found = sample(mixture_blocks(x, 3), method="gibbs", chains=2, draws=40, warm_up=80, random_state=1)
    assert found.names[:4] == ["weight[0]", "weight[1]", "weight[2]", "mean[0]"]
    w, m, C = (found.draws[:, :, 3 * i : 3 * i + 3] for i in range(3))
    assert (np.diff(m, axis=2) >= 0.0).all()
    np.testing.assert_allclose(w.sum(axis=2), 1.0)
    # Each weight and variance goes with its mean.
    np.testing.assert_allclose(np.median(w, axis=(0, 1)), [0.3, 0.5, 0.2], atol=0.12)
    np.testing.assert_allclose(np.median(m, axis=(0, 1)), [-4.0, 0.0, 5.0], atol=1.0)
    assert (np.diff(np.median(C, axis=(0, 1))) > 0.0).all()


def test_one_part_is_the_conjugate_law_and_units_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(12, 2)), columns=["age", "dose"])
    law = PRIORS[2]
    found = sample(
        mixture_blocks(X, 1, prior=law), method="gibbs", chains=2, draws=150, warm_up=0, random_state=3
    )
    assert found.names == [
        "weight[0]",
        "mean[0].age",
        "mean[0].dose",
        "covariance[0].age.age",
        "covariance[0].age.dose",
        "covariance[0].dose.dose",
    ]
    mean, _, freedom, scale = updated(law, X.to_numpy())
    wanted = [*mean, *(scale / (freedom - 3.0))[np.triu_indices(2)]]
    for j, value in enumerate(wanted, 1):
        near(found.draws[:, :, j], float(value))
    plain = sample(mixture_blocks(X, 2), method="gibbs", chains=1, draws=10, warm_up=5).draws
    large = sample(mixture_blocks(1024.0 * X, 2), method="gibbs", chains=1, draws=10, warm_up=5).draws
    np.testing.assert_allclose(large[..., 2:6], 1024.0 * plain[..., 2:6], rtol=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mixture_blocks([1.0], 1), r"X must have shape \(n, p\)"),
        (lambda: mixture_blocks([1.0, math.nan], 1), "X holds NaN or infinity in row 1"),
        (lambda: mixture_blocks([[1.0, 2.0], [3.0, 2.0]], 1), "column 1 of X is one number"),
        (lambda: mixture_blocks([1.0, 2.0], 3), "n_components must be a whole number from 1 to 2"),
        (lambda: mixture_blocks([1.0, 2.0], 1, concentration=0.0), "concentration must be a finite number"),
        (lambda: mixture_blocks([1.0, 2.0], 1, prior=PRIORS[2]), "NormalInverseWishart of 1 numbers"),
        (lambda: mixture_blocks([1.0, 2.0], 1, prior=3), "NormalInverseWishart of 1 numbers"),  # type: ignore[arg-type]
        (lambda: BlockTarget({"a": abs}, {"a": 0.0}, hidden=("a",)), "hidden must name blocks"),
        (lambda: BlockTarget({"a": abs, "b": abs}, {"a": 0.0, "b": 0.0}, hidden="a"), "hidden must name"),
    ],
)
def test_what_has_no_posterior_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()
