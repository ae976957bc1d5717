"""What the conformance test of a bound needs: numbers to call it with, samples on which it may fail.

One row in CASES for each theorem that relates n, epsilon and delta.  A simulation draws samples from a
distribution whose risks are known and returns, for each, whether the claim fails; `epsilon(**observed)` is
the tolerance that the theorem gives (for what was observed, where it depends on that).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Failures = NDArray[np.bool_]
Tolerance = Callable[..., Any]
Simulation = Callable[[int, Tolerance, int, np.random.Generator], Failures]


@dataclass(frozen=True)
class Case:
    """How a theorem is called and tried.

    `slack`: the tolerance divided by this must fail too often, so that the simulation can see a wrong bound.
    `grows`: parameters of which epsilon is an increasing function, with a larger value.
    """

    simulate: Simulation
    kwargs: dict[str, Any] = field(default_factory=dict)
    n: int = 60
    delta: float = 0.2
    reps: int = 2000
    slack: float = 4.0
    grows: dict[str, Any] = field(default_factory=dict)


def mean_of_coins(p: float, sides: int = 2) -> Simulation:
    """The mean of n coins against p."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        off = rng.binomial(n, p, size=reps) / n - p
        return np.asarray((np.abs(off) if sides == 2 else off) > epsilon())

    return run


def rate_of_coins(p: float) -> Simulation:
    """The observed rate of n coins against p, with the tolerance of that rate."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        k, where = np.unique(rng.binomial(n, p, size=reps), return_inverse=True)
        wide = np.array([epsilon(rate=i / n) for i in k])
        return np.asarray(np.abs(k / n - p) > wide)[where]

    return run


def variance_of_coins(p: float) -> Simulation:
    """The mean of n coins against p, with the tolerance of their observed variance; one-sided."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        k, where = np.unique(rng.binomial(n, p, size=reps), return_inverse=True)
        wide = np.array([epsilon(variance=i * (n - i) / (n * (n - 1.0))) for i in k])
        return np.asarray(p - k / n > wide)[where]

    return run


def distinct_values(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """The share of distinct values among n draws of n: one draw changes it by at most 1/n."""
    values = np.sort(rng.integers(n, size=(reps, n)), axis=1)
    share = (1 + (np.diff(values, axis=1) > 0).sum(axis=1)) / n
    return np.asarray(np.abs(share - (1.0 - (1.0 - 1.0 / n) ** n)) > epsilon())


def consistent_of_many(size: int) -> Simulation:
    """Hypotheses with independent errors just above epsilon: whether one makes none."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        risk = min(1.0, epsilon() * (1.0 + 1e-9))
        return np.asarray((rng.binomial(n, risk, size=(reps, size - 1)) == 0).any(axis=1))

    return run


def largest_of_many(size: int) -> Simulation:
    """Fair coins, one a hypothesis: the largest distance of a mean to 1/2."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        off = np.abs(rng.binomial(n, 0.5, size=(reps, size)) / n - 0.5)
        return np.asarray(off.max(axis=1) > epsilon())

    return run


def worse_of_many(size: int) -> Simulation:
    """All hypotheses have risk 1/2 but one, better by just more than epsilon: whether ERM takes another."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        gap = min(0.5, epsilon() * (1.0 + 1e-9))
        best = rng.binomial(n, 0.5 - gap, size=reps)
        return np.asarray(rng.binomial(n, 0.5, size=(reps, size - 1)).min(axis=1) <= best)

    return run


def counts(n: int, points: int, reps: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """How often each of d equally likely points was seen, and seen with label 1 (a fair coin)."""
    seen = rng.multinomial(n, np.full(points, 1.0 / points), size=reps)
    return seen, rng.binomial(seen, 0.5)


def largest_on_points(points: int, sides: int = 2) -> Simulation:
    """Labels by a fair coin on d points that the class labels in every way: all risks are 1/2."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        seen, ones = counts(n, points, reps, rng)
        return np.asarray(0.5 - np.minimum(ones, seen - ones).sum(axis=1) / n > epsilon())

    return run


def nested_on_points(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """Three nested classes that label the first 1, 2 or 3 points freely: whether any breaks its penalty."""
    seen, ones = counts(n, 3, reps, rng)
    failed = np.zeros(reps, dtype=bool)
    for d in (1, 2, 3):
        errors = np.minimum(ones, seen - ones)[:, :d].sum(axis=1) + ones[:, d:].sum(axis=1)
        failed |= 0.5 - errors / n > epsilon(vc=d)
    return failed


def noisy_minimiser(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """ERM on 4 points with 10 % wrong labels, against the tolerance of its own training error."""
    seen = rng.multinomial(n, np.full(4, 0.25), size=reps)
    right = rng.binomial(seen, 0.9)
    risk = np.where(2 * right < seen, 0.9, 0.1).mean(axis=1)
    errors, where = np.unique(np.minimum(right, seen - right).sum(axis=1), return_inverse=True)
    wide = np.array([epsilon(rate=i / n) for i in errors])
    return np.asarray(risk - (errors / n)[where] > wide[where])


def majority(points: int, bias: Callable[[float], float]) -> Simulation:
    """ERM on d points with biased labels; an excess risk of epsilon or more fails."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        eps = epsilon()
        rho = min(1.0, bias(eps) * (1.0 + 1e-9))
        seen = rng.multinomial(n, np.full(points, 1.0 / points), size=reps)
        right = rng.binomial(seen, (1.0 + rho) / 2.0)
        wrong = (2 * right < seen) | ((2 * right == seen) & (rng.random(seen.shape) < 0.5))
        return np.asarray(rho * wrong.mean(axis=1) >= eps)

    return run


def unseen(points: int, mass: Callable[[float], float], wrong: float = 0.5) -> Simulation:
    """d - 1 rare points of a mass and a common one, no noise: an error on each unseen one, or on half."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        eps, few = epsilon(), points - 1
        share = min(1.0, mass(eps) * (1.0 + 1e-9))
        seen = rng.multinomial(rng.binomial(n, share, size=reps), np.full(few, 1.0 / few))
        missed = rng.binomial((seen == 0).sum(axis=1), wrong)
        return np.asarray(share * missed / few >= eps)

    return run


def guesses(domain: int) -> Simulation:
    """Equally likely points with labels by a fair coin: an error on half of the unseen ones."""

    def run(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
        seen = rng.multinomial(n, np.full(domain, 1.0 / domain), size=reps)
        return np.asarray(rng.binomial((seen == 0).sum(axis=1), 0.5) / domain >= epsilon())

    return run


def noise_on_sphere(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """``loss = (1 - y w.x)/2`` with random y: all risks are 1/2, the best w points along the mean of y x."""
    X = rng.normal(size=(reps, n, 5))
    X /= np.linalg.norm(X, axis=2, keepdims=True)
    return np.asarray(0.5 * np.linalg.norm(X.mean(axis=1), axis=1) > epsilon())


def margins_on_circle(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """Random labels on the unit circle: risk 1/2; the direction with fewest rows inside the margin 0.1."""
    turn = rng.uniform(0.0, 2.0 * np.pi, size=(reps, n, 1))
    inside = np.cos(turn - np.linspace(0.0, 2.0 * np.pi, 45)) < 0.1
    return np.asarray(0.5 - inside.mean(axis=1).min(axis=1) > epsilon())


def boosted_on_a_line(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """Random labels on a line: every vote has risk 1/2; of the votes of one stump the one that errs least."""
    steps = 2.0 * rng.binomial(1, 0.5, size=(reps, n)) - 1.0
    left = np.cumsum(steps, axis=1)
    edge = np.abs(2.0 * left - left[:, -1:]).max(axis=1) / n
    return np.asarray(0.5 * edge > epsilon())


def pulled_mean(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """``loss = 1 - z w``, z = -1 or 1, minimised with ``w^2/2``: ``w = mean z``, ``L_D - L_S = w^2``."""
    return np.asarray((2.0 * rng.binomial(n, 0.5, size=reps) / n - 1.0) ** 2 > epsilon())


def projected(n: int, epsilon: Tolerance, reps: int, rng: np.random.Generator) -> Failures:
    """Five points in ten columns after n random projections: the worst ratio of squared distances."""
    first, second = np.triu_indices(5, 1)
    gaps = np.eye(10)[first] - np.eye(10)[second]
    length = np.square(gaps @ rng.normal(size=(reps, 10, n))).sum(axis=2) / n
    return np.asarray(np.abs(length / np.square(gaps).sum(axis=1) - 1.0).max(axis=1) > epsilon())


SIXTEEN = {"hypotheses": 16}
CASES: dict[str, Case] = {
    "hoeffding": Case(mean_of_coins(0.5), grows={"high": 2.0, "candidates": 5}),
    "chernoff_kl": Case(rate_of_coins(0.1), {"rate": 0.1}, grows={"rate": 0.3, "candidates": 5}),
    "clopper_pearson": Case(rate_of_coins(0.1), {"rate": 0.1}, grows={"rate": 0.3, "candidates": 5}),
    "bernstein": Case(
        mean_of_coins(0.1), {"variance": 0.09}, grows={"variance": 0.2, "high": 2.0, "candidates": 5}
    ),
    "empirical_bernstein": Case(
        variance_of_coins(0.5),
        {"variance": 0.05},
        slack=8.0,
        grows={"variance": 0.2, "high": 2.0, "candidates": 5},
    ),
    "mcdiarmid": Case(distinct_values, grows={"sensitivity": 2.0, "candidates": 5}),
    "finite_realizable": Case(consistent_of_many(16), SIXTEEN, grows={"hypotheses": 64}),
    "finite_uniform": Case(largest_of_many(16), SIXTEEN, grows={"hypotheses": 64, "loss_range": 2.0}),
    "finite_agnostic": Case(worse_of_many(16), SIXTEEN, grows={"hypotheses": 64, "loss_range": 2.0}),
    "finite_excess": Case(worse_of_many(16), SIXTEEN, grows={"hypotheses": 64, "loss_range": 2.0}),
    "discretisation": Case(
        worse_of_many(16), {"parameters": 2, "bits": 2}, grows={"parameters": 3, "bits": 3, "loss_range": 2.0}
    ),
    "vc_realizable": Case(unseen(4, lambda e: 3 * e, 1.0), {"vc": 4}, n=150, slack=32.0, grows={"vc": 5}),
    "vc_uniform": Case(largest_on_points(4), {"vc": 4}, n=300, slack=16.0, grows={"vc": 5}),
    "vc_classical": Case(largest_on_points(4), {"vc": 4}, n=2000, slack=24.0, grows={"vc": 5}),
    "vc_excess": Case(majority(4, lambda e: 4 * e), {"vc": 4}, n=500, slack=20.0, grows={"vc": 5}),
    "ghost_realizable": Case(unseen(4, lambda e: 3 * e, 1.0), {"vc": 4}, n=150, slack=10.0, grows={"vc": 5}),
    "ghost_uniform": Case(largest_on_points(4), {"vc": 4}, n=300, slack=8.0, grows={"vc": 5}),
    "ghost_excess": Case(majority(4, lambda e: 4 * e), {"vc": 4}, n=500, slack=14.0, grows={"vc": 5}),
    "ghost_training_error": Case(
        noisy_minimiser, {"vc": 4, "rate": 0.1}, n=150, slack=16.0, grows={"vc": 5, "rate": 0.2}
    ),
    "structural_risk": Case(
        nested_on_points, {"vc": 2, "classes": 3}, n=300, slack=12.0, grows={"vc": 3, "classes": 9}
    ),
    "fundamental_realizable": Case(
        unseen(4, lambda e: 3 * e, 1.0), {"vc": 4}, n=1000, slack=150.0, grows={"vc": 5}
    ),
    "fundamental_agnostic": Case(largest_on_points(4), {"vc": 4}, n=10**6, slack=100.0, grows={"vc": 5}),
    "lower_realizable": Case(unseen(200, lambda e: 8 * e), {"vc": 200}, n=100, delta=0.05, grows={"vc": 400}),
    "lower_agnostic": Case(
        majority(200, lambda e: 8 * e), {"vc": 200}, n=400, delta=0.12, reps=1000, grows={"vc": 400}
    ),
    "no_free_lunch": Case(guesses(120), {"domain_size": 120}, delta=1 / 7, grows={"domain_size": 240}),
    "rademacher": Case(
        noise_on_sphere,
        {"radius": 1.0, "lipschitz": 0.5},
        n=30,
        grows={"radius": 2.0, "lipschitz": 1.0, "loss_range": 2.0},
    ),
    "margin": Case(
        margins_on_circle,
        {"margin": 0.1},
        n=500,
        reps=300,
        slack=300.0,
        grows={"weight_norm": 2.0, "row_norm": 2.0},
    ),
    "vote_margin": Case(boosted_on_a_line, {"margin": 0.5, "vc": 2}, n=1000, slack=50.0, grows={"vc": 5}),
    "stability_deviation": Case(
        pulled_mean,
        {"rho": 1.0, "alpha": 1.0, "largest_loss": 2.0},
        n=200,
        slack=80.0,
        grows={"rho": 2.0, "largest_loss": 4.0, "gap": 0.1, "candidates": 5},
    ),
    "johnson_lindenstrauss": Case(
        projected, {"points": 5}, n=100, reps=1000, slack=3.0, grows={"points": 50}
    ),
}
