"""Digits that large shapes, small dispersions and means far from 0 must not cost, against mpmath."""

from __future__ import annotations

import math
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from empirisk.distributions import NegativeBinomial, NormalInverseGamma, NormalInverseWishart, fit_mle
from empirisk.distributions.negative_binomial import _size_slopes

DIGITS = 80
SHAPES = [1e-3, 0.5, 3.0, 15.0, 17.0, 1e4, 1e8, 1e12, 1e14]
LAWS = [NormalInverseGamma(u, 2.0, a, b) for u in (0.0, 1e3) for a in SHAPES for b in (3.0, a)]
each = pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.mean:g}-{law.shape:g}-{law.scale:g}")


def log_density(law: Any, m: Any, v: Any) -> Any:
    """The logarithm of the density by the textbook formula."""
    u, k, a, b = (mp.mpf(value) for value in law.parameters.values())
    inner = (b + k * (m - u) ** 2 / 2) / v
    return (
        a * mp.log(b) - mp.loggamma(a) + mp.log(k / (2 * mp.pi)) / 2 - (a + mp.mpf(3) / 2) * mp.log(v) - inner
    )


def rows_of(law: Any) -> Any:
    """Rows in the middle of a law, a few deviations apart, as floats are."""
    v = law.scale / law.shape * np.exp(np.array([-2.0, 0.0, 1.0]) / math.sqrt(law.shape + 1.0))
    return np.column_stack([law.mean + np.array([-1.0, 0.5, 2.0]) * np.sqrt(v / law.strength), v])


@each
def test_densities_of_a_mean_and_a_variance_keep_their_digits(law: Any) -> None:
    x = rows_of(law)
    with mp.workdps(DIGITS):
        wanted = [float(log_density(law, mp.mpf(m), mp.mpf(v))) for m, v in x.tolist()]
    # One over v is rounded: by 1e-16 of itself, which is z deviations.
    np.testing.assert_allclose(law.log_prob(x), wanted, rtol=4e-14, atol=2e-13 + 4e-16 * math.sqrt(law.shape))


@each
def test_derivatives_of_a_mean_and_a_variance_keep_their_digits(law: Any) -> None:
    x = rows_of(law)
    names = list(law.parameters)
    for row, got in zip(x, law.score(x), strict=True):
        for j, name in enumerate(names):
            with mp.workdps(DIGITS):
                at = mp.mpf(law.parameters[name])
                slope = mp.diff(
                    lambda t, name=name, row=row: log_density(
                        _Named({**law.parameters, name: t}), mp.mpf(row[0]), mp.mpf(row[1])
                    ),
                    at,
                    h=mp.mpf(10) ** -40,
                )
            # In units of what the derivative is over the rows: its square root is the information.
            unit = math.sqrt(law.fisher_information()[j, j])
            assert got[j] == pytest.approx(
                float(slope), rel=1e-12, abs=1e-13 * unit + 4e-16 * unit * math.sqrt(law.shape)
            )


class _Named:
    """Parameters by name, of any number format."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self.parameters = parameters


@each
def test_entropies_and_information_of_a_mean_and_a_variance_keep_their_digits(law: Any) -> None:
    with mp.workdps(DIGITS):
        _, k, a, b = (mp.mpf(value) for value in law.parameters.values())
        log_v = mp.log(b) - mp.digamma(a)
        norm = a * mp.log(b) - mp.loggamma(a) + mp.log(k / (2 * mp.pi)) / 2
        wanted = float((a + mp.mpf(3) / 2) * log_v + a + mp.mpf(1) / 2 - norm)
        F = mp.matrix([[mp.psi(1, a), -1 / b], [-1 / b, a / b**2]])
        inverse = np.array((F**-1).tolist(), dtype=float)
    assert law.entropy() == pytest.approx(wanted, rel=1e-13, abs=1e-12)
    np.testing.assert_allclose(law.inverse_information()[2:, 2:], inverse, rtol=1e-12)
    assert law.fisher_information()[0, 0] == pytest.approx(float(k * a / b), rel=1e-15)
    assert law.inverse_information()[1, 1] == pytest.approx(float(2 * k**2), rel=1e-15)


@each
@pytest.mark.parametrize("t", [1e-9, 1e-3, 2.0])
def test_divergences_of_a_mean_and_a_variance_keep_their_digits(law: Any, t: float) -> None:
    other = NormalInverseGamma(law.mean + t, law.strength * (1 + t), law.shape * (1 + t), law.scale * (1 + t))
    with mp.workdps(DIGITS):
        u, k, a, b = (mp.mpf(value) for value in law.parameters.values())
        w, q, c, s = (mp.mpf(value) for value in other.parameters.values())
        of_v = (a - c) * mp.digamma(a) - mp.loggamma(a) + mp.loggamma(c) + c * mp.log(b / s) + a * (s - b) / b
        wanted = of_v + (q / k - 1 - mp.log(q / k) + q * (u - w) ** 2 * a / b) / 2
    # Parameters are rounded to 1e-16 of themselves: so is their step, of which the divergence is a square.
    assert law.kl(other) == pytest.approx(
        float(wanted), rel=1e-10 + 2e-16 / t * max(1.0, abs(law.mean)), abs=1e-30
    )


@pytest.mark.parametrize("mean", [0.0, 1e6])
@pytest.mark.parametrize("shape", [2.0, 1e6, 1e10])
def test_fits_of_a_mean_and_a_variance_keep_their_digits(shape: float, mean: float) -> None:
    x = NormalInverseGamma(mean, 2.0, shape, shape).sample(300, 4)
    found = fit_mle("normal_inverse_gamma", x).distribution
    with mp.workdps(DIGITS):
        g = [1 / mp.mpf(v) for v in x[:, 1].tolist()]
        m = [mp.mpf(v) for v in x[:, 0].tolist()]
        whole = mp.fsum(g)
        u = mp.fsum(p * q for p, q in zip(g, m, strict=True)) / whole
        inverse = mp.fsum(p * (q - u) ** 2 for p, q in zip(g, m, strict=True)) / 300
        spread = mp.log(whole / 300) - mp.fsum(map(mp.log, g)) / 300
        a = mp.findroot(lambda a: mp.log(a) - mp.digamma(a) - spread, 1 / (2 * spread))
    assert found.mean == pytest.approx(float(u), rel=4e-16)
    assert found.strength == pytest.approx(float(1 / inverse), rel=1e-13 + 1e-15 * mean)
    # Rows are known to 1e-16, and their deviations are 1 / sqrt(a): the shape is an inverse square of them.
    assert found.shape == pytest.approx(float(a), rel=1e-12 + 1e-15 * math.sqrt(shape))


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("freedom", [6.0, 40.0, 1e4, 1e8, 1e12])
def test_densities_of_a_mean_and_a_covariance_keep_their_digits(freedom: float, d: int) -> None:
    rng = np.random.default_rng(d)
    half = np.tril(rng.normal(size=(d, d)), -1) + np.eye(d)
    P = freedom * half @ half.T
    P = 0.5 * (P + P.T)
    law = NormalInverseWishart(np.zeros(d), 2.0, freedom, P)
    (m,), (C,) = law.sample(1, 5)
    C = 0.5 * (C + C.T)
    with mp.workdps(DIGITS):
        A, B, n = mp.matrix(P.tolist()), mp.matrix(C.tolist()), mp.mpf(freedom)
        inverse, gap = B**-1, mp.matrix(m.tolist())
        trace = mp.fsum((A * inverse)[i, i] for i in range(d))
        norm = n / 2 * mp.log(mp.det(A)) - n * d / 2 * mp.log(2) + mp.mpf(d) / 2 * mp.log(2 / (2 * mp.pi))
        norm -= mp.mpf(d * (d - 1)) / 4 * mp.log(mp.pi) + mp.fsum(mp.loggamma((n - i) / 2) for i in range(d))
        square = (gap.T * inverse * gap)[0]
        wanted = norm - ((n + d + 2) * mp.log(mp.det(B)) + trace + 2 * square) / 2
    # The entries are rounded to 1e-16 of themselves, which is sqrt(n) deviations of the law.
    assert law.log_prob(m, C) == pytest.approx(
        float(wanted), rel=1e-13, abs=1e-12 + 1e-14 * math.sqrt(freedom)
    )


@pytest.mark.parametrize("size", [0.05, 1.0, 30.0, 1e3, 1e5, 1e7])
def test_the_derivative_in_the_size_keeps_its_digits(size: float) -> None:
    for k in (0.0, 1.0, 3.0, 40.0):
        with mp.workdps(DIGITS):
            n, m = mp.mpf(size), mp.mpf(3)
            wanted = mp.digamma(k + n) - mp.digamma(n) - mp.log(1 + m / n) - (k - m) / (m + n)
        got = float(_size_slopes(np.array([k]), 3.0, size)[0])
        assert got == pytest.approx(float(wanted), rel=1e-11, abs=1e-16 / size / size)


@pytest.mark.parametrize(("mean", "dispersion"), [(3.0, 1.0), (3.0, 0.05), (20.0, 1e-3), (1000.0, 1e-4)])
def test_fits_of_counts_keep_their_digits(mean: float, dispersion: float) -> None:
    x = NegativeBinomial(mean, dispersion).sample(20_000, 2)
    found = fit_mle("negative_binomial", x).distribution
    counts, times = np.unique(x, return_counts=True)
    with mp.workdps(40):
        m = mp.fsum(times.tolist()[i] * mp.mpf(c) for i, c in enumerate(counts.tolist())) / len(x)
        above = (np.cumsum(times[::-1])[::-1]).tolist()  # rows of at least each count
        share = {int(c): mp.mpf(a) / len(x) for c, a in zip(counts, above, strict=True)}
        steps, last = [], mp.mpf(0)
        for k in range(int(counts[-1]), 0, -1):
            last = share.get(k, last)
            steps.append((k - 1, last))

        def slope(log_n: Any) -> Any:
            """The derivative over n, by psi(k + n) - psi(n) = sum_{j < k} 1 / (n + j)."""
            n = mp.e**log_n
            return n * n * (mp.fsum(s / (n + j) for j, s in steps) - mp.log(1 + m / n))

        start = -mp.log(found.dispersion)
        root = mp.findroot(slope, (start, start + mp.mpf(10) ** -6))
    # The mean is rounded to 1e-16, and the excess of the variance is 1 / (a m) times smaller than it.
    condition = 1.0 + 1.0 / (mean * dispersion)
    assert found.dispersion == pytest.approx(float(mp.e**-root), rel=1e-14 * condition)
