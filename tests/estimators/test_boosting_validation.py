"""Validation rows of the user and the callback of boosting: which rows decide, what is told, what stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import empirisk as er

FEW: dict[str, Any] = {"n_estimators": 40, "learning_rate": 0.4, "max_leaf_nodes": 5, "n_iter_no_change": 4}


def rows(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=n)


X, Y = rows(0, 300)
X_VAL, Y_VAL = rows(1, 120)
WEIGHT = np.random.default_rng(2).integers(0, 3, size=120).astype(float)


def losses_of(kind: str, y: np.ndarray, told: np.ndarray) -> np.ndarray:
    """The loss of each row by its formula."""
    if kind == "half_squared":
        return 0.5 * (y - told) ** 2
    if kind == "poisson":
        return told - y * np.log(told)
    return np.maximum(0.2 * (y - told), -0.8 * (y - told))


@pytest.mark.parametrize("loss", ["half_squared", "poisson", "quantile"])
def test_the_validation_losses_are_those_of_the_given_rows(loss: str) -> None:
    y, y_val = (np.round(np.exp(0.4 * t)) if loss == "poisson" else t for t in (Y, Y_VAL))
    model = er.GradientBoostingRegressor(loss, q=0.2, **FEW)
    model.fit(X, y, X_val=X_VAL, y_val=y_val, sample_weight_val=WEIGHT)
    curve = [np.average(losses_of(loss, y_val, p), weights=WEIGHT) for p in model.staged_predict(X_VAL)]
    told = [estimate.value for estimate in model.validation_loss_]
    np.testing.assert_allclose(told[1 : len(curve) + 1], curve, rtol=1e-9)
    assert model.n_estimators_ == int(np.argmin(told))
    assert model.stopping_.n_rows == np.count_nonzero(WEIGHT)
    assert model.stopping_.rows == "given as X_val and y_val"
    assert "rows given as X_val and y_val with" in model.certificate_.claim
    # The trees are those of the training rows alone.
    alone = er.GradientBoostingRegressor(loss, q=0.2, **{**FEW, "n_estimators": model.n_estimators_})
    np.testing.assert_array_equal(alone.fit(X, y).predict(X_VAL), model.predict(X_VAL))
    assert alone.stopping_ is None


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_text_labels_and_frames(k: int, frame: Any) -> None:
    names = np.array(["ann", "bob", "cid"])
    cuts = [0.8] if k == 2 else [0.0, 1.5]
    label, label_val = (names[np.digitize(t, cuts)] for t in (Y, Y_VAL))
    table, table_val = (frame({f"x{j}": Z[:, j] for j in range(3)}) for Z in (X, X_VAL))
    model = er.GradientBoostingClassifier(**FEW, class_weight={"ann": 2.0})
    model.fit(table, label, X_val=table_val, y_val=label_val, sample_weight_val=WEIGHT)
    at = np.searchsorted(model.classes_, label_val)
    weight = WEIGHT * np.where(label_val == "ann", 2.0, 1.0)
    curve = [
        np.average(-np.log(p[np.arange(120), at]), weights=weight)
        for p in model.staged_predict_proba(table_val)
    ]
    told = [estimate.value for estimate in model.validation_loss_]
    np.testing.assert_allclose(told[1 : len(curve) + 1], curve, rtol=1e-9)
    assert model.n_estimators_ == int(np.argmin(told))


def test_balanced_weights_of_validation_rows_are_those_of_the_training_classes() -> None:
    c, c_val = (Y > 1.5).astype(int), (Y_VAL > 0.0).astype(int)
    s = np.random.default_rng(3).uniform(0.5, 2.0, size=300)
    model = er.GradientBoostingClassifier(**FEW, class_weight="balanced")
    model.fit(X, c, sample_weight=s, X_val=X_VAL, y_val=c_val)
    factor = s.sum() / (2.0 * np.bincount(c, weights=s))
    other = er.GradientBoostingClassifier(**FEW).fit(
        X, c, sample_weight=s * factor[c], X_val=X_VAL, y_val=c_val, sample_weight_val=factor[c_val]
    )
    assert model.n_estimators_ == other.n_estimators_
    np.testing.assert_allclose(
        [e.value for e in model.validation_loss_], [e.value for e in other.validation_loss_], rtol=1e-9
    )


def test_a_weight_of_two_is_the_row_twice_and_zero_is_absence() -> None:
    twice = np.repeat(np.arange(120), WEIGHT.astype(int))
    weighed = er.GradientBoostingRegressor(**FEW).fit(
        X, Y, X_val=X_VAL, y_val=np.where(WEIGHT > 0.0, Y_VAL, 9e9), sample_weight_val=WEIGHT
    )
    repeated = er.GradientBoostingRegressor(**FEW).fit(X, Y, X_val=X_VAL[twice], y_val=Y_VAL[twice])
    assert weighed.n_estimators_ == repeated.n_estimators_
    np.testing.assert_allclose(
        [e.value for e in weighed.validation_loss_], [e.value for e in repeated.validation_loss_], rtol=1e-12
    )


def test_sparse_rows_and_narrow_numbers_decide_alike() -> None:
    base = er.GradientBoostingRegressor(**FEW).fit(X, Y, X_val=X_VAL, y_val=Y_VAL)
    for left, right in (
        (sp.csr_array(X), sp.csc_array(X_VAL)),
        (sp.csc_matrix(X), X_VAL),
        (X, sp.csr_array(X_VAL)),
    ):
        model = er.GradientBoostingRegressor(**FEW).fit(left, Y, X_val=right, y_val=Y_VAL)
        assert model.validation_loss_ == base.validation_loss_
        np.testing.assert_array_equal(model.predict(X_VAL), base.predict(X_VAL))
    narrow = er.GradientBoostingRegressor(**FEW).fit(X.astype(np.float32), Y, X_val=X_VAL, y_val=Y_VAL)
    curve = [np.mean(0.5 * (Y_VAL - p) ** 2) for p in narrow.staged_predict(X_VAL)]
    np.testing.assert_allclose(
        [e.value for e in narrow.validation_loss_[1 : len(curve) + 1]], curve, rtol=1e-9
    )


def test_categories_that_training_did_not_have_are_told_and_scored_as_predictions_are() -> None:
    rng = np.random.default_rng(4)
    town = rng.choice(["a", "b", "c"], size=300)
    y = Y + np.where(town == "a", 2.0, 0.0)
    table = pd.DataFrame({"town": pd.Categorical(town), "x": X[:, 0]})
    towns = pd.Categorical(rng.choice(["a", "b", "d"], size=120))
    table_val = pd.DataFrame({"town": towns, "x": X_VAL[:, 0]})
    model = er.GradientBoostingRegressor(**FEW)
    with pytest.warns(UserWarning, match="ER003"):
        model.fit(table, y, X_val=table_val, y_val=Y_VAL)
    with pytest.warns(UserWarning, match="ER003"):
        curve = [np.mean(0.5 * (Y_VAL - p) ** 2) for p in model.staged_predict(table_val)]
    np.testing.assert_allclose(
        [e.value for e in model.validation_loss_[1 : len(curve) + 1]], curve, rtol=1e-9
    )


def test_validation_rows_with_an_exposure() -> None:
    rng = np.random.default_rng(5)
    t, t_val = rng.uniform(0.5, 3.0, size=300), rng.uniform(0.5, 3.0, size=120)
    y, y_val = rng.poisson(t * np.exp(0.3 * X[:, 0])), rng.poisson(t_val * np.exp(0.3 * X_VAL[:, 0]))
    model = er.GradientBoostingRegressor("poisson", **FEW)
    model.fit(X, y, exposure=t, X_val=X_VAL, y_val=y_val, exposure_val=t_val)
    told = model.predict(X_VAL, exposure=t_val)
    assert model.stopping_.loss.value == pytest.approx(np.mean(told - y_val * np.log(told)), rel=1e-9)
    with pytest.raises(
        ValueError, match="the training rows have an offset or exposure and the validation rows"
    ):
        model.fit(X, y, exposure=t, X_val=X_VAL, y_val=y_val)
    with pytest.raises(
        ValueError, match="the validation rows have an offset or exposure and the training rows"
    ):
        model.fit(X, y, X_val=X_VAL, y_val=y_val, offset_val=t_val)


def test_probabilities_are_calibrated_on_the_given_rows() -> None:
    from empirisk.inference.recalibration import fit_temperature

    c, c_val = (Y > 0.8).astype(int), (Y_VAL > 0.8).astype(int)
    model = er.GradientBoostingClassifier(**FEW, early_stopping=False, calibrate="temperature")
    model.fit(X, c, X_val=X_VAL, y_val=c_val)
    assert model.n_estimators_ == FEW["n_estimators"]
    z = model.decision_function(X_VAL)
    other = fit_temperature(np.column_stack([0.0 * z, z]), c_val, np.ones(120))
    assert model.calibration_.map.value == pytest.approx(other.value, rel=1e-12)
    assert int(model.trees_.count[0]) == 300  # no row of the training is held out


def test_rows_that_no_round_serves_leave_the_constant_of_the_training_rows() -> None:
    against = er.GradientBoostingRegressor(**FEW).fit(X, Y, X_val=X_VAL, y_val=np.full(120, Y.mean()))
    assert against.n_estimators_ == 0
    assert against.init_ == pytest.approx([Y.mean()])
    np.testing.assert_allclose(against.predict(X_VAL), Y.mean())


LABELS = np.where(Y > 0.8, "yes", "no")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"y_val": LABELS}, "y_val is about validation rows: give their columns as X_val too"),
        ({"sample_weight_val": np.ones(3)}, "sample_weight_val is about validation rows"),
        ({"X_val": X}, "give y_val too"),
        ({"X_val": X[:, :2], "y_val": LABELS}, r"in the validation rows \(X_val, y_val\): X has 2 features"),
        ({"X_val": X, "y_val": LABELS[:9]}, r"in the validation rows .*inconsistent"),
        (
            {"X_val": X, "y_val": np.where(Y > 3.0, "ja", LABELS)},
            "in the validation rows .*the label 'ja' in row",
        ),
        ({"X_val": X, "y_val": [None, *LABELS[1:]]}, "in the validation rows .*None in row 0"),
        (
            {"X_val": X, "y_val": LABELS, "sample_weight_val": np.zeros(300)},
            "in the validation rows .*zero for every",
        ),
        ({"X_val": np.where(X > 2.0, np.inf, X), "y_val": LABELS}, "in the validation rows .*inf"),
    ],
)
def test_odd_validation_rows_are_refused_and_leave_the_fit_before(given: dict[str, Any], words: str) -> None:
    model = er.GradientBoostingClassifier(n_estimators=2).fit(X, LABELS)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=words):
        model.fit(X, LABELS, **given)
    assert vars(model) == before


def test_rows_with_nothing_to_choose_are_refused() -> None:
    with pytest.raises(ValueError, match="early_stopping=False leaves it nothing to choose"):
        er.GradientBoostingRegressor(early_stopping=False).fit(X, Y, X_val=X_VAL, y_val=Y_VAL)
    with pytest.raises(ValueError, match=r"in the validation rows .*y holds -1 in row 0"):
        er.GradientBoostingRegressor("poisson").fit(X, np.abs(Y), X_val=X_VAL, y_val=np.full(120, -1.0))


# -- the callback ----------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [0.5, (0.2, 0.8)])
@pytest.mark.parametrize("watched", [False, True])
def test_the_callback_is_told_the_curves_and_its_answer_ends_the_growth(q: Any, watched: bool) -> None:
    rows = {"X_val": X_VAL, "y_val": Y_VAL} if watched else {}
    given = {**FEW, "learning_rate": 0.1}
    told: list[tuple[int, float, float | None]] = []
    model = er.GradientBoostingRegressor("quantile", q=q, **given)
    model.fit(X, Y, **rows, callback=lambda *round_: told.append(round_) or round_[0] == 6)
    assert [number for number, *_ in told] == [1, 2, 3, 4, 5, 6]
    np.testing.assert_array_equal([train for _, train, _ in told], model.train_loss_[1:])
    assert "the callback ended the growth after 6 rounds" in model.certificate_.claim
    if watched:
        assert [v for *_, v in told] == [e.value for e in model.validation_loss_[1:]]
        assert model.n_estimators_ == int(np.argmin([e.value for e in model.validation_loss_]))
        assert not model.stopping_.ended_early
    else:
        assert [v for *_, v in told] == [None] * 6
        assert model.n_estimators_ == 6
        once = er.GradientBoostingRegressor("quantile", q=q, **{**given, "n_estimators": 6}).fit(X, Y)
        np.testing.assert_array_equal(model.predict(X), once.predict(X))
        np.testing.assert_array_equal(model.train_loss_, once.train_loss_)


def test_a_warm_start_tells_the_new_rounds_alone() -> None:
    model = er.GradientBoostingClassifier(n_estimators=3, warm_start=True).fit(X, LABELS)
    told: list[int] = []
    model.set_params(n_estimators=9).fit(
        X, LABELS, callback=lambda number, *_: told.append(number) or number == 5
    )
    assert told == [4, 5]
    once = er.GradientBoostingClassifier(n_estimators=5).fit(X, LABELS)
    np.testing.assert_array_equal(model.predict_proba(X), once.predict_proba(X))
    with pytest.raises(ValueError, match="these are others"):
        model.fit(X, LABELS, X_val=X_VAL, y_val=LABELS[:120])


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError("enough")])
def test_an_exception_of_the_callback_leaves_the_fit_before(error: Any) -> None:
    def raises(number: int, train: float, validation: float | None) -> None:
        if number == 3:
            raise error

    model = er.GradientBoostingRegressor(**FEW).fit(X, Y)
    before = dict(vars(model))
    with pytest.raises(type(error) if isinstance(error, Exception) else error):
        model.fit(-X, Y, callback=raises)
    assert vars(model) == before
    fresh = er.GradientBoostingRegressor(**FEW)
    with pytest.raises(BaseException):  # noqa: B017, PT011  # an interrupt is no Exception
        fresh.fit(X, Y, callback=raises)
    assert not hasattr(fresh, "trees_")


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match=r"callback must be None or a callable of \(round, training loss"):
        er.GradientBoostingRegressor().fit(X, Y, callback=3)
