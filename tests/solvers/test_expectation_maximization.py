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
from empirisk.solvers import ExpectationMaximization


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


class Doomed(Spherical):
    """A family whose part 0 dies where its mean is the smaller one and hardly moves any more."""

    def maximise(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return the best parts, or say that part 0 has died."""
        best = super().maximise(parts, sums, facts)
        moved = np.abs(best["means"] - parts["means"]).max()
        if best["means"][0, 0] < best["means"][1, 0] - 1.0 and moved < 1e-4:
            raise DegenerateError(0, "has died late")
        return best


def test_the_best_start_is_finished_and_the_others_are_left(rng: np.random.Generator) -> None:
    problem = problem_of(rng, k=3)
    begun = [around(problem, a, b, c) for a, b, c in ((-1.0, 0.0, 3.0), (0.0, 3.0, 4.0), (0.0, 1.5, 3.0))]
    found = er.expectation_maximization(problem, begun, tol=1e-6)
    starts, best = found.starts, int(np.argmax(found.starts.values))
    assert starts.left == tuple(j for j in range(3) if j != best)
    assert found.certificate.within(1e-6)
    assert "1 of 3 starts was finished; others left at gradient norms up to 0.001" in found.certificate.claim
    # Steps, passes and trace are those of the whole run, and a run alone ends at the same place.
    assert found.n_steps == found.trace[-1].step == len(found.trace)
    assert found.n_passes == found.trace[-1].passes < starts.n_passes
    alone = er.expectation_maximization(problem, begun[best], tol=1e-6)
    assert alone.n_steps == found.n_steps
    np.testing.assert_array_equal(alone.w, found.w)
    # Each run was left behind the best where both had come as far.
    for j in starts.left:
        assert er.expectation_maximization(problem, begun[j], tol=1e-3).starts.values[0] <= max(starts.values)


def test_a_loose_tolerance_finishes_every_start(rng: np.random.Generator) -> None:
    problem = problem_of(rng)
    found = er.expectation_maximization(
        problem, [around(problem, 0.0, 3.0), around(problem, 3.0, 0.0)], tol=1e-2
    )
    assert found.starts.left == ()
    assert "2 starts: " in found.certificate.claim


def test_a_start_near_a_saddle_is_compared_after_it_has_left(rng: np.random.Generator) -> None:
    problem = problem_of(rng)
    near = around(problem, 1.5 - 1e-4, 1.5 + 1e-4)
    for _ in range(3):  # steps find the common mean and spread first, and part the means slowly
        near = problem.evaluate(near).improved[0]
    assert problem.certify(near).value < 1e-3
    far = around(problem, -1.0, -0.9)
    found = er.expectation_maximization(problem, [near, far])
    optimum = er.expectation_maximization(problem, around(problem, 0.0, 3.0))
    assert found.starts.values[0] == pytest.approx(optimum.starts.values[0], abs=1e-5)


def test_the_next_start_is_finished_where_the_best_degenerates(rng: np.random.Generator) -> None:
    problem = problem_of(rng, Doomed())
    alike = around(problem, 1.5, 1.5)
    other = around(problem, 3.0, 0.0)
    found = er.expectation_maximization(problem, [around(problem, 0.0, 3.0), alike, other])
    assert math.isnan(found.starts.values[0])
    assert found.starts.degenerate == ("component 0 has died late",)
    assert found.starts.left == ()
    assert found.certificate.within(1e-5)
    assert -found.state.evaluation.loss == found.starts.values[2] == max(found.starts.values[1:])
    with pytest.raises(DegenerateError, match=r"died late .all 2 starts ended like this"):
        er.expectation_maximization(problem, [around(problem, 0.0, 3.0), around(problem, 0.1, 3.1)])


def test_a_callback_hears_of_every_step_and_ends_starts_for_good(rng: np.random.Generator) -> None:
    problem = problem_of(rng)
    begun = [around(problem, 0.0, 3.0), around(problem, 0.5, 2.0)]
    heard: list[int] = []
    found = er.expectation_maximization(problem, begun, callback=lambda step, w, c: heard.append(step))
    assert heard[-1] == found.n_steps
    assert heard.count(1) == 2
    ended = er.expectation_maximization(problem, begun, callback=lambda step, w, c: step == 2)
    assert (ended.status, ended.n_steps, ended.starts.left) == (Status.INTERRUPTED, 2, ())
    assert er.expectation_maximization(problem, begun, tol=0.0, max_steps=7).n_steps <= 7


def test_secants_take_far_fewer_passes_where_groups_overlap() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 2))
    X[::2] += 1.3
    problem = LatentProblem(Spherical(), ArrayBlocks(Design(X), np.zeros(600), np.ones(600)), 2)
    w = around(problem, 0.0, 1.3)
    pairs, secants = (
        er.solve(problem, ExpectationMaximization(secants=on), w0=w, tol=1e-6) for on in (False, True)
    )
    assert secants.status is pairs.status is Status.CERTIFIED
    assert secants.n_passes < 0.6 * pairs.n_passes
    assert problem.evaluate(secants.w).loss == pytest.approx(problem.evaluate(pairs.w).loss, abs=1e-10)
    assert all(b.objective <= a.objective for a, b in zip(secants.trace, secants.trace[1:], strict=False))
