"""A problem that is nothing like a linear one runs through the same loop: two Gaussians, fitted by EM.

The toy lives here, and shows what the contract asks of a latent-variable problem: the pass gives the expected
sufficient statistics of the parts and the log-likelihood, the step is closed, and the certificate says that
the gradient is small, which proves a stationary point and no more.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.problems import Layout, Part, Problem
from empirisk.results import Certificate, Kind, Status
from empirisk.solvers import State
from empirisk.typing import Capability


@dataclass(frozen=True)
class Expected:
    """Mean negative log-likelihood, its gradient, and the expected sufficient statistics of both parts."""

    loss: float
    grad: np.ndarray
    share: np.ndarray
    mean: np.ndarray


@dataclass(frozen=True, eq=False)
class TwoGaussians(Problem):
    """``-(1/n) sum_i log(sum_k pi_k N(x_i; m_k, 1))`` over both means and a share.

    The parameters are ``w = (m_1, m_2, logit pi_1)``, and both variances are 1.
    """

    x: np.ndarray

    @property
    def layout(self) -> Layout:
        """Both means, then the log odds of the first part."""
        return Layout((3,), (Part("means", 2, penalised=False), Part("log odds", 1, penalised=False)))

    @property
    def capabilities(self) -> frozenset[Capability]:
        """A gradient, and no linear scores of any kind."""
        return frozenset({Capability.GRAD})

    def start(self) -> np.ndarray:
        """Return the quartiles as means, and equal shares."""
        return np.array([*np.quantile(self.x, [0.25, 0.75]), 0.0])

    def evaluate(self, w: np.ndarray, want: Collection[str] = (), /) -> Expected:
        """The E-step: responsibilities of each row are summed up and forgotten."""
        shares = np.array([1.0, math.exp(-w[2])]) / (1.0 + math.exp(-w[2]))
        logs = np.log(shares) - 0.5 * (self.x[:, None] - w[:2]) ** 2 - 0.5 * math.log(2.0 * math.pi)
        top = logs.max(axis=1)
        density = np.exp(logs - top[:, None])
        r = density / density.sum(axis=1, keepdims=True)
        share = r.mean(axis=0)
        mean = (r * self.x[:, None]).mean(axis=0) / share
        grad = np.append(share * (w[:2] - mean), shares[0] - share[0])
        return Expected(-float((top + np.log(density.sum(axis=1))).mean()), grad, share, mean)

    def objective(self, w: np.ndarray, evaluation: Expected, /) -> float:
        """The mean negative log-likelihood, without a penalty."""
        return evaluation.loss

    def certify(
        self, w: np.ndarray, evaluation: Any = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """The gradient norm: a stationary point, which may be a local one."""
        e = self.evaluate(w) if evaluation is None else evaluation
        norm = float(np.linalg.norm(e.grad))
        floor = 8.0 * float(np.finfo(float).eps) * (1.0 + float(np.abs(w).max()))
        claim = f"the gradient is {norm:.1g}, by {Kind.STATIONARITY.value}: other starts show other optima"
        return Certificate(Kind.STATIONARITY, norm, 1.0, claim, 0.0, floor)

    def scale(self) -> float:
        """The units of the gradient: parts of unit variance."""
        return 1.0


@dataclass(frozen=True)
class ExpectationMaximisation:
    """Take the statistics of a pass to the parameters that they belong to."""

    name = "expectation_maximisation"
    needs = frozenset({Capability.GRAD})

    def init(self, problem: TwoGaussians, w0: np.ndarray | None) -> State:
        """Return the start with the statistics of its pass."""
        w = problem.start() if w0 is None else np.array(w0, dtype=np.float64)
        return State(w, problem.evaluate(w), n_passes=1.0)

    def step(self, problem: TwoGaussians, state: State) -> State:
        """The M-step, and the E-step of the next."""
        e = state.evaluation
        w = np.append(e.mean, math.log(e.share[0] / e.share[1]))
        return State(w, problem.evaluate(w), n_passes=state.n_passes + 1.0)


def mixture(rng: np.random.Generator) -> TwoGaussians:
    """Parts three standard deviations apart, one of them half as large as the other."""
    return TwoGaussians(np.concatenate([rng.normal(-1.5, 1.0, 100), rng.normal(1.5, 1.0, 200)]))


def test_a_mixture_runs_through_the_loop(rng: np.random.Generator) -> None:
    problem = mixture(rng)
    solution = er.solve(problem, ExpectationMaximisation(), tol=1e-9)
    assert solution.status is Status.CERTIFIED, solution.sentence
    assert solution.certificate.kind is Kind.STATIONARITY
    assert solution.certificate.suboptimality() is None  # nothing is claimed about the minimum
    # Monotone ascent, which is what EM promises.
    objective = [point.objective for point in solution.trace]
    assert np.all(np.diff(objective) <= 1e-14 * np.abs(objective[:-1]))
    # The gradient is that of the objective: by finite differences, near the optimum and at the start.
    for w in (solution.w, problem.start()):
        steps = 1e-6 * np.eye(3)
        slope = [(problem.evaluate(w + d).loss - problem.evaluate(w - d).loss) / 2e-6 for d in steps]
        np.testing.assert_allclose(problem.evaluate(w).grad, slope, atol=1e-8)
    assert solution.w[0] < 0.0 < solution.w[1]


def test_the_loop_treats_it_like_any_problem(rng: np.random.Generator) -> None:
    problem, solver = mixture(rng), ExpectationMaximisation()
    with pytest.raises(ValueError, match=r"w0 must have shape \(3,\), got \(2,\)"):
        er.solve(problem, solver, w0=np.zeros(2))
    with pytest.raises(ValueError, match=r"'newton' needs a design matrix in memory, .* which this problem"):
        er.solve(problem, "newton")
    with pytest.raises(ValueError, match="hand `solve` a solver object"):
        er.solve(problem)
    assert er.solve(problem, solver, tol=1e-9, max_steps=2).status is Status.MAX_STEPS
    seen: list[float] = []
    stopped = er.solve(problem, solver, callback=lambda step, w, c: seen.append(c.value) or step == 3)
    assert stopped.status is Status.INTERRUPTED
    assert len(seen) == 3
    with pytest.raises(ValueError, match="has no penalty whose strength"):
        problem.with_strength(1.0)
    with pytest.raises(ValueError, match="stands for no likelihood"):
        problem.potential()
