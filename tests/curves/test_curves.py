"""Learning curves, extrapolation and model-selection curves."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.base import clone
from sklearn.model_selection import KFold, TimeSeriesSplit, validation_curve
from sklearn.model_selection import learning_curve as peer_curve
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from empirisk.curves.diminishing import factor, least_squares_factor, range_of_factors
from empirisk.curves.learning_result import LearningCurve
from empirisk.curves.moments import LastStep, from_rows
from empirisk.curves.power_law import fit_power_law
from empirisk.curves.sizes import nested_order, parts_of
from empirisk.data.side_by_side import threads_for_pieces
from empirisk.selection import learning_curve, model_selection_curve


def linear(rng, n, p=4, noise=1.0):
    X = rng.normal(size=(n, p))
    return X, X.sum(axis=1) + noise * rng.normal(size=n)


# -- the mathematics of the bracket -------------------------------------------------------------


@pytest.mark.parametrize("c", [0.0, 1e-6, 0.3, 1.0, 1.5])
def test_the_factor_is_exact_for_a_power_law(c) -> None:
    def excess(r):
        return -np.log(r) if c == 0.0 else r**-c

    gained = excess(300.0) - excess(800.0)
    wanted = excess(1000.0) - excess(5000.0)
    assert factor(c, (300, 800), (1000, 5000)) == pytest.approx(wanted / gained, rel=1e-6)


def test_the_factor_falls_in_c_and_bounds_what_lies_between() -> None:
    for future in [(100, 200), (100, 500), (80, 100)]:
        values = [factor(c, (40, 80), future) for c in np.linspace(0.0, 1.5, 40)]
        assert np.all(np.diff(values) < 0.0)
        assert range_of_factors((40, 80), future) == (values[-1], values[0])


def test_least_squares_falls_faster_near_interpolation() -> None:
    # With r rows a coefficient, and many of them, the ratio of two doublings is (r - 2)/(2r - 1).
    for r in (4.0, 16.0, 64.0):
        p = 1e6
        got = least_squares_factor(p, (r * p / 2, r * p), (r * p, 2 * r * p))
        assert got == pytest.approx((r - 2) / (2 * r - 1), rel=1e-4)
    assert least_squares_factor(20, (21, 42), (42, 84)) == 0.0
    assert range_of_factors((21, 42), (42, 84), coefficients=20)[0] == 0.0


def test_the_power_law_is_the_least_squares_fit() -> None:
    sizes = np.array([50, 100, 200, 400, 800])
    losses = 0.3 + 2.0 * sizes**-0.6
    law = fit_power_law(sizes, losses)
    assert (law.a, law.b, law.c) == pytest.approx((0.3, 2.0, 0.6), rel=1e-6)
    flat = fit_power_law(sizes, 1.0 + 1e-3 * sizes)  # rising: the best falling law is a constant
    assert flat.b == 0.0
    assert flat.a == pytest.approx(np.average(1.0 + 1e-3 * sizes, weights=sizes))
    assert fit_power_law([10, 20], [1.0, 0.5]) is None


def test_moments_by_brute_force(rng) -> None:
    before, after = rng.exponential(size=(2, 2, 30)), rng.exponential(size=(2, 30))
    step = from_rows(before, after, (40, 80), 5, None)
    gamma = 0.4
    rows = after - gamma * (before.mean(axis=1) - after)
    variance = np.mean([r.var(ddof=1) for r in rows]) / 30 * 5 / 4
    middle = rows.mean()
    centred = rows - rows.mean(axis=1, keepdims=True)
    skew = np.mean(centred**3) / np.mean(centred**2) ** 1.5 / np.sqrt(30)
    low, high = step.loss_limits(gamma, 0.95)
    # Hall's transform of the standardised ends gives back the quantiles.
    from scipy.stats import t

    for end, q in ((low, t.ppf(0.975, 29)), (high, -t.ppf(0.975, 29))):
        u = (middle - end) / np.sqrt(variance)
        assert u + skew * u**2 / 3 + skew**2 * u**3 / 27 + skew / 6 == pytest.approx(q, abs=1e-9)
    fall = before.mean(axis=1) - after
    half = t.ppf(0.975, 29) * np.sqrt(np.mean([r.var(ddof=1) for r in fall]) / 30 * 5 / 4)
    assert step.fall_limits(0.95) == pytest.approx((fall.mean() - half, fall.mean() + half))


def made_curve(fall, sd, n=100):
    """A curve whose last step is known."""
    point = er.Estimate(1.0, 0.9, 1.1, 0.95, n, "made")
    last = LastStep(40, 80, 1.0, fall, (1.0, 0.0, sd**2 * n), (0.0,) * 4, 1.0 / n, 10.0, n - 1.0)
    points = tuple(er.Estimate(v, v, v, 0.95, n, "made") for v in (1.0 + 3 * fall, 1.0 + fall, 1.0))
    return LearningCurve((20, 40, 80), points, (point,) * 3, n, "mse", "loss", 0.95, "made", 1, last)


def test_rows_for_a_gain_invert_the_bracket() -> None:
    curve = made_curve(0.1, 0.004)
    low, high = curve.last.fall_limits(0.95)
    need = curve.rows_for(0.02)
    fewest = brentq(lambda m: factor(0.0, (40, 80), (100, m)) * high - 0.02, 100.0001, 1e6)
    most = brentq(lambda m: factor(1.5, (40, 80), (100, m)) * low - 0.02, 100.0001, 1e6)
    assert need.low == pytest.approx(fewest, rel=0.006)
    assert need.high == pytest.approx(most, rel=0.006)
    assert need.low <= need.value <= need.high
    never = curve.rows_for(0.09)  # more than the most cautious law can ever gain
    assert never.low is None
    assert "no number of rows can be promised" in never.reason
    flat = made_curve(0.0, 1e-6).rows_for(0.5)
    assert "not reached" in flat.reason
    with pytest.raises(ValueError, match="gain must be a positive number"):
        curve.rows_for(0.0)
    with pytest.raises(ValueError, match="loss must be a number >= 0"):
        curve.rows_to_reach(-1.0)
    with pytest.raises(ValueError, match="multiples of the sample"):
        curve.extrapolate(1.0)


def test_the_signs_of_the_gain() -> None:
    worse = made_curve(-0.1, 0.001).extrapolate(2.0)
    assert worse.gain[0].high < 0.0
    assert "would rise by 0.0" in worse.sentences[0]
    open_ = made_curve(0.001, 0.1).extrapolate(2.0)
    assert open_.gain[0].low < 0.0 < open_.gain[0].high
    assert "cannot be told" in open_.sentences[0]
    better = made_curve(0.1, 0.001).extrapolate(2.0, 5.0)
    assert 0.0 < better.gain[0].low < better.gain[1].low
    assert better.loss[1].low < better.loss[0].low
    assert better.rows == [200, 500]
    assert list(better.to_frame()["rows"]) == [200, 500]


# -- what is fitted -----------------------------------------------------------------------------


def test_subsets_are_nested_disjoint_and_hold_every_class(rng) -> None:
    train = np.sort(rng.permutation(200)[:100])
    strata = (np.arange(200) % 20 == 0).astype(int)
    order = nested_order(train, [25, 50, 100], 2, strata, None, None, rng)
    assert sorted(order) == list(train)
    for size in (25, 50):
        first, second = parts_of(order, size, 2)
        assert not set(first) & set(second)
        assert set(strata[first]) == set(strata[second]) == {0, 1}
    groups = np.arange(200) // 5
    by_group = nested_order(np.arange(200), [50], 1, None, groups, None, rng)
    assert np.all(np.diff(np.flatnonzero(np.diff(groups[by_group]) != 0)) == 5)
    late = nested_order(train, [50], 1, None, None, np.arange(200), rng)
    assert list(late) == sorted(train, reverse=True)


def test_halvings_are_asked_for_by_their_number(rng) -> None:
    X, y = linear(rng, 200)
    whole = learning_curve(er.Ridge(), X, y, repeats=1, random_state=0)
    assert whole.sizes == (20, 40, 80, 160)
    last = learning_curve(er.Ridge(), X, y, sizes=2, repeats=1, random_state=0)
    assert last.sizes == (80, 160)
    assert [e.value for e in last.validation] == [e.value for e in whole.validation[-2:]]
    assert learning_curve(er.Ridge(), X, y, sizes=9, repeats=1, random_state=0).sizes == whole.sizes
    for wrong in (0, -1, True):
        with pytest.raises(ValueError, match="how many halvings"):
            learning_curve(er.Ridge(), X, y, sizes=wrong)


def test_halvings_leave_two_classes_in_every_part(rng) -> None:
    X, groups = rng.normal(size=(300, 2)), np.arange(300) // 25
    y = groups % 2  # every group is of one class, so that 25 rows hold one class only
    curve = learning_curve(er.LogisticRegression(), X, y, cv=3, groups=groups, repeats=1, random_state=0)
    assert 1 <= len(curve.sizes) < 4
    assert min(curve.sizes) > 25
    with pytest.raises(ValueError, match="20 training rows hold one class only"):
        learning_curve(
            er.LogisticRegression(), X, y, [20, 200], cv=3, groups=groups, repeats=1, random_state=0
        )


def test_full_size_equals_cross_evaluation(rng) -> None:
    X, y = linear(rng, 90)
    folds = [(a, b) for a, b in KFold(5, shuffle=True, random_state=0).split(X)]
    curve = learning_curve(er.Ridge(), X, y, cv=folds, random_state=0)
    cross = er.cross_evaluate(er.Ridge(), X, y, cv=folds, metrics="mse")
    assert curve.validation[-1].value == pytest.approx(cross["mse"].value)
    assert curve.sizes[-1] == 72
    train = [np.mean((y[a] - clone(er.Ridge()).fit(X[a], y[a]).predict(X[a])) ** 2) for a, _ in folds]
    assert curve.train[-1].value == pytest.approx(np.mean(train))
    assert curve.coefficients == 4.0


def test_shape_against_the_peer(rng) -> None:
    X, y = linear(rng, 300, p=10)
    curve = learning_curve(er.LinearRegression(), X, y, sizes=[0.25, 0.5, 1.0], repeats=3, random_state=0)
    sizes, _, scores = peer_curve(
        er.LinearRegression(), X, y, train_sizes=[60, 120, 240], cv=5, shuffle=True, random_state=0,
        scoring="neg_mean_squared_error",
    )  # fmt: skip
    assert curve.sizes == tuple(sizes)
    for e, peer in zip(curve.validation, -scores.mean(axis=1), strict=True):
        assert e.low < peer < e.high


def test_classes_groups_time_and_splitters(rng) -> None:
    X, y = linear(rng, 160)
    labels = np.where(y > 0, "high", "low")
    error = learning_curve(er.LogisticRegression(), X, labels, loss="accuracy", random_state=0)
    assert error.label == "error rate"
    assert all(0.0 <= e.low <= e.high <= 1.0 for e in error.validation)
    grouped = learning_curve(er.Ridge(), X, y, groups=np.arange(160) // 4, random_state=0)
    assert "groups" in grouped.validation[0].method
    few = learning_curve(er.Ridge(), X, y, groups=np.arange(160) // 20, random_state=0)
    assert few.extrapolate().reason == "8 groups are too few; at least 10 are needed"
    assert few.validation[0].low is None
    timed = learning_curve(er.Ridge(), X, y, time=np.arange("2020-01-01", "2020-06-09", dtype="M8[D]"))
    assert timed.sizes[-1] == 80
    assert "latest rows" in timed.method
    ahead = learning_curve(er.Ridge(), X, y, cv=TimeSeriesSplit(6), time=np.arange(160), sizes=[10, 20])
    assert ahead.validation[-1].low is not None
    assert "corrected resampled t over 6 splits" in ahead.validation[-1].method


def test_same_seed_same_numbers(rng) -> None:
    X, y = linear(rng, 80)
    one, two = (learning_curve(er.Ridge(), X, y, random_state=3) for _ in range(2))
    assert one.validation == two.validation
    calls: list[tuple[int, int]] = []
    learning_curve(er.Ridge(), X, y, repeats=1, random_state=0, progress=lambda d, n: calls.append((d, n)))
    assert calls[-1] == (15, 15)  # five folds: two halves of 32 rows, and all 64


def test_it_reads_well(rng) -> None:
    X, y = linear(rng, 200)
    curve = learning_curve(er.Ridge(), X, y, random_state=0)
    assert repr(curve).startswith("Learning curve of Ridge: mean squared error on 200 rows (")
    assert "With 2 times the rows (400)" in repr(curve)
    assert curve._repr_html_().count("<tr>") == len(curve.sizes) + 1
    frame = curve.to_frame()
    assert list(frame["rows"]) == list(curve.sizes)
    assert {"validation_low", "train_high", "level", "n", "method"} <= set(frame.columns)
    chart = curve.to_dict()
    assert chart["extrapolation"]["n_rows"] == 400
    assert len(chart["validation"]["low"]) == len(chart["x"])
    more = curve.extrapolate()
    assert "gain" in repr(more)
    assert "<table>" in more._repr_html_()
    assert curve.plot().axes.get_xlabel() == "training rows"


# -- when nothing can be told -------------------------------------------------------------------


def test_cannot_tell(rng) -> None:
    X, y = linear(rng, 100)
    assert learning_curve(er.Ridge(), X, y, sizes=[60]).extrapolate().reason == "the curve has one size only"
    close = learning_curve(er.Ridge(), X, y, sizes=[70, 80]).extrapolate()
    assert "too small" in close.reason
    assert close.gain[0].low is None
    with pytest.raises(ValueError, match=r"sizes\[1\] = 81 exceeds the 80 training rows"):
        learning_curve(er.Ridge(), X, y, sizes=[20, 81])
    small = learning_curve(er.Ridge(), X[:25], y[:25], random_state=0)
    assert small.validation[0].low is None
    assert "too few" in small.extrapolate().reason or "one size" in small.extrapolate().reason
    labels = (y > 0).astype(int)
    tree = learning_curve(DecisionTreeClassifier(), X, labels, loss="log_loss", random_state=0)  # 0 and 1
    assert re.match(r"[1-9]\d* rows gave probability 0 .* infinite", tree.validation[0].reason)
    assert "brier_score" in tree.extrapolate().reason
    assert "infinite" in tree.plot().axes.get_title(loc="left")
    shaky = learning_curve(er.LinearRegression(), *linear(rng, 100, p=20), random_state=0)
    assert "unpenalised model with 20 columns" in shaky.validation[0].reason


def test_a_rising_curve_is_not_carried_on(rng) -> None:
    # The copy of the latest seen row: predicts by the mean of its own training rows' sizes, worse with more.
    class Worse(KNeighborsRegressor):
        def predict(self, X):
            return super().predict(X) + 0.05 * self.n_samples_fit_

    X, y = linear(rng, 100)
    curve = learning_curve(Worse(), X, y, random_state=0)
    assert "rises from" in curve.extrapolate().reason
    assert curve.rows_for(0.1).low is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": []}, "sizes must list"),
        ({"sizes": ["a"]}, "sizes must list"),
        ({"sizes": [0.0, 0.5]}, "shares must lie"),
        ({"sizes": [1, 10]}, r"sizes\[0\] = 1 is no number of rows"),
        ({"sizes": [10.5]}, "is no number of rows"),
        ({"loss": "r2"}, "loss must be a mean over rows for regression: one of mse, mae"),
        ({"loss": "log_loss"}, "loss must be a mean over rows"),
        ({"time": np.arange(3)}, "time has 3 rows"),
        ({"time": np.full(60, np.nan)}, "time is missing in row 0"),
        ({"time": np.arange(60), "groups": np.arange(60) // 2}, "groups or time"),
        ({"level": 0.0}, "level must lie"),
    ],
)
def test_bad_input(arguments, message, rng) -> None:
    with pytest.raises(ValueError, match=message):
        learning_curve(er.Ridge(), *linear(rng, 60), **arguments)


def test_one_class(rng) -> None:
    X = rng.normal(size=(60, 2))
    with pytest.raises(ValueError, match="one class only"):
        learning_curve(er.LogisticRegression(), X, np.zeros(60, dtype=int))
    rare = (np.arange(60) < 2).astype(int)
    with pytest.raises(ValueError, match="one class only"):
        learning_curve(KNeighborsClassifier(2), X, rare, sizes=[5, 20], random_state=0)


# -- one parameter ------------------------------------------------------------------------------


def test_the_path_gives_what_single_fits_give(rng) -> None:
    X, y = linear(rng, 80)
    values = [0.5, 0.01, 3.0]
    for est, param in [(er.Lasso(), "alpha"), (make_pipeline(StandardScaler(), er.Ridge()), "ridge__alpha")]:
        folds = list(KFold(5, shuffle=True, random_state=1).split(X))
        curve = model_selection_curve(est, X, y, param, values, cv=folds)
        assert "together" in curve.method
        train, test = validation_curve(
            est, X, y, param_name=param, param_range=values, cv=folds, scoring="neg_mean_squared_error"
        )
        assert [e.value for e in curve.validation] == pytest.approx(-test.mean(axis=1), rel=1e-4)
        assert [e.value for e in curve.train] == pytest.approx(-train.mean(axis=1), rel=1e-4)


def test_logistic_paths_two_and_three_classes(rng) -> None:
    X = rng.normal(size=(120, 3))
    for y in (X[:, 0] > 0, np.digitize(X[:, 0] + 0.3 * rng.normal(size=120), [-0.5, 0.5])):
        folds = list(KFold(4, shuffle=True, random_state=1).split(X))
        curve = model_selection_curve(
            er.LogisticRegression(), X, y.astype(int), "alpha", [0.1, 0.01], cv=folds
        )
        for value, e in zip(curve.values, curve.validation, strict=True):
            one = er.cross_evaluate(
                er.LogisticRegression(alpha=value), X, y.astype(int), cv=folds, metrics="log_loss"
            )
            assert e.value == pytest.approx(one["log_loss"].value, rel=1e-4)


def test_choices(rng) -> None:
    X, y = linear(rng, 120, p=8, noise=3.0)
    curve = model_selection_curve(
        KNeighborsRegressor(), X, y, "n_neighbors", [1, 5, 10, 20, 40], random_state=0
    )
    means = np.array([e.value for e in curve.validation])
    assert curve.best == means.argmin()
    within = np.flatnonzero(means <= means.min() + curve.standard_error)
    fits = np.array([e.value for e in curve.train])
    assert curve.one_se == within[fits[within].argmax()]
    assert curve.best_loss.low < curve.best_loss.value < curve.best_loss.high
    assert curve.scale == "log"
    assert "best" in repr(curve)
    assert set(curve.to_frame()["value"]) == {1, 5, 10, 20, 40}
    assert curve.to_dict()["minimum"] == curve.values[curve.best]
    assert curve.plot().axes.get_xlabel().startswith("n_neighbors")
    words = model_selection_curve(
        KNeighborsRegressor(),
        X,
        y,
        "weights",
        ["uniform", "distance"],
        random_state=0,
        groups=np.arange(120) // 3,
    )
    assert words.scale == "category"


@pytest.mark.parametrize(
    ("param", "values", "more", "message"),
    [
        ("alpha", [], {}, "values is empty"),
        ("depth", [1], {}, "'depth' is no parameter of Ridge"),
        ("alpha", [1.0], {"cv": TimeSeriesSplit(3)}, "needs folds that test every row"),
    ],
)
def test_bad_parameters(param, values, more, message, rng) -> None:
    with pytest.raises(ValueError, match=message):
        model_selection_curve(er.Ridge(), *linear(rng, 40), param, values, **more)


def test_moments_over_clusters(rng) -> None:
    # Groups of one row: the cluster formulas are those of rows, up to the divisors n-1 and n.
    before, after = rng.exponential(size=(2, 2, 60)), rng.exponential(size=(2, 60))
    rows = from_rows(before, after, (40, 80), 5, None)
    alone = from_rows(before, after, (40, 80), 5, np.arange(60))
    assert alone.loss_limits(0.5, 0.95) == pytest.approx(rows.loss_limits(0.5, 0.95), rel=2e-2)
    assert alone.fall_limits(0.95) == pytest.approx(rows.fall_limits(0.95), rel=1e-9)
    # Every row five times over: as wide as the rows alone, not narrower.
    five = from_rows(
        np.repeat(before, 5, axis=2), np.repeat(after, 5, axis=1), (40, 80), 5, np.repeat(np.arange(60), 5)
    )
    assert five.loss_limits(0.5, 0.95) == pytest.approx(alone.loss_limits(0.5, 0.95), rel=1e-9)


@pytest.mark.parametrize("est", [er.Ridge(alpha=0.1), er.GradientBoostingRegressor(n_estimators=5)])
def test_curves_are_the_same_bit_for_bit_on_several_threads(est) -> None:
    X, y = linear(np.random.default_rng(0), 200)
    told: list[tuple[int, int]] = []
    asked = {"random_state": 0, "repeats": 2, "progress": lambda done, of: told.append((done, of))}
    alone = learning_curve(est, X, y, **asked)
    first, told[:] = list(told), []
    with threads_for_pieces(3):
        together = learning_curve(est, X, y, **asked)
    assert together.validation == alone.validation
    assert together.train == alone.train
    assert together.coefficients == alone.coefficients
    assert sorted(told) == first == [(k + 1, len(first)) for k in range(len(first))]
