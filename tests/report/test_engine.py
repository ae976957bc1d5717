"""The parts of the engine against algebra, peers and simulation."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit

import empirisk as er
from empirisk.data.memory import available_memory, peak_memory
from empirisk.estimators import ElasticNet, LogisticRegression, Ridge
from empirisk.evaluation.folds import deal_units
from empirisk.evaluation.metrics import METRICS, Predictions
from empirisk.evaluation.metrics.predictions import classification
from empirisk.evaluation.pictures.calibration import calibration
from empirisk.evaluation.pictures.ranks import roc_curve
from empirisk.evaluation.pictures.residuals import coverage
from empirisk.evaluation.scoring import Scoring
from empirisk.report.errors import DataError
from empirisk.report.fit.candidates import Candidate, alpha_grid
from empirisk.report.fit.choose import one_standard_error
from empirisk.report.fit.final import FinalModel
from empirisk.report.fit.plan import Plan
from empirisk.report.fit.planning import make_plan
from empirisk.report.fit.shares import probabilities
from empirisk.report.fit.tuning import CrossValidated, class_coefs
from empirisk.report.run import refuse_too_large
from empirisk.report.sections.model.coefficients import sandwich, sign_stability
from empirisk.report.sections.model.importance import importances, linear_move, predicted_move
from empirisk.report.sections.verdict.next_step import next_step
from empirisk.results import Estimate


def sample(y: np.ndarray, k: int, **more: Any) -> Any:
    task = "regression" if k == 0 else "binary" if k == 2 else "multiclass"
    names = tuple(f"c{i}" for i in range(k))
    carried = {"groups": None, "shift": 0.0, "weights": None} | more
    return SimpleNamespace(y=y, n=y.size, n_classes=k, task=task, classes=names, **carried)


def judged(y: np.ndarray, z: np.ndarray) -> Predictions:
    """Return two classes with the scores z, as metrics take them."""
    return classification(y, pred=z > 0, proba=probabilities(z), score=z, classes=[0, 1])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=6, max_size=60),
    st.integers(2, 5),
    st.integers(0, 2**31),
    st.integers(1, 3),
)
def test_dealt_folds_keep_units_whole_and_are_even(sizes: list[int], k: int, seed: int, kinds: int) -> None:
    units = np.repeat(np.arange(len(sizes)), sizes)
    strata = np.repeat(np.arange(len(sizes)) % kinds, sizes)
    fold = deal_units(units, strata, k, np.random.default_rng(seed))
    assert all(np.unique(fold[units == u]).size == 1 for u in range(len(sizes)))
    assert fold.min() >= 0
    assert fold.max() < k
    for s in range(kinds):
        counts = np.bincount(fold[strata == s], minlength=k)
        assert counts.max() - counts.min() <= 2 * max(sizes)


@pytest.mark.parametrize("held", [(0, 2, 3), (1, 3)])
def test_coefficients_of_a_fold_keep_the_places_of_classes_that_it_lacks(
    rng: np.random.Generator, held: tuple[int, ...]
) -> None:
    X, y = rng.normal(size=(60, 3)), np.resize(held, 60)
    fits = [LogisticRegression(alpha=a).fit(X, y) for a in (0.1, 0.01)]
    missing = [c for c in range(4) if c not in held]
    coefs = np.stack([class_coefs(fit, 4) for fit in fits])
    assert coefs.shape == (2, 3, 4)
    assert np.isnan(coefs[:, :, missing]).all()
    contrast = coefs[..., held[-1]] - coefs[..., held[0]]
    raw = [f.coef_[0] if len(held) == 2 else f.coef_[-1] - f.coef_[0] for f in fits]
    assert contrast == pytest.approx(np.stack(raw))
    nothing, recipe = np.empty(0), er.selection.Candidate(LogisticRegression(), "alpha", [0.1, 0.01])
    cv = CrossValidated(Candidate("x", "x", "candidate", 0.0), recipe, nothing, nothing, nothing)
    cv.coefs.append((["a", "b", "c"], coefs))
    seen = float(np.sign(coefs[0, 1, held[-1]]))
    assert sign_stability("b", held[-1], seen, cv, 0, [{"b": 1}]) == 1.0
    assert sign_stability("b", missing[-1], seen, cv, 0, [{"b": 1}]) == 0.0


def test_largest_penalty_of_the_grid_sets_all_to_zero(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 5)), rng.normal(size=80)
    for ratio in (1.0, 0.5):
        top = alpha_grid(Candidate("x", "x", "candidate", ratio), X, y, 0, 8)[0]
        above, below = (
            ElasticNet(alpha=top * factor, l1_ratio=ratio, tol=1e-12).fit(X, y) for factor in (1.0001, 0.97)
        )
        assert not above.coef_.any()
        assert below.coef_.any()


def final(
    est: Any, X: np.ndarray, y: np.ndarray, k: int, ratio: float = 0.0, groups: Any = None
) -> FinalModel:
    train = sample(y, k, groups=groups)
    candidate = Candidate("m", "m", "candidate", ratio, kind="linear")
    from sklearn.pipeline import Pipeline

    return FinalModel(candidate, est.alpha, Pipeline([("model", est.fit(X, y))]), X, [], train, X, [])


def test_sandwich_of_least_squares_is_whites(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + rng.normal(size=150) * (1.0 + np.abs(X[:, 1]))
    model = final(Ridge(alpha=1e-12, tol=1e-12), X, y, 0)
    peer = sm.OLS(y, sm.add_constant(X, prepend=False)).fit(cov_type="HC1")
    assert np.sqrt(np.diag(sandwich(model))) == pytest.approx(peer.bse, rel=1e-6)  # type: ignore[arg-type]


def test_sandwich_of_logistic_regression(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 3))
    y = (rng.random(400) < expit(X[:, 0] - 0.5)).astype(int)
    model = final(LogisticRegression(alpha=1e-10, tol=1e-12), X, y, 2)
    peer = sm.Logit(y, sm.add_constant(X, prepend=False)).fit(disp=0, cov_type="HC0")
    factor = np.sqrt(400 / (400 - 4))
    assert np.sqrt(np.diag(sandwich(model))) == pytest.approx(peer.bse * factor, rel=1e-5)  # type: ignore[arg-type]


def test_sandwich_of_groups_is_the_cluster_variance(rng: np.random.Generator) -> None:
    X, group = rng.normal(size=(200, 2)), np.repeat(np.arange(40), 5)
    y = X[:, 0] + rng.normal(size=40)[group] + rng.normal(size=200)
    model = final(Ridge(alpha=1e-12, tol=1e-12), X, y, 0, groups=group)
    peer = sm.OLS(y, sm.add_constant(X, prepend=False)).fit(
        cov_type="cluster", cov_kwds={"groups": group, "use_correction": False}
    )
    assert np.sqrt(np.diag(sandwich(model))) == pytest.approx(peer.bse, rel=1e-6)  # type: ignore[arg-type]


def test_sandwich_of_three_classes_by_the_bootstrap(rng: np.random.Generator) -> None:
    X = rng.normal(size=(400, 2))
    y = np.array([rng.choice(3, p=p) for p in probabilities(np.column_stack([X, 0.0 * X[:, 0]]))])
    model = final(LogisticRegression(alpha=0.01), X, y, 3)
    found = np.sqrt(np.diag(sandwich(model)))  # type: ignore[arg-type]
    draws = []
    for _ in range(150):
        rows = rng.integers(0, 400, 400)
        est = LogisticRegression(alpha=0.01).fit(X[rows], y[rows])
        draws.append(np.column_stack([est.coef_, est.intercept_]).ravel())
    spread = np.std(draws, axis=0)
    keep = np.array([0, 1, 3, 4, 6, 7])  # the intercepts are known up to a constant only
    assert found[keep] == pytest.approx(spread[keep], rel=0.25)


def test_sandwich_is_refused_with_an_l1_penalty(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    assert (
        sandwich(final(LogisticRegression(alpha=0.01, l1_ratio=1.0), X, (X[:, 0] > 0).astype(int), 2, 1.0))
        is None
    )


def test_one_standard_error_prefers_the_larger_penalty(rng: np.random.Generator) -> None:
    base = rng.normal(size=(2, 100, 1)) ** 2
    noise = rng.normal(size=(2, 100, 1))
    losses = np.concatenate([base + 1.0, base + 0.01 + 0.3 * noise, base], axis=2)
    rows = er.selection.Sample(np.zeros((100, 1)), np.arange(100.0))
    scoring = Scoring(rows, rows.plan(5, 2, 0), METRICS["mse"], 0.95)
    at, lowest = one_standard_error(losses, scoring)
    extra = losses[:, :, 1] - losses[:, :, 2]
    assert lowest in (1, 2)
    error = np.sqrt(np.mean(np.var(extra, axis=1, ddof=1)) / 100 * 5 / 4)
    assert scoring.standard_error(losses[:, :, 1], losses[:, :, 2]) == pytest.approx(error)
    assert (at == 1) == (lowest == 1 or extra.mean() <= error)


def test_importance_covers_its_population_value() -> None:
    """95 % intervals over 200 test sets against the value on 200,000 rows."""
    coef = np.array([0.8, -0.5, 0.0])
    big = np.random.default_rng(1)

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, 3))
        X[:, 1] += 0.5 * X[:, 0]
        return X, (rng.random(n) < expit(X @ coef)).astype(int)

    def found_on(X: np.ndarray, y: np.ndarray, **more: int) -> dict[str, Estimate]:
        def losses(z: np.ndarray) -> np.ndarray:
            return np.logaddexp(0.0, np.where(y == 1, -z, z))

        z = X @ coef
        return importances(losses(z), linear_move(X, coef, z, losses), ["a", "b", "c"], **more)

    truth = found_on(*draw(big, 200_000), repeats=2)
    hits = np.zeros(2)
    for seed in range(200):
        found = found_on(*draw(np.random.default_rng(seed + 10), 150), seed=seed)
        for i, name in enumerate("ab"):
            e = found[name]
            assert e.low is not None
            assert e.high is not None
            hits[i] += e.low <= truth[name].value <= e.high
        assert found["c"].value == found["c"].low == found["c"].high == 0.0
    assert (hits >= 180).all()  # 0.95 * 200 - 3 standard errors
    assert (hits <= 199).any()


def test_importance_is_that_of_shuffled_columns(rng: np.random.Generator) -> None:
    """Two encoded columns of one source move together."""
    X = rng.normal(size=(60, 3))
    coef, y = np.array([1.0, -2.0, 0.5]), rng.normal(size=60)
    z, sources = X @ coef, ["s", "s", "t"]

    def losses(z: np.ndarray) -> np.ndarray:
        return (y - z) ** 2

    found = importances(losses(z), linear_move(X, coef, z, losses), sources, repeats=1, seed=4)

    def asked(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return (y[rows] - X @ coef) ** 2

    again = predicted_move(X, losses(z), asked, np.array([True, True, False]))
    predicted = importances(losses(z), again, sources, repeats=1, seed=4)
    donor = np.random.default_rng(4).permutation(60)
    moved = np.column_stack([X[donor, :2], X[:, 2]])
    rise = np.mean((y - moved @ coef) ** 2) - np.mean((y - X @ coef) ** 2)
    assert found["s"].value == pytest.approx(rise)
    assert predicted["s"].value == pytest.approx(rise)
    assert predicted["t"].value == 0.0, "a column that a model does not look at"


def test_rows_whose_values_stay_are_not_asked_again(rng: np.random.Generator) -> None:
    """A missing value dealt to a row that has none is a change, and one dealt to a gap is not."""
    X = np.column_stack([rng.choice([0.0, 0.0, 1.0, np.nan], 80), rng.normal(size=80)])
    y, donor = rng.normal(size=80), rng.permutation(80)
    seen: list[np.ndarray] = []

    def asked(X: np.ndarray, rows: np.ndarray) -> np.ndarray:
        seen.append(rows)
        return (y[rows] - np.nan_to_num(X[:, 0], nan=5.0) - X[:, 1]) ** 2

    own = asked(X, np.arange(80))
    move = predicted_move(X, own, asked, np.array([True, True]))(np.array([0]))
    assert move is not None
    whole = asked(np.column_stack([X[donor, 0], X[:, 1]]), np.arange(80))
    np.testing.assert_array_equal(move(donor), whole)
    codes = np.nan_to_num(X[:, 0], nan=5.0)
    np.testing.assert_array_equal(seen[-1], np.flatnonzero(codes != codes[donor]))
    np.testing.assert_array_equal(move(np.arange(80)), own)
    assert seen[-1].size, "no row is left to ask about, and none is asked"


def test_roc_band_holds_for_the_whole_curve() -> None:
    """Normal scores, whose true curve is known: the band must hold everywhere in at least 95 % of samples."""
    grid = np.linspace(0.0, 1.0, 101)
    true = stats.norm.cdf(1.0 + stats.norm.ppf(grid))
    whole = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1], [60, 40])
        found = roc_curve(judged(y, rng.normal(size=100) + y), 0.95)
        assert found is not None
        low, high = np.array(found["low"]), np.array(found["high"])
        whole += bool(((low - 1e-12 <= true) & (true <= high + 1e-12)).all())
    assert whole >= 184


def test_calibration_test_has_its_false_alarm_rate() -> None:
    alarms, inside, bins = 0, 0, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        z = rng.normal(size=400)
        y = (rng.random(400) < expit(z)).astype(int)
        found = calibration(judged(y, z), ("no", "yes"), 0.95)
        alarms += found["test"]["p_value"] < 0.05
        assert sum(b["n"] for b in found["bins"]) == 400
        ok = [b["observed"]["low"] <= b["predicted"] <= b["observed"]["high"] for b in found["bins"]]
        inside, bins = inside + all(ok), bins + 1
    assert 4 <= alarms <= 28  # 15 expected, 3 standard errors
    assert inside >= 0.93 * bins


def test_miscalibration_is_seen(rng: np.random.Generator) -> None:
    z = rng.normal(size=2000)
    y = (rng.random(2000) < expit(z)).astype(int)
    found = calibration(judged(y, 3.0 * z), ("no", "yes"), 0.95)
    assert found["test"]["p_value"] < 1e-6
    assert "differ from calibrated" in found["test"]["sentence"]


def test_prediction_intervals_cover_what_they_say() -> None:
    shares = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        found = coverage(rng.normal(size=99), rng.normal(size=200), 0.95)
        shares.append([row["observed"]["value"] for row in found])
    mean = np.mean(shares, axis=0)
    assert mean == pytest.approx([0.5, 0.8, 0.9, 0.95], abs=0.015)  # exact in expectation: rank / (m + 1)


def test_plan_is_cut_in_order_until_it_fits() -> None:
    train = SimpleNamespace(
        n=5_000,
        n_classes=2,
        task="binary",
        time=None,
        exposure=None,
        units=None,
        counts=[2_000, 3_000],
        frame=SimpleNamespace(width=20),
    )
    whole = make_plan(train, 60)  # type: ignore[arg-type]
    assert (whole.n_repeats, whole.cuts) == (2, ())
    seconds = [make_plan(train, 60, limit).seconds for limit in (1e9, whole.seconds * 0.7, 1.0)]  # type: ignore[arg-type]
    assert seconds == sorted(seconds, reverse=True)
    tight: Plan = make_plan(train, 60, 1.0)  # type: ignore[arg-type]
    assert tight.cuts[0] == "no search for settings"
    assert tight.cuts[1].startswith("1 repeat")
    assert not tight.searches
    less = make_plan(train, 60, whole.seconds - 0.2 * whole.search_seconds)  # type: ignore[arg-type]
    assert 0 < less.searches[0][1] < whole.searches[0][1]
    assert less.cuts == (f"the settings of {less.searched} alone are searched",)
    assert less.seconds <= whole.seconds - 0.2 * whole.search_seconds
    assert "left out while it runs" in tight.lines("all rows", 1.0)[0]
    assert "while it runs" not in whole.lines("all rows", 1e9)[0]


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, low, high, 0.95, 100, "m")


def test_next_step_follows_the_evidence() -> None:
    step = next_step(estimate(0.05, 0.03, 0.07), estimate(0.0, -0.001, 0.001), 0.5, [])
    assert step is not None
    assert step["sentence"] == "Take a richer class: boosting has 10 % less error in cross-validation."
    step = next_step(estimate(0.0, -0.001, 0.001), estimate(0.001, 0.0002, 0.002), 0.5, [])
    assert step is not None
    assert step["sentence"].endswith(
        "a richer class would not help, and twice as many rows would lower the error by about 0.2 % only."
    )
    step = next_step(estimate(-0.01, -0.02, 0.0), estimate(0.05, 0.03, 0.09), 0.5, [])
    assert step is not None
    assert step["sentence"] == "Get more rows: twice as many would lower the error by about 10 %."
    step = next_step(None, estimate(0.003, 0.001, 0.02), 0.5, [], richest=True)
    assert step is not None
    assert step["sentence"].endswith(
        "the richest class was tried, and twice as many rows would lower the error by about 0.6 % only."
    )
    step = next_step(None, None, 0.5, [], richest=True)
    assert step is not None
    assert step["gain"] is None
    assert "cannot be told" in step["sentence"]


def test_work_that_does_not_fit_is_refused_before_it_starts(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       16000000 kB\nMemAvailable:    2000000 kB\n")
    assert available_memory(meminfo) == 2.0
    assert available_memory(tmp_path / "none") is None
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmHWM:\t  500000 kB\nVmRSS:\t  400000 kB\n")
    assert peak_memory(status) == pytest.approx(0.512)
    assert peak_memory(tmp_path / "none") is None
    with pytest.raises(DataError, match=r"needs about 3\.0 GB of memory and 2\.0 GB are free"):
        refuse_too_large(3.0, 2.0)


def test_linear_fits_of_several_classes_are_forecast_in_proportion_to_the_classes() -> None:
    # On 3,200 rows of 55 columns and 7 classes a fit took 0.013 s of one thread with L2, and 0.067 s with L1.
    def cost(k: int) -> dict[str, float]:
        counts = [4_000 // k] * k
        train = SimpleNamespace(
            exposure=None,
            n=4_000,
            n_classes=k,
            task="multiclass",
            time=None,
            units=None,
            counts=counts,
            frame=SimpleNamespace(width=55),
        )
        plan = make_plan(train, 55)
        linear = [c for c in plan.rows if c.linear and not c.step]
        return {c.name: plan.cost(c) / plan.n_alphas for c in linear}

    few, many = cost(3), cost(7)
    assert few
    assert all(many[name] < 3.0 * few[name] for name in few)
    assert 0.013 / 2.0 < many["logistic_l2"] < 2.0 * 0.013
    assert 0.067 / 4.0 < many["logistic_l1"] < 2.0 * 0.067  # along a path fits begin at their neighbours


def test_wide_tables_are_forecast_larger() -> None:
    train = SimpleNamespace(
        exposure=None,
        n=200_000,
        n_classes=2,
        task="binary",
        time=None,
        units=None,
        counts=[9_000, 191_000],
        frame=SimpleNamespace(width=20),
    )
    small, large = (make_plan(train, p).memory for p in (20, 2_000))  # type: ignore[arg-type]
    assert large > 5 * 8e-9 * 200_000 * 2_000 > small
