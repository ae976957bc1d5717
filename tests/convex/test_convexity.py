"""Counterexamples are found and are true; what is convex is not refuted; structure proves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import empirisk as er
from empirisk.convex import check_convexity
from empirisk.losses import REGISTRY as LOSSES
from empirisk.penalties import L1, L2Ball

NOT_CONVEX = {
    "sine": (lambda x: np.sin(x[0]), [0.0], [6.0]),
    "a hill": (lambda x: -float(x @ x), [-1.0, -1.0], [1.0, 1.0]),
    "a saddle": (lambda x: x[0] * x[1], [-1.0, -1.0], [1.0, 1.0]),
    "a step": (lambda x: float(x[0] < 0.3), [-1.0], [1.0]),
    "logarithm": (lambda x: np.log(x[0]), [0.1], [3.0]),
    "a ripple on a bowl": (lambda x: float(x @ x) + 3e-3 * np.sin(40.0 * x[0]), [-1.0], [1.0]),
    "the product of two weights": (lambda x: (1.0 - x[0] * x[1]) ** 2, [-2.0, -2.0], [2.0, 2.0]),
    "a hole in the domain": (lambda x: np.inf if 0.4 < x[0] < 0.6 else 0.0, [0.0], [1.0]),
}
CONVEX = {
    "norm": (lambda x: np.linalg.norm(x), [-1.0] * 3, [1.0] * 3),
    "exponential": (lambda x: np.exp(5.0 * x[0]), [-3.0], [3.0]),
    "largest entry": (lambda x: np.max(x), [-1.0] * 3, [1.0] * 3),
    "a line far away": (lambda x: 1e9 + 1e-3 * x[0], [0.0], [1.0]),
    "log-sum-exp": (lambda x: np.log(np.exp(x).sum()), [-30.0] * 3, [30.0] * 3),
    "an indicator": (lambda x: np.inf if np.abs(x).sum() > 0.5 else 0.0, [-1.0] * 2, [1.0] * 2),
}


@pytest.mark.parametrize("name", NOT_CONVEX)
def test_refutes_with_a_true_witness(name):
    f, low, high = NOT_CONVEX[name]
    answer = check_convexity(f, low, high)
    assert answer.convex is False
    w = answer.witness
    assert np.all((low <= w.x) & (w.x <= high) & (low <= w.y) & (w.y <= high))
    at = w.t * w.x + (1.0 - w.t) * w.y
    assert w.value == pytest.approx(f(at))
    assert w.chord == pytest.approx(w.t * f(w.x) + (1.0 - w.t) * f(w.y))
    assert w.value > w.chord
    assert "not convex" in str(answer)


@pytest.mark.parametrize("name", CONVEX)
def test_convex_functions_are_not_refuted_and_not_proved(name):
    answer = check_convexity(*CONVEX[name])
    assert answer.convex is None
    assert "no proof" in answer.sentence


def test_the_library_knows_its_own():
    X, y = np.eye(4), [0, 1, 0, 1]
    assert check_convexity(er.LogisticRegression().problem(X, y)).convex is True
    assert check_convexity(L1(0.3)).convex is True
    assert check_convexity(L2Ball(1.0)).convex is True
    for name, make in LOSSES.items():
        # Some are concave beyond log 3 alone.
        assert check_convexity(make(), -4.0, 4.0).convex is make().convex, name


@pytest.mark.parametrize(
    "name",
    [n for n, make in LOSSES.items() if not make().vector and make().y_domain.contains(np.array([1.0]))[0]],
)
def test_what_a_loss_says_of_itself_is_what_samples_say(name):
    loss = LOSSES[name]()
    answer = check_convexity(lambda z: float(loss.value(np.array([1.0]), z)[0]), -4.0, 4.0)
    assert (answer.convex is False) == (not loss.convex)


def test_a_problem_with_a_loss_that_is_not_convex_is_refuted_by_its_own_values(rng):
    X, y = 1.0 + rng.uniform(size=(30, 1)), rng.exponential(size=30) + 0.1
    problem = replace(
        er.Ridge(alpha=1e-3, fit_intercept=False).problem(X, y), loss=LOSSES["inverse_gaussian"]()
    )
    answer = check_convexity(problem, -5.0, 5.0)
    assert answer.convex is False
    w = answer.witness
    assert w.value == pytest.approx(problem.value(w.t * w.x + (1.0 - w.t) * w.y))
    assert w.chord == pytest.approx(w.t * problem.value(w.x) + (1.0 - w.t) * problem.value(w.y))
    # Zero-one loss of a perceptron: what no solver minimises.
    zero_one = check_convexity(LOSSES["zero_one"](), -1.0, 1.0)
    assert zero_one.convex is False
    assert zero_one.witness.value == 1.0


def test_bad_input():
    with pytest.raises(ValueError, match="must be finite"):
        check_convexity(lambda x: 0.0, -np.inf, 1.0)
    with pytest.raises(ValueError, match="lower <= upper"):
        check_convexity(lambda x: 0.0, 1.0, 0.0)
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="f is NaN at"):
        check_convexity(lambda x: float(np.log(x[0])), -1.0, 1.0)
