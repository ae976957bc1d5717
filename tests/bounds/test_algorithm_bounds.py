"""Perceptron, neighbours, projections, seeding and step counts: simulation, enumeration, printed numbers."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus
from sklearn.random_projection import johnson_lindenstrauss_min_dim

import empirisk as er

b = er.bounds


# -- perceptron ----------------------------------------------------------------------------------


def updates(X: np.ndarray, y: np.ndarray, passes: int) -> int:
    w, count = np.zeros(X.shape[1]), 0
    for _ in range(passes):
        for x, label in zip(X, y, strict=True):
            if label * (x @ w) <= 0:
                w, count = w + label * x, count + 1
    return count


def test_the_perceptron_never_makes_more_mistakes(rng: np.random.Generator) -> None:
    for _ in range(20):
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        X = rng.uniform(-1, 1, size=(60, 3))
        X = X[np.abs(X @ u) > 0.15]
        y = np.sign(X @ u)
        most = b.perceptron(radius=float(np.linalg.norm(X, axis=1).max()), margin=float(np.abs(X @ u).min()))
        assert updates(X, y, 500) <= most


def test_the_mistake_bound_is_attained() -> None:
    """Unit vectors e_1 ... e_d, all of class 1: margin 1/sqrt(d), one mistake on each, (R/margin)^2 = d."""
    for d in (1, 4, 25, 49):
        assert updates(np.eye(d), np.ones(d), 3) == d == b.perceptron(radius=1.0, margin=1 / math.sqrt(d))


def test_freund_and_schapire_when_nothing_separates(rng: np.random.Generator) -> None:
    for _ in range(20):
        X = rng.normal(size=(40, 2))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = np.where(X[:, 0] > 0, 1.0, -1.0) * np.where(rng.random(40) < 0.1, -1.0, 1.0)
        for margin in (0.1, 0.4):
            lacking = np.maximum(0.0, margin - y * X[:, 0])
            most = b.perceptron(radius=1.0, margin=margin, deviation=float(np.sqrt((lacking**2).sum())))
            assert updates(X, y, 1) <= most


def test_the_expected_risk_of_the_perceptron(rng: np.random.Generator) -> None:
    grid = np.linspace(0, 2 * np.pi, 4000, endpoint=False)
    grid = grid[np.abs(np.cos(grid)) > 0.5]
    truth, n, risks = np.cos(grid) > 0, 20, []
    for _ in range(300):
        turn = rng.choice(grid, size=n)
        X, y = np.column_stack([np.cos(turn), np.sin(turn)]), np.where(np.cos(turn) > 0, 1.0, -1.0)
        w = np.zeros(2)
        while (wrong := y * (X @ w) <= 0).any():
            w = w + y[wrong.argmax()] * X[wrong.argmax()]
        risks.append(np.mean((w[0] * np.cos(grid) + w[1] * np.sin(grid) > 0) != truth))
    assert np.mean(risks) <= b.perceptron_risk(n=n, radius=1.0, margin=0.5).epsilon


# -- neighbours ----------------------------------------------------------------------------------


def test_nearest_neighbours_on_the_line(rng: np.random.Generator) -> None:
    """eta(x) = x on [0, 1]: c = 1, L* = 1/4; the risk given a sample is an integral over a fine grid."""
    grid = (np.arange(400) + 0.5) / 400
    for k, n in ((1, 200), (10, 4000)):
        risks = []
        for _ in range(10):
            x = np.sort(rng.random(n))
            y = rng.random(n) < x
            near = np.abs(grid[:, None] - x).argpartition(k - 1, axis=1)[:, :k]
            ones = y[near].mean(axis=1) > 0.5
            risks.append(np.where(ones, 1 - grid, grid).mean())
        bound = b.nearest_neighbors(n=n, k=k, dimension=1, lipschitz=1.0, bayes_risk=0.25).epsilon
        assert np.mean(risks) <= bound
    # By hand: 2 L* + 4 c sqrt(d) n^(-1/(d+1)) = 0.5 + 4/sqrt(10^4) and (1 + sqrt(8/32)) L* + (6 + 32)/100.
    one = b.nearest_neighbors(n=10**4, dimension=1, lipschitz=1.0, bayes_risk=0.25).epsilon
    many = b.nearest_neighbors(n=10**4, k=32, dimension=1, lipschitz=1.0, bayes_risk=0.25).epsilon
    assert (one, many) == (pytest.approx(0.54), pytest.approx(0.755))
    # Shalev-Shwartz & Ben-David, theorem 19.3: (4 c sqrt(d)/eps)^(d+1) rows make the second term eps.
    assert b.nearest_neighbors(epsilon=0.1, dimension=3, lipschitz=1.0).n == math.ceil(
        (40 * math.sqrt(3)) ** 4
    )


def test_cover_and_hart() -> None:
    for n_classes in (2, 3, 10):
        most = 1 - 1 / n_classes
        for bayes in np.linspace(0, most, 9):
            worst = 2 * bayes - n_classes / (n_classes - 1) * bayes**2
            low, high = b.cover_hart(float(min(worst, most)), n_classes)
            assert low == pytest.approx(bayes, abs=1e-7)
            assert high == pytest.approx(min(worst, most))
    assert b.cover_hart(0.0) == (0.0, 0.0)
    assert b.cover_hart(0.9) == (0.5, 0.5)
    for call, word in (
        (lambda: b.cover_hart(1.1), "error must"),
        (lambda: b.cover_hart(0.1, 1), "n_classes must"),
    ):
        with pytest.raises(ValueError, match=word):
            call()


# -- projections and seeding ---------------------------------------------------------------------


# The values of scikit-learn's johnson_lindenstrauss_min_dim (Dasgupta and Gupta: 4 log m/(e^2/2 - e^3/3)), as
# its users tabulate them: 3947 for (100, 0.1), 331 for (1000, 0.5), 22867 for (1000, 0.05).
@pytest.mark.parametrize(("m", "eps", "printed"), [(100, 0.1, 3947), (1000, 0.5, 331), (1000, 0.05, 22867)])
def test_dasgupta_and_gupta(m: int, eps: float, printed: int) -> None:
    assert int(johnson_lindenstrauss_min_dim(m, eps=eps)) == printed
    # Their projection fails with probability at most 1 - 1/m; the sharper exponent asks for fewer dimensions.
    ours = b.johnson_lindenstrauss(points=m, epsilon=eps, delta=1 - 1 / m).n
    assert ours <= printed
    assert ours >= 0.75 * printed
    assert ours == math.ceil((4 * math.log(m) - 2 * math.log1p(-1 / m)) / (eps - math.log1p(eps)))


def best_clustering(X: np.ndarray, k: int) -> float:
    """The smallest sum of squares over all partitions of a few points on a line (blocks of sorted points)."""
    x = np.sort(X.ravel())
    best = math.inf
    for cuts in combinations(range(1, len(x)), k - 1):
        parts = np.split(x, cuts)
        best = min(best, sum(float(((p - p.mean()) ** 2).sum()) for p in parts))
    return best


@pytest.mark.full  # simulated
def test_kmeans_plus_plus_in_expectation(rng: np.random.Generator) -> None:
    assert b.kmeans_plus_plus(1) == 16.0  # 8 (log 1 + 2)
    for k in (2, 3, 4):
        X = np.concatenate([rng.normal(10.0**i, 0.3, size=4) for i in range(k)])[:, None]
        best, costs = best_clustering(X, k), []
        for seed in range(200):
            centres, _ = kmeans_plusplus(X, k, random_state=seed, n_local_trials=1)
            costs.append(float(((X - centres.ravel()) ** 2).min(axis=1).sum()))
        assert np.mean(costs) <= b.kmeans_plus_plus(k) * best
        assert np.mean(costs) >= best


# -- steps ---------------------------------------------------------------------------------------


def test_gradient_descent_on_quadratics(rng: np.random.Generator) -> None:
    """``sum_j h_j x_j^2/2`` with mu <= h_j <= L: x_T = (1 - step h)^T x_0, attained for h = mu."""
    for L, mu, step in ((10.0, 1.0, None), (4.0, 0.5, 0.1), (1.0, 1.0, None)):
        gamma = step or 1 / L
        for T in (1, 7, 40):
            bound = b.gradient_descent(
                n=T, smoothness=L, strong_convexity=mu, distance=2.0, step=step
            ).epsilon
            slow = ((1 - gamma * mu) ** T * 2.0) ** 2
            assert slow <= bound * (1 + 1e-12)
    found = b.gradient_descent(epsilon=1e-6, smoothness=10.0, strong_convexity=1.0, distance=1.0)
    assert 0.9**found.n <= 1e-6 < 0.9 ** (found.n - 1)
    assert found.n <= math.ceil(10 * math.log(1e6))  # the simpler count log(D^2/eps)/(step mu)
    assert found.delta is None


def test_averaged_subgradients_on_the_norm(rng: np.random.Generator) -> None:
    """``f(w) = rho max(|w_1 - B|, |w_2|)``, the minimum at distance B from the start."""
    rho, norm = 2.0, 3.0
    for T in (4, 25, 400):
        w, total, step = np.zeros(2), np.zeros(2), norm / (rho * math.sqrt(T))
        for _ in range(T):
            total += w
            off = w - [norm, 0.0]
            j = int(np.abs(off).argmax())
            w = w.copy()
            w[j] -= step * rho * np.sign(off[j])
        value = rho * np.abs(total / T - [norm, 0.0]).max()
        assert value <= b.averaged_subgradient(n=T, rho=rho, norm=norm).epsilon
    assert b.averaged_subgradient(epsilon=0.1, rho=rho, norm=norm).n == 3600


def test_sgd_with_a_constant_step_has_a_floor(rng: np.random.Generator) -> None:
    """``mu x^2/2`` with noise s2: E x_T^2 = (1-g mu)^(2T) x_0^2 + g^2 s2 sum_t (1-g mu)^(2t) exactly."""
    mu, s2, gamma, x0 = 0.5, 2.0, 0.2, 3.0
    setting = {"smoothness": 2.0, "strong_convexity": mu, "distance": x0, "noise": s2, "step": gamma}
    shrink = (1 - gamma * mu) ** 2
    for T in (1, 5, 50, 500):
        exact = shrink**T * x0**2 + gamma**2 * s2 * (1 - shrink**T) / (1 - shrink)
        assert exact <= b.sgd_constant_step(n=T, **setting).epsilon
    floor = gamma * s2 / mu
    assert b.sgd_constant_step(n=10**6, **setting).epsilon == pytest.approx(floor)
    with pytest.raises(ValueError, match="noise floor"):
        b.sgd_constant_step(epsilon=0.99 * floor, **setting)
    twice = b.sgd_constant_step(n=10**6, at_minimiser=True, **setting).epsilon
    assert twice == pytest.approx(2 * floor)
    with pytest.raises(ValueError, match="step must be at most"):
        b.sgd_constant_step(n=10, at_minimiser=True, **{**setting, "step": 0.3})


def test_pegasos_reaches_its_tolerance(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(X[:, 0] > 0.2, 1.0, -1.0)
    alpha = 0.1

    def objective(w: np.ndarray) -> float:
        return 0.5 * alpha * float(w @ w) + float(np.maximum(0.0, 1 - y * (X @ w)).mean())

    grid = np.linspace(-10, 10, 401)
    best = min(objective(np.array([a, c])) for a in grid for c in grid[::4])
    for T in (20, 200):
        values = []
        for _ in range(60):
            w, total = np.zeros(2), np.zeros(2)
            for t in range(1, T + 1):
                total += w
                i = rng.integers(30)
                step = y[i] * X[i] if y[i] * (X[i] @ w) < 1 else 0.0
                w = (1 - 1 / t) * w + step / (alpha * t)
            values.append(objective(total / T))
        assert np.mean(values) - best <= b.pegasos(n=T, rho=1.0, alpha=alpha).epsilon
    # 2 rho^2 (1 + log T)/(alpha T), as a special case of steps 1/(mu t) with gradients of norm 2 rho.
    general = b.sgd_decreasing_step(n=500, gradient=2.0, strong_convexity=alpha).epsilon
    assert b.pegasos(n=500, rho=1.0, alpha=alpha).epsilon == pytest.approx(general)


STEPS = {
    "gradient_descent": {"smoothness": 4.0, "strong_convexity": 1.0, "distance": 1.0},
    "averaged_subgradient": {"rho": 1.0, "norm": 1.0},
    "sgd_constant_step": {
        "smoothness": 4.0, "strong_convexity": 1.0, "distance": 1.0, "noise": 0.1, "step": 0.1,
    },
    "sgd_decreasing_step": {"gradient": 1.0, "strong_convexity": 1.0},
    "pegasos": {"rho": 1.0, "alpha": 1.0},
    "stability": {"rho": 1.0, "alpha": 1.0},
    "regularised_oracle": {"rho": 1.0, "norm": 1.0},
    "perceptron_risk": {"radius": 1.0, "margin": 0.5},
    "nearest_neighbors": {"dimension": 2, "lipschitz": 0.1},
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_statements_in_expectation(name: str) -> None:
    """Monotone in n, the smallest n for epsilon, one sentence, and refusals by name."""
    f, setting = b.REGISTRY[name], STEPS[name]
    values = [f(n=n, **setting).epsilon for n in (1, 2, 3, 10, 1000)]
    assert values == sorted(values, reverse=True)
    found = f(epsilon=0.05, **setting)
    assert f(n=found.n, **setting).epsilon <= 0.05 * (1 + 1e-9)
    assert found.n == 1 or f(n=found.n - 1, **setting).epsilon > 0.05
    assert found.delta is None
    assert found.solved == "n"
    assert f"{found.n:,}" in found.claim
    assert max(map(len, str(found).splitlines())) <= 80
    for given, word in (({}, "exactly one"), ({"n": 0}, "n must"), ({"epsilon": -1.0}, "epsilon must")):
        with pytest.raises(ValueError, match=word):
            f(**given, **setting)
    for key in setting:
        with pytest.raises(ValueError, match=key):
            f(n=10, **{**setting, key: -1.0})


def test_every_permutation_of_rows_keeps_the_mistake_bound() -> None:
    X, y = np.array([[1.0, 0.2], [0.3, 1.0], [-1.0, 0.5], [-0.6, -0.8]]), np.array([1.0, 1.0, -1.0, -1.0])
    u = np.array([1.0, 0.55]) / math.hypot(1.0, 0.55)
    most = b.perceptron(radius=float(np.linalg.norm(X, axis=1).max()), margin=float((y * (X @ u)).min()))
    assert all(updates(X[list(p)], y[list(p)], 200) <= most for p in permutations(range(4)))
