"""Forests of several targets with shared splits: the trees of scikit-learn, and what each target keeps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import empirisk as er

FORESTS = [
    er.RandomForestRegressor(6, targets="together"),
    er.RandomForestClassifier(6, targets="together", criterion="entropy", smoothing=1.0),
    er.ExtraTreesRegressor(6, targets="together", bootstrap=True, max_leaf_nodes=12),
    er.ExtraTreesClassifier(6, targets="together", bootstrap=True),
]
EACH = pytest.mark.parametrize("est", FORESTS, ids=lambda est: type(est).__name__)


def table(rng: np.random.Generator, n: int = 160) -> tuple[Any, Any]:
    X = rng.standard_normal((n, 4))
    Y = np.column_stack([X[:, 0] + X[:, 1] ** 2, np.sin(2.0 * X[:, 2]), 0.5 * X[:, 3]])
    return X, Y + 0.3 * rng.standard_normal(Y.shape)


def labels(Y: Any) -> pd.DataFrame:
    size = np.digitize(Y[:, 0], [0.0, 1.5])
    return pd.DataFrame({"size": size, "sign": np.where(Y[:, 1] > 0.0, "plus", "minus")})


def targets(est: Any, Y: Any) -> Any:
    return labels(Y) if is_classifier(est) else pd.DataFrame(Y, columns=["a", "b", "c"])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["squared_error", "gini", "entropy"])
def test_the_trees_are_those_of_scikit_learn(
    criterion: str, weighted: bool, rng: np.random.Generator
) -> None:
    X, Y = table(rng)
    weight = np.maximum(rng.uniform(-0.5, 2.0, len(Y)), 0.0) if weighted else None
    live = np.ones(len(Y), dtype=bool) if weight is None else weight > 0.0
    # Counts of few rows tie, and ties are broken by draws of columns: small nodes have weights or numbers.
    small = weighted or criterion == "squared_error"
    params: Any = {"max_depth": 5 if small else 2, "min_samples_leaf": 7 if small else 20}
    params["criterion"] = criterion
    more: Any = {"bootstrap": False, "max_features": None, "targets": "together"}
    if criterion == "squared_error":
        peer = DecisionTreeRegressor(**params).fit(X, Y, sample_weight=weight)
        ours = er.RandomForestRegressor(2, **params, **more).fit(X, Y, sample_weight=weight)
        np.testing.assert_allclose(ours.predict(X[live]), peer.predict(X[live]), atol=1e-12)
    else:
        named = labels(Y)
        coded = np.column_stack([named["size"], named["sign"] == "plus"])
        peer = DecisionTreeClassifier(**params).fit(X, coded, sample_weight=weight)
        ours = er.RandomForestClassifier(2, **params, **more).fit(X, named, sample_weight=weight)
        for mine, theirs in zip(ours.predict_proba(X[live]), peer.predict_proba(X[live]), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)
    np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-12)


@EACH
def test_targets_share_splits_and_keep_leaves_and_risks_of_their_own(
    est: Any, rng: np.random.Generator
) -> None:
    X, Y = table(rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = targets(est, Y)
    weight = rng.uniform(0.0, 2.0, len(Y)) * (rng.random(len(Y)) < 0.9)
    forest = clone(est).fit(X, y, sample_weight=weight)
    models = forest.by_target_
    first = next(iter(models.values()))
    assert list(models) == list(y.columns)
    for name, model in models.items():
        for field in ("feature", "threshold", "left", "weight"):
            assert getattr(model.trees_, field) is getattr(first.trees_, field)
        column = y[name].to_numpy()
        told = np.zeros((len(Y), model.trees_.n_outputs))
        times = np.zeros(len(Y))
        for tree, drawn in zip(model, model.estimators_samples_, strict=True):
            leaf, inside = tree.apply(X), np.bincount(drawn, minlength=len(Y)).astype(float)
            for number in np.unique(leaf[drawn]):
                rows = (leaf == number) & (inside > 0.0)
                value = tree.tree_.value[number]
                if is_classifier(est):
                    own = [(inside[rows] * (column[rows] == c)).sum() for c in model.classes_]
                    np.testing.assert_allclose(value, np.array(own) / inside[rows].sum(), atol=1e-12)
                else:
                    mean = np.average(column[rows], weights=inside[rows])
                    spread = np.average((column[rows] - mean) ** 2, weights=inside[rows])
                    np.testing.assert_allclose(value, [mean], atol=1e-12)
                    assert tree.tree_.heterogeneity[number] == pytest.approx(spread, abs=1e-12)
            unseen = inside == 0.0
            told[unseen] += tree.tree_.value[leaf[unseen]]
            times[unseen] += 1.0
            assert tree.tree_.gain.min() >= 0.0
            assert tree.prune(n_leaves=3).get_n_leaves() <= 3
        known = (times > 0.0) & (weight > 0.0)
        said = told[known] / times[known, None]
        if is_classifier(est):
            mine = model.oob_decision_function_[known]
            share = 1.0 / model._total_weight * model.smoothing
            said = (said + share) / (1.0 + share * said.shape[1])
        else:
            mine = model.oob_prediction_[known][:, None]
            plain = r2_score(column[known], said[:, 0], sample_weight=weight[known])
            assert model.oob_score_ == pytest.approx(plain, rel=1e-9)
        np.testing.assert_allclose(mine, said, atol=1e-9)
    assert forest.oob_score_ == pytest.approx(np.mean([m.oob_score_ for m in models.values()]))
    assert f"6 trees shared by {len(models)} targets" in forest.certificate_.claim


@EACH
def test_shapes_names_copies_and_what_is_asked_target_by_target(est: Any, rng: np.random.Generator) -> None:
    X, Y = table(rng, 90)
    y = targets(est, Y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    forest = clone(est).fit(frame, y)
    told = forest.predict(frame)
    assert told.shape == y.shape
    if is_classifier(est):
        assert [share.shape for share in forest.predict_proba(frame)] == [(90, 3), (90, 2)]
        assert forest.score(frame, y) == np.mean((told == y.to_numpy()).all(axis=1))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(forest)).predict(frame), told)
    np.testing.assert_array_equal(clone(forest).fit(frame, y).predict(frame), told)
    model = next(iter(forest.by_target_.values()))
    assert model.importances().names == tuple("abcd")
    assert model.interval(frame[:3]).low.shape[0] == 3
    with pytest.raises(ValueError, match="by_target_"):
        forest.importances()
    alone = clone(est).fit(frame, y.iloc[:, 0])
    assert not hasattr(alone, "by_target_")
    same = clone(est).set_params(targets="each").fit(frame, y.iloc[:, 0])
    np.testing.assert_array_equal(alone.predict(frame), same.predict(frame))


def test_one_target_that_knows_all_decides_and_categories_are_split(rng: np.random.Generator) -> None:
    """Large units decide: the splits are those of the target whose errors are large."""
    X, Y = table(rng)
    Y[:, 1] *= 1e6
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        part=pd.Categorical(rng.choice(list("uvwx"), len(X)))
    )
    Y[:, 1] += 3e6 * frame["part"].isin(["u", "w"])
    params: Any = {"max_depth": 3, "bootstrap": False}
    shared = er.RandomForestRegressor(1, targets="together", **params).fit(frame, Y)
    alone = er.RandomForestRegressor(1, **params).fit(frame, Y[:, 1])
    np.testing.assert_allclose(shared.predict(frame)[:, 1], alone.predict(frame), rtol=1e-9)
    # Out-of-bag sums of small targets keep their digits beside large ones.
    forest = er.RandomForestRegressor(5, targets="together").fit(X, Y)
    small = forest.by_target_[2]
    said = np.array([tree.predict(X) for tree in small])
    seen = np.array([np.bincount(rows, minlength=len(X)) > 0 for rows in small.estimators_samples_])
    known = ~seen.all(axis=0)
    by_hand = (said * ~seen).sum(axis=0)[known] / (~seen).sum(axis=0)[known]
    np.testing.assert_allclose(small.oob_prediction_[known], by_hand, atol=1e-10)


def test_refusals_name_the_parameter(rng: np.random.Generator) -> None:
    X, Y = table(rng, 40)
    for params, sentence in (
        ({"n_estimators": "auto"}, "takes a number of trees"),
        ({"warm_start": True}, "warm_start is about one target"),
        ({"monotonic_cst": {0: 1}}, "monotonic_cst is about one target"),
        ({"criterion": "absolute_error"}, 'criterion="absolute_error" is for targets="each"'),
        ({"criterion": "poisson"}, 'criterion="poisson" is for targets="each"'),
    ):
        with pytest.raises(ValueError, match=sentence):
            er.RandomForestRegressor(**{"targets": "together", **params}).fit(X, abs(Y))
    with pytest.raises(ValueError, match="class_weight is about one target"):
        er.RandomForestClassifier(3, targets="together", class_weight="balanced").fit(X, labels(Y))
    with pytest.raises(ValueError, match="in the target 'b'"):
        er.RandomForestRegressor(3, targets="together").fit(X, pd.DataFrame({"a": Y[:, 0], "b": np.nan}))
    for y in (Y, Y[:, 0]):
        with pytest.raises(ValueError, match="targets must be"):
            er.ExtraTreesRegressor(3, targets="joint").fit(X, y)
