"""EM as a solver: faults of a family are errors, starts are compared and counted, callbacks end a start."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.mixtures import DegenerateError, Spherical
from empirisk.mixtures.base import Parts, Sums, TableFacts
from empirisk.problems import LatentProblem
from empirisk.results import Kind, Status


class Backwards(Spherical):
    """A family whose step goes away from the best means."""

    def maximise(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return the best parts with means on the other side of the old ones."""
        best = super().maximise(parts, sums, facts)
        return {**best, "means": 4.0 * parts["means"] - 3.0 * best["means"]}


def problem_of(rng: np.random.Generator, family: Spherical | None = None, k: int = 2) -> LatentProblem:
    """Return a mixture of two groups in two columns."""
    X = np.concatenate([rng.normal(0.0, 1.0, (60, 2)), rng.normal(3.0, 1.0, (60, 2))])
    return LatentProblem(family or Spherical(), ArrayBlocks(Design(X), np.zeros(120), np.ones(120)), k)


def around(problem: LatentProblem, *centres: float) -> np.ndarray:
    """Parts at points of the diagonal, with the spread of all rows."""
    parts = problem.family.about(np.array([[c, c] for c in centres]), problem.facts)
    return problem.pack(np.zeros(problem.n_parts), parts)


def test_a_step_that_lowers_the_likelihood_is_an_error(rng: np.random.Generator) -> None:
    problem = problem_of(rng, Backwards())
    with pytest.raises(
        ValueError, match=r"lowered the mean log-likelihood .*`maximise` of family 'spherical'"
    ):
        er.expectation_maximization(problem, around(problem, -1.0, 5.0), accelerate=False)


def test_starts_are_compared_and_the_best_is_kept(rng: np.random.Generator) -> None:
    problem = problem_of(rng)

    def collapsed() -> np.ndarray:
        raise DegenerateError(1, "has no rows left")

    alike = around(problem, 1.5, 1.5)  # equal parts stay equal: a stationary point that is no maximum
    found = er.expectation_maximization(problem, [alike, around(problem, 0.0, 3.0), collapsed])
    values = found.starts.values
    assert math.isnan(values[2])
    assert values[1] > values[0] + 0.1
    assert -found.state.evaluation.loss == values[1]
    assert found.certificate.kind is Kind.MONOTONE
    assert "3 starts: 1 reached the best" in found.certificate.claim
    assert "1 degenerated and was left out" in found.certificate.claim
    with pytest.raises(
        DegenerateError, match=r"component 1 has no rows left .the only start ended like this"
    ):
        er.expectation_maximization(problem, [collapsed])


def test_a_callback_ends_a_start_and_the_limit_is_said(rng: np.random.Generator) -> None:
    problem = problem_of(rng)
    stopped = er.expectation_maximization(problem, callback=lambda step, w, c: step == 2)
    assert (stopped.status, stopped.n_steps) == (Status.INTERRUPTED, 2)
    assert er.expectation_maximization(problem, tol=0.0, max_steps=3).n_steps <= 3
    with pytest.raises(ValueError, match="needs expected sums of hidden parts"):
        er.solve(er.Ridge().problem(np.eye(3), [1.0, 2.0, 3.0]), "expectation_maximization")


def test_the_last_point_is_returned_even_from_a_plateau(rng: np.random.Generator) -> None:
    """Near equal parts the gradient is small at first: the best likelihood is kept, not the best gradient."""
    problem = problem_of(rng)
    w = around(problem, 1.5 - 1e-6, 1.5 + 1e-6)
    found = er.solve(problem, "expectation_maximization", w0=w, tol=1e-12, max_steps=12)
    assert found.trace[-1].objective == min(point.objective for point in found.trace)
    assert problem.evaluate(found.w).loss == found.trace[-1].objective
