"""The pieces of a search by themselves: paths, racing, zooming, rules, standing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import special, stats
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.evaluation.folds import plan_folds
from empirisk.evaluation.intervals.bbc import best_of
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.parts import each_value
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.standing import Standing, mean_covariance
from empirisk.search import rounds as rounds_module
from empirisk.search.bundle import Bundle, bundles
from empirisk.search.fitting import Job
from empirisk.search.ledger import Ledger
from empirisk.search.points import grid_points
from empirisk.search.race import Race
from empirisk.search.rounds import Rounds
from empirisk.search.rules import choose, choose_each, complexities
from empirisk.search.zoom import between, edges, refine
from empirisk.selection import GridSearch

# -- paths ------------------------------------------------------------------------------------------


def linear(task: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(80, 6)) * np.logspace(-1, 1, 6)
    z = X @ rng.normal(size=6) + rng.normal(size=80)
    return X, {"regression": z, "two": (z > 0).astype(int), "three": np.digitize(z, [-1.0, 1.0])}[task]


@pytest.mark.parametrize(
    ("est", "task"),
    [
        (er.Ridge(tol=1e-10), "regression"),
        (er.Lasso(tol=1e-10), "regression"),
        (er.ElasticNet(l1_ratio=0.3, tol=1e-10, positive=True), "regression"),
        (er.LogisticRegression(tol=1e-10), "two"),
        (er.LogisticRegression(l1_ratio=1.0, tol=1e-10, class_weight="balanced"), "two"),
        (er.LogisticRegression(l1_ratio=0.5, tol=1e-10), "three"),
    ],
)
def test_a_path_gives_the_models_of_separate_fits(est: Any, task: str, rng: np.random.Generator) -> None:
    X, y = linear(task, rng)
    alphas = [0.3, 0.03, 0.003]
    pipe = make_pipeline(StandardScaler(), est)
    whole = list(each_value(pipe, X, y, f"{pipe.steps[-1][0]}__alpha", alphas))
    assert len({id(fitted[0]) for fitted in whole}) == 1
    for alpha, fitted in zip(alphas, whole, strict=True):
        model = fitted[-1]
        alone = make_pipeline(StandardScaler(), est.set_params(alpha=alpha)).fit(X, y)
        assert model.get_params() == alone[-1].get_params()
        assert model.certificate_.within(1e-10)
        assert model.alpha_ == alone[-1].alpha_
        np.testing.assert_allclose(model.coef_, alone[-1].coef_, atol=2e-5)
        np.testing.assert_allclose(fitted.predict(X[:10]), alone.predict(X[:10]), atol=1e-4)
        mu, gap = alpha * (1 - getattr(est, "l1_ratio", 0.0)), 2e-10 * alone[-1].certificate_.scale
        if not isinstance(est, er.Lasso) and mu > 0.0:
            # both are within sqrt(2 gap/mu) of the optimum
            assert np.linalg.norm(model.coef_ - alone[-1].coef_) <= 2 * np.sqrt(2 * gap / mu) + 1e-12


def test_bundles_share_all_but_the_strength() -> None:
    pipe = make_pipeline(StandardScaler(), er.Lasso())
    points = grid_points({"lasso__alpha": [0.1, 1.0], "lasso__fit_intercept": [True, False]})
    found = bundles(pipe, points, range(4))
    assert found == [Bundle((0, 2), "lasso__alpha"), Bundle((1, 3), "lasso__alpha")]
    rounds = [{"n_estimators": 3}, {"n_estimators": 9, "l2": 1.0}, {"n_estimators": 5}]
    boosting = er.GradientBoostingRegressor(early_stopping=False)
    assert bundles(boosting, rounds, range(3)) == [Bundle((0, 2), "n_estimators"), Bundle((1,))]
    alone = [
        (er.Ridge(), [{"alpha": 0.1}]),  # one strength is no path
        (er.Ridge(), [{"alpha": "1/n"}, {"alpha": 0.0}]),
        (er.Ridge(), [{"alpha": 0.1, "tol": 1e-3}, {"alpha": 0.2, "tol": 1e-4}]),
        (make_pipeline(er.Ridge()), [{"ridge": er.Ridge()}, {"ridge": StandardScaler()}]),
    ]
    for est, points in alone:
        assert all(b == Bundle(b.members) for b in bundles(est, points, range(len(points))))


def test_a_path_fits_once_a_fold_and_counts_all(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = rounds_module.fit_task
    monkeypatch.setattr(rounds_module, "fit_task", lambda *a: calls.append(a[1]) or real(*a))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    search = GridSearch(er.Lasso(), {"alpha": np.logspace(-3, 0, 30)}, repeats=1).fit(X, X[:, 0])
    assert len(calls) == 5
    assert sum(s.size for s in search.result_.seconds) == 150


class Counting(StandardScaler):
    """A step that counts its fits, copies of it included."""

    fits: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Counting:
        """Standardise, and note that it was fitted."""
        self.fits.append(len(X))
        return super().fit(X, y, sample_weight)


def test_candidates_that_change_the_model_alone_share_the_steps_before_it() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    pipe = make_pipeline(Counting(), er.KNeighborsRegressor())
    grid = {
        "kneighborsregressor__weights": ["uniform", "distance"],
        "kneighborsregressor__n_neighbors": [3, 9],
    }
    found = {}
    for steps in ([], [True, False]):
        Counting.fits.clear()
        more = {"counting__with_std": steps} if steps else {}
        search = GridSearch(pipe, grid | more, repeats=1, refit=False, random_state=0).fit(X, X[:, 0])
        found[len(steps)] = len(Counting.fits)
        for point, e in zip(search.result_.points, search.result_.scores, strict=True):
            alone = er.cross_evaluate(clone(pipe).set_params(**point), X, X[:, 0], repeats=1, random_state=0)
            assert e is not None
            assert e.value == pytest.approx(alone["mse"].value, rel=1e-12)
    assert found[0] == 5 < found[2]


# -- racing -----------------------------------------------------------------------------------------


def test_race_by_hand() -> None:
    plan = plan_folds(None, 100, 5, None, 2, 0)
    race = Race(plan, 3, 0.05)
    assert race.looks == (1, 2, 3, 4, 5)
    rng = np.random.default_rng(1)
    base = rng.normal(size=(1, 40))
    d = rng.normal(size=(1, 40))
    d = (d - d.mean()) / d.std(ddof=1)
    level, se = 0.05 / (2 * 5), np.sqrt(1 / 40 + 1 / 80)
    edge = stats.t.ppf(1 - level, 39) * se
    for shift, expected in ((edge * 1.001, [1]), (edge * 0.999, [])):
        assert race.dropped(np.stack([base, base + d + shift, base])).tolist() == expected
    assert race.dropped(np.stack([base[:, :20], base[:, :20] + 9.0, base[:, :20]])).size == 0  # 20 rows


def test_a_race_with_weights_counts_rows_that_differ_and_repeats_rows() -> None:
    """Nine rows that tell two candidates apart are too few, however the rows are weighted."""
    race = Race(plan_folds(None, 100, 5, None, 2, 0), 2, 0.05)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, size=(1, 80))
    base = np.zeros((1, 80))
    for differing, expected in ((9, []), (60, [1])):
        worse = base + (np.arange(80) < differing)
        assert race.dropped(np.stack([base, worse]), None, weights).tolist() == expected
    # Rows of weight 0 cannot drop a candidate, nor can the plain mean of all rows choose the best.
    half = (np.arange(80) < 40).astype(float)[None]
    assert race.dropped(np.stack([base, base + 5.0 * (1.0 - half)]), None, half).size == 0
    assert race.dropped(np.stack([9.0 * (1.0 - half), base + half]), None, half + 1e-9).tolist() == [1]


def test_racing_drops_the_hopeless_and_keeps_the_rest() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] * 3.0 + rng.normal(size=300)
    grid = {"alpha": [1e-3, 1e-2, 30.0, 100.0]}
    raced = GridSearch(er.Ridge(), grid, racing=0.05, random_state=0).fit(X, y)
    whole = GridSearch(er.Ridge(), grid, random_state=0).fit(X, y)
    assert list(raced.cv_results_["state"]) == ["finished", "finished", "dropped", "dropped"]
    assert raced.best_params_ == whole.best_params_
    assert raced.result_.scores[0].value == pytest.approx(whole.result_.scores[0].value, rel=1e-6)
    assert all(s.size <= 5 for s in raced.result_.seconds[2:])  # of 25
    assert raced.probability_best_[2:].tolist() == [0.0, 0.0]


def test_who_is_behind_a_rival_leaves_and_the_rival_stays() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] * 3.0 + rng.normal(size=300)
    points = [{"alpha": a} for a in (1e-3, 30.0, 100.0)]
    sample = Sample(X, y)
    rounds = Rounds(
        Job(er.Ridge(), sample, "pred", None), sample.plan(5, 1, 0), Ledger(None, {}), METRICS["mse"]
    )
    rounds.run(points, [0])
    rounds.run(points, [1, 2], Race(rounds.plan, 3, 0.05), [0])
    assert rounds.out == {1: 1, 2: 1}


# -- zooming ----------------------------------------------------------------------------------------


def test_middles_and_edges() -> None:
    assert between(0.01, 1.0) == pytest.approx(0.1)
    assert between(0.4, 0.6) == pytest.approx(0.5)
    assert between(-1.0, 1.0) == 0.0
    assert (between(1, 100), between(3, 4)) == (10, 4)
    points = grid_points({"a": [1, 2, 3], "b": ["x", "y"], "c": [0.5]})
    assert edges(points, 0) == {"a": "lowest"}
    assert edges(points, 2) == {}
    assert edges(points, 5) == {"a": "highest"}


def test_refine_halves_the_step_until_it_is_below_the_noise() -> None:
    points = grid_points({"alpha": [0.01, 1.0, 100.0]})
    loss = np.array([2.0, 1.0, 3.0])
    sharp = Standing(loss, np.eye(3) * 1e-4, 99.0, "")
    assert [p["alpha"] for p in refine(points, 1, sharp)] == pytest.approx([0.1, 10.0])
    assert refine(points, 1, Standing(loss, np.eye(3) * 9.0, 99.0, "")) == []
    corner = Standing(np.array([0.0, 1.0, 3.0]), np.eye(3) * 1e-4, 99.0, "")
    assert [p["alpha"] for p in refine(points, 0, corner)] == pytest.approx([0.1])


@pytest.mark.full  # many fits
def test_zoom_finds_a_better_strength_than_the_grid() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 40))
    y = X @ rng.normal(size=40) * 0.3 + 6.0 * rng.normal(size=2000)
    coarse = {"alpha": [1e-3, 50.0]}
    plain = GridSearch(er.Ridge(), coarse, random_state=0).fit(X, y)
    zoomed = GridSearch(er.Ridge(), coarse, random_state=0, zoom=True).fit(X, y)
    points = [p["alpha"] for p in zoomed.cv_results_["params"]]
    assert points[:2] == coarse["alpha"]
    assert len(points) > 3
    assert zoomed.naive_score_.value < plain.naive_score_.value
    fine = GridSearch(er.Ridge(), {"alpha": np.logspace(-3, 1.7, 60)}, random_state=0).fit(X, y)
    i = zoomed.best_index_
    assert zoomed.naive_score_.value - fine.naive_score_.value <= np.sqrt(
        zoomed.result_.standing.covariance[i, i]
    )


# -- rules ------------------------------------------------------------------------------------------


def test_one_standard_error_by_brute_force(rng: np.random.Generator) -> None:
    for _ in range(50):
        m = 6
        rows = rng.normal(size=(m, 40)) + rng.normal(size=40)
        loss, cov = rows.mean(axis=1), np.cov(rows) / 40
        standing = Standing(loss, cov, 39.0, "")
        errors = np.array([[standing.error(i, j) for j in range(m)] for i in range(m)])
        simple = rng.permutation(m).astype(float)
        best = int(np.argmin(loss))
        eligible = [i for i in range(m) if loss[i] <= loss[best] + errors[i, best]]
        expected = min(eligible, key=lambda i: simple[i])
        assert choose(loss, errors, simple, "one_se") == expected
        assert choose(loss, errors, simple, "min") == best
        assert choose_each(np.stack([loss, loss]), errors, simple).tolist() == [expected] * 2


def test_complexity_is_known_or_declared() -> None:
    points = grid_points({"model__alpha": [1.0, 0.1]})
    assert complexities(points, None, True).tolist() == [-1.0, -0.1]
    assert complexities(grid_points({"C": [1.0, 10.0]}), None, True).tolist() == [1.0, 10.0]
    deep = grid_points({"max_depth": [3, None]})
    assert complexities(deep, "max_depth", True).tolist() == [3.0, np.inf]
    assert complexities(deep, lambda p: 7.0, True).tolist() == [7.0, 7.0]
    assert complexities(deep, None, False) is None
    with pytest.raises(ValueError, match="not a number"):
        complexities(grid_points({"kernel": ["a"]}), "kernel", True)


# -- standing ---------------------------------------------------------------------------------------


def test_standing_against_integrals() -> None:
    standing = Standing(np.array([1.0, 1.3]), np.diag([0.04, 0.05]), 7.0, "")
    se = 0.3
    wins = special.stdtr(7.0, (0.3 - 0.1) / se)
    loses = special.stdtr(7.0, (-0.3 - 0.1) / se)
    assert standing.beats(0, 1, rope=0.1) == pytest.approx((wins, 1 - wins - loses, loses))
    chance = standing.probability_best(seed=1, draws=200_000)
    assert chance[0] == pytest.approx(special.stdtr(7.0, 0.3 / se), abs=4e-3)
    assert Standing(
        np.array([1.0, np.inf]), np.diag([0.04, np.nan]), 7.0, ""
    ).probability_best().tolist() == [1, 0]


def test_covariance_of_groups_by_hand(rng: np.random.Generator) -> None:
    rows, codes = rng.normal(size=(2, 12)), np.repeat(np.arange(4), [2, 3, 3, 4])
    centred = rows - rows.mean(axis=1, keepdims=True)
    expected = np.zeros((2, 2))
    for g in range(4):
        r = centred[:, codes == g].sum(axis=1)
        expected += np.outer(r, r) / (1 - np.mean(codes == g)) / 144
    np.testing.assert_allclose(mean_covariance(rows, codes, 4), expected)
    np.testing.assert_allclose(mean_covariance(rows, None, 12), np.cov(rows) / 12)


def test_bbc_with_groups_of_one_row_is_bbc_and_choose_is_used(rng: np.random.Generator) -> None:
    losses = rng.exponential(size=(60, 5))
    assert (
        best_of(losses, 5, groups=np.arange(60), random_state=0).value
        == best_of(losses, 5, random_state=0).value
    )
    third = best_of(losses, 5, random_state=0, choose=lambda m: np.full(len(m), 3))
    assert third.value == pytest.approx(losses[:, 3].mean(), abs=0.1)
    assert best_of(losses, 5, groups=np.arange(60) // 20).low is None


def test_groups_stay_whole_in_a_search() -> None:
    rng = np.random.default_rng(0)
    X, groups = rng.normal(size=(120, 3)), np.repeat(np.arange(24), 5)
    y = X[:, 0] + rng.normal(size=24)[groups]
    search = GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=0, racing=0.1).fit(
        X, y, groups=groups
    )
    assert "24 groups" in search.naive_score_.method
    assert "24 groups" in search.best_score_.method
    assert search.result_.standing.df == 23
    assert Sample.of(er.Ridge(), X, y, groups).groups is not None


def test_a_search_draws_the_curse_of_its_winner_and_who_may_be_best() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    grid = {"alpha": [0.01, 0.1, 1.0]}
    found = GridSearch(er.LogisticRegression(), grid, metric="accuracy", random_state=0).fit(X, y).result_
    ax = found.plot().axes
    assert ax.get_xlabel() == "accuracy, higher is better"
    assert "best of 3 candidates" in ax.get_title(loc="left")
    assert found.plot(kind="best").axes.get_xlabel() == "probability of being best"
    with pytest.raises(ValueError, match="kind must be"):
        found.plot(kind="other")
