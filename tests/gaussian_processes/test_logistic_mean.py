"""The mean of the logistic function of a normal variable against quadrature in many digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from empirisk.gaussian_processes import log_logistic_mean, logistic_mean


@pytest.mark.parametrize("s", [0.0, 0.1, 1.0, 3.99, 4.01, 40.0])
@pytest.mark.parametrize("m", [0.0, -3.0, 2.0, -20.0])
def test_against_quadrature_in_thirty_digits(m: float, s: float) -> None:
    with mp.workdps(30):
        edges = sorted({-30.0, -12.0, -4.0, 0.0, 4.0, 12.0, 30.0, *([-m / s] if s else [])})
        exact = (
            mp.quad(lambda u: mp.npdf(u) / (1 + mp.exp(-(m + s * u))), edges)
            if s
            else 1 / (1 + mp.exp(-mp.mpf(m)))
        )
    found = logistic_mean(np.array([m]), np.array([s * s]))[0]
    assert found == pytest.approx(float(exact), rel=1e-11)


def test_the_two_sides_add_to_one() -> None:
    m, v = np.meshgrid(np.linspace(-9.0, 9.0, 13), np.array([0.0, 0.5, 30.0]))
    np.testing.assert_allclose(logistic_mean(m, v) + logistic_mean(-m, v), 1.0, atol=1e-15)


@pytest.mark.parametrize(
    ("m", "v"), [(-3.0, 1.0), (-900.0, 4.0), (-40.0, 900.0), (-900.0, 1500.0), (-1e4, 2e4), (-1e4, 6e4)]
)
def test_the_logarithm_against_quadrature(m: float, v: float) -> None:
    with mp.workdps(30):
        s = mp.sqrt(v)
        # Narrow laws: the pieces of phi and of the tilted e^z phi.  Wide ones: sigma turns at 0, and what is
        # left falls by e^(-|z|/10) or faster.
        law = {c + s * j for c in (mp.mpf(m), mp.mpf(m + v)) for j in range(-10, 11)} if v < 1000 else set()
        edges = sorted(law | ({mp.mpf(z) for z in range(-120, 400)} if v > 100 else set()))

        def density(z: mp.mpf) -> mp.mpf:
            return mp.exp(-((z - m) ** 2) / (2 * v)) / (s * mp.sqrt(2 * mp.pi) * (1 + mp.exp(-z)))

        exact = mp.log(mp.quad(density, edges, method="gauss-legendre", maxdegree=3))
    found = log_logistic_mean(np.array([m]), np.array([v]))[0]
    assert found == pytest.approx(float(exact), rel=1e-12)
