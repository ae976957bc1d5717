"""Stability: both sides of the identity agree, against closed forms, and stay below the bound."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.tree import DecisionTreeRegressor

import empirisk as er
from empirisk.selection import stability


def linear(rng, n, p):
    X = rng.normal(size=(n, p))
    return X, X.sum(axis=1) + rng.normal(size=n)


@pytest.mark.parametrize(("runs", "n_replace"), [(12, 40), pytest.param(150, 60, marks=pytest.mark.slow)])
def test_both_sides_hold_the_known_gap_of_least_squares(runs, n_replace, rng) -> None:
    # Gaussian columns, intercept, m training rows, q coefficients in all: training loss sigma^2 (1 - q/m),
    # new rows sigma^2 (1 + 1/m)(m - 2)/(m - q - 1).
    n, p, m = 100, 6, 80
    q = p + 1
    truth = (1 + 1 / m) * (m - 2) / (m - q - 1) - (1 - q / m)
    left = right = agree = 0
    for k in range(runs):
        s = stability(er.LinearRegression(), *linear(rng, n, p), n_replace=n_replace, random_state=k)
        left += s.gap.low <= truth <= s.gap.high
        right += s.replaced.low <= truth <= s.replaced.high
        agree += bool(s.agree)
    least = 0.90 - 3.5 * np.sqrt(0.1 * 0.9 / runs)
    assert min(left, right, agree) / runs >= least, (left / runs, right / runs, agree / runs)


def test_the_mean_is_known_exactly() -> None:
    # A constant: replacing y_i by y' in a mean of m moves the prediction by (y' - y_i)/m, whatever X is.
    y = np.arange(50.0)
    s = stability(DummyRegressor(), np.zeros((50, 1)), y, n_replace=50, random_state=0)
    assert s.n_train == 40
    assert s.n_fits == 55
    # Drawn without replacement from a finite population of variance S^2 (divisor N-1) the right side is
    # E[2 (y_i - mean)(y_i - y')/m + (y' - y_i)^2/m^2] = 2 S^2 (m-1)/m^2 + 2 S^2/m^2.
    assert s.replaced.low < 2.0 * y.var(ddof=1) / 40 < s.replaced.high
    assert 0.0 < s.mean_change < s.largest_change


def test_an_unstable_model_overfits(rng) -> None:
    X, y = linear(rng, 120, 4)
    tree = stability(DecisionTreeRegressor(random_state=0), X, y, n_replace=60, random_state=0)
    ridge = stability(er.Ridge(alpha=0.1), X, y, n_replace=60, random_state=0)
    assert tree.replaced.low > ridge.replaced.high
    assert tree.agree
    assert tree.bound is None
    assert "log-loss of our logistic" in tree.bound_reason


def test_the_bound_of_regularised_loss_minimisation(rng) -> None:
    X = rng.uniform(-1, 1, size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = er.LogisticRegression(alpha=0.1, fit_intercept=False)
    s = stability(model, X, y, rho=np.sqrt(3.0), n_replace=50, random_state=0)
    assert s.bound.epsilon == pytest.approx(2 * 3.0 / (0.1 * 160), rel=1e-3)
    assert s.gap.value < s.bound.epsilon
    assert s.largest_change < s.bound.epsilon
    assert "2 rho^2/(alpha m)" in repr(s)
    for other, reason in [
        (er.LogisticRegression(alpha=0.1), "intercept is free"),
        (er.LogisticRegression(alpha=0.1, l1_ratio=1.0, fit_intercept=False), "not strongly convex"),
    ]:
        assert reason in stability(other, X, y, rho=2.0, n_replace=1, random_state=0).bound_reason
    assert "needs rho" in stability(model, X, y, n_replace=1, random_state=0).bound_reason


def test_it_reads_well(rng) -> None:
    s = stability(er.Ridge(), *linear(rng, 60, 2), n_replace=10, random_state=0)
    assert s.replaced.low is None
    assert "10 replaced rows are too few" in s.replaced.reason
    assert s.agree is None
    assert list(s.to_frame()["quantity"]) == ["gap", "replaced", "difference"]
    assert "cannot tell" in repr(s)
    assert "<strong>Stability of Ridge" in s._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_replace": 0}, "n_replace must be"),
        ({"rho": -1.0}, "rho must be"),
        ({"level": 1.0}, "level must lie"),
        ({"loss": "r2"}, "loss must be a mean over rows"),
    ],
)
def test_bad_input(arguments, message, rng) -> None:
    with pytest.raises(ValueError, match=message):
        stability(er.Ridge(), *linear(rng, 40, 2), **arguments)
    with pytest.raises(ValueError, match="at least 10 rows"):
        stability(er.Ridge(), *linear(rng, 9, 2))
