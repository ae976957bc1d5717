"""Gradient boosting: what the parts, the rounds, the constraints and the predictions owe."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

import empirisk as er
from empirisk.inference.held_out import held_out_mean
from empirisk.losses import Gamma, Logistic, Poisson, Probit, Quantile, Softmax, user_loss
from empirisk.results import Kind

FEW: dict[str, Any] = {"n_estimators": 12, "max_leaf_nodes": 6, "min_samples_leaf": 5}


def numbers(seed: int, n: int = 600, p: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n, p))
    return X, 2.0 * X[:, 0] + np.sin(3.0 * X[:, 1]) + (0.2 + 0.5 * (X[:, 2] > 0)) * rng.normal(size=n)


def classes(seed: int, n: int = 600, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    z = np.column_stack([np.zeros(n), 2.0 * X[:, 0] * X[:, 1], X[:, 2] + X[:, 0]])[:, :k]
    p = Softmax().mean(z)
    return X, (rng.uniform(size=(n, 1)) > np.cumsum(p, axis=1)).sum(axis=1)


def blurred(z: np.ndarray, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).uniform(size=len(z)) < expit(z)).astype(int)


# -- rounds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "value"),
    [
        ("half_squared", lambda y, p: 0.5 * (y - p) ** 2),
        ("absolute", lambda y, p: np.abs(y - p)),
        ("poisson", lambda y, p: p - y * np.log(p)),
        ("gamma", lambda y, p: y / p + np.log(p)),
    ],
)
def test_the_training_loss_is_that_of_the_staged_predictions(loss: str, value: Any) -> None:
    X, y = numbers(0)
    y = np.exp(0.5 * y)
    s = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    model = er.GradientBoostingRegressor(loss, **FEW).fit(X, y, sample_weight=s)
    staged = [np.average(value(y, p), weights=s) for p in model.staged_predict(X)]
    np.testing.assert_allclose(model.train_loss_[1:], staged, rtol=1e-9)
    assert len(staged) == model.n_estimators_ == 12
    assert (np.diff(model.train_loss_) < 0.0).all()
    np.testing.assert_allclose(list(model.staged_predict(X))[-1], model.predict(X), rtol=1e-12)


def test_the_start_is_the_best_constant() -> None:
    X, y = numbers(1)
    assert er.GradientBoostingRegressor(**FEW).fit(X, y).init_ == pytest.approx([y.mean()])
    counts = np.random.default_rng(0).poisson(2.0, size=len(y)).astype(float)
    assert er.GradientBoostingRegressor("poisson", **FEW).fit(X, counts).init_ == pytest.approx(
        [np.log(counts.mean())]
    )
    X, c = classes(1, k=3)
    start = er.GradientBoostingClassifier(**FEW).fit(X, c).init_
    assert Softmax().mean(start[None]) == pytest.approx(np.bincount(c)[None] / len(c))


def test_scores_are_the_start_and_the_trees() -> None:
    X, c = classes(2, k=3)
    model = er.GradientBoostingClassifier(**FEW).fit(X, c)
    np.testing.assert_allclose(
        model.init_ + model.trees_.predict(X), model.decision_function(X), rtol=1e-12, atol=1e-12
    )
    assert len(model.trees_) == 36
    leaves = model.apply(X)
    assert leaves.shape == (600, 12, 3)
    two = er.GradientBoostingClassifier(**FEW).fit(X, c > 0)
    np.testing.assert_array_equal(two.apply(X), two.trees_.apply(X))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("more", [{}, {"subsample": 0.6}, {"max_features": 2, "tree_features": 3}])
def test_a_warm_start_has_the_bits_of_one_run(k: int, more: dict[str, Any]) -> None:
    X, c = classes(3, k=k)
    once = er.GradientBoostingClassifier(**FEW, **more).fit(X, c)
    grown = er.GradientBoostingClassifier(**FEW, **more, warm_start=True).set_params(n_estimators=5).fit(X, c)
    grown = pickle.loads(pickle.dumps(grown)).set_params(n_estimators=12).fit(X, c)
    np.testing.assert_array_equal(grown.decision_function(X), once.decision_function(X))
    np.testing.assert_array_equal(grown.trees_.value, once.trees_.value)
    np.testing.assert_array_equal(grown.train_loss_, once.train_loss_)
    with pytest.raises(ValueError, match="n_estimators=3 is below the 12 rounds"):
        grown.set_params(n_estimators=3).fit(X, c)
    with pytest.raises(ValueError, match="whose columns or categories"):
        grown.set_params(n_estimators=20).fit(X[:, :3], c)
    with pytest.raises(ValueError, match=r"classes, or quantiles.* were others"):
        grown.fit(X, np.arange(600) % 5)
    np.testing.assert_array_equal(grown.decision_function(X), once.decision_function(X))  # as it was


def test_a_warm_start_of_quantiles_with_early_stopping_has_the_bits_of_one_run() -> None:
    X, y = numbers(4)
    given = {**FEW, "q": [0.2, 0.8], "early_stopping": True, "n_iter_no_change": 4, "learning_rate": 0.3}
    once = er.GradientBoostingRegressor("quantile", **{**given, "n_estimators": 60}).fit(X, y)
    grown = er.GradientBoostingRegressor("quantile", **{**given, "n_estimators": 6}, warm_start=True).fit(
        X, y
    )
    grown.set_params(n_estimators=60).fit(X, y)
    assert once.n_estimators_ == grown.n_estimators_
    np.testing.assert_array_equal(once.predict(X), grown.predict(X))
    assert once.stopping_ == grown.stopping_
    np.testing.assert_array_equal(once.train_loss_, grown.train_loss_)


# -- early stopping --------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_early_stopping_keeps_the_rounds_of_least_loss_on_rows_that_the_trees_do_not_see(k: int) -> None:
    X, c = classes(5, n=500, k=k)
    given = {"n_estimators": 200, "learning_rate": 0.5, "early_stopping": True, "validation_fraction": 0.3}
    model = er.GradientBoostingClassifier(**given, random_state=3).fit(X, c)
    told = model.stopping_
    assert told.n_grown == told.n_rounds + 10 < 200
    assert told.ended_early
    assert len(model.validation_loss_) == told.n_grown + 1 == len(model.train_loss_)
    best = int(np.argmin([e.value for e in model.validation_loss_[1:]])) + 1
    assert model.n_estimators_ == told.n_rounds == best
    # Which rows they were: the root of a tree counts those that it saw, and the losses name the others.
    assert told.n_rows + int(model.trees_.count[0]) == 500
    assert told.n_rows == pytest.approx(150, abs=k)
    assert told.loss.value == model.validation_loss_[told.n_rounds].value
    assert "the number of rounds was chosen on these rows" in told.loss.reason
    assert told.against_none.high < 0.0
    assert told.sentence in model.certificate_.claim
    assert told.sentence in repr(model)


def test_the_validation_loss_is_that_of_the_rows_held_out() -> None:
    X, y = numbers(6, n=400)
    X[:, 3] = np.arange(400)  # names the rows
    model = er.GradientBoostingRegressor(**FEW, early_stopping=True, max_bins=255).fit(X, y)
    from empirisk.data.design import Design
    from empirisk.estimators.folds import hold_out

    held = hold_out(Design(X), y, np.ones(400), 0.1, 1, False)
    curve = [
        held_out_mean(0.5 * (y - p)[held] ** 2, np.ones(held.sum())).value for p in model.staged_predict(X)
    ]
    told = [e.value for e in model.validation_loss_[1:]]
    np.testing.assert_allclose(told[: len(curve)], curve, rtol=1e-9)


def test_the_parts_depend_on_the_rows_not_on_their_order_nor_on_the_threads() -> None:
    X, c = classes(7, n=300)
    given = {**FEW, "early_stopping": True, "calibration_fraction": 0.2, "calibrate": "temperature"}
    first = er.GradientBoostingClassifier(**given).fit(X, c)
    order = np.random.default_rng(0).permutation(300)
    again = er.GradientBoostingClassifier(**given, n_jobs=2).fit(X[order], c[order])
    np.testing.assert_allclose(again.predict_proba(X), first.predict_proba(X), rtol=1e-9)
    assert again.n_estimators_ == first.n_estimators_
    np.testing.assert_array_equal(first.predict_proba(X), clone(first).fit(X, c).predict_proba(X))
    other = er.GradientBoostingClassifier(**given, random_state=1).fit(X, c)
    assert not np.array_equal(other.predict_proba(X), first.predict_proba(X))


def test_n_jobs_bounds_the_threads_of_the_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    from empirisk import _loops
    from empirisk.inference.early_stop import EarlyStop

    seen, look = [], EarlyStop.look
    monkeypatch.setattr(EarlyStop, "look", lambda *a: seen.append(_loops.max_threads()) or look(*a))
    X, y = numbers(7)
    er.GradientBoostingRegressor(n_estimators=1, early_stopping=True, n_jobs=3).fit(X, y)
    er.GradientBoostingRegressor(n_estimators=1, early_stopping=True, n_jobs=1).fit(X, y)
    assert seen == [3, 1]


def test_rare_classes_stay_in_the_rows_that_the_trees_see() -> None:
    X, _ = classes(8, n=300)
    c = np.zeros(300, dtype=int)
    c[:2], c[2:5] = 1, 2
    model = er.GradientBoostingClassifier(**FEW, early_stopping=True, validation_fraction=0.4).fit(X, c)
    assert np.isfinite(model.init_).all()
    assert (model.init_ > -10.0).all()


def test_auto_holds_rows_out_above_ten_thousand() -> None:
    rng = np.random.default_rng(9)
    for n, holds in ((10_000, False), (10_001, True)):
        X = rng.normal(size=(n, 1))
        model = er.GradientBoostingRegressor(n_estimators=2, max_leaf_nodes=2).fit(X, X[:, 0])
        assert (model.stopping_ is not None) == holds


# -- probabilities ---------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("calibrate", [None, "temperature", "isotonic"])
def test_predict_is_the_most_probable_class(k: int, calibrate: str | None) -> None:
    X, c = classes(10, k=k)
    names = np.array(["a", "b", "c"])[c]
    model = er.GradientBoostingClassifier(**FEW, calibrate=calibrate, validation_fraction=0.3).fit(X, names)
    p = model.predict_proba(X)
    assert p.sum(axis=1) == pytest.approx(1.0)
    assert p.min() >= 0.0
    np.testing.assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])
    np.testing.assert_array_equal(
        list(model.staged_predict(X))[-1],
        model.classes_[list(model.staged_predict_proba(X))[-1].argmax(axis=1)],
    )
    z = model.decision_function(X)
    assert z.shape == ((600,) if k == 2 else (600, k))
    assert (model.calibration_ is None) == (calibrate is None)


@pytest.mark.parametrize("calibrate", ["temperature", "isotonic"])
def test_calibration_mends_an_overfitted_model(calibrate: str) -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(3000, 3))
    c = blurred(X[:, 0], 1)
    given = {"n_estimators": 100, "learning_rate": 0.5, "early_stopping": False, "min_samples_leaf": 2}
    plain = er.GradientBoostingClassifier(**given).fit(X, c)
    mended = er.GradientBoostingClassifier(**given, calibrate=calibrate, validation_fraction=0.2).fit(X, c)
    new = rng.normal(size=(4000, 3))
    truth = expit(new[:, 0])

    def far(model: Any) -> float:
        return float(np.mean((model.predict_proba(new)[:, 1] - truth) ** 2))

    assert far(mended) < 0.5 * far(plain)
    told = mended.calibration_
    assert told.before.low > told.after.high
    assert told.before.n == 600
    assert "cross-fitted" in str(told)
    held = er.GradientBoostingClassifier(**given, calibrate=calibrate, calibration_fraction=0.2).fit(X, c)
    assert held.calibration_.after.n == 600
    assert "nor the map" in held.calibration_.sentence


def test_class_weights_are_row_weights() -> None:
    X, c = classes(12)
    weighted = er.GradientBoostingClassifier(**FEW, class_weight={0: 1.0, 1: 3.0}).fit(X, c)
    by_row = er.GradientBoostingClassifier(**FEW).fit(X, c, sample_weight=1.0 + 2.0 * c)
    np.testing.assert_array_equal(weighted.predict_proba(X), by_row.predict_proba(X))


def test_another_loss_of_labels() -> None:
    X, c = classes(13)
    model = er.GradientBoostingClassifier(Probit(), **FEW).fit(X, c)
    y, z = np.where(c > 0, 1.0, -1.0), model.decision_function(X)
    assert model.train_loss_[-1] == pytest.approx(Probit().value(y, z).mean(), rel=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], Probit().mean(z))


def test_a_class_without_weight_is_as_good_as_absent() -> None:
    X, c = classes(14, k=3)
    model = er.GradientBoostingClassifier(**FEW).fit(X, c, sample_weight=(c != 1).astype(float))
    assert (model.predict_proba(X)[:, 1] == 0.0).all()
    # Two trees a round then move the scores by opposite amounts, with 3/2 of the second derivative.
    two = er.GradientBoostingClassifier(**FEW, learning_rate=0.1 * 2.0 / 1.5).fit(X[c != 1], c[c != 1])
    np.testing.assert_allclose(model.predict_proba(X)[:, 2], two.predict_proba(X)[:, 1], rtol=1e-6)


# -- sets and intervals ----------------------------------------------------------------------------


MANY = pytest.mark.parametrize("fits", [40, pytest.param(1000, marks=pytest.mark.slow)])


@MANY
@pytest.mark.parametrize("method", ["lac", "aps"])
def test_prediction_sets_cover(method: str, fits: int) -> None:
    # 80 calibration rows and 500 new rows a fit: standard error of the coverage 0.04 a fit.
    covered = []
    for seed in range(fits):
        X, c = classes(100 + seed, n=700, k=3)
        given = {"n_estimators": 4, "max_leaf_nodes": 4, "calibration_fraction": 0.4}
        model = er.GradientBoostingClassifier(**given).fit(X[:200], c[:200])
        inside = model.prediction_set(X[200:], 0.8, method)[np.arange(500), c[200:]]
        covered.append(inside.mean())
        told = model.conformal_[method]
        assert len(told.scores) == 80
    spread = np.std(covered) / np.sqrt(fits)
    assert np.mean(covered) > 0.8 - 4.0 * spread
    if method == "lac":  # no ties, no empty set filled
        assert np.mean(covered) < 65 / 81 + 4.0 * spread


def test_sets_by_hand_and_by_rank() -> None:
    X, c = classes(15, n=500, k=3)
    model = er.GradientBoostingClassifier(**FEW, calibration_fraction=0.3).fit(X, c)
    p = model.predict_proba(X)
    limit = model.conformal_["lac"].threshold(0.9)
    np.testing.assert_array_equal(model.prediction_set(X), 1.0 - p <= limit)
    aps = model.prediction_set(X, method="aps")
    assert aps[np.arange(500), p.argmax(axis=1)].all()
    assert aps.sum() > model.prediction_set(X, 0.5, "aps").sum()


@MANY
@pytest.mark.parametrize(
    ("loss", "more"),
    [("quantile", {"q": [0.1, 0.9]}), ("half_squared", {}), ("poisson", {})],
    ids=["quantiles", "mean", "counts"],
)
def test_intervals_cover(loss: str, more: dict[str, Any], fits: int) -> None:
    covered = []
    for seed in range(fits):
        X, y = numbers(200 + seed, n=700)
        if loss == "poisson":
            y = np.random.default_rng(seed).poisson(np.exp(0.5 * y)).astype(float)
        given = {"n_estimators": 5, "max_leaf_nodes": 4, "calibration_fraction": 0.4, **more}
        model = er.GradientBoostingRegressor(loss, **given).fit(X[:200], y[:200])
        band = model.interval(X[200:], 0.8)
        covered.append(np.mean((band.low <= y[200:]) & (y[200:] <= band.high)))
    spread = np.std(covered) / np.sqrt(fits)
    assert np.mean(covered) > 0.8 - 4.0 * spread
    if loss != "poisson":  # without ties
        assert np.mean(covered) < 65 / 81 + 4.0 * spread


def test_quantile_bands_follow_the_noise_where_residual_bands_cannot() -> None:
    X, y = numbers(16, n=3000)
    new, _ = numbers(17, n=3000)
    given = {"n_estimators": 200, "calibration_fraction": 0.25, "max_leaf_nodes": 8}
    quantile = er.GradientBoostingRegressor("quantile", q=(0.05, 0.95), **given).fit(X, y).interval(new)
    mean = er.GradientBoostingRegressor(**given).fit(X, y).interval(new)
    noisy = new[:, 2] > 0  # standard deviation 0.7 against 0.2
    width, same = quantile.high - quantile.low, mean.high - mean.low
    assert width[noisy].mean() > 2.0 * width[~noisy].mean()
    assert np.ptp(same) < 1e-9
    assert width.mean() < same.mean()


def test_quantiles_never_cross_and_keep_their_order() -> None:
    X, y = numbers(17, n=400)
    levels = [0.9, 0.1, 0.5, 0.45, 0.55]
    model = er.GradientBoostingRegressor("quantile", q=levels, n_estimators=40, min_samples_leaf=3).fit(X, y)
    told = model.predict(X)
    by_level = told[:, np.argsort(levels)]
    assert (np.diff(by_level, axis=1) >= 0.0).all()
    raw = model.init_ + model.trees_.predict(X)
    assert (np.diff(raw[:, np.argsort(levels)], axis=1) < 0.0).any(), (
        "nothing crossed: the test shows nothing"
    )
    # Rearrangement does not raise the summed pinball loss of any row (Chernozhukov et al. 2010).
    loss = sum(Quantile(q).value(y, told[:, c]) for c, q in enumerate(levels))
    before = sum(Quantile(q).value(y, raw[:, c]) for c, q in enumerate(levels))
    assert (loss <= before + 1e-12).all()
    assert 0.0 < model.score(X, y) < 1.0


def test_a_single_quantile_has_its_share_below() -> None:
    X, y = numbers(18, n=4000)
    model = er.GradientBoostingRegressor("quantile", q=0.8, n_estimators=60, max_leaf_nodes=8).fit(
        X[:2000], y[:2000]
    )
    assert model.predict(X).shape == (4000,)
    assert np.mean(y[2000:] <= model.predict(X[2000:])) == pytest.approx(0.8, abs=0.06)


def test_too_few_calibration_rows_are_refused_with_the_number_needed() -> None:
    X, y = numbers(19, n=100)
    none = er.GradientBoostingRegressor(**FEW).fit(X, y)
    with pytest.raises(ValueError, match="no rows were held out to calibrate an interval"):
        none.interval(X)
    few = er.GradientBoostingRegressor(**FEW, calibration_fraction=0.1).fit(X, y)
    with pytest.raises(ValueError, match="needs at least 19 held-out rows, there are 10"):
        few.interval(X, 0.95)
    assert few.interval(X, 0.9).low.shape == (100,)
    assert "10 rows" in few.conformal_.claim(0.9)
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        few.interval(X, 1.0)
    with pytest.raises(ValueError, match="no rows were held out to calibrate a set"):
        er.GradientBoostingClassifier(**FEW).fit(X, y > 0).prediction_set(X)


# -- offsets ---------------------------------------------------------------------------------------


def test_exposures_make_rates() -> None:
    rng = np.random.default_rng(20)
    X = rng.uniform(size=(3000, 2))
    years = rng.uniform(0.2, 5.0, size=3000)
    rate = np.exp(X[:, 0] - 0.5)
    y = rng.poisson(rate * years).astype(float)
    model = er.GradientBoostingRegressor("poisson", n_estimators=40, max_leaf_nodes=8).fit(
        X, y, exposure=years
    )
    assert model.init_ == pytest.approx([np.log(y.sum() / years.sum())])
    assert np.mean((np.log(model.predict(X)) - np.log(rate)) ** 2) < 0.02
    np.testing.assert_allclose(model.predict(X, exposure=np.full(3000, 2.0)), 2.0 * model.predict(X))
    z = np.log(model.predict(X, exposure=years))
    assert model.train_loss_[-1] == pytest.approx(Poisson().value(y, z).mean())
    shifted = er.GradientBoostingRegressor("poisson", n_estimators=40, max_leaf_nodes=8).fit(
        X, y, offset=np.log(years)
    )
    np.testing.assert_allclose(shifted.predict(X), model.predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match="exposure must be finite and > 0, got 0 in row 2"):
        model.fit(X, y, exposure=np.where(np.arange(3000) == 2, 0.0, years))
    with pytest.raises(ValueError, match="exposure needs a link"):
        er.GradientBoostingRegressor().fit(X, y, exposure=years)


def test_an_offset_of_the_mean_is_a_shift_of_the_target() -> None:
    X, y = numbers(21)
    o = np.random.default_rng(0).normal(size=len(y))
    model = er.GradientBoostingRegressor(**FEW).fit(X, y, offset=o)
    np.testing.assert_allclose(
        model.predict(X), er.GradientBoostingRegressor(**FEW).fit(X, y - o).predict(X), atol=1e-9
    )
    np.testing.assert_allclose(model.predict(X, offset=o), model.predict(X) + o)


# -- constraints -----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["half_squared", "absolute", "quantile", "poisson", "classes"])
def test_monotone_constraints_hold_on_a_grid(loss: str) -> None:
    rng = np.random.default_rng(22)
    X = rng.uniform(size=(1500, 3))
    signal = np.sin(9.0 * X[:, 0]) + np.sin(9.0 * X[:, 1]) + X[:, 2]  # not monotone
    given = {"n_estimators": 30, "monotonic_cst": [1, -1, 0]}
    if loss == "classes":
        model = er.GradientBoostingClassifier(**given).fit(X, blurred(3.0 * signal))
    else:
        model = er.GradientBoostingRegressor(loss, **given).fit(
            X, np.exp(signal + 0.2 * rng.normal(size=1500))
        )
    grid, others = np.linspace(-0.1, 1.1, 200), rng.uniform(size=(20, 3))
    answer = model.decision_function if loss == "classes" else model.predict
    free = False
    for j, sign in ((0, 1.0), (1, -1.0), (2, 0.0)):
        rows = np.repeat(others, 200, axis=0)
        rows[:, j] = np.tile(grid, 20)
        steps = np.diff(answer(rows).reshape(20, 200), axis=1)
        assert (sign * steps >= 0.0).all(), f"column {j}"
        free |= sign == 0.0 and bool((steps < 0.0).any())
        assert (steps != 0.0).any()
    assert free


def test_interaction_constraints_make_the_sum_of_their_groups() -> None:
    rng = np.random.default_rng(23)
    X = rng.uniform(size=(1500, 4))
    y = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 0] * X[:, 3]
    model = er.GradientBoostingRegressor(n_estimators=30, interaction_cst=[[0, 1], [2]]).fit(X, y)

    def mixed(i: int, j: int) -> float:
        """Largest second difference in columns i and j."""
        a = rng.uniform(size=(300, 4))
        b = rng.uniform(size=(300, 4))
        corner = {}
        for u in (0, 1):
            for v in (0, 1):
                Z = a.copy()
                Z[:, i] = (b if u else a)[:, i]
                Z[:, j] = (b if v else a)[:, j]
                corner[u, v] = model.predict(Z)
        return float(np.abs(corner[1, 1] - corner[0, 1] - corner[1, 0] + corner[0, 0]).max())

    assert mixed(0, 1) > 0.1
    for pair in ((0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
        assert mixed(*pair) < 1e-9, pair
    additive = er.GradientBoostingRegressor(n_estimators=30, interaction_cst="no_interactions").fit(X, y)
    model = additive
    assert mixed(0, 1) < 1e-9


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"monotonic_cst": [1, 0]}, "monotonic_cst has 2 entries, X has 4 columns"),
        ({"monotonic_cst": {"size": 1}}, "names the column 'size', which X does not have"),
        ({"monotonic_cst": {0: 2}}, "must be -1, 0 or [+]1, got 2"),
        ({"monotonic_cst": {1: 1}, "categorical_features": [1]}, "column 1, whose categories have no order"),
        ({"interaction_cst": "none"}, "interaction_cst must be None"),
        ({"interaction_cst": [[0, 9]]}, "interaction_cst names the column 9"),
        ({"interaction_cst": ["age"]}, "must hold groups of columns"),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number > 0"),
        ({"n_estimators": 0}, "n_estimators must be an integer >= 1"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be an integer >= 2"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be an integer >= 1"),
        ({"max_depth": -1}, "max_depth must be an integer >= 0"),
        ({"l2": -1.0}, "l2 must be a finite number >= 0"),
        ({"subsample": 0.0}, "subsample must be a number > 0"),
        ({"subsample": 1.5}, "subsample must be a finite number"),
        ({"max_features": 0}, "max_features must be None, a count >= 1, or a share"),
        ({"max_bins": 256}, "max_bins must lie in"),
        ({"max_bins": 1}, "max_bins must be an integer >= 2"),
        ({"early_stopping": "yes"}, "early_stopping must be"),
        (
            {"early_stopping": True, "validation_fraction": 0.0},
            "validation_fraction must lie strictly between",
        ),
        (
            {"early_stopping": True, "validation_fraction": 0.6, "calibration_fraction": 0.5},
            "leaves no rows to fit",
        ),
        ({"n_jobs": 0}, "n_jobs must be None or an integer other than 0"),
        ({"loss": "hinge"}, "loss must be one of absolute, "),
        ({"loss": Logistic()}, "is for classes; take a GradientBoostingClassifier"),
        ({"loss": "quantile", "q": 1.0}, "q must be a number strictly between 0 and 1"),
        ({"loss": "quantile", "q": [0.1, 0.1]}, "q must hold different numbers"),
        ({"loss": "tweedie", "power": 0.5}, "power must not lie between 0 and 1"),
    ],
)
def test_parameters_are_refused_by_name(given: dict[str, Any], words: str) -> None:
    X, y = numbers(24, n=60)
    X[:, 1] = np.round(X[:, 1])
    with pytest.raises(ValueError, match=words):
        er.GradientBoostingRegressor(**given).fit(X, y)


def test_the_classifier_refuses_by_name_too() -> None:
    X, c = classes(25, k=3)
    for given, words in (
        ({"calibrate": "platt"}, "calibrate must be"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst needs one score a row"),
        ({"loss": "log_loss"}, "loss must be auto, .*logistic.* or a Loss object"),
        ({"loss": Probit()}, "knows two classes, y holds 3"),
        ({"loss": Poisson()}, "is for numbers; take a GradientBoostingRegressor"),
        ({"loss": Probit}, "or a Loss object"),
    ):
        with pytest.raises(ValueError, match=words):
            er.GradientBoostingClassifier(**given).fit(X, c)
    model = er.GradientBoostingClassifier(**FEW, calibration_fraction=0.2).fit(X, c)
    with pytest.raises(ValueError, match="method must be 'lac' or 'aps'"):
        model.prediction_set(X, method="raps")


# -- bad and odd rows ------------------------------------------------------------------------------


def test_targets_outside_the_loss_are_refused_by_row() -> None:
    X, y = numbers(26, n=60)
    for loss, first in (("poisson", int(np.argmax(y < 0))), (Gamma(), int(np.argmax(y <= 0)))):
        with pytest.raises(ValueError, match=f"in row {first}; the loss"):
            er.GradientBoostingRegressor(loss, **FEW).fit(X, y)
    with pytest.raises(ValueError, match="no finite constant score"):
        er.GradientBoostingRegressor("poisson", **FEW).fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="y contains NaN in row 3"):
        er.GradientBoostingRegressor(**FEW).fit(X, np.where(np.arange(60) == 3, np.nan, y))
    with pytest.raises(ValueError, match="one class only"):
        er.GradientBoostingClassifier(**FEW).fit(X, np.ones(60))
    # A row of weight 0 is absent, its target too.
    kept = er.GradientBoostingRegressor("gamma", **FEW).fit(X, y, sample_weight=(y > 0).astype(float))
    np.testing.assert_allclose(
        kept.predict(X), er.GradientBoostingRegressor("gamma", **FEW).fit(X[y > 0], y[y > 0]).predict(X)
    )


def test_one_row_cannot_be_dealt() -> None:
    with pytest.raises(ValueError, match=r"leaves no row to hold out \(n_samples = 1"):
        er.GradientBoostingRegressor(early_stopping=True).fit([[1.0]], [1.0])
    small = er.GradientBoostingRegressor(**FEW, early_stopping=True, validation_fraction=1e-9).fit(
        [[1.0], [2.0]], [1, 2]
    )
    assert small.stopping_.n_rows == 1
    assert small.stopping_.loss.low is None


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_handful_of_rows_gives_the_constant(n: int) -> None:
    X, y = np.arange(float(n))[:, None], np.arange(float(n)) + 1.0
    np.testing.assert_allclose(er.GradientBoostingRegressor().fit(X, y).predict(X), y.mean())


def test_depth_zero_gives_the_constant() -> None:
    X, y = numbers(27, n=100)
    np.testing.assert_allclose(
        er.GradientBoostingRegressor(max_depth=0, n_estimators=3).fit(X, y).predict(X), y.mean()
    )


def test_many_categories_and_codes_beyond_the_fitted_ones() -> None:
    rng = np.random.default_rng(28)
    code = rng.integers(0, 10_000, size=20_000).astype(float)
    y = (code % 7 == 0) + 0.1 * rng.normal(size=20_000)
    model = er.GradientBoostingRegressor(n_estimators=3, categorical_features=[0]).fit(code[:, None], y)
    found = model.predict(np.array([[3.0], [1e6], [-4.0], [np.nan], [0.5]]))
    assert np.isfinite(found).all()
    assert np.ptp(found[1:]) == 0.0


def test_constant_and_missing_columns_and_huge_max_features() -> None:
    X, y = numbers(29, n=300)
    wide = np.column_stack([X, np.ones(300), np.full(300, np.nan)])
    given = {**FEW, "max_features": 10**9, "tree_features": 10**9}
    np.testing.assert_allclose(
        er.GradientBoostingRegressor(**given).fit(wide, y).predict(wide),
        er.GradientBoostingRegressor(**FEW).fit(X, y).predict(X),
    )


def test_a_loss_of_the_users_own() -> None:
    X, y = numbers(30)
    log_cosh = user_loss(
        lambda y, z: np.logaddexp(z - y, y - z) - np.log(2.0),
        lambda y, z: np.tanh(z - y),
        hess=lambda y, z: 1.0 / np.cosh(z - y) ** 2,
        curvature=(0.0, 1.0),
        lipschitz=1.0,
    )
    model = er.GradientBoostingRegressor(log_cosh, n_estimators=50).fit(X, y)
    assert model.train_loss_[-1] == pytest.approx(log_cosh.value(y, model.predict(X)).mean(), rel=1e-9)
    assert model.train_loss_[-1] < 0.3 * model.train_loss_[0]


def test_an_interrupted_fit_leaves_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = numbers(31)
    model = er.GradientBoostingRegressor(**FEW, early_stopping=True).fit(X, y)
    before, claim = model.predict(X), model.certificate_.claim

    def stop(*_: Any) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("empirisk.inference.early_stop.EarlyStop.look", stop)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=20).fit(X, 2.0 * y)
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.certificate_.claim == claim


# -- what is told ----------------------------------------------------------------------------------


def test_the_certificate_is_none_with_the_size_of_the_gradient() -> None:
    X, y = numbers(32)
    s = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    model = er.GradientBoostingRegressor(**FEW).fit(X, y, sample_weight=s)
    rms = np.sqrt(np.average((y - model.predict(X)) ** 2, weights=s))
    first = np.sqrt(np.average((y - np.average(y, weights=s)) ** 2, weights=s))
    assert model.certificate_.kind is Kind.NONE
    assert f"slope over 600 rows {rms:.3g} ({first:.3g} before the first round)" in model.certificate_.claim
    assert [t.step for t in model.solution_.trace] == list(range(1, 13))
    np.testing.assert_allclose([t.objective for t in model.solution_.trace], model.train_loss_[1:])


def test_there_is_nothing_to_verify_and_verify_says_why() -> None:
    X, y = numbers(35)
    model = er.GradientBoostingRegressor(**FEW).fit(X, y)
    with pytest.raises(TypeError, match="has no certificate that could be verified: greedy stagewise fit"):
        er.verify(model, X, y)


def test_the_chart_of_the_rounds_says_what_was_chosen() -> None:
    X, y = numbers(34)
    plain = er.GradientBoostingRegressor(**FEW).fit(X, y)
    ax = plain.plot().axes
    assert "no rows were held out" in ax.get_title(loc="left").replace("\n", " ")
    stopped = er.GradientBoostingRegressor(**FEW, early_stopping=True).fit(X, y)
    curve = stopped.curve()
    assert len(curve["train"]) == len(curve["validation"]["value"]) == 13
    np.testing.assert_allclose(ax.lines[0].get_ydata(), plain.train_loss_)
    title = stopped.plot().axes.get_title(loc="left").replace("\n", " ")
    assert title.startswith(f"{stopped.n_estimators_} rounds have the least validation loss")


def test_importances_are_shares_of_the_gains_and_of_the_splits() -> None:
    X, c = classes(33, k=3)
    model = er.GradientBoostingClassifier(**FEW).fit(X, c)
    trees = model.trees_
    for kind, mass in (("gain", trees.gain), ("splits", np.ones(len(trees.feature)))):
        total = np.array([mass[trees.feature == j].sum() for j in range(4)])
        np.testing.assert_allclose(model.importances(kind), total / total.sum())
    np.testing.assert_array_equal(model.feature_importances_, model.importances("gain"))
    assert model.importances()[3] < 0.1
    with pytest.raises(ValueError, match="kind must be"):
        model.importances("cover")


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_real_classes_are_learnt(load: Any) -> None:
    X, y = load(return_X_y=True)
    model = er.GradientBoostingClassifier(n_estimators=20).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.9


def test_real_numbers_are_learnt() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = er.GradientBoostingRegressor(n_estimators=30, max_leaf_nodes=6).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.3
