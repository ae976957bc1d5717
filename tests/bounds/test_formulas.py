"""The theorems of the concentration, finite and VC families against their formulas in forty digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import binomial, e, exp, findroot, log, mp, mpf, quad, sqrt
from scipy import stats

import empirisk as er
from tests.bounds.cases import CASES


def sauer(n: int, d: int) -> Any:
    return sum(binomial(n, i) for i in range(d + 1))


def root(f: Callable[[Any], Any], low: float, high: float) -> Any:
    """The zero of a monotone function, by bisection."""
    a, b = mpf(low), mpf(high)
    rising = f(b) > 0
    for _ in range(120):
        middle = (a + b) / 2
        a, b = (a, middle) if (f(middle) > 0) == rising else (middle, b)
    return (a + b) / 2


def beta_tail(a: Any, b: Any, x: Any) -> Any:
    """Return P(Beta(a, b) <= x) by quadrature in many digits."""
    inside = quad(lambda t: t ** (a - 1) * (1 - t) ** (b - 1), [0, x])
    return inside / quad(lambda t: t ** (a - 1) * (1 - t) ** (b - 1), [0, a / (a + b), 1])


def clopper_pearson(n: int, d: Any) -> Any:
    k = mpf(n) / 10
    upper = findroot(lambda x: 1 - beta_tail(k + 1, n - k, x) - d / 2, 0.17)
    lower = findroot(lambda x: beta_tail(k, n - k + 1, x) - d / 2, 0.05)
    return max(upper - mpf("0.1"), mpf("0.1") - lower)


def chernoff(n: int, d: Any) -> Any:
    q = mpf("0.1")

    def rest(p: Any) -> Any:
        return q * log(q / p) + (1 - q) * log((1 - q) / (1 - p)) - log(2 / d) / n

    return max(root(rest, 0.1001, 0.9) - q, q - root(rest, 0.001, 0.0999))


def vc_like(scale: Any, tail: Callable[[Any], Any]) -> Callable[[int, Any], Any]:
    return lambda n, d: sqrt(2 * log(sauer(n, 4)) / n) + sqrt(tail(d) / (scale * n))


def closed_agnostic(n: int, d: Any) -> Any:
    def rest(x: Any) -> Any:
        return 128 * 4 / x**2 * log(64 * 4 / x**2) + 8 / x**2 * (32 * log(e / 4) + 2 * log(4 / d)) - n

    return root(rest, 0.05, 0.2)


# epsilon(n, delta) with the parameters of CASES.
FORMULAS: dict[str, Callable[[int, Any], Any]] = {
    "hoeffding": lambda n, d: sqrt(log(2 / d) / (2 * n)),
    "chernoff_kl": chernoff,
    "clopper_pearson": clopper_pearson,
    "bernstein": lambda n, d: root(lambda t: 2 * exp(-n * t**2 / (2 * (mpf("0.09") + t / 3))) - d, 0, 1),
    "empirical_bernstein": lambda n, d: (
        sqrt(2 * mpf("0.05") * log(2 / d) / n) + 7 * log(2 / d) / (3 * (n - 1))
    ),
    "mcdiarmid": lambda n, d: sqrt(log(2 / d) / (2 * n)),
    "finite_realizable": lambda n, d: log(16 / d) / n,
    "finite_uniform": lambda n, d: sqrt(log(32 / d) / (2 * n)),
    "finite_agnostic": lambda n, d: sqrt(2 * log(32 / d) / n),
    "discretisation": lambda n, d: sqrt(2 * (4 * log(2) + log(2 / d)) / n),
    "vc_realizable": lambda n, d: 2 * log(2 * sauer(2 * n, 4) / d) / log(2) / n,
    "vc_uniform": vc_like(2, lambda d: log(2 / d)),
    "vc_classical": lambda n, d: sqrt(8 * log(4 * sauer(2 * n, 4) / d) / n),
    "vc_excess": vc_like(mpf(1) / 2, lambda d: log(1 / d)),
    "structural_risk": lambda n, d: sqrt(2 * log(sauer(n, 2)) / n) + sqrt(log(3 / d) / (2 * n)),
    "fundamental_realizable": lambda n, d: root(
        lambda x: 8 / x * (8 * log(16 * e / x) + log(2 / d)) - n, 0.1, 0.9
    ),
    "fundamental_agnostic": closed_agnostic,
    "lower_realizable": lambda n, d: max(mpf(199) / (32 * n), 1 - (2 * d) ** (mpf(1) / n)),
    "lower_agnostic": lambda n, d: max(sqrt(mpf(200) / (512 * n)), sqrt(log(1 / (4 * d)) / (2 * n))),
    "no_free_lunch": lambda n, d: ((1 - mpf(1) / 120) ** n / 2 - d) / (1 - d),
    "rademacher": lambda n, d: (1 + sqrt(log(1 / d) / 2)) / sqrt(n),
    "margin": lambda n, d: (20 + sqrt(log(1 / d) / 2)) / sqrt(n),
    "vote_margin": lambda n, d: (4 * sqrt(2 * log(sauer(n, 2))) + sqrt(log(1 / d) / 2)) / sqrt(n),
}


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_epsilon_is_the_formula(name: str) -> None:
    case = CASES[name]
    found = er.bounds.REGISTRY[name](n=case.n, delta=case.delta, **case.kwargs)
    with mp.workdps(40):
        assert found.epsilon == pytest.approx(float(FORMULAS[name](case.n, mpf(case.delta))), rel=1e-10)


OTHERS: list[tuple[str, dict[str, Any], Callable[[int, Any], Any]]] = [
    (
        "empirical_bernstein",
        {"variance": 0.05, "sides": 2},
        lambda n, d: sqrt(log(3 / d) / (10 * n)) + 7 * log(3 / d) / (3 * (n - 1)),
    ),
    ("rademacher", {"radius": 2, "observed": True}, lambda n, d: (4 + 3 * sqrt(log(2 / d) / 2)) / sqrt(n)),
    (
        "structural_risk",
        {"vc": 2, "weight": 0.1},
        lambda n, d: sqrt(2 * log(sauer(n, 2)) / n) + sqrt(log(10 / d) / (2 * n)),
    ),
    (
        "vc_uniform",
        {"vc": 2, "sides": 1},
        lambda n, d: sqrt(2 * log(sauer(n, 2)) / n) + sqrt(log(1 / d) / (2 * n)),
    ),
    (
        "margin",
        {"margin": 0.1, "any_margin": True},
        lambda n, d: (40 + sqrt(log(log(20) / log(2))) + sqrt(log(2 / d) / 2)) / sqrt(n),
    ),
    (
        "vote_margin",
        {"margin": 0.9, "vc": 1, "any_margin": True},
        lambda n, d: (
            (
                mpf(4) / mpf("0.9") * sqrt(2 * log(sauer(n, 1)))
                + sqrt(log(log(2 / mpf("0.9")) / log(2)))
                + sqrt(log(2 / d) / 2)
            )
            / sqrt(n)
        ),
    ),
    ("hoeffding", {"low": -1, "high": 2, "sides": 1}, lambda n, d: 3 * sqrt(log(1 / d) / (2 * n))),
    ("hoeffding", {"candidates": 7}, lambda n, d: sqrt(log(14 / d) / (2 * n))),
]


@pytest.mark.parametrize(("name", "given", "formula"), OTHERS)
def test_the_other_forms(name: str, given: dict[str, Any], formula: Callable[[int, Any], Any]) -> None:
    found = er.bounds.REGISTRY[name](n=500, delta=0.05, **given)
    assert found.epsilon == pytest.approx(float(formula(500, mpf("0.05"))), rel=1e-12)


def test_a_class_gives_its_own_growth() -> None:
    by_class = er.bounds.vc_uniform(n=1000, delta=0.05, hypotheses=er.hypotheses.Thresholds())
    growth = er.hypotheses.Thresholds().growth(1000)
    assert by_class.epsilon == pytest.approx(float(sqrt(2 * log(growth) / 1000) + sqrt(log(40) / 2000)))
    assert "thresholds" in by_class.claim
    with pytest.raises(ValueError, match="infinite VC dimension"):
        er.bounds.vc_uniform(n=1000, delta=0.05, hypotheses=er.hypotheses.Sine())
    with pytest.raises(ValueError, match="either vc"):
        er.bounds.vc_uniform(n=1000, delta=0.05)


@pytest.mark.parametrize(("n", "d"), [(1, 0), (5, 2), (7, 7), (7, 9), (1000, 30), (10**9, 3)])
def test_logarithm_of_sauers_sum(n: int, d: int) -> None:
    with mp.workdps(40):
        assert er.bounds.log_sauer(n, d) == pytest.approx(
            float(log(sauer(n, min(n, d)))), rel=1e-13, abs=1e-15
        )


def test_finite_excess_is_the_best_split() -> None:
    n, e, size = 400, mpf("0.15"), 16

    def failure(u: Any) -> Any:
        return size * exp(-2 * n * (e - u) ** 2) + exp(-2 * n * u**2)

    best = min(failure(e * i / 1000) for i in range(1, 501))
    found = er.bounds.finite_excess(n=n, epsilon=0.15, hypotheses=16).delta
    assert found == pytest.approx(float(best), rel=2e-3)
    assert found >= float(best)
    for hypotheses in (2, 100, 10**9):
        given = {"epsilon": 0.1, "delta": 0.05, "hypotheses": hypotheses}
        assert er.bounds.finite_excess(**given).n < er.bounds.finite_agnostic(**given).n


def log_all_in(size: int, s: int) -> Any:
    """Return ``log C(size, s)`` up to the term of s!, which cancels in the ratio below."""
    return sum(log(size - i) for i in range(s))


@pytest.mark.parametrize(("n", "k", "s"), [(300, 900, 40), (300, 1500, 70), (300, 300, 12)])
def test_ghost_realizable_is_at_most_each_of_its_terms(n: int, k: int, s: int) -> None:
    found = er.bounds.ghost_realizable(n=n, epsilon=0.05, vc=2)
    seen = sum(binomial(k, j) * mpf("0.05") ** j * mpf("0.95") ** (k - j) for j in range(s, k + 1))
    term = sauer(n + k, 2) * exp(log_all_in(k, s) - log_all_in(n + k, s)) / seen
    assert found.delta is not None
    assert found.delta <= float(term) * 1.1  # the grid of sizes is not every size
    assert found.delta >= 1e-3 * float(term)


@pytest.mark.parametrize(("k", "s"), [(1000, 150), (1500, 250), (3000, 400)])
def test_ghost_training_error_is_at_most_each_of_its_terms(k: int, s: int) -> None:
    n, j, risk = 300, 15, mpf("0.17")

    def kl(q: Any, p: Any) -> Any:
        return q * log(q / p) + (1 - q) * log((1 - q) / (1 - p))

    found = er.bounds.ghost_training_error(n=n, epsilon=0.12, vc=2, rate=0.05).delta
    seen = sum(binomial(k, i) * risk**i * (1 - risk) ** (k - i) for i in range(s, k + 1))
    few = max(n * kl(mpf(j) / n, mpf(j + s) / (n + k)), (j + s) * kl(mpf(j) / (j + s), mpf(n) / (n + k)))
    # The bound on few errors among the first n is one: the exact probability is smaller.
    exact = sum(binomial(j + s, i) * binomial(n + k - j - s, n - i) for i in range(j + 1)) / binomial(
        n + k, n
    )
    assert exact <= exp(-few)
    assert found is not None
    assert found <= float((n + 1) * sauer(n + k, 2) * exp(-few) / seen) * 1.1


@pytest.mark.parametrize("c", [1, 3, 8])
def test_ghost_uniform_is_the_best_of_its_terms(c: int) -> None:
    n, e, k = 3000, mpf("0.1"), 3000 * c
    found = er.bounds.ghost_uniform(n=n, epsilon=0.1, vc=3, sides=1).delta

    def term(t: Any) -> Any:
        a = exp(-2 * n * (e - t) ** 2 * k**2 / mpf((n + k) * (k + 1)))
        return sauer(n + k, 3) * a / (1 - exp(-2 * k * t**2))

    best = min(term(e * i / 100) for i in range(1, 51))
    assert found is not None
    assert found <= float(best) * (1 + 1e-9)
    everywhere = [er.bounds.ghost_uniform(n=n, epsilon=0.1, vc=3).delta, 2 * found]
    assert everywhere[0] == pytest.approx(everywhere[1])


@pytest.mark.parametrize(("n", "k"), [(20, 20), (30, 90), (40, 400)])
@pytest.mark.parametrize("x", [0.1, 0.3])
def test_the_exponent_of_the_ghost_bounds_every_labelling(n: int, k: int, x: float) -> None:
    """Draws without replacement, by the exact law: error rates of k rows above those of n by x."""
    total, first = np.arange(n + k + 1)[:, None], np.arange(n + 1)
    differs = (total - first) / k - first / n > x
    exact = (stats.hypergeom.pmf(first, n + k, total, n) * differs).sum(axis=1)
    assert exact.max() <= np.exp(-2.0 * n * x**2 * k**2 / ((n + k) * (k + 1.0)))
    assert exact.max() > 0.0


def test_ghost_excess_is_the_best_split() -> None:
    n, e = 3000, 0.12
    found = er.bounds.ghost_excess(n=n, epsilon=e, vc=3).delta
    splits = [
        (er.bounds.ghost_uniform(n=n, epsilon=e * (1 - u), vc=3, sides=1).delta or 0.0)
        + float(exp(-2 * n * (u * e) ** 2))
        for u in [0.01 * i for i in range(1, 61)]
    ]
    assert found == pytest.approx(min(splits), rel=1e-9)


@pytest.mark.parametrize("kind", ["realizable", "uniform", "excess"])
@pytest.mark.parametrize("vc", [1, 5, 40])
@pytest.mark.parametrize("epsilon", [0.02, 0.2])
def test_a_ghost_sample_of_the_best_size_asks_for_fewer_rows(kind: str, vc: int, epsilon: float) -> None:
    given = {"epsilon": epsilon, "delta": 0.05, "vc": vc}
    assert getattr(er.bounds, f"ghost_{kind}")(**given).n < getattr(er.bounds, f"vc_{kind}")(**given).n
