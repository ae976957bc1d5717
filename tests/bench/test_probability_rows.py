"""Rows on networks, samplers, laws and Bayes' rule: their judges are right, and we reach what they ask."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import empirisk as er
from bench import table, worker
from bench.datasets import REGISTRY as DATASETS
from bench.objectives import REGISTRY as OBJECTIVES
from bench.objectives import ROWS
from bench.objectives.network import Network, NetworkLoss, Recipe, _slopes
from bench.objectives.posterior import LAWS, LogisticLaw
from bench.solvers import solvers_for
from bench.solvers.base import Solver
from bench.solvers.empirisk_samplers import potential
from bench.watch import Measured

CLOSED = ("lda", "qda", "multinomial_nb", "bernoulli_nb", "mle_gamma", "mle_negative_binomial")
SAMPLED = ("sgld", "sgld_plain", "nuts_logistic", "hmc_logistic")
OF_PYTHON = ("nuts_kidiq", "nuts_kilpisjarvi", "hmc_kidiq", "hmc_kilpisjarvi")


def rows_of(names: tuple[str, ...]) -> list[Any]:
    """Return the rows of the table with these objectives."""
    return [pytest.param(row, id=row.name) for row in ROWS if row.objective in names]


def reached(row: Any) -> None:
    """Fit by ours at the small size, and judge it as the row does."""
    goal, (X, y) = OBJECTIVES[row.objective], DATASETS[row.dataset][1]()
    strength = goal.strength(X, y)
    best = goal.value(X, y, strength, goal.reference(X, y, strength))
    for solver in solvers_for(row.objective, X.shape[1]):
        if solver.library == "empirisk":
            value = goal.value(X, y, strength, solver.fit(X, y, strength))
            share = max(value - best, 0.0) / goal.null(X, y)
            assert share <= getattr(goal, "accuracy", table.ACCURACY), solver.name


@pytest.mark.parametrize("row", rows_of(CLOSED))
def test_closed_forms_reach_the_formula(row: Any) -> None:
    reached(row)


@pytest.mark.full  # half a second a row: chains of a thousand draws, or ten thousand steps
@pytest.mark.parametrize("row", rows_of(SAMPLED))
def test_draws_of_compiled_potentials_count(row: Any) -> None:
    reached(row)


@pytest.mark.full  # seconds: thousands of gradients of a function of Python
@pytest.mark.parametrize("row", rows_of(OF_PYTHON))
def test_draws_of_potentials_in_python_count(row: Any) -> None:
    reached(row)


@pytest.mark.full  # half a second: it trains a network
def test_a_small_network_learns_the_digits() -> None:
    reached(next(row for row in ROWS if row.name == "latency_mlp, digits"))


@pytest.mark.parametrize("name", ["mle_gamma", "mle_negative_binomial"])
def test_no_law_nearby_is_likelier(name: str) -> None:
    dataset = {row.objective: row.dataset for row in ROWS}[name]
    goal, (X, x) = OBJECTIVES[name], DATASETS[dataset][1]()
    best = goal.reference(X, x, None)
    value = goal.value(X, x, None, best)
    assert value < goal.null(X, x)
    for step in (np.array([1.001, 1.0]), np.array([1.0, 1.001])):
        for moved in (best * step, best / step):
            assert goal.value(X, x, None, tuple(moved)) > value


def test_likelihoods_are_those_of_scipy() -> None:
    from scipy import stats

    x = np.array([0.5, 1.0, 4.0, 2.5])
    expected = -stats.gamma(2.0, scale=1.0 / 3.0).logpdf(x).mean()
    assert OBJECTIVES["mle_gamma"].value(None, x, None, (2.0, 3.0)) == pytest.approx(expected, rel=1e-13)
    counts = np.array([0.0, 3.0, 1.0, 3.0])
    law = stats.nbinom(1.0 / 0.4, 1.0 / (1.0 + 0.4 * 2.0))
    found = OBJECTIVES["mle_negative_binomial"].value(None, counts, None, (2.0, 0.4))
    assert found == pytest.approx(-law.logpmf(counts).mean(), rel=1e-13)


def test_slopes_of_the_network_are_differences_of_its_loss() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 4)), rng.integers(3, size=20)
    w = [rng.standard_normal(shape) for shape in ((4, 5), (5, 3), (5,), (3,))]
    goal = NetworkLoss("", Recipe(5, 1, 0.1, alpha=0.2), 0.0)

    def loss(parts: list[np.ndarray]) -> float:
        return goal.value(X, y, goal.recipe, Network(parts[:2], parts[2:]))

    for k, slope in enumerate(_slopes(X, y, w, 0.2)):
        for place in np.ndindex(slope.shape):
            up, down = [part.copy() for part in w], [part.copy() for part in w]
            up[k][place] += 1e-6
            down[k][place] -= 1e-6
            assert slope[place] == pytest.approx((loss(up) - loss(down)) / 2e-6, abs=1e-8)


@pytest.mark.parametrize("name", ["kidiq", "kilpisjarvi"])
def test_potentials_have_the_density_and_slopes_of_their_law(name: str) -> None:
    law, (X, y) = LAWS[name], DATASETS[name][0]()
    call, w = potential(law, X, y), law.start(X, y)
    zero = call(w)[0] + law.log_density(np, w, X, y)
    for j, size in enumerate(np.abs(w)):
        step = np.eye(len(w))[j] * 1e-4 * size
        up = call(w + step)
        assert up[0] + law.log_density(np, w + step, X, y) == pytest.approx(zero, abs=1e-9 * abs(up[0]))
        # Slopes differ by orders of magnitude: changes of U tell how well a difference is known.
        assert 2.0 * step[j] * call(w + 0.3 * step)[1][j] == pytest.approx(
            call(w + 1.3 * step)[0] - call(w - 0.7 * step)[0], rel=1e-3, abs=1e-9 * abs(up[0])
        )


@pytest.mark.full  # seconds: JAX is loaded and compiles
@pytest.mark.parametrize("name", ["logistic", "kidiq", "kilpisjarvi"])
def test_densities_on_jax_are_those_on_numpy(name: str) -> None:
    jnp = pytest.importorskip("jax.numpy")
    law = LAWS[name]
    X, y = DATASETS[name if name != "logistic" else "classes 1e4x50"][1]()
    w = law.start(X, y) + 0.01
    assert float(law.log_density(jnp, jnp.asarray(w), X, y)) == pytest.approx(
        law.log_density(np, w, X, y), rel=1e-4
    )


@pytest.mark.full  # half a second: sixteen thousand draws
def test_the_expanded_mean_is_that_of_many_draws() -> None:
    X, y = DATASETS["classes 1e4x50"][1]()
    known = LogisticLaw().moments(X, y)
    model = er.LogisticRegression(alpha=1.0 / len(y), fit_intercept=False)
    found = er.sample(model.problem(X, y), draws=4000, random_state=3)
    off = np.abs(found.mean - known.mean)
    # Beyond the first order the mean moves by about d/n of a deviation times as much as the first order does.
    assert (off < 4.0 * found.mcse + 0.02 * known.deviation).all()
    assert found.deviation == pytest.approx(known.deviation, rel=0.1)


def test_draws_of_the_wrong_place_or_chains_apart_do_not_count() -> None:
    X, y = DATASETS["classes 1e4x50"][1]()
    goal = OBJECTIVES["nuts_logistic"]
    known = LogisticLaw().moments(X, y)
    draws = known.mean + known.deviation * np.random.default_rng(0).standard_normal(
        (4, 1000, len(known.mean))
    )
    assert goal.value(X, y, goal.law, draws) <= goal.accuracy
    # A thousand of four thousand; each size is known to about a tenth, and the smallest of ten is taken.
    assert 0.2 < goal.factor(draws) < 0.35
    assert goal.value(X, y, goal.law, draws + 0.2 * known.deviation) > goal.accuracy
    apart = draws + known.deviation * np.array([-0.3, -0.3, 0.3, 0.3])[:, None, None]
    assert goal.value(X, y, goal.law, apart) > goal.accuracy


def test_peers_that_are_missing_are_said_to_be() -> None:
    def absent(X: Any, y: Any, strength: Any) -> Any:
        import no_such_library  # type: ignore[import-not-found] # noqa: F401

    told: list[dict[str, Any]] = []
    goal, rows = OBJECTIVES["mle_gamma"], np.ones(5)
    peer = Solver("peer", "", absent)
    assert not worker._warm_up(
        peer, rows, rows, goal, lambda event, **facts: told.append({"event": event, **facts})
    )
    assert told[-1]["event"] == "failed"
    assert "no_such_library" in told[-1]["why"]


def test_what_is_compiled_for_a_shape_is_called_first_on_all_rows() -> None:
    seen: list[int] = []
    rows = np.ones(1000)
    for whole in (False, True):
        peer = Solver("peer", "", lambda X, y, a: seen.append(len(X)), whole_first_call=whole)
        assert worker._warm_up(peer, rows, rows, OBJECTIVES["mle_gamma"], lambda event, **facts: None)
    assert seen == [worker.WARM_UP_ROWS, 1000]


def test_a_row_says_what_its_times_are_of() -> None:
    row = table.facts(
        Measured([10, 2], 160, reference=0.0, null=1.0), 0.01, "seconds for 1000 effective draws"
    )
    text = table.summary({"nuts": row}, {})
    assert "Counts within 0.01. Times are seconds for 1000 effective draws." in text
    assert math.isclose(row["accuracy"], 0.01)
