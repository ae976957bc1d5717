"""Stability, its slack and the oracle inequality on problems whose minimisers and risks are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.bounds.stability import gap_slack

b = er.bounds


def replaced(alpha: float, X: np.ndarray, y: np.ndarray, fresh: np.ndarray, label: float) -> float:
    """How far the minimiser of ``mean(-y w.x) + alpha ||w||^2/2`` moves when row 0 is replaced."""
    before = (y @ X) / (len(y) * alpha)
    after = before + (label * fresh - y[0] * X[0]) / (len(y) * alpha)
    return float(np.linalg.norm(before - after))


def test_replacing_a_row_moves_the_minimiser_by_at_most_2_rho_over_alpha_n() -> None:
    """Sharp for a linear loss and opposite rows: the constant of the proof cannot be smaller."""
    x = np.array([1.0, 0.0])
    moved = replaced(0.5, np.tile(x, (10, 1)), np.ones(10), x, -1.0)
    assert moved == pytest.approx(2.0 * 1.0 / (0.5 * 10))
    # so each loss moves by rho times that: half of the constant printed in the book (4 rho^2/(alpha n)).
    assert b.stability(n=10, rho=1.0, alpha=0.5).epsilon == pytest.approx(moved)


def test_the_expected_difference_is_below_the_bound(rng: np.random.Generator) -> None:
    """Linear loss ``-y w.x`` with random labels: L_D = 0 and L_S = -||mean yx||^2/alpha exactly."""
    n, alpha, reps = 20, 0.7, 4000
    turn = rng.uniform(0, 2 * np.pi, size=(reps, n))
    signs = rng.choice([-1.0, 1.0], size=(reps, n))
    mean = np.stack([(signs * f(turn)).mean(axis=1) for f in (np.cos, np.sin)])
    difference = (mean**2).sum(axis=0) / alpha
    bound = b.stability(n=n, rho=1.0, alpha=alpha).epsilon
    assert difference.mean() == pytest.approx(1.0 / (alpha * n), rel=0.1)  # E||mean||^2 = 1/n
    assert difference.mean() < bound < 2.5 * difference.mean()


def test_the_slack_of_a_gap_is_sharp() -> None:
    """A quadratic objective with a gap g: in the worst direction the loss moves by rho sqrt(2 g/alpha)."""
    alpha, gap, rho = 0.5, 1e-3, 2.0
    shift = math.sqrt(2 * gap / alpha)  # alpha shift^2/2 = gap
    assert 0.5 * alpha * shift**2 == pytest.approx(gap)
    base, loose = (b.stability(n=100, rho=rho, alpha=alpha, gap=g).epsilon for g in (0.0, gap))
    assert loose - base == pytest.approx(2 * rho * shift)
    exact, moved = (
        b.regularised_oracle(n=100, rho=rho, norm=3.0, alpha=alpha, gap=g).epsilon for g in (0.0, gap)
    )
    assert moved - exact == pytest.approx(rho * shift)


def test_a_certified_but_inexact_fit_stays_within_the_slack(rng: np.random.Generator) -> None:
    """Stop a logistic regression early; each loss differs from that of a precise fit by at most the slack."""
    X = rng.uniform(-1, 1, size=(200, 5)) / math.sqrt(5)
    y = np.where(X @ np.ones(5) + 0.2 * rng.normal(size=200) > 0, 1, -1)
    precise = er.LogisticRegression(0.01, fit_intercept=False, tol=1e-12).fit(X, y)
    problem = precise.problem(X, y)
    fresh = rng.uniform(-1, 1, size=(2000, 5)) / math.sqrt(5)
    for noise in (1e-1, 1e-2, 1e-3):
        w = precise.coef_.ravel() + noise * rng.normal(size=5)
        gap = problem.certify(w).suboptimality()
        assert gap is not None
        moved = np.abs(np.logaddexp(0, -fresh @ w) - np.logaddexp(0, -fresh @ precise.coef_.ravel())).max()
        assert moved <= gap_slack(1.0, 0.01, gap)


def test_the_oracle_inequality_worked() -> None:
    # Shalev-Shwartz & Ben-David, corollary 13.9, has rho B sqrt(8/m) at lambda = sqrt(2 rho^2/(B^2 m)); with
    # the smaller stability constant it is 2 rho B/sqrt(m) at alpha = 2 rho/(B sqrt m).
    rho, norm, n = 1.5, 2.0, 400
    best = b.regularised_oracle(n=n, rho=rho, norm=norm).epsilon
    assert best == pytest.approx(2 * rho * norm / math.sqrt(n))
    assert best < rho * norm * math.sqrt(8 / n)
    around = [
        b.regularised_oracle(n=n, rho=rho, norm=norm, alpha=2 * rho / (norm * math.sqrt(n)) * f).epsilon
        for f in (0.5, 0.9, 1.0, 1.1, 2.0)
    ]
    assert min(around) == pytest.approx(best)
    assert around.index(min(around)) == 2
    # corollary 13.9: m >= 8 rho^2 B^2/eps^2 rows suffice; here half as many.
    assert b.regularised_oracle(epsilon=0.1, rho=rho, norm=norm).n == math.ceil(4 * rho**2 * norm**2 / 0.01)


def test_the_oracle_inequality_holds(rng: np.random.Generator) -> None:
    """Loss ``1 - y w.x`` on the circle, labels right with probability 0.9: L_D(w) = 1 - 0.8 E|x_0| w_0."""
    n, rho, norm, reps = 50, 1.0, 1.0, 4000
    alpha = 2 * rho / (norm * math.sqrt(n))
    turn = rng.uniform(0, 2 * np.pi, size=(reps, n))
    y = np.sign(np.cos(turn)) * np.where(rng.random((reps, n)) < 0.9, 1.0, -1.0)
    w0 = (y * np.cos(turn)).mean(axis=1) / alpha
    slope = 0.8 * 2 / np.pi
    excess = (1 - slope * w0).mean() - (1 - slope * norm)
    assert excess <= b.regularised_oracle(n=n, rho=rho, norm=norm).epsilon


def test_bousquet_and_elisseeff_theorem_12() -> None:
    # 2 beta + (4 m beta + M) sqrt(log(1/delta)/(2m)) with the removal constant beta = rho^2/(alpha m).
    m, rho, alpha, largest, delta = 1000, 1.0, 0.5, 3.0, 0.05
    beta = rho**2 / (alpha * m)
    expected = 2 * beta + (4 * m * beta + largest) * math.sqrt(math.log(1 / delta) / (2 * m))
    got = b.stability_deviation(n=m, delta=delta, rho=rho, alpha=alpha, largest_loss=largest)
    assert got.epsilon == pytest.approx(expected, rel=1e-12)
    assert "largest" not in got.claim


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: b.stability(rho=1.0, alpha=0.1), "exactly one of n and epsilon"),
        (lambda: b.stability(n=10, epsilon=0.1, rho=1.0, alpha=0.1), "exactly one of n and epsilon"),
        (lambda: b.stability(n=0, rho=1.0, alpha=0.1), "n must"),
        (lambda: b.stability(n=10, rho=math.inf, alpha=0.1), "rho must"),
        (lambda: b.stability(n=10, rho=1.0, alpha=0.0), "alpha must"),
        (lambda: b.stability(n=10, rho=1.0, alpha=0.1, gap=-1.0), "gap must"),
        (lambda: b.stability(epsilon=0.01, rho=1.0, alpha=0.1, gap=1.0), "not reached with any n"),
        (lambda: b.regularised_oracle(n=10, rho=1.0, norm=1.0, gap=0.1), "gap > 0 needs alpha"),
        (lambda: b.regularised_oracle(epsilon=1e-3, rho=1.0, norm=1.0, alpha=1.0), "not reached"),
    ],
)
def test_wrong_numbers_are_refused(call, word: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=word):
        call()
