"""Single trees: pruning by cross-validation, text, rules, paths, optimal trees, bad input."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special
from scipy.stats import binomtest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor as Peer

import empirisk as er
from empirisk.data.design import Design
from empirisk.estimators.folds import deal_rows
from empirisk.results import Kind
from empirisk.trees.leaf_intervals import median_interval

IRIS = """\
root: n = 150, setosa (0.333 0.333 0.333)
|- petal length (cm) <= 2.45: n = 50, setosa (1.000 0.000 0.000) *
|- petal length (cm) > 2.45: n = 100, versicolor (0.000 0.500 0.500)
|  |- petal width (cm) <= 1.75: n = 54, versicolor (0.000 0.907 0.093) *
|  |- petal width (cm) > 1.75: n = 46, virginica (0.000 0.022 0.978) *"""


def iris() -> tuple[Any, Any]:
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


def noisy(rng: np.random.Generator, n: int = 400) -> tuple[Any, Any]:
    """Four cells of two columns, a fifth of the labels flipped, and a column of noise."""
    X = rng.integers(0, 20, (n, 3)).astype(float)
    y = (X[:, 0] > 9) & (X[:, 1] > 6)
    return X, y ^ (rng.random(n) < 0.2)


# -- pruning ------------------------------------------------------------------------------------------


def test_held_out_risk_against_scikit_learn(rng: np.random.Generator) -> None:
    # Single precision, which scikit-learn rounds to.
    X = rng.standard_normal((400, 4)).astype(np.float32).astype(float)
    y = 2.0 * (X[:, 0] > 0) + X[:, 1] + rng.standard_normal(400)
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    model = er.DecisionTreeRegressor(min_samples_leaf=8, cv=folds).fit(X, y)
    path = model.path_
    assert path.cv_alpha is not None
    assert path.cv_risk is not None
    assert path.cv_se is not None
    assert path.folds == 5
    for k in range(0, len(path), 3):
        lost = np.empty(len(y))
        for train, test in folds:
            alpha = min(path.cv_alpha[k], 1e12)
            peer = Peer(min_samples_leaf=8, ccp_alpha=alpha, random_state=0).fit(X[train], y[train])
            lost[test] = (y[test] - peer.predict(X[test])) ** 2
        assert path.cv_risk[k] == pytest.approx(lost.mean(), rel=1e-9)
        assert path.cv_se[k] == pytest.approx(lost.std() / np.sqrt(len(y)), rel=1e-9)


def test_rules_choose_by_the_book() -> None:
    X, y = iris()
    different = ~X.duplicated().to_numpy()  # a row that stands there twice would be one observation
    X, y = X[different], y[different]
    path = er.DecisionTreeClassifier().fit(X, y).path_
    assert path.cv_risk is not None
    assert path.cv_se is not None
    risk, se = path.cv_risk, path.cv_se
    best = max(k for k in range(len(path)) if risk[k] <= risk.min() + 1e-12)
    assert path.index_min == best
    assert path.index_one_se == max(k for k in range(len(path)) if risk[k] <= risk[best] + se[best] + 1e-12)
    # The standard error of a rate.
    np.testing.assert_allclose(se, np.sqrt(risk * (1.0 - risk) / len(y)), rtol=1e-9)
    smallest = er.DecisionTreeClassifier(rule="min").fit(X, y)
    assert smallest.get_n_leaves() == path.n_leaves[best]


def test_pruning_finds_the_cells_and_says_how(rng: np.random.Generator) -> None:
    X, y = noisy(rng, 1000)
    model = er.DecisionTreeClassifier().fit(X, y)
    assert model.get_n_leaves() == 3
    assert er.DecisionTreeClassifier(alpha=None).fit(X, y).get_n_leaves() > 100
    claim = model.certificate_.claim
    assert model.certificate_.kind is Kind.NONE
    assert "greedy splits; 3 leaves of" in claim
    estimate = model.path_.estimate()
    assert str(estimate) in claim
    assert estimate.low is not None
    assert estimate.low < 0.2 < (estimate.high or 0.0)


def covered(rng: np.random.Generator, rule: str, runs: int, n: int = 300) -> float:
    """How often the interval in the certificate covers the risk of the pruned tree."""
    X_new = rng.standard_normal((20_000, 4))
    hit = 0
    for _ in range(runs):
        X = rng.standard_normal((n, 4))
        y = X[:, 0] + X[:, 1] * X[:, 2] + rng.standard_normal(n) > 0.0
        model = er.DecisionTreeClassifier(rule=rule).fit(X, y)
        clear = special.ndtr(np.abs(X_new[:, 0] + X_new[:, 1] * X_new[:, 2]))
        right = model.predict(X_new) == (X_new[:, 0] + X_new[:, 1] * X_new[:, 2] > 0.0)
        risk = float(np.mean(np.where(right, 1.0 - clear, clear)))
        e = model.path_.estimate()
        hit += e.low is not None and e.high is not None and e.low <= risk <= e.high
    return hit / runs


@pytest.mark.full  # simulated
def test_risk_of_the_pruned_tree_is_covered(rng: np.random.Generator) -> None:
    assert covered(rng, "one_se", 60) > 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / 60)


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["one_se", "min"])
@pytest.mark.parametrize("n", [150, 600])
def test_risk_of_the_pruned_tree_is_covered_at_length(n: int, rule: str, rng: np.random.Generator) -> None:
    assert covered(rng, rule, 400, n) > 0.95 - 3.0 * np.sqrt(0.95 * 0.05 / 400)


def test_discrete_rows_are_learnt(rng: np.random.Generator) -> None:
    # Eight distinct rows, hundreds of times each: chance makes them, so they are no copies.
    X = rng.integers(0, 2, (2000, 2)).astype(float)
    y = (X[:, 0] > 0) ^ (rng.random(2000) < 0.3)
    path = er.DecisionTreeClassifier(rule="min").fit(X, y).path_
    assert path.cv_risk is not None
    assert abs(path.cv_risk.min() - 0.3) < 0.04


@pytest.mark.parametrize("stratify", [True, False])
def test_copies_share_a_fold_and_weights_do_not_count(stratify: bool, rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((30, 2)), rng.integers(0, 2, 30).astype(float)
    w = rng.integers(0, 5, 30).astype(float)
    fold, together = deal_rows(Design(X), y, w, 4, 0, stratify)
    np.testing.assert_array_equal(fold == -1, w == 0.0)
    np.testing.assert_array_equal(together[w > 0.0], w[w > 0.0])
    repeat = np.repeat(np.arange(30), w.astype(int))
    shuffled = rng.permutation(repeat)
    each, of_copy = deal_rows(Design(X[shuffled]), y[shuffled], np.ones(len(repeat)), 4, 0, stratify)
    np.testing.assert_array_equal(each, fold[shuffled])
    np.testing.assert_array_equal(of_copy, w[shuffled])
    for scale in (1e-6, 1.0 / 30.0, 1000.0):
        np.testing.assert_array_equal(deal_rows(Design(X), y, scale * w, 4, 0, stratify)[0], fold)


def test_equal_rows_of_a_table_of_few_cells_are_different_cases(rng: np.random.Generator) -> None:
    X, y = rng.integers(0, 2, (200, 2)).astype(float), rng.integers(0, 2, 200).astype(float)
    fold, together = deal_rows(Design(X), y, np.full(200, 0.5), 4, 0, True)
    np.testing.assert_array_equal(together, 0.5)
    cell = (X @ [1.0, 2.0] + 4.0 * y).astype(int)
    spread = np.array([np.bincount(fold[cell == c], minlength=4) for c in range(8)])
    assert (np.ptp(spread, axis=1) <= 1).all()  # every cell lies in every fold


def test_prune_and_path(rng: np.random.Generator) -> None:
    X, y = noisy(rng)
    grown = er.DecisionTreeClassifier(alpha=None).fit(X, y)
    path = grown.path_
    assert path.cv_risk is None
    with pytest.raises(ValueError, match="held-out"):
        path.estimate()
    for k in (1, len(path) // 2, len(path) - 1):
        by_alpha, by_leaves = grown.prune(alpha=path.alpha[k]), grown.prune(n_leaves=int(path.n_leaves[k]))
        again = er.DecisionTreeClassifier(alpha=path.alpha[k]).fit(X, y)
        for model in (by_alpha, by_leaves, again):
            assert model.get_n_leaves() == path.n_leaves[k]
            assert np.mean(model.predict(X) != y) == pytest.approx(path.risk[k], abs=1e-12)
        np.testing.assert_array_equal(by_leaves.apply(X), again.apply(X))
    # A pruned tree grows back, and the estimator that it came from is as it was.
    assert by_leaves.prune(n_leaves=50).get_n_leaves() > 1
    assert grown.get_n_leaves() == grown.sequence_.tree.n_leaves[0]
    told = er.DecisionTreeClassifier().cost_complexity_path(X, y, cv=5)
    assert told.folds == 5
    assert "CostComplexityPath(" in repr(told)


def test_risk_may_be_the_criterion(rng: np.random.Generator) -> None:
    X, y = noisy(rng)
    gini = er.DecisionTreeClassifier(alpha=None, risk="criterion").fit(X, y)
    p = y.mean()
    assert gini.path_.risk[-1] == pytest.approx(2.0 * p * (1.0 - p))
    entropy = er.DecisionTreeClassifier(criterion="log_loss", risk="criterion").fit(X, y)
    assert entropy.path_.risk[-1] == pytest.approx(-p * np.log(p) - (1 - p) * np.log(1 - p))
    assert entropy.path_.cv_risk is not None
    assert np.isfinite(entropy.path_.cv_risk).all()


# -- reading ------------------------------------------------------------------------------------------


def test_text_of_iris() -> None:
    X, y = iris()
    model = er.DecisionTreeClassifier().fit(X, y)
    assert model.to_text() == IRIS
    assert model.to_text(max_depth=1).splitlines()[-1].endswith(" ...")
    assert "width <= 1.75" in model.to_text(feature_names=["a", "b", "length", "width"])


def test_text_names_categories_and_missing_values() -> None:
    colour = pd.Categorical(["red", "green", "blue", "grey"] * 30)
    size = np.arange(120.0)
    size[::10] = np.nan
    X = pd.DataFrame({"colour": colour, "size": size})
    y = np.isin(colour, ["red", "blue"]) * 10.0 + np.isnan(size) * 3.0
    text = er.DecisionTreeRegressor(alpha=None).fit(X, y).to_text()
    assert "colour in {green, grey}" in text
    assert "colour in {blue, red}" in text
    assert "size is missing" in text
    assert "size is not missing" in text


def test_explain_follows_the_row() -> None:
    X, y = iris()
    model = er.DecisionTreeClassifier().fit(X, y)
    told = model.explain(X.iloc[[77]]).splitlines()
    assert told[-1] == (
        "petal width (cm) = 1.7, so petal width (cm) <= 1.75: n = 54, versicolor (0.000 0.907 0.093) *"
    )
    with pytest.raises(ValueError, match="one row"):
        model.explain(X)
    array = er.DecisionTreeClassifier().fit(X.to_numpy(), y)
    assert array.explain(X.to_numpy()[77]).splitlines()[1].startswith("x2 = 5, so x2 > 2.45")


def holds(condition: str, X: Any) -> Any:
    """Whether rows fulfil a condition on a numeric column."""
    if found := re.fullmatch(r"x(\d+) is( not)? missing", condition):
        return np.isnan(X[:, int(found[1])]) == (found[2] is None)
    if found := re.fullmatch(r"([-\d.]+) < (x.*)", condition):
        name = found[2].split()[0]
        more = " or missing" if condition.endswith("missing") else ""
        return holds(f"{name} > {found[1]}{more}", X) & holds(found[2], X)
    name, sign, cut = re.fullmatch(r"x(\d+) (<=|>) ([-\d.]+)(?: or missing)?", condition).groups()  # type: ignore[union-attr]
    x, missing = X[:, int(name)], condition.endswith("missing")
    with np.errstate(invalid="ignore"):
        inside = x <= float(cut) if sign == "<=" else x > float(cut)
    return np.where(np.isnan(x), missing, inside)


def test_rules_partition_the_rows(rng: np.random.Generator) -> None:
    X, y = noisy(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = er.DecisionTreeClassifier(alpha=None, min_samples_leaf=3).fit(X, y)
    rules = model.rules()
    assert len(rules) == model.get_n_leaves() > 20
    inside = np.array([np.all([holds(c, X) for c in r.conditions], axis=0) for r in rules])
    np.testing.assert_array_equal(inside.sum(axis=0), 1)
    leaf = model.apply(X)
    for rule, rows in zip(rules, inside, strict=True):
        np.testing.assert_array_equal(rows, leaf == rule.leaf)
        assert rule.n == rows.sum()
        assert rule.counts == {False: np.sum(~y[rows]), True: np.sum(y[rows])}
        assert "chose the splits" in rule.estimate.reason
        # No column is named twice.
        columns = [re.search(r"x\d+", c)[0] for c in rule.conditions]  # type: ignore[index]
        assert len(set(columns)) == len(columns)


def coverage(rng: np.random.Generator, fresh: bool, runs: int) -> float:
    """How often a leaf's interval covers the true share, which is 1/2 everywhere."""
    hit = total = 0
    for _ in range(runs):
        X, y = rng.standard_normal((300, 4)), rng.random(300) < 0.5
        model = er.DecisionTreeClassifier(alpha=None, min_samples_leaf=15).fit(X, y)
        rows = (rng.standard_normal((300, 4)), rng.random(300) < 0.5) if fresh else ()
        for rule in model.rules(*rows):
            low, high = rule.estimate.low, rule.estimate.high
            hit += low is not None and high is not None and low <= 0.5 <= high
            total += rule.n > 0
    return hit / total


def test_intervals_of_fresh_rows_cover_and_those_of_training_rows_do_not(rng: np.random.Generator) -> None:
    assert coverage(rng, True, 40) > 0.95 - 3.0 * np.sqrt(0.05 * 0.95 / 500)
    assert coverage(rng, False, 20) < 0.85


def test_regression_rules(rng: np.random.Generator) -> None:
    X = np.repeat([0.0, 1.0], 60)[:, None]
    y = 5.0 * X[:, 0] + rng.standard_normal(120)
    model = er.DecisionTreeRegressor(max_depth=1).fit(X, y)
    left, right = model.rules(X, y)
    for rule, part in ((left, y[:60]), (right, y[60:])):
        half = 2.0009953780882688 * part.std(ddof=1) / np.sqrt(60)  # Student's t, 59 degrees of freedom
        assert (rule.n, rule.prediction) == (60, pytest.approx(part.mean()))
        assert rule.estimate.low == pytest.approx(part.mean() - half)
        assert rule.estimate.high == pytest.approx(part.mean() + half)
    trained = model.rules()[0].estimate
    assert trained.low == pytest.approx(left.estimate.low)
    assert "if x0 <= 0.5 then" in str(left)


def test_median_rules_cover(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((60, 2)), rng.exponential(size=60)
    model = er.DecisionTreeRegressor(criterion="absolute_error", max_depth=1, alpha=None).fit(X, y)
    assert all(rule.estimate.low is None and "pass rows" in rule.estimate.reason for rule in model.rules())
    hit = total = 0
    for _ in range(150):
        for rule in model.rules(rng.standard_normal((40, 2)), rng.exponential(size=40), level=0.9):
            low, high = rule.estimate.low, rule.estimate.high
            if low is not None and high is not None:
                hit += low <= np.log(2.0) <= high
                total += 1
    assert hit / total > 0.9 - 3.0 * np.sqrt(0.9 * 0.1 / total)
    # Ten rows: P(Bin(10, 1/2) <= 1) = 11/1024, so the second and the ninth cover 97.9 %.
    found = median_interval(np.arange(10.0), np.ones(10), 0.95)
    assert (found.value, found.low, found.high) == (4.5, 1.0, 8.0)
    assert median_interval(np.arange(5.0), np.ones(5), 0.95).low is None


def test_importances_and_plots(rng: np.random.Generator) -> None:
    X, y = noisy(rng)
    model = er.DecisionTreeClassifier().fit(X, y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[2] == 0.0
    texts = [t.get_text() for t in model.plot(row=X[0]).axes.texts]
    assert sum(t.startswith("x0 ") for t in texts) == 2
    assert sum("/" in t for t in texts) == 2 * model.get_n_leaves() - 1
    assert model.path_.plot().axes.get_xlabel() == "leaves"
    assert model.decision_path(X).sum() >= len(X) * 2


# -- optimal trees ------------------------------------------------------------------------------------


def test_optimal_tree_beats_the_greedy_one(rng: np.random.Generator) -> None:
    X = rng.standard_normal((500, 3))
    y = np.where((X[:, 0] > 0) != (X[:, 1] > 0), "odd", "even")
    best = er.DecisionTreeClassifier(optimal=2).fit(X, y)
    greedy = er.DecisionTreeClassifier(max_depth=2, alpha=None).fit(X, y)
    assert best.score(X, y) == 1.0 > greedy.score(X, y)
    assert best.certificate_.kind is Kind.EXACT
    assert best.certificate_.value == 0.0
    assert best.certificate_.suboptimality() == 0.0
    assert "least of all trees of depth 2" in repr(best)
    # A price of leaves: four of them save half of the errors, so 1/6 each is too much.
    assert er.DecisionTreeClassifier(optimal=2, alpha=0.2).fit(X, y).get_n_leaves() == 1
    assert er.DecisionTreeClassifier(optimal=2, alpha=0.1).fit(X, y).get_n_leaves() == 4


def test_optimal_regression_and_its_gap(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((300, 5)), rng.standard_normal(300)
    best = er.DecisionTreeRegressor(optimal=2).fit(X, y)
    greedy = er.DecisionTreeRegressor(max_depth=2, alpha=None).fit(X, y)
    loss = [float(np.mean((y - m.predict(X)) ** 2)) for m in (best, greedy)]
    assert loss[0] <= loss[1]
    assert f"{loss[0]:.4g}" in best.certificate_.claim
    stopped = er.DecisionTreeRegressor(optimal=3, time_limit=0.0).fit(X, y)
    gap = stopped.certificate_.value
    assert gap > 0.0
    assert np.mean((y - stopped.predict(X)) ** 2) - gap <= loss[0]
    assert "stopped after 0 seconds" in stopped.certificate_.claim
    binned = er.DecisionTreeRegressor(optimal=2, max_bins=16).fit(X, y)
    assert "cuts between 16 bins" in binned.certificate_.claim


# -- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"alpha": "best"}, 'alpha must be a number >= 0, None or "cv"'),
        ({"alpha": -0.1}, "alpha must be a finite number >= 0"),
        ({"criterion": "ginni"}, "criterion must be 'entropy' or"),
        ({"risk": "loss"}, "risk must be 'misclassification' or 'criterion'"),
        ({"rule": "max"}, "rule must be"),
        ({"cv": 1}, "cv must be an integer >= 2"),
        ({"cv": 2.5}, "cv must be an integer >= 2"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0"),
        ({"max_features": 0}, "max_features must be an integer >= 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be an integer >= 1"),
        ({"min_impurity_decrease": -1.0}, "min_impurity_decrease must be"),
        ({"max_bins": 1}, "max_bins must be"),
        ({"optimal": 4}, "deeper searches do not end"),
        ({"optimal": 2, "max_depth": 2}, "max_depth bounds greedy growth"),
        ({"optimal": 2, "time_limit": -1.0}, "time_limit must be"),
        ({"optimal": 2, "categorical_features": [0]}, "column 0 is categorical"),
        ({"monotonic_cst": [1]}, "monotonic_cst has 1 entries, X has 3 columns"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], said: str, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        er.DecisionTreeClassifier(**parameters).fit(*noisy(rng, 50))


def test_wrong_rows(rng: np.random.Generator) -> None:
    X, y = noisy(rng, 50)
    with pytest.raises(ValueError, match="n_samples = 1 with 1 distinct; give alpha as a number"):
        er.DecisionTreeRegressor().fit([[1.0]], [2.0])
    assert er.DecisionTreeRegressor(alpha=None).fit([[1.0]], [2.0]).predict([[5.0]]).tolist() == [2.0]
    with pytest.raises(ValueError, match="NaN in row 3"):
        er.DecisionTreeRegressor().fit(X, np.where(np.arange(50) == 3, np.nan, 1.0))
    with pytest.raises(ValueError, match=r"poisson.*needs targets"):
        er.DecisionTreeRegressor(criterion="poisson").fit(X, -np.ones(50))
    with pytest.raises(ValueError, match="column 1, row 7: impute it"):
        er.DecisionTreeClassifier(optimal=2).fit(np.where(np.arange(150).reshape(50, 3) == 22, np.nan, X), y)
    with pytest.raises(ValueError, match="3 classes"):
        er.DecisionTreeClassifier(monotonic_cst=[1, 0, 0]).fit(X, np.arange(50) % 3)
    with pytest.raises(ValueError, match="give one of the two"):
        er.DecisionTreeClassifier().fit(X, y).prune()
    with pytest.raises(ValueError, match="pass both"):
        er.DecisionTreeClassifier().fit(X, y).rules(X)


def test_extremes(rng: np.random.Generator) -> None:
    X, y = noisy(rng, 60)
    with pytest.raises(ValueError, match="one class only"):
        er.DecisionTreeClassifier().fit(X, np.full(60, "only"))
    root = er.DecisionTreeRegressor(max_depth=0).fit(X, y.astype(float))
    assert root.predict(X[:1]) == pytest.approx([y.mean()])
    assert er.DecisionTreeClassifier(max_features=10**9).fit(X, y).get_n_leaves() >= 1
    empty = X.copy()
    empty[:, 1] = np.nan
    assert 1 not in er.DecisionTreeClassifier(alpha=None).fit(empty, y).tree_.feature


def test_pruning_does_not_depend_on_the_unit_of_y(rng: np.random.Generator) -> None:
    """Squares of squares of 2^300 overflow and those of 2^-300 vanish; the chosen size stays."""
    X, truth = rng.normal(size=(120, 3)), rng.normal(size=120)
    y = truth + 2.0 * (X[:, 0] > 0.0)
    # Rows are dealt by their content: the same folds need an explicit splitter.
    here = er.DecisionTreeRegressor(cv=KFold(5)).fit(X, y)
    assert 1 < here.get_n_leaves() < 120
    for power in (-300, 300):
        there = er.DecisionTreeRegressor(cv=KFold(5)).fit(X, np.ldexp(y, power))
        np.testing.assert_allclose(there.path_.cv_risk, np.ldexp(here.path_.cv_risk, 2 * power), rtol=1e-12)
        np.testing.assert_allclose(there.path_.cv_se, np.ldexp(here.path_.cv_se, 2 * power), rtol=1e-12)
        np.testing.assert_allclose(there.predict(X), np.ldexp(here.predict(X), power), rtol=1e-12)


def test_a_steep_chain_is_pruned() -> None:
    tree = er.DecisionTreeRegressor().fit(np.arange(3000.0)[:, None], np.exp(0.1 * np.arange(3000)))
    assert np.isfinite(tree.path_.cv_se).all()
    assert 1 < tree.get_n_leaves() < 3000


@pytest.mark.parametrize(
    ("label", "word"), [(np.nan, "NaN"), (None, "None"), (pd.NA, "<NA>"), (np.float32("nan"), "NaN")]
)
@pytest.mark.filterwarnings("error")
def test_rows_without_a_class_are_named(label: Any, word: str) -> None:
    y: Any = np.array(["in", "out"] * 5, dtype=object)
    y[3] = label
    with pytest.raises(ValueError, match=f"y holds {word} in row 3; drop the rows without a class"):
        er.DecisionTreeClassifier().fit(np.arange(10.0)[:, None], y)
    if word == "NaN":
        numbers = np.where(np.arange(10) == 3, np.nan, np.arange(10) % 2)
        with pytest.raises(ValueError, match="y holds NaN in row 3"):
            er.DecisionTreeClassifier().fit(np.arange(10.0)[:, None], numbers)


@pytest.mark.parametrize(
    "model", [er.RandomForestRegressor, er.BaggingRegressor, er.GradientBoostingRegressor]
)
@pytest.mark.parametrize("n_jobs", [0, "two", 1.5, True, float("nan"), float("inf")])
def test_n_jobs_is_refused_by_name(model: Any, n_jobs: Any) -> None:
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0, got"):
        model(n_estimators=2, n_jobs=n_jobs).fit(np.arange(10.0)[:, None], np.arange(10.0))


def test_ten_thousand_categories(rng: np.random.Generator) -> None:
    codes = rng.permutation(np.repeat(np.arange(10_000), 2))
    X = pd.DataFrame({"code": pd.Categorical(codes.astype(str))})
    y = codes % 2 == 0
    model = er.DecisionTreeClassifier(alpha=None).fit(X, y)
    assert model.score(X, y) == 1.0
    assert "9994 more" in model.to_text() or "4994 more" in model.to_text()
    # A category that training did not have goes with the heavier child.
    unseen = pd.DataFrame({"code": pd.Categorical(["new"])})
    assert model.predict(unseen)[0] in (True, False)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_monotone_categorical_weighted(criterion: str, rng: np.random.Generator) -> None:
    X = rng.standard_normal((300, 2))
    y = np.exp(0.5 * X[:, 0]) + rng.random(300)
    w = rng.random(300)
    plain = er.DecisionTreeRegressor(criterion=criterion, rule="min").fit(X, y, w)
    assert plain.get_n_leaves() > 2
    scaled = er.DecisionTreeRegressor(criterion=criterion, rule="min").fit(X, y, 7.3 * w)
    np.testing.assert_allclose(plain.predict(X), scaled.predict(X), rtol=1e-9)
    if criterion != "absolute_error":
        rising = er.DecisionTreeRegressor(criterion=criterion, monotonic_cst={0: 1}).fit(X, y, w)
        line = np.column_stack([np.linspace(-2, 2, 200), np.zeros(200)])
        assert (np.diff(rising.predict(line)) >= 0.0).all()


@pytest.mark.parametrize("level", [0.5, 0.8])
def test_rules_keep_the_level_that_was_asked_for(level: float, rng: np.random.Generator) -> None:
    X = rng.standard_normal((120, 2))
    z = X[:, 0] + 0.5 * rng.standard_normal(120)
    regressor = er.DecisionTreeRegressor(max_depth=1).fit(X, z)
    median = er.DecisionTreeRegressor(criterion="absolute_error", max_depth=1, alpha=None).fit(X, z)
    classifier = er.DecisionTreeClassifier(max_depth=1, alpha=None).fit(X, z > 0.0)
    for model, y in ((regressor, z), (median, z), (classifier, z > 0.0)):
        for rule in [*model.rules(X, y, level=level), *model.rules(level=level)]:
            assert rule.estimate.level == level
    for rule in classifier.rules(X, z > 0.0, level=level):
        k = rule.counts[rule.prediction]
        limits = binomtest(int(k), rule.n).proportion_ci(level, method="exact")
        assert (rule.estimate.low, rule.estimate.high) == (
            pytest.approx(limits.low),
            pytest.approx(limits.high),
        )
