"""Forests as estimators: accuracy beside scikit-learn's, out-of-bag risks, number of trees, words."""

from __future__ import annotations

import pickle
import re
import signal
import sys
from typing import Any

import numpy as np
import pytest
from sklearn import datasets, ensemble
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier as PeerTree
from sklearn.tree import DecisionTreeRegressor as PeerRegressor

import empirisk as er
from empirisk.estimators.trees.forest_task import ForestTask
from empirisk.trees.forest import Bag, ForestGrowth
from empirisk.trees.varying_columns import bin_varying

FORESTS = ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"]


def spirals(rng: np.random.Generator, n: int, classes: int) -> tuple[Any, Any]:
    """Columns that matter in pairs, columns that do not, and labels with 10 % noise."""
    X = rng.standard_normal((n, 8))
    z = X[:, 0] * X[:, 1] + np.sin(2.0 * X[:, 2]) + 0.5 * X[:, 3]
    y = np.searchsorted(np.linspace(-0.7, 0.7, classes + 1)[1:-1], z)
    flip = rng.random(n) < 0.1
    return X, np.where(flip, rng.integers(0, classes, n), y)


def shipped(name: str) -> tuple[Any, Any]:
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return X, y


def paired(ours: Any, theirs: Any, X: Any, y: Any, seeds: int = 3) -> tuple[float, float]:
    """Mean difference of the losses on held-out rows (ours minus theirs), and its standard error."""
    differences = []
    for seed in range(seeds):
        Xa, Xb, ya, yb = train_test_split(X, y, test_size=0.5, random_state=seed)
        a, b = (m.set_params(random_state=seed).fit(Xa, ya) for m in (ours, theirs))
        if hasattr(a, "predict_proba"):
            hot = yb[:, None] == a.classes_
            losses = [((m.predict_proba(Xb) - hot) ** 2).sum(axis=1) for m in (a, b)]
        else:
            losses = [(m.predict(Xb) - yb) ** 2 for m in (a, b)]
        differences.append((losses[0] - losses[1]) / np.mean(losses[1]))
    d = np.concatenate(differences)
    return float(d.mean()), float(d.std() / np.sqrt(len(d) / seeds))


CASES = [
    ("spirals 2", "RandomForestClassifier"),
    ("spirals 4", "RandomForestClassifier"),
    ("spirals 2", "ExtraTreesClassifier"),
    ("breast_cancer", "RandomForestClassifier"),
    ("wine", "RandomForestClassifier"),
    ("digits", "RandomForestClassifier"),
    ("digits", "ExtraTreesClassifier"),
    ("diabetes", "RandomForestRegressor"),
    ("diabetes", "ExtraTreesRegressor"),
]


@pytest.mark.full  # whole forests of both
@pytest.mark.parametrize(("data", "kind"), CASES, ids=[" ".join(c) for c in CASES])
def test_as_accurate_as_scikit_learn(data: str, kind: str, rng: np.random.Generator) -> None:
    """Brier score or squared error on held-out rows, relative to scikit-learn's: equal but for 4 errors."""
    X, y = spirals(rng, 1500, int(data[-1])) if data.startswith("spirals") else shipped(data)
    difference, error = paired(getattr(er, kind)(60), getattr(ensemble, kind)(60), X, y)
    assert difference < 4.0 * error
    assert difference < 0.06


@pytest.mark.parametrize("kind", ["RandomForestClassifier", "RandomForestRegressor"])
def test_out_of_bag_risk_is_that_of_new_rows(kind: str, rng: np.random.Generator) -> None:
    X, y = spirals(rng, 4000, 2)
    if kind.endswith("Regressor"):
        y = y + 0.3 * rng.standard_normal(len(y))
    model = getattr(er, kind)(100).fit(X[:1000], y[:1000])
    said = model.predict(X[1000:])
    new = np.mean(said != y[1000:]) if kind.endswith("Classifier") else np.mean((said - y[1000:]) ** 2)
    risk = model.oob_risk_
    half = risk.high - risk.value
    assert abs(risk.value - new) < 2.0 * half
    assert risk.n == 1000
    assert "out-of-bag" in risk.method
    assert model.monte_carlo_error_ < half


def test_out_of_bag_losses_by_their_definitions(rng: np.random.Generator) -> None:
    X, y = spirals(rng, 400, 3)
    weight = rng.uniform(0.5, 2.0, 400)
    model = er.RandomForestClassifier(80).fit(X, y, weight)
    p, hot = model.oob_decision_function_, y[:, None] == np.arange(3)
    known = np.isfinite(p[:, 0])
    assert known.all()
    risks = model.oob_risks_
    assert risks["Brier score"].value == pytest.approx(
        np.average(((p - hot) ** 2).sum(axis=1), weights=weight)
    )
    assert risks["error rate"].value == pytest.approx(np.average(p.argmax(axis=1) != y, weights=weight))
    assert model.oob_brier_ == risks["Brier score"]


def test_rows_without_weight_have_no_out_of_bag_prediction(rng: np.random.Generator) -> None:
    X, y = spirals(rng, 300, 2)
    weight = np.ones(300)
    weight[:40] = 0.0
    model = er.RandomForestClassifier(30).fit(X, y, weight)
    assert np.isnan(model.oob_decision_function_[:40]).all()
    alone = er.RandomForestClassifier(30).fit(X[40:], y[40:])
    np.testing.assert_array_equal(alone.oob_decision_function_, model.oob_decision_function_[40:])
    assert model.proximity(X[:5]).shape == (5, 260)


def test_auto_stops_when_the_seed_no_longer_shows(rng: np.random.Generator) -> None:
    X, y = spirals(rng, 300, 2)
    y = y + rng.standard_normal(300)
    model = er.RandomForestRegressor("auto", max_features=0.3).fit(X, y)
    size = model.n_estimators_
    assert 50 <= size <= 1000
    assert size == len(model.trees_)
    error = (model.oob_risk_.high - model.oob_risk_.low) / 2 / 1.97
    assert size == 1000 or model.monte_carlo_error_ < 0.21 * error
    again = er.RandomForestRegressor(size, max_features=0.3).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_allclose(again.oob_prediction_, model.oob_prediction_, rtol=1e-9)
    assert f"{size} trees" in model.certificate_.claim


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize("k", [2, 3])
def test_warm_start_is_the_fit_of_all_trees_at_once(kind: str, k: int, rng: np.random.Generator) -> None:
    """Bit for bit: trees, predictions out-of-bag, their risks and what seeds move them by."""
    X, y = spirals(rng, 200, k)
    y = y if "Classifier" in kind else y + rng.standard_normal(200)
    weight = rng.uniform(0.0, 2.0, 200) * (rng.random(200) < 0.9)
    params: Any = {"bootstrap": True, "random_state": 5, "max_leaf_nodes": 12}
    if "Classifier" in kind:
        params["class_weight"] = "balanced_subsample"
    whole = getattr(er, kind)(30, **params).fit(X, y, weight)
    grown = getattr(er, kind)(3, warm_start=True, **params)
    for trees in (3, 14, 14, 30):
        grown.set_params(n_estimators=trees).fit(X, y, weight)
        assert len(grown) == trees
    for name in ("feature", "threshold", "value", "weight", "gain"):
        np.testing.assert_array_equal(getattr(grown.trees_, name), getattr(whole.trees_, name))
    assert grown.oob_risks_ == whole.oob_risks_
    assert grown.oob_score_ == whole.oob_score_
    assert grown.monte_carlo_error_ == whole.monte_carlo_error_
    assert grown.solution_.certificate.claim == whole.solution_.certificate.claim
    told = "oob_decision_function_" if "Classifier" in kind else "oob_prediction_"
    np.testing.assert_array_equal(getattr(grown, told), getattr(whole, told))


CHANGES = [
    ({"max_depth": 3}, "max_depth was None and is 3 now"),
    ({"max_features": 2}, "max_features was 'sqrt' and is 2 now"),
    ({"criterion": "entropy"}, "criterion was 'gini' and is 'entropy' now"),
    ({"class_weight": "balanced_subsample"}, "class_weight was None and is 'balanced_subsample' now"),
    ({"class_weight": {0: 2.0}}, "class_weight was None"),
    ({"random_state": 1}, "random_state was 0 and is 1 now"),
    ({"monotonic_cst": {0: 1}}, "monotonic_cst was None"),
    ({"bootstrap": False}, "bootstrap was True and is False now"),
    ({"max_bins": 20}, "max_bins was 255 and is 20 now"),
]


@pytest.mark.parametrize(("change", "sentence"), CHANGES, ids=[str(change) for change, _ in CHANGES])
def test_warm_start_refuses_other_trees(change: Any, sentence: str, rng: np.random.Generator) -> None:
    X, y = spirals(rng, 80, 2)
    model = er.RandomForestClassifier(4, warm_start=True).fit(X, y)
    before = model.trees_
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.set_params(n_estimators=6, **change).fit(X, y)
    assert model.trees_ is before


def test_warm_start_takes_what_no_tree_depends_on_and_refuses_other_rows(rng: np.random.Generator) -> None:
    X, y = spirals(rng, 80, 2)
    model = er.RandomForestClassifier(4, warm_start=True, max_features=np.int64(2)).fit(X, y)
    more = {"n_estimators": 6, "n_jobs": 1, "smoothing": 1.0, "random_state": 0, "max_features": 2}
    assert len(model.set_params(**more).fit(X, y)) == 6
    with pytest.raises(ValueError, match="only adds trees"):
        model.set_params(n_estimators=5).fit(X, y)
    model.set_params(n_estimators=9)
    for other in ((X[:60], y[:60]), (X + 1.0, y), (X, 1 - y)):
        with pytest.raises(ValueError, match="the same rows, columns, weights and targets"):
            model.fit(*other)
    with pytest.raises(ValueError, match="the same rows, columns, weights and targets"):
        model.fit(X, y, np.arange(1.0, 81.0))
    cold = er.RandomForestClassifier(4).fit(X, y)
    with pytest.raises(ValueError, match="warm_start must be True in the first fit too"):
        cold.set_params(n_estimators=6, warm_start=True).fit(X, y)


@pytest.mark.parametrize("kind", ["RandomForestClassifier", "ExtraTreesClassifier"])
@pytest.mark.parametrize("weighted", [False, True])
def test_balanced_subsample_against_trees_on_the_recorded_samples(
    kind: str, weighted: bool, rng: np.random.Generator
) -> None:
    """scikit-learn's tree with the weights n / (K n_c) of the rows that each tree drew: the same leaves."""
    X = rng.standard_normal((150, 3))
    y = (X[:, 0] + 0.5 * rng.standard_normal(150) > 1.2).astype(int) + (X[:, 1] > 1.5)
    y[:12] = np.arange(12) % 3  # each class is in each draw
    weight = rng.uniform(0.5, 2.0, 150) if weighted else None
    params: Any = {"class_weight": "balanced_subsample", "max_depth": 2, "bootstrap": True}
    forest = getattr(er, kind)(6, max_features=None, **params).fit(X, y, weight)
    shown = forest.oob_decision_function_
    assert forest.oob_risk_.n > 100
    told, times = np.zeros((150, 3)), np.zeros(150)
    for tree, drawn in zip(forest, forest.estimators_samples_, strict=True):
        inside = tree.predict_proba(X[drawn])
        totals = np.bincount(y[drawn], minlength=3)
        factor = len(drawn) / (np.count_nonzero(totals) * np.maximum(totals, 1))
        leaf = tree.apply(X[drawn])
        for number in np.unique(leaf):
            own = np.bincount(y[drawn][leaf == number], minlength=3) * factor
            np.testing.assert_allclose(inside[leaf == number], [own / own.sum()] * (leaf == number).sum())
        if kind == "RandomForestClassifier":
            peer = PeerTree(max_depth=2, class_weight="balanced").fit(X[drawn], y[drawn])
            np.testing.assert_allclose(inside, peer.predict_proba(X[drawn]), atol=1e-12)
        assert tree.class_weight == "balanced"
        unseen = np.setdiff1d(np.arange(150), drawn)
        told[unseen] += tree.predict_proba(X[unseen])
        times[unseen] += 1
    known = times > 0
    np.testing.assert_allclose(shown[known], told[known] / times[known, None], rtol=1e-9, atol=1e-9)


def test_balanced_subsample_without_draws_is_balanced(rng: np.random.Generator) -> None:
    X, y = spirals(rng, 120, 2)
    two = [
        er.ExtraTreesClassifier(5, class_weight=how, max_depth=3).fit(X, y).predict_proba(X)
        for how in ("balanced", "balanced_subsample")
    ]
    np.testing.assert_array_equal(*two)
    with pytest.raises(ValueError, match='class_weight must be a dict, "balanced", "balanced_subsample" or'):
        er.RandomForestClassifier(class_weight="fair").fit(X, y)


@pytest.mark.parametrize("weighted", [False, True])
def test_forests_of_medians_against_scikit_learn(weighted: bool, rng: np.random.Generator) -> None:
    """All rows and columns: each tree is scikit-learn's tree of absolute errors, leaves are medians."""
    X, w = rng.standard_normal((120, 3)), rng.integers(1, 4, 120).astype(float)
    y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.standard_t(2, 120)
    weight = w if weighted else None
    params: Any = {"criterion": "absolute_error", "min_samples_leaf": 8}
    forest = er.RandomForestRegressor(2, bootstrap=False, **params).fit(X, y, weight)
    peer = PeerRegressor(**params).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(forest.predict(X), peer.predict(X), atol=1e-12)
    tree = er.DecisionTreeRegressor(max_bins=255, alpha=None, **params).fit(X, y, weight)
    np.testing.assert_allclose(tree.predict(X), peer.predict(X), atol=1e-12)


def test_medians_of_draws_and_of_random_cuts(rng: np.random.Generator) -> None:
    """Long tails: the leaves are medians of what was drawn, and the risk is below that of means."""
    X = rng.standard_normal((400, 4))
    y = 2.0 * (X[:, 0] > 0) + rng.standard_t(1.2, 400)
    for kind in (er.RandomForestRegressor, er.ExtraTreesRegressor):
        params: Any = {"min_samples_leaf": 5, "bootstrap": True, "n_estimators": 40}
        forest = kind(criterion="absolute_error", **params).fit(X, y)
        for tree, drawn in zip(forest[:3], forest.estimators_samples_, strict=False):
            leaf = tree.apply(X[drawn])
            middle = [np.median(y[drawn][leaf == number]) for number in leaf]
            np.testing.assert_allclose(tree.predict(X[drawn]), middle, atol=1e-12)
        means = kind(**params).fit(X, y)
        assert forest.oob_risks_["absolute error"].value < means.oob_risks_["absolute error"].value
    with pytest.raises(ValueError, match="monotonic constraints need one mean in each leaf"):
        er.RandomForestRegressor(2, criterion="absolute_error", monotonic_cst={0: 1}).fit(X, y)


def test_weights_are_repetitions_on_average(rng: np.random.Generator) -> None:
    """A row of weight 3 and three rows of weight 1 are drawn as often."""
    X = np.array([[0.0], [1.0]])
    X, y = np.repeat(X, 50, axis=0), np.repeat([0.0, 1.0], 50)
    weight = np.where(y > 0, 3.0, 1.0)
    model = er.RandomForestRegressor(400, max_depth=0).fit(X, y, weight)
    assert model.predict(X[:1])[0] == pytest.approx(0.75, abs=0.01)
    model = er.ExtraTreesRegressor(1, max_depth=0).fit(X, y, weight)
    assert model.predict(X[:1])[0] == pytest.approx(0.75)


def test_class_weight(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((400, 2)), (rng.random(400) < 0.1).astype(int)
    model = er.RandomForestClassifier(100, max_depth=0, class_weight="balanced").fit(X, y)
    assert model.predict_proba(X[:1])[0, 1] == pytest.approx(0.5, abs=0.02)


def test_quantiles_intervals_and_importances(rng: np.random.Generator) -> None:
    X = rng.uniform(size=(600, 3))
    y = 4.0 * X[:, 0] + rng.uniform(-1.0, 1.0, 600)
    model = er.RandomForestRegressor(100, min_samples_leaf=10, max_features=None).fit(X, y)
    new = rng.uniform(size=(400, 3))
    truth = 4.0 * new[:, 0] + rng.uniform(-1.0, 1.0, 400)
    q = model.quantiles(new, [0.1, 0.5, 0.9])
    assert 0.7 < np.mean((truth >= q[:, 0]) & (truth <= q[:, 2])) < 0.92
    for method in ("jackknife+", "leaves", "residuals"):
        bands = model.prediction_interval(new, level=0.9, method=method)
        assert 0.84 < np.mean((truth >= bands.low) & (truth <= bands.high)) < 0.96
        assert bands.kind == "prediction"
        np.testing.assert_array_equal(bands.value, model.predict(new))
    found = model.interval(new[:50])
    np.testing.assert_allclose(found.value, model.predict(new[:50]), rtol=1e-12)
    assert ((found.low <= found.value) & (found.value <= found.high)).all()
    for kind in ("permutation", "debiased"):
        low, _ = model.importances(kind=kind).interval()
        assert low[0] > 1.0
        assert (low[1:] < 0.05).all()
    gap = model.proximity(kind="gap")
    np.testing.assert_allclose(gap @ y, model.oob_prediction_, rtol=1e-9)


def test_questions_about_rows_that_are_gone() -> None:
    model = er.RandomForestRegressor(5)
    model.fit(np.arange(20.0)[:, None], np.arange(20.0))
    assert model.importances().value[0] > 1.0  # a copy is kept, but not in a pickle
    model = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="not at hand"):
        model.importances()
    with pytest.raises(ValueError, match="fitted on 20"):
        model.importances(np.arange(7.0)[:, None], np.arange(7.0))
    X = np.arange(20.0)[:, None]
    assert model.importances(X, X[:, 0]).value[0] > 1.0
    assert pickle.loads(pickle.dumps(model)).predict(X).shape == (20,)


@pytest.mark.parametrize("kind", FORESTS)
@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators must be an integer >= 1"),
        ({"n_estimators": "many"}, 'n_estimators must be an integer >= 1 or "auto"'),
        ({"criterion": "luck"}, "criterion must be"),
        ({"max_features": 0}, "max_features must be"),
        ({"max_features": "all"}, "max_features must be"),
        ({"max_samples": 1.5, "bootstrap": True}, "max_samples must be"),
        ({"max_samples": 2**31, "bootstrap": True}, "max_samples must be at most 2147483647"),
        ({"max_samples": 5, "bootstrap": False}, "set bootstrap=True"),
        ({"n_estimators": "auto", "bootstrap": False}, "set bootstrap=True"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be"),
        ({"min_weight_fraction_leaf": 0.9}, "min_weight_fraction_leaf must be"),
        ({"max_bins": 500}, "max_bins must lie"),
        ({"monotonic_cst": [1]}, "monotonic_cst has 1 entries"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
    ids=lambda v: str(v)[:40],
)
def test_parameters_out_of_range(kind: str, params: Any, sentence: str, rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 2
    with pytest.raises(ValueError, match=sentence):
        getattr(er, kind)(**params).fit(X, y)


def test_huge_limits_are_harmless(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 2
    model = er.RandomForestClassifier(5, max_features=10**6, max_depth=10**9, max_leaf_nodes=10**9)
    assert model.fit(X, y).trees_.n_features == 2
    assert er.RandomForestRegressor(5).fit(X[:1], [3.0]).predict(X[:2]).tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="y >= 0"):
        er.RandomForestRegressor(5, criterion="poisson").fit(X, -y)


def test_forests_that_do_not_fit_are_refused_by_their_first_tree(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X, y = rng.standard_normal((200, 2)), rng.integers(0, 2, 200).astype(float)
    columns, binned = bin_varying(X, np.zeros(2, dtype=np.int64), None, 255)
    task = ForestTask(binned, y, 2, ForestGrowth("gini", max_depth=60), Bag(200, 200), None, 0, columns)
    monkeypatch.setattr("empirisk.estimators.trees.forest_task.available_memory", lambda: 1e-3)
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda *_: 1e-3)
    task.refuse_large(50)
    with pytest.raises(MemoryError, match="a forest of 5000 trees"):
        task.refuse_large(5000)


@pytest.mark.skipif(sys.platform == "win32", reason="needs interval timers")
def test_ctrl_c_stops_between_trees_and_leaves_the_forest_before(rng: np.random.Generator) -> None:
    X, y = spirals(rng, 3000, 2)
    model = er.RandomForestClassifier(3).fit(X, y)
    before = model.predict_proba(X)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(n_estimators=20_000).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["RandomForestClassifier", "RandomForestRegressor"])
def test_coverage_of_the_out_of_bag_risk(kind: str, rng: np.random.Generator) -> None:
    """95 % intervals of the out-of-bag risk against the risk of the same forest on many new rows."""
    hits = 0
    for seed in range(200):
        X, y = spirals(rng, 6000, 2)
        if kind.endswith("Regressor"):
            y = y + 0.5 * rng.standard_normal(len(y))
        model = getattr(er, kind)(60, random_state=seed).fit(X[:500], y[:500])
        said = model.predict(X[500:])
        new = np.mean(said != y[500:]) if kind.endswith("Classifier") else np.mean((said - y[500:]) ** 2)
        hits += model.oob_risk_.low <= new <= model.oob_risk_.high
    assert hits / 200 >= 0.90


@pytest.mark.parametrize("kind", ["RandomForestRegressor", "RandomForestClassifier"])
def test_intervals_follow_their_level(kind: str, rng: np.random.Generator) -> None:
    X = rng.uniform(size=(120, 2))
    y = X[:, 0] + 0.3 * rng.standard_normal(120)
    model = getattr(er, kind)(60, random_state=0).fit(X, y > 0.5 if kind.endswith("Classifier") else y)
    narrow, wide = (b.high - b.low for b in (model.interval(X[:20], level) for level in (0.5, 0.9)))
    some = narrow > 1e-9
    assert some.any()
    # The quantiles 0.95 and 0.75 of the normal law, from its tables; shares are cut at 0 and 1.
    ratio = 1.6448536269514722 / 0.6744897501960817
    if kind.endswith("Regressor"):
        np.testing.assert_allclose(wide[some] / narrow[some], ratio, rtol=1e-9)
    else:
        assert np.isclose(wide[some] / narrow[some], ratio, rtol=1e-9).any()
