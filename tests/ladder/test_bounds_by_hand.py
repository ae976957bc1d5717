"""What a rung counts or measures, done again by hand."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import empirisk as er

b = er.bounds
Data = tuple[np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(8)
    X = rng.uniform(-1, 1, size=(300, 3))
    return X, (X[:, 0] + 0.4 * rng.normal(size=300) > 0).astype(int)


def test_votes_are_measured_out_of_bag(data: Data) -> None:
    X, y = data
    forest = RandomForestClassifier(7, random_state=0).fit(X, y)
    said = np.stack([tree.predict(X).astype(int) for tree in forest.estimators_])
    unseen = [np.setdiff1d(np.arange(300), rows) for rows in forest.estimators_samples_]
    gibbs = np.mean([np.mean(said[t][rows] != y[rows]) for t, rows in enumerate(unseen)])
    together, differ, sizes = [], [], []
    for s, t in product(range(7), repeat=2):
        rows = np.intersect1d(unseen[s], unseen[t])
        together.append(np.mean((said[s][rows] != y[rows]) & (said[t][rows] != y[rows])))
        differ.append(np.mean(said[s][rows] != said[t][rows]))
        sizes.append(len(rows))
    least, fewest = min(map(len, unseen)), min(sizes)
    table = er.risk_bounds(forest, X, y)
    expected = {
        "vote by twice the mean error": b.first_order_vote(float(gibbs), least),
        "vote by tandem loss": b.tandem_vote(float(np.mean(together)), fewest),
        "vote by C-bound": b.c_bound(float(gibbs), float(np.mean(differ)), least, fewest),
    }
    for name, by_hand in expected.items():
        assert table[name].value == pytest.approx(by_hand.value, rel=1e-5)
    assert gibbs > 0.1  # in the bag it is nearly zero


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 4])
def test_neighbours_are_left_out(k: int, weights: str, data: Data) -> None:
    X, y = data[0][:100], data[1][:100]
    wrong = []
    for i in range(100):
        others = np.arange(100) != i
        twin = KNeighborsClassifier(k, weights=weights).fit(X[others], y[others])
        wrong.append(float(twin.predict(X[[i]])[0] != y[i]))
    table = er.risk_bounds(KNeighborsClassifier(k, weights=weights).fit(X, y), X, y, delta=0.5)
    expected = b.neighbors_leave_one_out(wrong, k, 0.5)
    assert table["leave-one-out of nearest neighbours"].value == pytest.approx(min(1.0, expected.value))


def test_bits_of_coefficients(data: Data) -> None:
    X, y = data
    model = er.LogisticRegression(0.05).fit(X, y)
    losses = (model.predict(X) != y).astype(float)
    # all three coefficients: log(4) for how many, nothing for which, 64 bits each, 64 for the intercept.
    stored = b.occam(losses, math.log(4) + 4 * 64 * math.log(2))
    table = er.risk_bounds(model, X, y)
    assert table["Occam by stored coefficients"].value == pytest.approx(stored.value, rel=1e-12)
    best = 1.0
    for bits in range(2, 25):
        unit = np.abs(model.coef_).max() / (2 ** (bits - 1) - 1)
        whole = np.round(model.coef_[0] / unit)
        guess = (X @ whole * unit + model.intercept_ > 0).astype(int)
        kept = int((whole != 0).sum())
        nats = math.log(23) + math.log(4) + math.log(math.comb(3, kept))
        nats += kept * math.log(2**bits - 2) + 64 * math.log(2)
        best = min(best, b.occam((guess != y).astype(float), nats).value)
    assert table["Occam by rounded coefficients"].value == pytest.approx(best, rel=1e-9)


def test_bits_of_a_tree(data: Data) -> None:
    X, y = data
    model = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, y)
    losses = (model.predict(X) != y).astype(float)
    # three cuts: prior 1/(4*5), five shapes, three columns and 33 bits a cut, two labels on four leaves.
    shapes = math.log(5) + 3 * math.log(3) + 4 * math.log(2)
    table = er.risk_bounds(model, X, y)
    by_hand = b.occam(losses, math.log(20) + shapes + 3 * 33 * math.log(2))
    assert table["Occam by tree size"].value == pytest.approx(by_hand.value, rel=1e-10)
    uniform = math.sqrt(2 * (shapes + 3 * math.log(2 * 301)) / 300) + math.sqrt(math.log(20 / 0.05) / 600)
    assert table["growth function of trees"].value <= float(losses.mean()) + uniform + 1e-12


def test_support_vectors_are_kept_and_the_others_counted(data: Data) -> None:
    X, y = data
    model = SVC(gamma=1.0, C=0.5, tol=1e-9).fit(X, y)
    rest = np.setdiff1d(np.arange(300), model.support_)
    wrong = int((model.predict(X[rest]) != y[rest]).sum())
    by_hand = b.compression(wrong, 300, len(model.support_))
    name = "compression to support vectors"
    assert er.risk_bounds(model, X, y)[name].value == pytest.approx(by_hand.value, rel=1e-12)
    assert er.risk_bounds(model, X, y)[name].kind == "the fitted model"
    zoomed = er.selection.GridSearch(SVC(gamma=1.0), {"C": [0.5, 1.0]}, cv=2, zoom=1).fit(X, y)
    assert "was tuned on these rows" in er.risk_bounds(zoomed, X, y)[name].reason


def test_support_vectors_of_a_kernel_machine(data: Data) -> None:
    X, y = data
    model = er.SVC(0.01, kernel=er.kernels.Gaussian(gamma=1.0), tol=1e-9).fit(X, y)
    table = er.risk_bounds(model, X, y)
    kept = model.support_
    assert table["leave-one-out by support vectors"].value == len(kept) / 300
    rest = np.setdiff1d(np.arange(300), kept)
    wrong = int((model.predict(X[rest]) != y[rest]).sum())
    compressed = table["compression to support vectors"]
    assert compressed.value == pytest.approx(b.compression(wrong, 300, len(kept)).value, rel=1e-12)
    assert compressed.kind == "the fitted model"
    learned = er.risk_bounds(er.SVC().fit(X, y), X, y)
    assert "computed from all rows" in learned["margin"].reason
    assert "no a-priori bound" in er.risk_bounds(er.SVC(kernel="linear").fit(X, y), X, y)["margin"].reason


def test_the_margin_of_a_kernel_machine_by_hand(rng: np.random.Generator) -> None:
    """``k(x, x) = 1`` needs no declared radius; a free intercept is one coordinate more, of value 1."""
    y = np.arange(3000) % 3 > 0
    X = 0.1 * rng.normal(size=(3000, 2)) + 3.0 * y[:, None]
    model = er.SVC(0.1, kernel=er.kernels.Gaussian(gamma=1.0), tol=1e-9).fit(X, y)
    kept, a = model.support_, model.dual_coef_[0]
    K = np.exp(-np.square(X[kept][:, None] - X[kept][None]).sum(axis=2))
    length = np.sqrt(a @ K @ a + model.intercept_[0] ** 2)
    distance = np.where(y, 1.0, -1.0) * model.decision_function(X) / length
    radius, values = np.sqrt(2.0), []
    for gap in radius * np.geomspace(1.0, 1e-4, 60):
        term = 4.0 * radius / gap + np.sqrt(np.log(np.log2(2.0 * radius / gap))) + np.sqrt(np.log(40.0) / 2.0)
        values.append(np.mean(distance < gap) + term / np.sqrt(3000.0))
    assert min(values) < 0.4
    assert er.risk_bounds(model, X, y)["margin"].value == pytest.approx(min(values), rel=1e-8)


def test_margins_and_gaussians_by_hand(data: Data) -> None:
    X, y = data
    model = er.LogisticRegression(0.05).fit(X, y)
    w = np.append(model.coef_[0], model.intercept_)
    Z, signs = np.column_stack([X, np.ones(300)]), 2.0 * y - 1.0
    table = er.risk_bounds(model, X, y, radius=2.0)
    gaussian = b.pac_bayes_linear(Z, signs, w)
    assert table["PAC-Bayes-kl with a Gaussian"].value == pytest.approx(gaussian.value, rel=1e-12)
    distance = signs * (Z @ w) / np.linalg.norm(w)
    each: list[Any] = [
        np.mean(distance < gap)
        + b.margin(n=300, delta=0.05, margin=gap, row_norm=math.sqrt(5.0), any_margin=True).epsilon
        for gap in math.sqrt(5.0) * np.geomspace(1.0, 1e-4, 60)
    ]
    assert table["margin"].value == pytest.approx(min(1.0, *each), rel=1e-12)


def test_stability_by_hand(data: Data) -> None:
    X, y = data
    model = er.LogisticRegression(2.0, fit_intercept=False, tol=1e-12).fit(X, y)
    loss = float(np.logaddexp(0.0, -(2 * y - 1) * (X @ model.coef_[0])).mean())
    table = er.risk_bounds(model, X, y, radius=2.0)
    expected = (loss + 2 * 2.0**2 / (2.0 * 300)) / math.log(2)
    assert table["expected stability"].value == pytest.approx(min(1.0, expected), rel=1e-4)
    beta = 2 * 2.0**2 / (2.0 * 300)
    largest = math.log(2) + 2.0**2 / 2.0
    deviation = beta + (2 * 300 * beta + largest) * math.sqrt(math.log(20) / 600)
    assert table["uniform stability"].value == pytest.approx(
        min(1.0, (loss + deviation) / math.log(2)), rel=1e-4
    )
