"""Means and deviations against the reference draws of posteriordb."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirisk.samplers import HMC, NUTS, FunctionTarget, sample
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array

ROOT = Path(__file__).parents[1] / "data" / "posteriordb"


def data(name: str) -> dict[str, Any]:
    """Return the contents of a file of the folder."""
    return dict(json.loads((ROOT / f"{name}.json").read_text(encoding="utf-8")))


def regression(
    X: Array, y: Array, mean: Array, precision: Array, log_prior: Any, told: bool
) -> FunctionTarget:
    """Return the posterior of coefficients b and the log of the deviation, by Jacobian and priors.

    `log_prior(sigma)` gives the log density of sigma and its derivative by log sigma; `precision` and `mean`
    are those of the prior of b; `told` says whether the target knows about its covariance.
    """
    n, p = X.shape

    def potential(w: Array) -> tuple[float, Array]:
        b, log_sigma = w[:p], w[p]
        if abs(log_sigma) > 100.0:
            return math.inf, w
        variance = math.exp(2.0 * log_sigma)
        residual = y - X @ b
        square = float(residual @ residual)
        value, slope = log_prior(math.exp(log_sigma))
        off = b - mean
        u = n * log_sigma + 0.5 * square / variance - value - log_sigma + 0.5 * float(off @ (precision * off))
        return u, np.append(
            -(X.T @ residual) / variance + precision * off, n - square / variance - slope - 1.0
        )

    b = np.linalg.lstsq(X, y, rcond=None)[0]
    variance = float(((y - X @ b) ** 2).mean())
    covariance = np.zeros((p + 1, p + 1))
    covariance[:p, :p] = np.linalg.inv(X.T @ X / variance + np.diag(precision))
    covariance[p, p] = 0.5 / n
    start = np.append(b, 0.5 * math.log(variance))
    return FunctionTarget(potential, start, covariance=covariance if told else None)


def kidiq(told: bool) -> tuple[FunctionTarget, list[str]]:
    """The scores of children by school and IQ of the mother."""
    d = data("kidiq")
    X = np.column_stack([np.ones(len(d["kid_score"])), d["mom_hs"], d["mom_iq"]])

    def half_cauchy(sigma: float) -> tuple[float, float]:
        ratio = (sigma / 2.5) ** 2
        return -math.log1p(ratio), -2.0 * ratio / (1.0 + ratio)

    y = np.array(d["kid_score"], dtype=float)
    return regression(X, y, np.zeros(3), np.zeros(3), half_cauchy, told), [
        "beta[1]",
        "beta[2]",
        "beta[3]",
        "sigma",
    ]


def kilpisjarvi(told: bool) -> tuple[FunctionTarget, list[str]]:
    """Temperatures by year, with a prior of both coefficients."""
    d = data("kilpisjarvi")
    X = np.column_stack([np.ones(len(d["x"])), d["x"]])
    mean = np.array([d["pmualpha"], d["pmubeta"]])
    precision = np.array([d["psalpha"], d["psbeta"]]) ** -2.0
    y = np.array(d["y"])
    return regression(X, y, mean, precision, lambda sigma: (0.0, 0.0), told), ["alpha", "beta", "sigma"]


def agrees(draws: Array, model: str, names: list[str]) -> None:
    """Means within four Monte-Carlo errors of both, deviations within 5 %."""
    reference = data("references")[model]
    for j, name in enumerate(names):
        x = np.exp(draws[:, :, j]) if name == "sigma" else draws[:, :, j]
        wanted = reference[name]
        error = math.sqrt(wanted["mcse_mean"] ** 2 + wanted["sd"] ** 2 / ess_mean(x))
        assert abs(x.mean() - wanted["mean"]) <= 4.0 * error, name
        assert x.std(ddof=1) == pytest.approx(wanted["sd"], rel=0.05), name


@pytest.mark.parametrize("method", [NUTS(), HMC()], ids=["nuts", "hmc"])
@pytest.mark.parametrize("model", [kidiq, kilpisjarvi])
def test_posteriors_with_a_known_shape(model: Any, method: Any) -> None:
    target, names = model(True)
    found = sample(target, method=method, draws=2000, warm_up=200, random_state=1)
    assert found.r_hat.max() < 1.01
    assert found.divergences == 0
    agrees(found.draws, model.__name__, names)


@pytest.mark.full  # thousands of gradients for each of the first draws
@pytest.mark.parametrize("model", [kidiq, kilpisjarvi])
def test_posteriors_whose_shape_the_warm_up_finds(model: Any) -> None:
    target, names = model(False)
    found = sample(target, draws=2000, random_state=2)
    assert found.r_hat.max() < 1.01
    agrees(found.draws, model.__name__, names)
    # Once the covariance is learnt, paths are short, though alpha and beta are all but a line.
    assert found.told[:, :, 1].mean() < 16.0


EIGHT = data("eight_schools")
EFFECT, ERROR = np.array(EIGHT["y"], dtype=float), np.array(EIGHT["sigma"], dtype=float)


def schools(w: Array) -> tuple[float, Array]:
    """U of (eta, mu, log tau) with effects ``theta = mu + tau eta``, by the priors and the Jacobian."""
    eta, mu, log_tau = w[:8], w[8], w[9]
    if abs(log_tau) > 100.0:
        return math.inf, w
    tau = math.exp(log_tau)
    off = (mu + tau * eta - EFFECT) / ERROR
    ratio = (tau / 5.0) ** 2
    u = 0.5 * float(off @ off + eta @ eta) + mu * mu / 50.0 + math.log1p(ratio) - log_tau
    by_theta = off / ERROR
    slope = tau * float(by_theta @ eta) + 2.0 * ratio / (1.0 + ratio) - 1.0
    return u, np.concatenate([tau * by_theta + eta, [by_theta.sum() + mu / 25.0, slope]])


def schools_by_integrals() -> tuple[Array, Array]:
    """Means and mean squares of (theta, mu, tau): Gaussians given tau, and one integral over tau."""

    def given(tau: float) -> tuple[float, Array]:
        precision = 1.0 / (ERROR**2 + tau**2)
        total = precision.sum() + 1.0 / 25.0
        mu, spread = float(precision @ EFFECT) / total, 1.0 / total
        log_mass = (
            0.5 * float(np.log(precision).sum() - (precision * EFFECT**2).sum())
            + 0.5 * mu * mu * total
            - 0.5 * math.log(total)
        )
        pull = tau**2 * precision  # theta = pull y + (1 - pull) mu + noise of variance pull ERROR^2
        theta = pull * EFFECT + (1.0 - pull) * mu
        square = theta**2 + pull * ERROR**2 + (1.0 - pull) ** 2 * spread
        moments = np.concatenate([theta, [mu, tau], square, [mu * mu + spread, tau * tau]])
        return math.exp(log_mass), moments

    # tau = 5 tan(angle): the half-Cauchy prior is flat in the angle, and its tail is in reach.
    nodes, weights = np.polynomial.legendre.leggauss(400)
    rows = [given(5.0 * math.tan(0.25 * math.pi * (x + 1.0))) for x in nodes]
    mass = weights * np.array([m for m, _ in rows])
    total = (mass[:, None] * np.array([r for _, r in rows])).sum(axis=0) / mass.sum()
    return total[:10], total[10:]


@pytest.mark.full  # some seconds of a function of Python
def test_eight_schools_against_posteriordb_and_integrals() -> None:
    mean, square = schools_by_integrals()
    reference = data("references")["eight_schools"]
    names = [*(f"theta[{j}]" for j in range(1, 9)), "mu", "tau"]
    for j, name in enumerate(names):
        assert abs(mean[j] - reference[name]["mean"]) <= 4.0 * reference[name]["mcse_mean"], name
    found = sample(FunctionTarget(schools, np.zeros(10)), draws=1000, random_state=1)
    mu, tau = found.draws[:, :, 8:9], np.exp(found.draws[:, :, 9:])
    draws = np.concatenate([mu + tau * found.draws[:, :, :8], mu, tau], axis=2)
    for j, name in enumerate(names):
        x = draws[:, :, j]
        for value, wanted in ((x, mean[j]), (x * x, square[j])):
            error = value.std() / math.sqrt(ess_mean(value))
            assert abs(value.mean() - wanted) <= 5.0 * error, name
