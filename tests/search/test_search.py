"""Searches: brute force, other libraries, what users do around them, and what goes wrong."""

from __future__ import annotations

import pickle
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as SkLogistic
from sklearn.linear_model import Ridge as SkRidge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.evaluation.intervals import best_of
from empirisk.selection import GridSearch, LogUniform, RandomSearch, SearchWarning
from tests.conftest import SEED

ALPHAS = [0.01, 0.1, 1.0, 10.0]


def regression(n: int = 90, p: int = 5, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=n)


def classes(n: int = 120, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    X, y = regression(n, seed=seed)
    return X, np.where(y > 0, "yes", "no")


FOLDS_DIFFER = {
    f"check_sample_weight_equivalence_on_{kind}_data": "repeated rows are cut into other folds"
    for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, cv=2, repeats=1, random_state=0),
        GridSearch(er.LogisticRegression(), {"alpha": [0.1, 1.0]}, cv=2, repeats=1, random_state=0),
        RandomSearch(SkLogistic(), {"C": [0.1, 1.0]}, n_iter=2, cv=2, repeats=1, random_state=0),
    ],
    expected_failed_checks=lambda est: FOLDS_DIFFER,
)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


# -- right values ---------------------------------------------------------------------------------


def test_scores_equal_those_of_grid_search_cv() -> None:
    X, y = regression()
    cv = KFold(5, shuffle=True, random_state=3)
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    theirs = GridSearchCV(
        DecisionTreeRegressor(random_state=0), grid, cv=cv, scoring="neg_mean_squared_error"
    ).fit(X, y)
    ours = GridSearch(DecisionTreeRegressor(random_state=0), grid, cv=cv, metric="mse").fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for j in range(5):
        name = f"split{j}_test_score"
        np.testing.assert_allclose(ours.cv_results_[name], -theirs.cv_results_[name], rtol=1e-12)
    for name in ("rank_test_score", "param_max_depth"):
        np.testing.assert_array_equal(ours.cv_results_[name], theirs.cv_results_[name])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_every_candidate_has_the_numbers_of_its_own_cross_evaluation() -> None:
    X, y = classes()
    search = GridSearch(SkLogistic(), {"C": [0.01, 1.0]}, metric="accuracy", random_state=1).fit(X, y)
    for i, c in enumerate([0.01, 1.0]):
        alone = er.cross_evaluate(SkLogistic(C=c), X, y, metrics="accuracy", random_state=1)["accuracy"]
        assert search.result_.scores[i] == alone
        wide = er.cross_evaluate(SkLogistic(C=c), X, y, metrics="accuracy", random_state=1, level=0.975)
        assert search.result_.simultaneous[i] == wide["accuracy"]
        assert search.cv_results_["test_score_low"][i] == alone.low
    pair = er.compare(
        SkLogistic(C=1.0), SkLogistic(C=0.01), X, y, metric="accuracy", random_state=1, repeats=5
    )
    if pair.probability_a_better is not None:
        assert search.beats(1, 0)[0] == pytest.approx(pair.probability_a_better, abs=1e-12)


def test_best_score_is_the_corrected_one() -> None:
    X, y = classes()
    grid = {"max_depth": [1, 2, 3, 4]}
    search = GridSearch(
        DecisionTreeClassifier(random_state=0), grid, metric="accuracy", repeats=1, random_state=2
    ).fit(X, y)
    runs = [
        er.cross_evaluate(
            DecisionTreeClassifier(random_state=0, max_depth=d),
            X,
            y,
            metrics="accuracy",
            repeats=1,
            random_state=2,
        )
        for d in (1, 2, 3, 4)
    ]
    table = np.stack([e.losses("accuracy")[0] for e in runs], axis=1)
    by_hand = best_of(table, 5, random_state=2)
    assert search.best_score_.value == pytest.approx(1.0 - by_hand.value, abs=1e-12)
    assert search.best_score_.low == pytest.approx(1.0 - by_hand.high, abs=1e-12)
    assert search.naive_score_ == runs[search.best_index_]["accuracy"]
    assert search.best_score_.value <= search.naive_score_.value + 0.01
    assert "the settings that it chose, trained on 96 of these 120 rows" in search.best_score_.target


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "accuracy", "f1", "matthews_corrcoef"])
def test_any_metric(metric: str) -> None:
    X, y = classes(150)
    search = GridSearch(SkLogistic(), {"C": [1e-4, 1.0]}, metric=metric, repeats=2, random_state=0).fit(X, y)
    found = search.best_score_
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert search.best_params_ == {"C": 1.0} or metric == "roc_auc"
    assert search.probability_best_.sum() == pytest.approx(1.0)


def test_sparse_lists_and_frames_give_the_same() -> None:
    X, y = regression()
    make = lambda: GridSearch(er.Ridge(), {"alpha": ALPHAS}, random_state=0)  # noqa: E731
    plain = make().fit(X, y)
    names = list("abcde")
    for other in (
        sparse.csr_array(X),
        X.tolist(),
        pd.DataFrame(X, columns=names),
        pl.DataFrame(X, schema=names),
    ):
        again = make().fit(other, y)
        assert again.best_params_ == plain.best_params_
        assert again.best_score_.value == pytest.approx(plain.best_score_.value, rel=1e-6)
    frame = make().fit(pd.DataFrame(X, columns=names), pd.Series(y))
    assert list(frame.feature_names_in_) == names
    with pytest.raises(ValueError, match="feature names"):
        frame.predict(pd.DataFrame(X, columns=names[::-1]))


# -- inside and around ------------------------------------------------------------------------------


def test_search_in_pipeline_and_pipeline_in_search() -> None:
    X, y = classes()
    inside = make_pipeline(
        StandardScaler(), GridSearch(er.LogisticRegression(), {"alpha": ALPHAS}, random_state=0)
    )
    inside.set_output(transform="pandas").fit(X, y)
    assert inside.score(X, y) > 0.6
    assert list(inside.classes_) == ["no", "yes"]
    around = GridSearch(
        Pipeline([("scale", StandardScaler()), ("model", er.LogisticRegression())]),
        [{"model__alpha": ALPHAS}, {"model": [DummyClassifier()], "scale": ["passthrough"]}],
        random_state=0,
    ).fit(X, y)
    assert set(around.best_params_) == {"model__alpha"}
    assert around.cv_results_["param_model"].mask.tolist() == [True] * 4 + [False]
    assert around.predict_proba(X).shape == (120, 2)


def test_clone_pickle_and_grid_search_cv_around() -> None:
    X, y = regression()
    search = GridSearch(er.Ridge(), {"alpha": ALPHAS}, random_state=0).fit(X, y)
    assert not hasattr(clone(search), "result_")
    back = pickle.loads(pickle.dumps(search))
    assert repr(back) == repr(search)
    assert np.array_equal(back.predict(X), search.predict(X))
    outer = GridSearchCV(
        GridSearch(er.Ridge(), {"alpha": ALPHAS}, repeats=1, random_state=0), {"rule": ["min", "one_se"]}
    )
    assert outer.fit(X, y).best_params_["rule"] in ("min", "one_se")


@pytest.mark.full  # starts processes
def test_jobs_give_the_same_and_progress_is_told() -> None:
    X, y = classes()
    told: list[tuple[int, int]] = []
    make = lambda **k: GridSearch(SkLogistic(), {"C": [0.1, 1.0, 10.0]}, repeats=1, random_state=0, **k)  # noqa: E731
    one, two = make(progress=lambda *a: told.append(a)).fit(X, y), make(n_jobs=2).fit(X, y)
    assert told[-1] == (15, 15)
    assert [a for a, _ in told] == list(range(1, 16))
    assert two.best_score_ == one.best_score_
    for j in range(5):
        np.testing.assert_array_equal(
            two.cv_results_[f"split{j}_test_score"], one.cv_results_[f"split{j}_test_score"]
        )


# -- nested -----------------------------------------------------------------------------------------


def test_nested_searches_inside_each_fold_and_passes_groups() -> None:
    X, y = regression()
    groups = np.repeat(np.arange(30), 3)
    search = GridSearch(er.Ridge(), {"alpha": ALPHAS}, repeats=1, random_state=0)
    ev = er.selection.nested_cross_evaluate(search, X, y, cv=3, groups=groups, metrics="mse", random_state=0)
    for (train, test), choice, out in zip(ev.plan.splits, ev.choices, ev.fitted.outputs, strict=True):
        assert not set(groups[train]) & set(groups[test])
        by_hand = clone(search).fit(X[train], y[train], groups=groups[train])
        assert by_hand.best_params_ == choice
        np.testing.assert_allclose(by_hand.predict(X[test]), out.pred, rtol=1e-10)
    assert "choice of settings included" in ev["mse"].target
    assert "Chosen alpha" in repr(ev)
    plain = er.cross_evaluate(search, X, y, cv=3, groups=groups, metrics="mse", repeats=1, random_state=0)
    assert plain["mse"].value == ev["mse"].value


# -- candidates -------------------------------------------------------------------------------------


def test_random_search_draws_from_everything() -> None:
    X, y = classes()
    space = {"C": LogUniform(1e-3, 1e3), "max_iter": LogUniform(50, 500, integer=True), "tol": [1e-4, 1e-3]}
    search = RandomSearch(SkLogistic(), space, n_iter=6, repeats=1, random_state=4).fit(X, y)
    points = search.cv_results_["params"]
    assert len(points) == 6
    assert all(isinstance(p["max_iter"], int) and 50 <= p["max_iter"] <= 500 for p in points)
    again = RandomSearch(SkLogistic(), space, n_iter=6, repeats=1, random_state=4).fit(X, y)
    assert again.cv_results_["params"] == points
    scipy = RandomSearch(
        SkLogistic(), {"C": stats.loguniform(0.1, 1)}, n_iter=3, repeats=1, random_state=0
    ).fit(X, y)
    assert all(0.1 <= p["C"] <= 1.0 for p in scipy.cv_results_["params"])
    few = RandomSearch(SkLogistic(), {"C": [0.1, 1.0]}, n_iter=50, repeats=1, random_state=0).fit(X, y)
    assert sorted(p["C"] for p in few.cv_results_["params"]) == [0.1, 1.0]


def test_log_uniform_is_uniform_in_the_logarithm() -> None:
    rng = np.random.default_rng(SEED)
    draws = np.log([LogUniform(1e-3, 10.0).rvs(rng) for _ in range(2000)])
    assert stats.kstest(draws, "uniform", args=(np.log(1e-3), np.log(1e4))).pvalue > 1e-4
    with pytest.raises(ValueError, match="0 < low < high"):
        LogUniform(0.0, 1.0)


# -- what goes wrong --------------------------------------------------------------------------------


def test_a_failing_candidate_is_noted_and_all_failing_raise() -> None:
    X, y = regression()
    grid = {"max_depth": [2, -3]}
    with pytest.warns(SearchWarning, match="1 of 2 candidates failed.*max_depth"):
        search = GridSearch(DecisionTreeRegressor(), grid, repeats=1, random_state=0).fit(X, y)
    assert list(search.cv_results_["state"]) == ["finished", "failed"]
    assert "max_depth" in search.cv_results_["error"][1]
    assert np.isnan(search.cv_results_["mean_test_score"][1])
    assert search.best_params_ == {"max_depth": 2}
    assert "failed" in repr(search.result_)
    with pytest.raises(ValueError, match="max_depth"):
        GridSearch(DecisionTreeRegressor(), grid, error_score="raise", repeats=1).fit(X, y)
    with pytest.raises(ValueError, match="max_depth") as caught:
        GridSearch(DecisionTreeRegressor(), {"max_depth": [-1, -3]}, repeats=1).fit(X, y)
    assert "Every candidate failed" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"rule": "best"}, ValueError, "rule must be one of"),
        ({"level": 1.0}, ValueError, "level must lie"),
        ({"time_limit": 0.0}, ValueError, "time_limit"),
        ({"error_score": 0.0}, ValueError, "error_score"),
        ({"racing": 1.5}, ValueError, "racing must be"),
        ({"racing": 0.05, "metric": "r2"}, ValueError, "mean of row losses"),
        ({"racing": 0.05, "cv": [(range(50), range(50, 90))]}, ValueError, "repeats of K folds"),
        ({"metric": ["mse", "mae"]}, ValueError, "one metric"),
        ({"metric": "nonsense"}, ValueError, "nonsense"),
        ({"param_grid": {}}, None, ""),
        ({"param_grid": []}, TypeError, "param_grid"),
        ({"param_grid": {"alpha": []}}, ValueError, "'alpha' is empty"),
        ({"param_grid": {"alpha": "1/n"}}, TypeError, "must be a list"),
        ({"param_grid": {"alhpa": [1.0]}}, ValueError, "alhpa"),
        ({"estimator": er.Ridge}, TypeError, "instance"),
        ({"rule": "one_se", "param_grid": {"tol": [1e-6, 1e-7]}}, ValueError, "which candidate is simpler"),
        ({"rule": "one_se", "complexity": "depth"}, ValueError, "'depth' is not a parameter"),
        ({"checkpoint": "somewhere", "random_state": None}, ValueError, "random_state"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any], error: Any, words: str) -> None:
    X, y = regression()
    settings = {
        "estimator": er.Ridge(),
        "param_grid": {"alpha": ALPHAS},
        "random_state": 0,
        "repeats": 1,
    } | change
    if "cv" in change:
        settings["repeats"] = None
    if error is None:
        assert GridSearch(**settings).fit(X, y).best_params_ == {}
        return
    search = GridSearch(**settings)
    with pytest.raises(error, match=words):
        search.fit(X, y)
    assert not hasattr(search, "result_")


def test_fits_that_do_not_converge_are_counted() -> None:
    X, y = classes()
    for est, name in ((SkLogistic(max_iter=1), "C"), (er.LogisticRegression(max_iter=1, tol=1e-14), "alpha")):
        search = GridSearch(est, {name: [0.01, 1e-4]}, repeats=1, refit=False, random_state=0)
        with pytest.warns(SearchWarning, match="of 10 fits did not converge"):
            search.fit(X, y)
        assert "did not converge" in search.result_.note


def test_one_split_and_a_foreign_scorer_leave_no_probability() -> None:
    X, y = classes()
    split = [(np.arange(60), np.arange(60, 120))]
    search = GridSearch(SkLogistic(), {"C": [0.1, 1.0]}, cv=split, metric="matthews_corrcoef").fit(X, y)
    assert np.isnan(search.probability_best_).all()
    one = GridSearch(SkLogistic(), {"C": [1e-4, 1.0]}, cv=split, metric="accuracy").fit(X, y)
    assert one.probability_best_.sum() == pytest.approx(1.0)
    assert one.result_.standing.how == "paired held-out rows"


def test_without_refit_there_is_a_choice_but_no_model() -> None:
    X, y = regression()
    search = GridSearch(er.Ridge(), {"alpha": ALPHAS}, refit=False, repeats=1, random_state=0).fit(X, y)
    assert search.best_params_["alpha"] in ALPHAS
    with pytest.raises(NotFittedError, match="refit=False"):
        search.predict(X)


def test_bad_rows_are_refused() -> None:
    X, y = regression()
    search = GridSearch(er.LogisticRegression(), {"alpha": [1.0]}, random_state=0)
    with pytest.raises(ValueError, match="one class only"):
        search.fit(X, np.zeros(90))
    with pytest.raises(ValueError, match="n_samples = 1"):
        search.fit(X[:1], [1])
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        GridSearch(er.Ridge(), {"alpha": [1.0]}, random_state=0).fit(X, y)


class Slow(SkRidge):
    """A ridge that takes its time."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        time.sleep(0.02)
        return super().fit(X, y)


@pytest.mark.parametrize("jobs", [None, 2])
def test_time_limit_keeps_the_best_so_far(jobs: int | None) -> None:
    X, y = regression()
    search = GridSearch(Slow(), {"alpha": ALPHAS}, time_limit=0.35, n_jobs=jobs, random_state=0)
    with pytest.warns(SearchWarning, match="time limit"):
        search.fit(X, y)
    fits = sum(s.size for s in search.result_.seconds)
    assert 4 <= fits < 100
    assert "time limit" in repr(search.result_)
    assert search.best_params_["alpha"] in ALPHAS
    assert np.isfinite(search.predict(X)).all()
    with pytest.raises(TimeoutError, match="time_limit"):
        GridSearch(Slow(), {"alpha": ALPHAS}, time_limit=1e-9, random_state=0).fit(X, y)


class Breaks(SkRidge):
    """Stands for a user who presses Ctrl-C."""

    left = 1_000_000

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        Breaks.left -= 1
        if Breaks.left < 0:
            raise KeyboardInterrupt
        return super().fit(X, y)


def test_ctrl_c_leaves_what_is_done() -> None:
    X, y = regression()
    search = GridSearch(Breaks(), {"alpha": ALPHAS}, random_state=0)
    Breaks.left = 30
    with pytest.raises(KeyboardInterrupt), pytest.warns(SearchWarning, match="Interrupted after 30 fits"):
        search.fit(X, y)
    assert search.best_params_["alpha"] in ALPHAS
    assert not hasattr(search, "best_estimator_")
    Breaks.left = 1_000_000


def test_a_checkpoint_resumes_bit_for_bit(tmp_path: Any) -> None:
    X, y = regression()
    make = lambda **k: GridSearch(Breaks(), {"alpha": ALPHAS}, repeats=2, random_state=0, **k)  # noqa: E731
    whole = make().fit(X, y)
    broken = make(checkpoint=tmp_path / "run")
    Breaks.left = 21
    with pytest.raises(KeyboardInterrupt), pytest.warns(SearchWarning):
        broken.fit(X, y)
    Breaks.left = 40 - 21 + 1  # what is left of 4 x 10 fits, and the refit
    resumed = make(checkpoint=tmp_path / "run").fit(X, y)
    assert Breaks.left == 0
    Breaks.left = 1_000_000
    assert resumed.best_score_ == whole.best_score_
    assert resumed.result_.scores == whole.result_.scores
    np.testing.assert_array_equal(resumed.probability_best_, whole.probability_best_)
    for what, other in {
        "rows": make(checkpoint=tmp_path / "run").fit(X, y) and (X + 1.0, make(checkpoint=tmp_path / "run")),
        "candidates": (X, make(checkpoint=tmp_path / "run").set_params(param_grid={"alpha": [1.0]})),
        "folds": (X, make(checkpoint=tmp_path / "run").set_params(random_state=1)),
    }.items():
        with pytest.raises(ValueError, match=f"another search.*{what}"):
            other[1].fit(other[0], y)
    next((tmp_path / "run").glob("split0000*")).write_bytes(b"torn")
    with pytest.raises(ValueError, match="damaged"):
        make(checkpoint=tmp_path / "run").fit(X, y)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(ValueError, match="other files"):
        make(checkpoint=tmp_path / "full").fit(X, y)


def test_result_prints_and_frames() -> None:
    X, y = regression()
    found = GridSearch(er.Ridge(), {"alpha": np.logspace(-3, 3, 13)}, random_state=0).fit(X, y).result_
    text, page, frame = repr(found), found._repr_html_(), found.to_frame()
    assert "corrected for having chosen" in text
    assert "naive" in text
    assert "and 3 more" in text
    assert "<table>" in page
    assert len(frame) == 13
    assert frame["rank"].tolist() == sorted(frame["rank"])
    assert {"alpha", "mse", "low", "high", "simultaneous_low", "probability_best", "state"} <= set(
        frame.columns
    )
    with pytest.raises(ValueError, match="rope"):
        found.beats(0, 1, rope=-1.0)
    with pytest.raises(ValueError, match="cannot be compared"):
        found.beats(0, 99)
