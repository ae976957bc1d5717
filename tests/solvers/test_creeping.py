"""Steps that would creep are lengthened, and a solver that creeps all the same is stopped."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er


def test_residuals_far_beyond_the_tube_are_reached_in_a_few_steps() -> None:
    """Two equal rows, and targets 1e9 away from the start: any score between the targets costs the same."""
    X = np.array([[-0.3, -1.5]] * 2)
    y = np.array([1e9 - 1.0, 1e9 + 1.0])
    model = er.HuberRegressor(alpha=1e-6, delta=0.01, fit_intercept=False, l1_ratio=1.0, scale=0.5).fit(X, y)
    assert model.n_iter_ <= 30
    # The cheapest column under an L1 penalty is the longest one.
    assert model.coef_[1] == pytest.approx(-1e9 / 1.5, rel=1e-6)
    assert abs(model.coef_[0]) <= 1e-6 * abs(model.coef_[1])  # within the tolerance


def test_exponential_tails_are_walked_down_in_long_steps() -> None:
    """Counts of 0 where x < 0 pull the slope far out, one unit of the score a Newton step."""
    x = np.array([-3.0, -2.0, -1.0, 1.0])
    model = er.PoissonRegressor(alpha=1e-12, l1_ratio=1.0, tol=1e-9).fit(x[:, None], [0.0, 0.0, 0.0, 5.0])
    assert model.n_iter_ <= 15
    assert model.predict([[1.0]])[0] == pytest.approx(5.0, rel=1e-6)


def test_creeping_is_judged_over_a_span_of_looks() -> None:
    from empirisk.results import Certificate, Kind, Status
    from empirisk.solvers.base import State
    from empirisk.solvers.solve import SPAN, _Watch

    problem = er.Lasso(0.1).problem(np.eye(3), [1.0, 2.0, 3.0])
    w = problem.zeros()

    class Claimed:
        """The problem with certificates that shrink by a given factor a look."""

        def __init__(self, factor: float) -> None:
            self.value, self.factor = 1.0, factor
            self.penalty, self.split = problem.penalty, problem.split

        def certify(self, *given: object) -> Certificate:
            self.value *= self.factor
            return Certificate(Kind.DUALITY_GAP, self.value, 1.0, "")

    for factor, newton, stops in [(0.999, True, True), (0.99, True, False), (0.999, False, False)]:
        watch = _Watch(Claimed(factor), 1e-12, None, newton)  # type: ignore[arg-type]
        watch.sharpen = lambda ends: False  # type: ignore[method-assign]
        ends = [watch.look(step, State(w)) for step in range(1, 2 * SPAN + 1)]
        assert (Status.STALLED in ends) == stops
