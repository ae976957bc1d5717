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
