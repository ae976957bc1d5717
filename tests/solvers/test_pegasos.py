"""SGD for soft-margin machines: the steps of the textbooks, dense and sparse, and what they promise."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk import bounds, optimizers
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import Hinge
from empirisk.penalties import L2, ElasticNetPenalty
from empirisk.problems import LinearProblem
from empirisk.results import Status
from empirisk.solvers import SGD, solve
from tests.oracles.soft_machine_steps import linear_steps

LAYOUTS = {"dense": np.asarray, "fortran": np.asfortranarray, "csr": sp.csr_array, "csc": sp.csc_array}


def classes(rng: np.random.Generator, n: int = 120, p: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap, a third of the cells 0, and a column that is empty."""
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.7)
    X[:, -1] = 0.0
    return X, np.where(X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=n) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lam", [1.0, 0.1, 1e-3])
def test_steps_are_those_of_the_textbook(layout: str, lam: float, rng: np.random.Generator) -> None:
    X, y = classes(rng)
    draws = rng.integers(0, len(y), size=5 * len(y))
    # Rows in the order of the draws, met once each: the steps are those of the draws.
    model = er.SGDClassifier(alpha=lam, schedule="pegasos", sampling="given", n_epochs=1).fit(
        LAYOUTS[layout](X[draws]), y[draws]
    )
    wanted = linear_steps(X, y, lam, draws)
    np.testing.assert_allclose(model.coef_[0], wanted, rtol=1e-9, atol=1e-11 * np.abs(wanted).max())
    assert model.t_ == len(draws)
    assert model.intercept_ == 0.0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_epochs_and_draws_with_replacement(layout: str, rng: np.random.Generator) -> None:
    X, y = classes(rng)
    given = er.SGDClassifier(alpha=0.05, schedule="pegasos", sampling="given", n_epochs=7)
    in_turn = linear_steps(X, y, 0.05, np.tile(np.arange(len(y)), 7))
    np.testing.assert_allclose(given.fit(LAYOUTS[layout](X), y).coef_[0], in_turn, rtol=1e-9, atol=1e-12)
    drawn = [
        er.SGDClassifier(alpha=0.05, schedule="pegasos", n_epochs=7, random_state=seed)
        .fit(LAYOUTS[layout](X), y)
        .coef_
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    assert not np.allclose(drawn[0], in_turn, rtol=1e-6)


def test_weights_and_batches_alike_in_both_layouts(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    weight = rng.integers(0, 4, size=len(y)).astype(float)
    for more in ({"batch_size": 7}, {"fit_intercept": True}, {"output": "suffix"}, {"output": "last"}):
        settings: dict[str, Any] = {"n_epochs": 5, "alpha": 0.02, **more}
        a, b = (
            er.SGDClassifier(schedule="pegasos", **settings).fit(form(X), y, sample_weight=weight)
            for form in (np.asarray, sp.csr_array)
        )
        np.testing.assert_allclose(a.coef_, b.coef_, rtol=1e-9, atol=1e-12, err_msg=str(more))
        np.testing.assert_allclose(a.intercept_, b.intercept_, rtol=1e-9, atol=1e-12, err_msg=str(more))


def test_factors_that_vanish_are_folded_in(rng: np.random.Generator) -> None:
    # Constant steps of strength 9 shrink by 10 each: 300 of them leave the range of doubles.
    X, y = classes(rng, n=400)
    data = ArrayBlocks(Design(sp.csr_array(X)), y, np.ones(len(y)))
    problem = LinearProblem(Hinge(), L2(9.0), data, intercept=False)

    class Short(optimizers.Constant):
        whole = True

    solver = SGD(Short(1.0), n_epochs=1, sampling="given", precondition=False, output="last")
    dense = replace(problem, data=replace(data, design=Design(X)))
    np.testing.assert_allclose(solve(problem, solver).w, solve(dense, solver).w, rtol=1e-12, atol=1e-15)


def test_theorem_holds_in_the_mean(rng: np.random.Generator) -> None:
    X, y = classes(rng, n=80)
    data = ArrayBlocks(Design(sp.csr_array(X)), y, np.ones(len(y)))
    problem = LinearProblem(Hinge(), L2(0.1), data, intercept=False)
    best = problem.value(solve(problem, "sdca", tol=1e-9).w)
    solver = SGD("pegasos", n_epochs=5)
    excess = [problem.value(solve(problem, replace(solver, seed=k)).w) - best for k in range(60)]
    promised = bounds.pegasos(n=400, rho=problem.constants.rho.value, alpha=0.1).epsilon
    assert np.mean(excess) + 3.0 * np.std(excess) / math.sqrt(60) <= promised
    assert np.mean(excess) >= 1e-3 * promised  # the comparison could fail
    model = er.SGDClassifier(alpha=0.1, schedule="pegasos", n_epochs=5).fit(X, y)
    assert model.guarantee(X, y).epsilon == pytest.approx(promised, rel=1e-12)


def test_the_gap_is_true_and_falls(rng: np.random.Generator) -> None:
    X, y = classes(rng, n=300)
    gaps = []
    for epochs in (1, 10, 100, 1000):
        model = er.SGDClassifier(alpha=0.05, schedule="pegasos", n_epochs=epochs)
        problem = model.fit(X, y).problem(X, y)
        best = problem.value(solve(problem, "sdca", tol=1e-10).w)
        assert problem.value(model._pack(problem)) - best <= model.certificate_.value + 1e-12
        gaps.append(model.certificate_.value)
    assert gaps[3] < 0.2 * gaps[1] < gaps[0]


def test_long_first_steps_are_no_divergence(rng: np.random.Generator) -> None:
    # 1/alpha is far beyond any stable step, by design; no shorter one is tried, and no epoch is thrown away.
    X, y = classes(rng)
    for schedule in ("pegasos", "strongly_convex"):
        model = er.SGDClassifier(alpha=1e-5, schedule=schedule, n_epochs=2).fit(X, y)
        assert model.solution_.status is Status.COMPLETED
        assert model.solution_.note == ""
        assert model.t_ == 2 * len(y)


def test_settings_are_those_of_the_theorem_unless_given() -> None:
    assert (SGD("pegasos").output, SGD("pegasos").sampling, SGD("pegasos").precondition) == (
        "average", "replacement", False,
    )  # fmt: skip
    mine = SGD(optimizers.Pegasos(0.1), output="last", precondition=True)
    assert (mine.output, mine.sampling, mine.precondition) == ("last", "replacement", True)
    assert (SGD().output, SGD().sampling, SGD().precondition) == ("suffix", "permutation", True)


def test_what_it_refuses(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    with pytest.raises(
        ValueError, match=r'schedule="pegasos" takes steps 1/\(mu t\) and needs an L2 penalty'
    ):
        er.SGDClassifier(alpha=0.0, schedule="pegasos").fit(X, y)
    with pytest.raises(ValueError, match="precondition must be True or False"):
        er.SGDClassifier(schedule="pegasos", precondition="yes").fit(X, y)
    with pytest.raises(ValueError, match='needs schedule="pegasos"'):
        er.SGDClassifier(fit_intercept=False).fit(X, y).guarantee(X, y)
    with pytest.raises(ValueError, match=r"needs fit_intercept=False$"):
        er.SGDClassifier(schedule="pegasos", fit_intercept=True).fit(X, y).guarantee(X, y)


def test_l1_and_streams_go_along(rng: np.random.Generator) -> None:
    X, y = classes(rng)
    a, b = (
        LinearProblem(
            Hinge(), ElasticNetPenalty(0.05, 0.5), ArrayBlocks(Design(X), y, np.ones(len(y))), intercept=i
        )
        for i in (True, False)
    )
    for problem in (a, b):
        found = solve(problem, SGD("pegasos", n_epochs=200))
        best = solve(problem, tol=1e-8).w
        assert problem.value(found.w) - problem.value(best) < 0.05
    stream = er.SGDClassifier(alpha=0.05, schedule="pegasos", sampling="given")
    for rows in np.array_split(np.arange(len(y)), 4):
        stream.partial_fit(X[rows], y[rows], classes=[-1.0, 1.0])
    wanted = linear_steps(X, y, 0.05, np.arange(len(y)))
    np.testing.assert_allclose(stream.coef_[0], wanted, rtol=1e-10, atol=1e-12)
