"""Bias and variance: exact sums, Domingos' identities, and closed forms for known designs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from empirisk.resampling.decomposition.parts import Sets, row_parts
from empirisk.selection import bias_variance

NOISE = 0.7


def random_sets(rng, n_classes, known, n_sets=9, rows=40):
    """Random predictions with some rows in the bag."""
    seen = rng.random((n_sets, rows)) < 0.6
    seen[:2] = True
    if not n_classes:
        y = rng.normal(size=rows)
        truth = y + rng.normal(size=rows) if known else None
        return Sets(rng.normal(size=(n_sets, rows)), seen, y, truth, 0)
    y = rng.integers(n_classes, size=rows).astype(float)
    truth = rng.dirichlet(np.ones(n_classes), size=rows) if known else None
    return Sets(rng.integers(n_classes, size=(n_sets, rows)).astype(float), seen, y, truth, n_classes)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_parts_add_up_to_the_loss_of_single_predictions(n_classes, known, rng) -> None:
    sets = random_sets(rng, n_classes, known)
    parts = row_parts(sets)
    total = parts.pop("total")
    np.testing.assert_allclose(sum(parts.values()), total, atol=1e-13)
    for i in range(sets.y.size):
        f = sets.pred[sets.seen[:, i], i]
        if n_classes:
            eta = np.eye(n_classes)[int(sets.y[i])] if sets.truth is None else sets.truth[i]
            loss = np.mean([1.0 - eta[int(c)] for c in f])
        elif known:
            loss = np.mean((sets.truth[i] - f) ** 2) + (sets.y[i] - sets.truth[i]) ** 2
        else:
            loss = np.mean((sets.y[i] - f) ** 2)
        assert total[i] == pytest.approx(loss, abs=1e-12)


def test_domingos_two_classes(rng) -> None:
    sets = random_sets(rng, 2, True)
    parts = row_parts(sets)
    for i in range(sets.y.size):
        f = sets.pred[sets.seen[:, i], i]
        p1, eta = np.mean(f == 1), sets.truth[i]
        best, main = int(np.argmax(eta)), int(p1 > 0.5)
        right = p1 if best == 1 else 1.0 - p1
        spread = min(p1, 1.0 - p1)
        assert parts["noise"][i] == pytest.approx((2.0 * right - 1.0) * (1.0 - eta[best]))
        assert parts["bias"][i] == (main != best)
        assert parts["variance"][i] == pytest.approx(spread if main == best else -spread)


# -- closed forms -------------------------------------------------------------------------------


def fixed_design(rng, n, p):
    return rng.normal(size=(n, p)), np.arange(1.0, p + 1.0) / p


def linear_case(design, beta, alpha):
    """Fixed training rows, Gaussian test rows: bias and variance of (no-intercept) ridge by algebra."""
    n, p = design.shape
    S = design.T @ design
    A = np.linalg.inv(S + n * alpha * np.eye(p))

    def generator(rng, size):
        X = design if size == n else rng.normal(size=(size, p))
        mean = X @ beta
        return X, mean + NOISE * rng.normal(size=size), mean

    off = (A @ S - np.eye(p)) @ beta
    return generator, {"noise": NOISE**2, "bias": off @ off, "variance": NOISE**2 * np.trace(A @ S @ A)}


def covered(est, generator, truth, n_train, runs, seed):
    """How often each interval holds the truth."""
    hits = dict.fromkeys([*truth, "total"], 0)
    for k in range(runs):
        found = bias_variance(
            est,
            generator=generator,
            n_train=n_train,
            n_test=200,
            n_sets=40,
            random_state=np.random.default_rng([seed, k]),
        )
        values = {**truth, "total": sum(truth.values())}
        for name, e in {**found.parts, "total": found.total}.items():
            hits[name] += e.low <= values[name] <= e.high
    return {name: hit / runs for name, hit in hits.items()}


def neighbours_case(design, k):
    """1-D nearest neighbours: variance sigma^2/k, bias from the means at the neighbours."""
    n = design.size

    def mean(x):
        return np.sin(3.0 * x)

    def generator(rng, size):
        x = design if size == n else rng.uniform(-1, 1, size=size)
        return x[:, None], mean(x) + NOISE * rng.normal(size=size), mean(x)

    grid = (np.arange(20_000) + 0.5) / 10_000 - 1.0
    near = np.argsort(np.abs(grid[:, None] - design), axis=1)[:, :k]
    off = mean(design)[near].mean(axis=1) - mean(grid)
    return generator, {"noise": NOISE**2, "bias": np.mean(off**2), "variance": NOISE**2 / k}


CASES = {"least squares": 0.0, "ridge": 0.5, "nearest neighbours": None}


def case(name, rng):
    if CASES[name] is None:
        return KNeighborsRegressor(3), *neighbours_case(rng.uniform(-1, 1, size=25), 3), 25
    est = (
        er.Ridge(alpha=CASES[name], fit_intercept=False)
        if CASES[name]
        else LinearRegression(fit_intercept=False)
    )
    return est, *linear_case(*fixed_design(rng, 30, 4), CASES[name]), 30


def limits(runs, low=0.92, high=1.0):
    """What shares of `runs` intervals may cover, up to 3.5 standard errors below."""
    return low - 3.5 * np.sqrt(0.95 * 0.05 / runs), high


@pytest.mark.full  # simulated: many resamples of many samples
@pytest.mark.parametrize("name", CASES)
def test_intervals_cover_closed_forms(name, rng) -> None:
    est, generator, truth, n = case(name, rng)
    shares = covered(est, generator, truth, n, runs=40, seed=1)
    low, high = limits(40)
    assert all(low <= share <= high for share in shares.values()), shares


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_intervals_cover_closed_forms_slowly(name, rng) -> None:
    est, generator, truth, n = case(name, rng)
    shares = covered(est, generator, truth, n, runs=500, seed=2)
    low, high = limits(500)
    assert all(low <= share <= high for share in shares.values()), shares


@pytest.mark.full  # simulated
def test_one_neighbour_classifies_by_the_label_it_meets(rng) -> None:
    # 1-NN on fixed rows predicts the label of the nearest row: p = eta(nearest), so all parts are known.
    design = np.sort(rng.uniform(-1, 1, size=15))

    def eta(x):
        return 1.0 / (1.0 + np.exp(-3.0 * x))

    def generator(rng, size):
        x = design if size == 15 else rng.uniform(-1, 1, size=size)
        return x[:, None], (rng.random(size) < eta(x)).astype(int), eta(x)

    grid = (np.arange(20_000) + 0.5) / 10_000 - 1.0
    met = eta(design[np.argmin(np.abs(grid[:, None] - design), axis=1)])
    best, p_best = eta(grid) > 0.5, np.where(eta(grid) > 0.5, met, 1.0 - met)
    bias = (met > 0.5) != best
    truth = {
        "noise": np.mean((2.0 * p_best - 1.0) * np.minimum(eta(grid), 1.0 - eta(grid))),
        "bias": np.mean(bias),
        "variance": np.mean(1.0 - p_best - bias),
    }
    found = bias_variance(
        KNeighborsClassifier(1),
        generator=generator,
        n_train=15,
        n_sets=400,
        n_test=2000,
        random_state=0,
        level=0.999,
    )
    for name, e in found.parts.items():
        assert e.low <= truth[name] <= e.high, name


@pytest.mark.full  # simulated
def test_bootstrap_variance_of_least_squares(rng) -> None:
    # Over bootstrap samples the variance is close to that over new ones: sigma^2 p/(n-p-1), Gaussian columns.
    ratios = []
    for seed in range(6):
        X = rng.normal(size=(120, 4))
        found = bias_variance(LinearRegression(), X, X.sum(axis=1) + rng.normal(size=120), random_state=seed)
        assert list(found.parts) == ["bias + noise", "variance"]
        ratios.append(found.parts["variance"].value / (5 / (120 - 4 - 2)))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.3)


def test_against_capacity(rng) -> None:
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=150) > 0, "yes", "no")
    curve = bias_variance(
        DecisionTreeClassifier(random_state=0), X, y, param="max_depth", values=[1, 3, None], n_sets=30,
        random_state=0, groups=np.arange(150) // 2,
    )  # fmt: skip
    assert curve.values == (1, 3, None)
    spread = [b.parts["variance"].value for b in curve.at]
    assert spread[2] > spread[0]
    for b in curve.at:
        assert sum(e.value for e in b.parts.values()) == pytest.approx(b.total.value, abs=1e-12)
    frame = curve.to_frame()
    assert {"variance_low", "total", "bias + noise_high", "method"} <= set(frame.columns)
    assert "net variance" in repr(curve)
    assert "<table>" in curve._repr_html_()
    assert set(curve.to_dict()["parts"]) == {"bias + noise", "net variance"}
    # The same training sets at every value: one value alone gives the same numbers.
    alone = bias_variance(
        DecisionTreeClassifier(random_state=0, max_depth=3), X, y, n_sets=30, random_state=0,
        groups=np.arange(150) // 2,
    )  # fmt: skip
    assert alone.total.value == curve.at[1].total.value


def test_alpha_goes_along_a_path(rng) -> None:
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    curve = bias_variance(er.Ridge(), X, y, param="alpha", values=[0.01, 1.0], n_sets=20, random_state=3)
    one = bias_variance(er.Ridge(alpha=1.0), X, y, n_sets=20, random_state=3)
    assert curve.at[1].total.value == pytest.approx(one.total.value, rel=1e-6)


def good(rng, n):
    X = rng.normal(size=(n, 2))
    return X, X[:, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either a table"),
        ({"X": np.ones((5, 1)), "generator": good}, "either a table"),
        ({"X": np.ones((5, 1))}, "y is missing"),
        ({"generator": good}, "n_train must be a whole number"),
        ({"generator": good, "n_train": 10, "n_sets": 1}, "n_sets must be"),
        ({"generator": good, "n_train": 10, "param": "alpha"}, "param and values go together"),
        ({"generator": good, "n_train": 10, "param": "depth", "values": [1]}, "is no parameter of Ridge"),
        ({"generator": lambda rng, n: np.ones((n, 2)), "n_train": 10}, "must return"),
        (
            {"generator": lambda rng, n: (np.ones((n, 2)), np.ones(n + 1)), "n_train": 10},
            "asked for 1000 rows",
        ),
        (
            {"generator": lambda rng, n: (*good(rng, n), np.ones(3)), "n_train": 10},
            "mean of the generator has 3",
        ),
        (
            {"generator": lambda rng, n: (good(rng, n)[0], np.full(n, np.nan)), "n_train": 10},
            "missing in row 0",
        ),
    ],
)
def test_bad_input(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        bias_variance(er.Ridge(), **arguments)


def test_classes_that_do_not_fit() -> None:
    def one_class(rng, n):
        return rng.normal(size=(n, 2)), np.zeros(n, dtype=int)

    def probabilities(rng, n):
        return rng.normal(size=(n, 2)), rng.integers(3, size=n), np.full(n, 0.5)

    with pytest.raises(ValueError, match="one class only"):
        bias_variance(er.LogisticRegression(), generator=one_class, n_train=20)
    with pytest.raises(ValueError, match=r"have shape \(1000,\)"):
        bias_variance(er.LogisticRegression(), generator=probabilities, n_train=20)
    few = bias_variance(er.Ridge(), np.arange(12.0)[:, None], np.arange(12.0), n_sets=5, random_state=0)
    assert few.total.low is None
    assert "5 training sets are too few" in few.total.reason


def test_the_chart() -> None:
    curve = bias_variance(
        KNeighborsRegressor(), generator=neighbours_case(np.linspace(-1, 1, 20), 1)[0], n_train=20, n_sets=20,
        n_test=50, param="n_neighbors", values=[1, 3, 10], random_state=0,
    )  # fmt: skip
    assert curve.plot().axes.get_xlabel()
    assert curve.values[curve.best] in (1, 3, 10)
