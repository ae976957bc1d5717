"""`er.conformalize`: refusals in a sentence, categories, weights, groups, empty sets, scores on test rows."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.multioutput import MultiOutputRegressor
from sklearn.svm import LinearSVC

import empirisk as er

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = X[:, 0] + RNG.normal(size=200)
LABELS = np.array(["a", "b", "c"])[np.digitize(Y, [-0.7, 0.7])]
LINE = LinearRegression().fit(X[:80], Y[:80])
CLASSES = LogisticRegression().fit(X[:80], LABELS[:80])
CAL = slice(80, 140)
NEW = slice(140, 200)


def gap(values: Any, at: int, value: Any) -> Any:
    out = np.array(values, dtype=object if isinstance(value, str) else float)
    out[at] = value
    return out


REFUSED: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any], str]] = {
    "no probabilities": (LinearSVC().fit(X, LABELS), (X[CAL], LABELS[CAL]), {}, "has no predict_proba"),
    "missing target": (LINE, (X[CAL], gap(Y[CAL], 3, math.nan)), {}, "y_cal is missing in row 3"),
    "infinite target": (LINE, (X[CAL], gap(Y[CAL], 3, math.inf)), {}, "y_cal is inf in row 3"),
    "unseen class": (
        CLASSES,
        (X[CAL], np.where(np.arange(60) == 5, "z", LABELS[CAL])),
        {},
        "y_cal is 'z' in row 5, a class that",
    ),
    "one row": (LINE, (X[:1], Y[:1]), {}, "needs at least 9 calibration rows, there is 1"),
    "no rows": (LINE, (X[:0], Y[:0]), {}, "y_cal has no rows"),
    "lengths": (LINE, (X[CAL], Y[:20]), {}, "X_cal has 60 rows but y_cal has 20"),
    "level": (LINE, (X[CAL], Y[CAL]), {"level": 90}, "level must lie strictly between 0 and 1"),
    "high level": (LINE, (X[CAL], Y[CAL]), {"level": 0.99}, "needs at least 99 calibration rows"),
    "text": (LINE, (X[CAL], LABELS[CAL]), {}, "y_cal holds values that are no numbers"),
    "two targets": (
        MultiOutputRegressor(LinearRegression()).fit(X, np.column_stack([Y, Y])),
        (X[CAL], Y[CAL]),
        {"score": "absolute"},
        "predicts 2 numbers a row",
    ),
    "one quantile": (LINE, (X[CAL], Y[CAL]), {"score": "quantile"}, "needs two quantiles a row"),
    "other task": (LINE, (X[CAL], Y[CAL]), {"score": "lac"}, "score = 'lac' is not for regression"),
    "unknown score": (LINE, (X[CAL], Y[CAL]), {"score": "square"}, 'score must be "auto" or one of'),
    "no spread": (LINE, (X[CAL], Y[CAL]), {"score": "normalized"}, "needs spread"),
    "spread at 0": (LINE, (X[CAL], Y[CAL]), {"spread": lambda X: X[:, 0]}, "must be above 0 everywhere"),
    "spread of sets": (CLASSES, (X[CAL], LABELS[CAL]), {"spread": LINE}, "spread is the unit of"),
    "spread of what": (LINE, (X[CAL], Y[CAL]), {"spread": 3.0}, "spread must be a fitted regressor"),
    "cv twice": (LINE, (X, Y), {"cv": ShuffleSplit(3)}, "cv must test every row once"),
    "cv word": (LINE, (X, Y), {"cv": "jackknife"}, 'cv must be a number of folds, "leave-one-out"'),
    "cv True": (LINE, (X, Y), {"cv": True}, "cv must be a number of folds"),
    "weights and folds": (LINE, (X, Y), {"cv": 5, "weights": np.ones(200)}, "weights goes with a fitted"),
    "weights and groups": (
        LINE,
        (X, Y),
        {"groups": np.arange(200), "weights": np.ones(200)},
        "give weights or groups",
    ),
    "negative weights": (LINE, (X, Y), {"weights": gap(np.ones(200), 7, -1.0)}, "weights is -1 in row 7"),
    "no weights": (LINE, (X, Y), {"weights": np.zeros(200)}, "weights is 0 in all calibration rows"),
    "sample_weight": (LINE, (X, Y), {"sample_weight": np.ones(200)}, "sample_weight is for fits"),
    "offset of folds": (LINE, (X, Y), {"cv": 5, "offset": np.ones(200)}, "folds carry the exposure"),
    "by a name": (LINE, (X, Y), {"by": "u"}, "names a column and X has no names"),
    "by a number": (LINE, (X, Y), {"by": 2}, "by = 2 is no column of X"),
    "by too short": (LINE, (X, Y), {"by": np.ones(3)}, "by has 3 entries for 200 rows"),
    "rare category": (
        LINE,
        (X, Y),
        {"by": np.where(np.arange(200) < 4, "rare", "often")},
        "needs at least 9 calibration rows of category 'rare', there are 4",
    ),
    "few groups": (
        LINE,
        (X, Y),
        {"groups": np.arange(200) % 5},
        "at least 9 calibration groups, there are 5",
    ),
    "a class": (LinearRegression, (X, Y), {}, "write LinearRegression()"),
    "no model": ("line", (X, Y), {}, "str has no predict method"),
    "four models": ((LINE,) * 4, (X, Y), {}, "a tuple of models is"),
    "mixed models": ((LINE, CLASSES), (X, Y), {}, "one of them is a classifier"),
    "not fitted": (LinearRegression(), (X, Y), {}, "LinearRegression is not fitted"),
    "not fitted classes": (LogisticRegression(), (X, LABELS), {}, "LogisticRegression is not fitted"),
    "ours, not fitted": (er.Ridge(), (X, Y), {}, "Ridge is not fitted"),
    "seed": (LINE, (X, Y), {"random_state": "lucky"}, "random_state must be an integer"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_calibrated_is_refused_in_a_sentence(case: str) -> None:
    model, rows, more, said = REFUSED[case]
    with pytest.raises(
        (ValueError, TypeError, NotFittedError), match=said.replace("(", r"\(").replace(")", r"\)")
    ):
        er.conformalize(model, *rows, **more)


def test_questions_that_do_not_fit_are_refused() -> None:
    numbers = er.conformalize(LINE, X[CAL], Y[CAL])
    sets = er.conformalize(CLASSES, X[CAL], LABELS[CAL])
    with pytest.raises(TypeError, match="call interval"):
        numbers.sets(X[NEW])
    with pytest.raises(TypeError, match="call sets"):
        sets.interval(X[NEW])
    with pytest.raises(ValueError, match="needs at least 99 calibration rows"):
        numbers.interval(X[NEW], 0.99)
    with pytest.raises(ValueError, match="by was not given to conformalize"):
        numbers.interval(X[NEW], by=np.ones(60))
    with pytest.raises(ValueError, match="metric 'r2' is none of intervals"):
        er.evaluate(numbers, X[NEW], Y[NEW], metrics=["r2"])
    with pytest.raises(ValueError, match="y is missing in row 2"):
        numbers.coverage(X[NEW], gap(Y[NEW], 2, math.nan))
    folds = er.conformalize(LinearRegression(), X, Y, cv=4)
    with pytest.raises(ValueError, match="known for one fitted model"):
        folds.expected_coverage()
    by = er.conformalize(LINE, X, Y, by=np.where(X[:, 1] > 0.0, "up", "down"))
    with pytest.raises(ValueError, match="by was an array of the calibration rows"):
        by.interval(X[:2])
    with pytest.raises(ValueError, match="by is 'left' in row 1, which no calibration row is"):
        by.interval(X[:2], by=["up", "left"])
    heavy = er.conformalize(LINE, X[CAL], Y[CAL], weights=np.ones(60))
    with pytest.raises(ValueError, match="new row 1 weighs so much"):
        heavy.interval(X[:2], weights=[1.0, 1e4])


def test_too_few_rows_give_endless_intervals_where_asked() -> None:
    made = er.conformalize(LINE, X[80:85], Y[80:85], infinite=True)
    found = made.interval(X[NEW])
    assert np.isneginf(found.low).all()
    assert np.isposinf(found.high).all()
    assert np.isfinite(made.interval(X[NEW], 0.5).high).all()
    scores = er.evaluate(made, X[NEW], Y[NEW])
    assert scores["coverage"].value == 1.0
    assert scores["mean_width"].low is None
    assert "endless" in scores["mean_width"].reason
    full = er.conformalize(CLASSES, X[80:85], LABELS[80:85], infinite=True)
    assert full.sets(X[NEW]).member.all()


def test_each_category_has_an_end_of_its_own() -> None:
    where = np.where(X[:, 1] > 0.0, "up", "down")
    made = er.conformalize(LINE, X[CAL], Y[CAL], by=where[CAL], level=0.8)
    found = made.interval(X[NEW], by=where[NEW])
    residuals = np.abs(Y[CAL] - LINE.predict(X[CAL]))
    for side in ("up", "down"):
        alone = er.conformalize(LINE, X[CAL][where[CAL] == side], Y[CAL][where[CAL] == side], level=0.8)
        np.testing.assert_allclose(
            found.high[where[NEW] == side], alone.interval(X[NEW]).high[where[NEW] == side]
        )
        mine = np.sort(residuals[where[CAL] == side])
        k = math.ceil(0.8 * (mine.size + 1))
        np.testing.assert_allclose(alone.interval(X[NEW]).width, 2.0 * mine[k - 1])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_of_a_frame_is_a_category_and_answers_come_in_the_library(library: str) -> None:
    side = np.where(X[:, 1] > 0.0, "up", "down")
    rows: Any = {"u": X[:, 0], "v": X[:, 1], "side": side}
    frame = pd.DataFrame(rows) if library == "pandas" else pl.DataFrame(rows)

    class Inner:
        def predict(self, X: Any) -> Any:
            return np.asarray(X["u"])

    made = er.conformalize(Inner(), frame, Y, by="side")
    by_hand = er.conformalize(Inner(), frame, Y, by=side)
    told = made.interval(frame)
    np.testing.assert_array_equal(told.low, by_hand.interval(frame, by=side).low)
    assert type(told.to_frame()).__module__.startswith(library)
    assert list(told.to_frame().columns) == ["value", "low", "high"]


def test_equal_weights_change_nothing_and_copies_equal_weights() -> None:
    plain = er.conformalize(LINE, X[CAL], Y[CAL]).interval(X[NEW])
    for unit in (1e-6, 1.0, 1e6):
        even = er.conformalize(LINE, X[CAL], Y[CAL], weights=lambda X, u=unit: np.full(len(X), u))
        np.testing.assert_array_equal(plain.low, even.interval(X[NEW]).low)
    alone = er.conformalize(LINE, X[CAL], Y[CAL], groups=np.arange(60)).interval(X[NEW])
    np.testing.assert_array_equal(plain.low, alone.low)


def test_groups_stay_together_in_folds() -> None:
    groups = np.repeat(np.arange(50), 4)

    class Watched(LinearRegression):
        seen: ClassVar[list[Any]] = []

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            Watched.seen.append({tuple(row) for row in np.asarray(X).tolist()})
            return super().fit(X, y)

    er.conformalize(Watched(), X, Y, cv=5, groups=groups)
    for rows in Watched.seen:
        inside = np.array([tuple(row) in rows for row in X.tolist()]).reshape(50, 4)
        assert (inside.all(axis=1) | ~inside.any(axis=1)).all()
    assert len(Watched.seen) == 6  # one for each fold, and the whole


def test_empty_sets_stay_empty_unless_filled() -> None:
    made = er.conformalize(CLASSES, X[CAL], LABELS[CAL], level=0.3)
    left = made.sets(X[NEW])
    filled = made.sets(X[NEW], fill_empty=True)
    empty = left.size == 0
    assert empty.any()
    assert (filled.size >= 1).all()
    np.testing.assert_array_equal(left.member[~empty], filled.member[~empty])
    predicted = CLASSES.predict(X[NEW])
    assert [s for s, e in zip(filled.sets, empty, strict=True) if e] == [[p] for p in predicted[empty]]
    assert "of them empty" in left.title
    assert "empty" not in filled.title


def test_adaptive_sets_do_not_depend_on_the_company_of_a_row() -> None:
    made = er.conformalize(CLASSES, X[CAL], LABELS[CAL], score="aps", random_state=3)
    together = made.sets(X[NEW]).member
    alone = np.vstack([made.sets(X[i : i + 1]).member for i in range(140, 200)])
    np.testing.assert_array_equal(together, alone)
    again = er.conformalize(CLASSES, X[CAL], LABELS[CAL], score="aps", random_state=3).sets(X[NEW]).member
    other = er.conformalize(CLASSES, X[CAL], LABELS[CAL], score="aps", random_state=4).sets(X[NEW]).member
    np.testing.assert_array_equal(together, again)
    assert (together != other).any()


def test_the_scores_of_test_rows_are_those_of_their_formulas() -> None:
    made = er.conformalize(LINE, X[CAL], Y[CAL], level=0.8)
    found, told = er.evaluate(made, X[NEW], Y[NEW]), made.interval(X[NEW])
    covered = [lo <= y <= hi for lo, y, hi in zip(told.low, Y[NEW], told.high, strict=True)]
    assert found["coverage"].value == np.mean(covered)
    assert found["coverage"].method == "Wilson"
    scores = [
        hi - lo + (2 / 0.2) * max(lo - y, 0.0, y - hi)
        for lo, y, hi in zip(told.low, Y[NEW], told.high, strict=True)
    ]
    assert found["interval_score"].value == pytest.approx(np.mean(scores))
    assert found["mean_width"].value == pytest.approx(np.mean(told.width))
    assert er.evaluate(made, X[NEW], Y[NEW], metrics="coverage")["coverage"] == found["coverage"]
    grouped = er.evaluate(made, X[NEW], Y[NEW], groups=np.repeat(np.arange(20), 3))
    assert grouped["coverage"].value == found["coverage"].value
    sets = er.conformalize(CLASSES, X[CAL], LABELS[CAL])
    sizes = er.evaluate(sets, X[NEW], gap(LABELS[NEW], 0, "new class"))
    assert sizes["set_size"].value == pytest.approx(sets.sets(X[NEW]).size.mean())
    assert not sets.sets(X[NEW]).covers(gap(LABELS[NEW], 0, "new class"))[0]


def test_models_with_quantiles_spreads_and_exposures() -> None:
    q = er.GradientBoostingRegressor("quantile", q=[0.1, 0.5, 0.9], n_estimators=20).fit(X[:80], Y[:80])
    made = er.conformalize(q, X[CAL], Y[CAL])
    assert made.score.name == "quantile"
    np.testing.assert_allclose(made.predict(X[NEW]), q.predict(X[NEW])[:, 1])
    pair = tuple(er.QuantileRegressor(q=p).fit(X[:80], Y[:80]) for p in (0.1, 0.9))
    assert er.conformalize(pair, X[CAL], Y[CAL]).score.name == "quantile"
    std = er.GaussianProcessRegressor().fit(X[:80], Y[:80])
    assert er.conformalize(std, X[CAL], Y[CAL], spread="predict_std").score.name == "normalized"
    time = RNG.uniform(0.5, 3.0, size=200)
    counts = RNG.poisson(time * np.exp(0.3 * X[:, 0])).astype(float)
    rates = er.PoissonRegressor().fit(X[:80], counts[:80], exposure=time[:80])
    made = er.conformalize(rates, X[CAL], counts[CAL], exposure=time[CAL])
    value = made.interval(X[NEW], exposure=time[NEW]).value
    np.testing.assert_allclose(value, rates.predict(X[NEW], exposure=time[NEW]))
    folds = er.conformalize(er.PoissonRegressor(), X, counts, cv=KFold(4), exposure=time)
    assert folds.coverage(X, counts, exposure=time).value > 0.8
    spread = er.conformalize(LinearRegression(), X, Y, cv=3, spread=RandomForestRegressor(5, random_state=0))
    assert np.ptp(spread.interval(X[NEW]).width) > 0.0


def test_answers_are_tables_and_pictures() -> None:
    made = er.conformalize(LINE, X[CAL], Y[CAL])
    told = made.interval(X[NEW])
    assert "P(covered) >= 0.9" in repr(told)
    assert "and 50 more rows" in repr(told)
    assert "<table" in told._repr_html_()
    assert "tabular" in told.to_latex()
    assert told.plot().axes.figure is not None
    assert made.to_frame()["expected"].iloc[2] == pytest.approx(55 / 61)
    endless = er.conformalize(LINE, X[80:85], Y[80:85], infinite=True).interval(X[:3])
    with pytest.raises(ValueError, match="no end"):
        endless.plot()
    assert "size" in er.conformalize(CLASSES, X[CAL], LABELS[CAL]).sets(X[NEW]).to_frame().columns


def test_sets_are_drawn_by_their_sizes(rng: np.random.Generator) -> None:
    member = rng.random((40, 3)) < 0.5
    sets = er.selection.PredictionSets(0.9, np.array(["a", "b", "c"]), member, np.array(["a"] * 40))
    plot = sets.plot()
    assert [bar.get_height() for bar in plot.axes.patches] == [(sets.size == k).sum() for k in range(4)]
    assert f"one class in {(sets.size == 1).sum()} of 40 rows" in plot.title
