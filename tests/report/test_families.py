"""Which targets suggest a family with a log link, the strengths that are tried, and fits at them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor

from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.row_losses import losses_over
from empirisk.evaluation.sample import Sample
from empirisk.report.fit.candidates import alpha_grid, candidates, estimator_for
from empirisk.report.fit.families import FAMILIES, suggested_family


def compound(rng: np.random.Generator, n: int) -> np.ndarray:
    """A random number of positive amounts."""
    return rng.poisson(1.0, n) * rng.gamma(2.0, 3.0, n)


SUGGESTS = {
    "counts": (lambda rng: rng.poisson(2.0, 300), "poisson"),
    "over-dispersed counts": (lambda rng: rng.poisson(20.0 * rng.gamma(1.0, 1.0, 300)), "poisson"),
    "counts from 1 up": (lambda rng: 1 + rng.poisson(4.0, 300), "poisson"),
    "amounts": (lambda rng: np.exp(rng.normal(size=300)), "gamma"),
    "whole amounts of many values": (lambda rng: np.ceil(1e5 * np.exp(rng.normal(size=300))), "gamma"),
    "amounts and zeros": (lambda rng: compound(rng, 300), "tweedie"),
    "a single zero among amounts": (lambda rng: np.append(0.0, np.exp(rng.normal(size=300))), None),
    "normal": (lambda rng: rng.normal(size=300), None),
    "positive and even": (lambda rng: rng.uniform(10.0, 20.0, 300), None),
    "years": (lambda rng: rng.integers(1950, 2020, 300), None),
    "ages of adults": (lambda rng: rng.integers(18, 90, 300), None),
    "marks from 3 to 8": (lambda rng: rng.integers(3, 9, 300), None),
    "negative and skewed": (lambda rng: np.exp(rng.normal(size=300)) - 1.0, None),
    "few rows": (lambda rng: rng.poisson(2.0, 20), None),
    "constant": (lambda rng: np.full(50, 2.0), None),
}


@pytest.mark.parametrize("what", SUGGESTS)
def test_what_a_target_suggests(what: str, rng: np.random.Generator) -> None:
    draw, wanted = SUGGESTS[what]
    found = suggested_family(draw(rng).astype(float))
    assert (found.name if found else None) == wanted


def test_the_diabetes_scores_are_left_to_straight_lines() -> None:
    assert suggested_family(load_diabetes().target) is None


def test_candidates_of_a_family_stand_behind_the_linear_ones() -> None:
    names = [c.name for c in candidates("regression", family=FAMILIES["gamma"])][:6]
    assert names == ["baseline", "lasso", "elastic_net", "ridge", "gamma_l1", "gamma_l2"]


@pytest.mark.parametrize("name", FAMILIES)
def test_the_largest_l1_penalty_is_the_smallest_with_no_column(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 3))
    y = 7.0 * (rng.poisson(np.exp(X[:, 0])) + (name == "gamma"))
    c = candidates("regression", family=FAMILIES[name])[4]
    top = alpha_grid(c, X, y, 0, 5)[0]
    above, below = (estimator_for(c, "regression", a).fit(X, y) for a in (1.001 * top, 0.99 * top))
    assert not above.coef_.any()
    assert np.count_nonzero(below.coef_) == 1


@pytest.mark.parametrize("name", FAMILIES)
def test_candidates_predict_means_as_scikit_learn_does(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 3))
    mean = np.exp(1.0 + X @ [0.5, -0.2, 0.0])
    y = {"poisson": rng.poisson(mean), "gamma": rng.gamma(2.0, mean / 2.0), "tweedie": compound(rng, 300)}[
        name
    ]
    c = candidates("regression", family=FAMILIES[name])[5]
    model = estimator_for(c, "regression", 0.1).fit(X, y.astype(float))
    peer = {
        "poisson": PoissonRegressor(alpha=0.1, tol=1e-10, max_iter=1000),
        "gamma": GammaRegressor(alpha=0.1, tol=1e-10, max_iter=1000),
        "tweedie": TweedieRegressor(power=1.5, alpha=0.1, link="log", tol=1e-10, max_iter=1000),
    }[name].fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-3)
    assert model.solution_.status.ok


def test_a_mean_that_overflows_is_infinitely_wrong(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(40, 1)), rng.poisson(2.0, 40).astype(float)
    far = X.copy()
    far[3] = 1e6
    model = FAMILIES["poisson"].estimator(1e-3, 0.0).fit(X, np.exp(X[:, 0]))
    rows = Sample(far, y)
    losses = losses_over(rows.outputs(model, np.arange(10)), rows, np.arange(10), METRICS["mse"])
    assert np.flatnonzero(np.isinf(losses)).tolist() == [3]
    np.testing.assert_allclose(losses[:3], (model.predict(far[:3]) - y[:3]) ** 2)
