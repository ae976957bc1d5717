"""The statistics behind the findings about rows and columns, against algebra, enumeration and other code."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.linear_model import LogisticRegression
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant

from empirisk.data.design import Design
from empirisk.diagnosis.alone import Alone
from empirisk.diagnosis.collinearity import column_p_values
from empirisk.diagnosis.columns import columns_of
from empirisk.diagnosis.features import features_of
from empirisk.diagnosis.identical import identical_rows
from empirisk.diagnosis.influential import surprises
from empirisk.diagnosis.near_separation import rows_to_remove
from empirisk.diagnosis.permutation import min_p, permutation_test
from empirisk.diagnosis.r2_law import r2_survival
from empirisk.diagnosis.recalibrate import cross_fitted, fit_scale, scaled
from empirisk.diagnosis.recall_gap import gap_bounds, gap_p
from empirisk.diagnosis.row_exchange import _stretches, order_of, order_test
from empirisk.diagnosis.studentised import heavy_tails, studentise
from empirisk.diagnosis.two_sample import two_sample
from empirisk.inference.calibration_error import calibration_error

# -- permutations ---------------------------------------------------------------------------------


def test_min_p_over_all_permutations_is_exact() -> None:
    # Every labelling of six rows with three of each kind takes its turn as the observed one: the share with
    # p <= a is at most a, for every a, and the p-values use the whole range.
    x = np.random.default_rng(3).normal(size=(6, 2))
    table = np.array([np.abs(x[list(c)].sum(axis=0)) for c in itertools.combinations(range(6), 3)])
    p = np.array([min_p(np.roll(table, -i, axis=0))[0] for i in range(len(table))])
    for a in np.unique(p):
        assert np.mean(p <= a) <= a + 1e-12
    assert p.min() <= 2 / 20
    assert p.max() > 0.5


def test_the_second_stage_is_drawn_only_when_the_first_is_small() -> None:
    drawn: list[int] = []

    def draw(k: int) -> np.ndarray:
        drawn.append(k)
        return np.random.default_rng(k).normal(size=(k, 2))

    assert permutation_test(np.array([0.0, 0.0]), draw).draws == 199
    assert permutation_test(np.array([9.0, 0.0]), draw).p == pytest.approx(
        2 / 2000
    )  # a tie of the other's best
    assert drawn == [199, 199, 1800]


def test_equal_statistics_count_as_equal_whatever_rounding_says() -> None:
    assert min_p(np.array([[0.1 + 0.2], [0.3], [0.3]]))[0] == 1.0


# -- order ----------------------------------------------------------------------------------------


def test_order_statistics_are_the_correlations_they_claim() -> None:
    rng = np.random.default_rng(0)
    e, t = rng.normal(size=50), rng.permutation(50)
    found = order_test(e, e**2, t, rng)
    centred = (e - e.mean())[np.argsort(t)]
    assert found.drift == pytest.approx(stats.spearmanr(e, t).statistic)
    assert found.loss == pytest.approx(stats.spearmanr(e**2, t).statistic)
    assert found.neighbours == pytest.approx(float((centred[:-1] * centred[1:]).sum() / (centred**2).sum()))


def test_order_sees_each_kind_of_dependence() -> None:
    rng = np.random.default_rng(1)
    n, t = 2000, np.arange(2000)
    e = rng.normal(size=n)
    walk = e + 0.3 * np.concatenate([[0.0], e[:-1]])
    for residual, kind in ((e + t / n, "drift"), (walk, "neighbours"), (e * (1.0 + t / n), "loss")):
        found = order_test(residual, residual**2, t, rng)
        assert (found.kind, found.n) == (kind, n)
        assert found.p <= 0.002


def test_long_tables_are_thinned_by_stretches() -> None:
    rows = _stretches(np.arange(100_000))
    assert len(rows) == 20_000
    assert (rows[0], rows[-1]) == (0, 99_999)
    assert np.mean(np.diff(rows) == 1) > 0.99


def test_orders_may_be_dates_or_text_that_holds_dates() -> None:
    days = pd.date_range("2024-01-01", periods=3)
    assert order_of(days[::-1]).argsort().tolist() == [2, 1, 0]
    assert order_of(["2024-03-01", "2023-01-01T10:00"]).argsort().tolist() == [1, 0]
    assert np.isnan(order_of(np.array(["2024-03-01", "NaT"], dtype="datetime64[s]"))[1])
    with pytest.raises(ValueError, match="neither numbers nor dates"):
        order_of(["one", "two"])


# -- two samples ----------------------------------------------------------------------------------


@pytest.mark.full  # simulated
def test_groups_are_permuted_whole() -> None:
    rng = np.random.default_rng(2)
    p = {"rows": [], "groups": []}
    for _ in range(60):
        unit = np.arange(200) // 10
        x = rng.normal(size=20)[unit] + 0.3 * rng.normal(size=200)
        features = features_of([x], ["x"])
        second = unit >= 10
        p["rows"].append(two_sample(features, second, rng).p)
        p["groups"].append(two_sample(features, second, rng, unit).p)
    assert np.mean(np.array(p["rows"]) <= 0.05) > 0.3  # what happens to who forgets the groups
    assert np.mean(np.array(p["groups"]) <= 0.05) <= 0.15


def test_a_group_in_both_samples_is_refused() -> None:
    features = features_of([np.arange(4.0)], ["x"])
    with pytest.raises(ValueError, match="in both samples"):
        two_sample(features, np.array([0, 1, 0, 1], bool), np.random.default_rng(0), np.array([0, 0, 1, 2]))


def test_levels_and_gaps_are_features_and_constant_columns_are_not() -> None:
    level = np.array(["a"] * 6 + ["b"] * 5 + [None], dtype=object)
    x = np.arange(12.0)
    x[0] = np.nan
    made = features_of([level, x, np.ones(12)], ["site", "dose", "one"])
    assert made.names == (
        "share of 'a' in 'site'", "share of 'b' in 'site'", "mean of 'dose'", "spread of 'dose'",
        "missing values of 'dose'",
    )  # fmt: skip
    assert np.allclose(made.values.mean(axis=0), 0.0)
    assert np.allclose((made.values**2).mean(axis=0), 1.0)


# -- recalibration --------------------------------------------------------------------------------


def test_platt_agrees_with_an_unpenalised_logistic_fit() -> None:
    rng = np.random.default_rng(4)
    z = rng.normal(size=400)
    y = (rng.random(400) < 1.0 / (1.0 + np.exp(-0.7 * z - 0.3))).astype(int)
    b, a = fit_scale(np.column_stack([np.zeros(400), z]), y)
    fit = LogisticRegression(C=np.inf, tol=1e-10).fit(z[:, None], y)
    assert (b, a) == pytest.approx((fit.coef_[0, 0], fit.intercept_[0]), abs=1e-4)


def test_temperature_has_zero_gradient_and_survives_saturated_scores() -> None:
    rng = np.random.default_rng(5)
    z = rng.normal(size=(300, 4)) * 3.0
    y = (2.0 * z + rng.gumbel(size=z.shape)).argmax(axis=1)
    theta = fit_scale(z, y)
    e = scaled(z - z.max(axis=1, keepdims=True), theta) - np.eye(4)[y]
    centred = z - z.max(axis=1, keepdims=True)
    assert np.append((e * centred).sum(), e[:, 1:].sum(axis=0)) == pytest.approx(-1e-3 * theta, abs=1e-5)
    hard = np.column_stack([1.0 - y % 2, y % 2]).astype(float)  # a tree's zeros and ones, half of them wrong
    q, slope = cross_fitted(hard, rng.integers(0, 2, 300), np.arange(300) % 5)
    assert np.isfinite(q).all()
    assert abs(slope[0]) < 0.05
    assert np.abs(q - 0.5).max() < 0.2


def test_the_debiased_error_is_unbiased_where_the_plug_in_is_not() -> None:
    rng = np.random.default_rng(6)
    squares, plain = [], []
    for _ in range(400):
        p = rng.uniform(size=200)
        hit = rng.random(200) < p
        squares.append(calibration_error(p, hit))
        bins = np.array_split((hit - p)[np.argsort(p)], 5)
        plain.append(np.mean([abs(b.mean()) for b in bins]))
    assert np.mean(np.array(squares) == 0.0) > 0.4  # cut at zero half of the time
    assert np.mean(plain) > 0.04


# -- shares ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((10, 10, 0, 10), 0.6075, 1.0),
    ],
)
def test_newcombe_gives_the_published_intervals(counts: tuple[int, ...], low: float, high: float) -> None:
    # Newcombe 1998, table II, method 10.
    assert gap_bounds(*counts, 1.959964) == pytest.approx((low, high), abs=5e-5)


def test_gap_p_inverts_the_bound() -> None:
    p = gap_p(85, 100, 12, 30, 0.2)
    assert gap_bounds(85, 100, 12, 30, float(stats.norm.isf(p)))[0] == pytest.approx(0.2, abs=1e-9)
    assert gap_p(85, 100, 25, 30, 0.2) == 0.5


# -- collinearity ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "q", "population"), [(15, 9, 0.9), (40, 9, 0.9), (60, 29, 0.8), (12, 1, 0.5)])
def test_r2_law_agrees_with_drawn_columns(n: int, q: int, population: float) -> None:
    rng = np.random.default_rng(7)
    draws = 200_000
    ratio = population / (1.0 - population)
    signal = (rng.normal(size=draws) + np.sqrt(rng.chisquare(n - 1, draws) * ratio)) ** 2
    signal += rng.chisquare(q - 1, draws) if q > 1 else 0.0
    r2 = signal / (signal + rng.chisquare(n - 1 - q, draws))
    for v in np.quantile(r2, [0.05, 0.5, 0.95, 0.999]):
        share = float(np.mean(r2 >= v))
        error = 4.0 * np.sqrt(share * (1 - share) / draws)
        assert r2_survival(float(v), population, n, q) == pytest.approx(share, abs=error)


def test_r2_law_with_a_million_rows_is_normal_about_the_population() -> None:
    n, rho2 = 10**6, 0.9
    spread = 2.0 * np.sqrt(rho2) * (1.0 - rho2) / np.sqrt(n)
    assert r2_survival(rho2 + 2.0 * spread, rho2, n, 5) == pytest.approx(stats.norm.sf(2.0), rel=0.03)


def test_r2_law_refuses_too_few_rows() -> None:
    with pytest.raises(ValueError, match="need at least 12 rows"):
        r2_survival(0.5, 0.9, 11, 10)
    assert column_p_values(np.array([np.inf, 1.0]), 30).tolist() == [0.0, 1.0]


# -- separation -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "p"), [(5, 1), (6, 2), (6, 3)])
def test_cover_counts_the_labellings_that_a_plane_separates(n: int, p: int) -> None:
    X = np.random.default_rng(8).normal(size=(n, p))
    count = 0
    for labels in itertools.product([False, True], repeat=n):
        rows = rows_to_remove(Design(X), np.array(labels), most=0)
        count += rows is not None
    assert count == 2 * sum(math.comb(n - 1, k) for k in range(p + 1))


def test_rows_set_aside_are_those_that_were_turned() -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(3000, 4)) * [1.0, 100.0, 0.01, 1.0] + [0.0, 1e3, 0.0, 0.0]
    z = X @ [1.0, 0.01, 100.0, 1.0] - 10.0
    y = z > 0.0
    turned = np.argsort(-np.abs(z))[:5]
    y[turned] = ~y[turned]
    found = rows_to_remove(Design(X), y, most=30)
    assert found is not None
    assert set(turned) <= set(found)
    assert rows_to_remove(Design(X), y, most=3) is None
    assert rows_to_remove(Design(sp.csr_array(X)), y, most=30) is not None


# -- influence ------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
def test_studentised_residuals_are_those_of_statsmodels(intercept: bool) -> None:
    rng = np.random.default_rng(10)
    X = rng.normal(size=(40, 3)) + 2.0
    y = X @ [1.0, -1.0, 0.5] + rng.normal(size=40)
    influence = OLS(y, add_constant(X) if intercept else X).fit().get_influence()
    found = studentise(np.column_stack([X, X[:, 0] - X[:, 1]]), y, intercept)  # one column too many
    assert found.t == pytest.approx(influence.resid_studentized_external)
    assert found.leverage == pytest.approx(influence.hat_matrix_diag)
    assert found.dffits == pytest.approx(influence.dffits[0])


def test_rows_that_fix_their_own_fit_and_exact_fits_have_no_residual() -> None:
    X = np.column_stack([np.eye(10)[:, 0], np.arange(10.0)])
    rng = np.random.default_rng(11)
    assert studentise(X, rng.normal(size=10)).t[0] == 0.0
    assert (studentise(X, X @ [3.0, 2.0]).t == 0.0).all()
    with pytest.raises(ValueError, match="no degrees of freedom"):
        studentise(rng.normal(size=(5, 8)), np.arange(5.0))


def test_heavy_tails_are_told_from_one_error() -> None:
    rng = np.random.default_rng(12)
    e = rng.normal(size=300)
    e[5] = 9.0
    t = studentise(None, e).t
    assert not heavy_tails(t, np.array([5]))
    assert heavy_tails(studentise(None, rng.standard_t(3, size=300)).t, np.array([], dtype=int))


def test_surprises_hold_their_level_for_any_probabilities() -> None:
    # P(own probability <= a) <= (C - 1) a, by enumeration.
    rng = np.random.default_rng(13)
    for _ in range(50):
        q = rng.dirichlet(np.full(4, 0.3))
        for a in (0.001, 0.01, 0.1):
            assert q[q <= a].sum() <= 3 * a + 1e-12
    assert surprises(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0, 1])).tolist() == [1.0, 0.0]


# -- rows and columns of any table ----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["array", "list", "pandas", "polars", "sparse"])
def test_equal_rows_are_found_in_any_table(kind: str) -> None:
    rows = [[1.0, 2.0], [0.0, 3.0], [1.0, 2.0], [-0.0, 3.0], [1.0, 2.5]]
    made = {
        "array": np.array(rows),
        "list": rows,
        "pandas": pd.DataFrame(rows, columns=["a", "b"]),
        "polars": pl.DataFrame(rows, schema=["a", "b"], orient="row"),
        "sparse": sp.csr_matrix(rows),
    }[kind]
    codes = identical_rows(made, [0, 0, 0, 0, 0])
    assert codes[0] == codes[2] != codes[4]
    assert codes[1] == codes[3] != codes[0]
    assert len(set(identical_rows(made, [0, 0, 1, 0, 0]).tolist())) == 4


def test_missing_cells_equal_each_other() -> None:
    frame = pd.DataFrame(
        {"a": [np.nan, np.nan, 1.0], "b": [None, pd.NA, "x"], "c": pd.to_datetime(["2024", None, None])}
    )
    codes = identical_rows(frame[["a", "b"]], [1, 1, 1])
    assert codes[0] == codes[1] != codes[2]
    kinds = [c.dtype.kind for c in columns_of(frame)]
    assert kinds == ["f", "O", "f"]


def test_a_column_alone_predicts_means_shares_and_lines() -> None:
    folds = np.arange(40) % 5
    level = np.array(["u", "v"] * 20, dtype=object)
    y = np.where(level == "u", 1.0, 3.0)
    alone = Alone(y, np.arange(40), folds, 0)
    # 16 rows of the level against one row of the mean, both known exactly
    assert alone.losses(level) == pytest.approx((1.0 / 17.0) ** 2)
    x = np.linspace(0.0, 1.0, 40)
    assert Alone(2.0 * x + 1.0, np.arange(40), folds, 0).losses(x) == pytest.approx(0.0, abs=1e-20)
    codes = (level == "v").astype(int)
    assert Alone(codes, np.arange(40), folds, 2).losses(level) == pytest.approx(
        -np.log(16.5 / 17.0), rel=1e-6
    )
