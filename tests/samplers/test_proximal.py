"""Posteriors under penalties with kinks, against integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import HalfSquared
from empirisk.penalties import L1, L2, ElasticNetPenalty, GroupLasso
from empirisk.problems import LinearProblem
from empirisk.samplers import FunctionTarget, ProximalLangevin, sample
from empirisk.samplers.diagnostics import ess_mean
from empirisk.typing import Array


def posed(penalty: Any, p: int, n: int = 12) -> tuple[LinearProblem, Array, Array]:
    """Return a squared-error problem with orthogonal columns of norm root n, so that coefficients are
    independent.
    """
    rng = np.random.default_rng(p)
    X = np.linalg.qr(rng.normal(size=(n, p)))[0] * math.sqrt(n)
    y = X @ np.linspace(0.0, 0.6, p) + rng.normal(size=n)
    return LinearProblem(HalfSquared(), penalty, ArrayBlocks(Design(X), y, np.ones(n)), intercept=False), X, y


def moments(density: Any) -> tuple[float, float]:
    """Return mean and mean square of a density of one number that is known up to its mass."""

    def integral(k: int) -> float:
        pieces = (
            quad(lambda w: w**k * density(w), *ends, epsabs=1e-12)[0] for ends in ((-5.0, 0.0), (0.0, 5.0))
        )
        return float(sum(pieces))

    return integral(1) / integral(0), integral(2) / integral(0)


@pytest.mark.parametrize(
    "penalty", [L1(0.8), ElasticNetPenalty(1.0, l1_ratio=0.6)], ids=["l1", "elastic_net"]
)
def test_independent_coefficients_against_integrals(penalty: Any) -> None:
    problem, X, y = posed(penalty, 3)
    n, noise = len(y), 1.5
    found = sample(problem, method="proximal_langevin", draws=10_000, dispersion=noise, random_state=3)
    for j in range(3):
        centre = float(X[:, j] @ y) / n

        def density(w: float, centre: float = centre) -> float:
            return math.exp(-n / noise * (0.5 * (w - centre) ** 2 + penalty.value(np.array([w]))))

        mean, square = moments(density)
        w = found.draws[:, :, j]
        for value, wanted in ((w, mean), (w * w, square)):
            assert abs(value.mean() - wanted) <= 5.0 * value.std() / math.sqrt(ess_mean(value))
    assert found.divergences == 0


def test_a_penalty_that_the_loops_do_not_know_goes_by_its_proximal_map() -> None:
    # The posterior of a group of two against a random walk on the same U, which has no gradient to get wrong.
    problem, _, _ = posed(GroupLasso(0.8, ((0, 1),)), 2)
    found = sample(problem, method="proximal_langevin", draws=400, dispersion=1.0, random_state=1)
    potential = found_potential(problem)
    other = sample(
        FunctionTarget(potential, np.zeros(2)),
        method="random_walk",
        thin=1,
        draws=1500,
        warm_up=500,
        random_state=2,
    )
    for j in range(2):
        error = math.hypot(found.mcse[j], other.mcse[j])
        assert abs(found.mean[j] - other.mean[j]) <= 5.0 * error


def found_potential(problem: LinearProblem) -> Any:
    """Return U of the problem, with a gradient of zero, which a random walk does not read."""
    potential = problem.potential()
    return lambda w: (potential.value_grad(w)[0], np.zeros_like(w))


def test_the_start_is_near_the_mode_and_estimators_are_sampled() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 6))
    y = X[:, 0] + rng.normal(size=200)
    model = er.Lasso(alpha=0.05).fit(X, y)
    found = sample(model, method=ProximalLangevin(), draws=2000, dispersion=1.0, random_state=1)
    assert found.r_hat.max() < 1.02
    # Coefficients that the mode sets to 0 are spread around it.
    off = np.abs(found.mean[:6] - model.coef_)
    assert (off <= 3.0 * found.deviation[:6]).all()
    assert (found.deviation[:6] < 0.12).all()


def test_other_samplers_refuse_kinks_and_name_the_one_that_takes_them() -> None:
    problem, _, _ = posed(L1(0.1), 2)
    for method in ("nuts", "hmc", "mala", "ula", "sgld"):
        with pytest.raises(
            ValueError, match="no gradient everywhere: sample with method='proximal_langevin'"
        ):
            sample(problem, method=method, dispersion=1.0)
    smooth, _, _ = posed(L2(0.1), 2)
    assert sample(smooth, method="proximal_langevin", draws=10, dispersion=1.0).draws.shape == (4, 10, 2)
