"""Bootstrap by compiled sums and by callables: enumeration, brute force, theory, SciPy, refusals."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse, stats

import empirisk as er
from empirisk.resampling.bootstrap.choose import choose
from empirisk.resampling.bootstrap.limits import acceleration, bca_limits
from empirisk.resampling.bootstrap.plan import PIECE, Plan
from empirisk.resampling.bootstrap.resampled import Resampled
from empirisk.typing import Array
from tests.loops.layouts import for_thread_counts

KEY = 20


def ask(name: Any, data: Any, **change: Any) -> Resampled:
    """The resampled statistic before intervals are made."""
    given: dict[str, Any] = {
        "studentised": False, "n_resamples": 300, "groups": None, "strata": None, "paired": None,
        "vectorized": False, "q": 0.5, "key": KEY,
    }  # fmt: skip
    return choose(name, data, **(given | change))[0]


def fit(X: Array, y: Array) -> Array:
    """Return the intercept and the slopes of least squares."""
    A = np.column_stack([np.ones(len(X)), X])
    return np.linalg.lstsq(A, y, rcond=None)[0]


# Each named statistic as plain NumPy on the rows of a sample.
PLAIN: dict[str, Callable[..., Any]] = {
    "mean": np.mean,
    "weighted_mean": lambda x, w: np.average(x, weights=w),
    "variance": lambda x: np.var(x, ddof=1),
    "standard_deviation": lambda x: np.std(x, ddof=1),
    "correlation": lambda x, y: np.corrcoef(x, y)[0, 1],
    "regression": fit,
}


def sample(name: str, rng: np.random.Generator, n: int) -> tuple[Array, ...]:
    """Return skewed data whose values lie far away from zero."""
    x = rng.exponential(size=n) + 30.0
    second = {"weighted_mean": rng.random(n), "correlation": x + rng.standard_normal(n)}
    if name == "regression":
        X = np.column_stack([x, rng.standard_normal((n, 2))])
        return X, X @ [1.0, -2.0, 0.5] + rng.standard_normal(n)
    return (x, second[name]) if name in second else (x,)


def drawn_rows(n: int, count: int, groups: Any = None) -> list[Array]:
    """The rows of the first resamples, from the loop that has its own test."""
    units = Plan((n if groups is None else len(np.unique(groups)),), KEY).rows(0, count)
    return (
        list(units)
        if groups is None
        else [np.concatenate([np.flatnonzero(groups == g) for g in u]) for u in units]
    )


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("name", PLAIN)
def test_every_resample_and_every_left_out_value(name: str, grouped: bool, rng: np.random.Generator) -> None:
    n = 60
    data, groups = sample(name, rng, n), np.repeat(np.arange(12), [1, 9, 5, 5, 5, 5, 3, 7, 5, 5, 5, 5])
    found = ask(name, data if len(data) > 1 else data[0], n_resamples=40, groups=groups if grouped else None)
    values = np.column_stack([d.values for d in found.distributions])  # type: ignore[attr-defined]
    rows = drawn_rows(n, 40, groups if grouped else None)
    want = np.array([np.atleast_1d(PLAIN[name](*(s[r] for s in data))) for r in rows])
    assert found.value == pytest.approx(np.atleast_1d(PLAIN[name](*data)), rel=1e-11)
    assert values == pytest.approx(want, rel=1e-9, abs=1e-9)
    units = [np.flatnonzero(groups == g) for g in range(12)] if grouped else list(np.arange(n)[:, None])
    left = [np.atleast_1d(PLAIN[name](*(np.delete(s, u, axis=0) for s in data))) for u in units]
    assert found.left_out()[0] == pytest.approx(np.array(left), rel=1e-9, abs=1e-9)


def hc1(X: Array, y: Array) -> Array:
    import statsmodels.api as sm

    return np.asarray(sm.OLS(y, sm.add_constant(X)).fit(cov_type="HC1").bse)


def influence_error(x: Array, y: Array) -> float:
    a, b = stats.zscore(x), stats.zscore(y)
    r = np.mean(a * b)
    return float(np.sqrt(np.sum((a * b - r * (a**2 + b**2) / 2) ** 2)) / len(x))


ERRORS: dict[str, Callable[..., Any]] = {
    "mean": lambda x: np.std(x, ddof=1) / np.sqrt(len(x)),
    "weighted_mean": lambda x, w: (
        np.sqrt(len(x) / (len(x) - 1) * np.sum(w**2 * (x - np.average(x, weights=w)) ** 2)) / w.sum()
    ),
    "variance": lambda x: np.sqrt((np.mean((x - x.mean()) ** 4) - np.var(x) ** 2) / len(x)),
    "standard_deviation": lambda x: (
        np.sqrt((np.mean((x - x.mean()) ** 4) - np.var(x) ** 2) / len(x)) / (2 * np.std(x, ddof=1))
    ),
    "correlation": influence_error,
    "regression": hc1,
}


@pytest.mark.parametrize("name", ERRORS)
def test_standard_errors_of_resamples(name: str, rng: np.random.Generator) -> None:
    data = sample(name, rng, 40)
    found = ask(name, data if len(data) > 1 else data[0], n_resamples=30, studentised=True)
    assert found.errors is not None
    want = [np.atleast_1d(ERRORS[name](*(s[r] for s in data))) for r in drawn_rows(40, 30)]
    assert found.errors[1] == pytest.approx(np.array(want), rel=1e-8)
    assert found.errors[0] == pytest.approx(np.atleast_1d(ERRORS[name](*data)), rel=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_all_resamples_of_few_rows(n: int) -> None:
    # The frequency of every value of the mean against the n^n equally likely resamples.
    x = np.array([0.0, 1.0, 3.0, 10.0, 30.0, 100.0])[:n]
    every = np.sum(x[np.array(list(itertools.product(range(n), repeat=n)))], axis=1)
    values, counts = np.unique(every, return_counts=True)
    draws = 200_000
    sums = Plan((n,), 5).sums(x[:, None], draws)[:, 0]
    found = np.array([np.sum(sums == v) for v in values])
    assert found.sum() == draws
    expected = draws * counts / counts.sum()
    chi2 = float(np.sum((found - expected) ** 2 / expected))
    assert chi2 < stats.chi2.ppf(1.0 - 1e-6, len(values) - 1)


@pytest.mark.parametrize("sizes", [(50,), (20, 30), (PIECE + 700,), (3 * PIECE, 40, 2 * PIECE)], ids=str)
def test_moments_of_sums(sizes: tuple[int, ...], rng: np.random.Generator) -> None:
    # Theory: E S* = S; Var S* = sum over strata of n_s var_s; third moment sum of n_s mu3_s.
    n, draws = sum(sizes), 20_000
    x = rng.exponential(size=n) + np.repeat(np.arange(len(sizes)), sizes)
    sums = Plan(sizes, 7).sums(x[:, None], draws)[:, 0]
    parts = np.split(x, np.cumsum(sizes)[:-1])
    variance = sum(p.size * p.var() for p in parts)
    third = sum(np.sum((p - p.mean()) ** 3) for p in parts)
    z = (sums - x.sum()) / np.sqrt(variance)
    assert abs(z.mean()) < 5.0 / np.sqrt(draws)
    assert abs(z.var() - 1.0) < 5.0 * np.sqrt(2.2 / draws)
    assert abs(np.mean(z**3) - third / variance**1.5) < 5.0 * np.sqrt(16.0 / draws)
    # Neighbouring resamples are uncorrelated, also across the pieces of a stratum.
    assert abs(np.corrcoef(sums[1:], sums[:-1])[0, 1]) < 5.0 / np.sqrt(draws)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "normal"])
@pytest.mark.parametrize("name", ["mean", "correlation", "standard_deviation", "mean_difference"])
def test_agreement_with_scipy(name: str, method: str, rng: np.random.Generator) -> None:
    x = rng.exponential(size=50)
    data = {"correlation": (x, x + rng.standard_normal(50)), "mean_difference": (x, rng.normal(size=70))}.get(
        name, (x,)
    )
    theirs_of: dict[str, Callable[..., Any]] = {
        "mean": np.mean,
        "correlation": lambda a, b, axis: stats.pearsonr(a, b, axis=axis)[0],
        "standard_deviation": lambda a, axis: np.std(a, axis=axis, ddof=1),
        "mean_difference": lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
    }
    ours = er.bootstrap(
        name, data if len(data) > 1 else x, method=method, n_resamples=40_000, random_state=rng
    )
    if method == "normal":
        draws = stats.bootstrap(
            data,
            theirs_of[name],
            paired=name == "correlation",
            method="basic",
            batch=1000,
            n_resamples=40_000,
            rng=rng,
        ).bootstrap_distribution
        centre, half = 2 * ours.value - draws.mean(), 1.959964 * draws.std()
        low, high = centre - half, centre + half
    else:
        low, high = stats.bootstrap(
            data, theirs_of[name], paired=name == "correlation", method={"bca": "BCa"}.get(method, method),
            batch=1000, n_resamples=40_000, rng=rng,
        ).confidence_interval  # fmt: skip
    # sd of a 2.5 % quantile of 40000 draws: sqrt(.025 .975/40000)/density, about 0.4 % of the width; both
    # sides draw, and BCa moves further into a tail.
    tolerance = 0.03 * (high - low)
    assert ours.low == pytest.approx(low, abs=tolerance)
    assert ours.high == pytest.approx(high, abs=tolerance)


def test_bca_and_acceleration_by_hand(rng: np.random.Generator) -> None:
    x = rng.exponential(size=30)
    found = ask("mean", x, n_resamples=2000)
    a = acceleration([part[:, 0] for part in found.left_out()])
    # For the mean: skewness / (6 sqrt(n)).
    assert a == pytest.approx(stats.skew(x) / (6.0 * np.sqrt(30)), rel=1e-9)
    draws = found.distributions[0].values  # type: ignore[attr-defined]
    z0 = stats.norm.ppf(np.mean(draws < x.mean()))
    z = z0 + stats.norm.ppf([0.05, 0.95])
    want = np.quantile(draws, stats.norm.cdf(z0 + z / (1.0 - a * z)))
    assert bca_limits(found.distributions[0], float(x.mean()), 0.9, a) == pytest.approx(
        tuple(want), rel=1e-12
    )


def test_studentised_by_hand(rng: np.random.Generator) -> None:
    x = rng.exponential(size=35)
    b = er.bootstrap("mean", x, method="studentised", n_resamples=1999, random_state=3, keep=True)
    key = int(np.random.default_rng(3).integers(1 << 63))
    rows = Plan((35,), key).rows(0, 1999)
    t = np.sort((x[rows].mean(axis=1) - x.mean()) / x[rows].std(axis=1, ddof=1))
    s = x.std(ddof=1)
    low, high = (
        x.mean() - s * t[int(np.ceil(0.975 * 1999)) - 1],
        x.mean() - s * t[int(np.ceil(0.025 * 1999)) - 1],
    )
    assert (b.low, b.high) == pytest.approx((low, high), rel=1e-10)


@pytest.mark.parametrize("vectorized", [False, True])
def test_callable_sees_the_same_resamples(vectorized: bool, rng: np.random.Generator) -> None:
    x, y = rng.exponential(size=40), rng.standard_normal(40)

    def ratio(a: Array, b: Array, axis: int = -1) -> Any:
        return a.mean(axis=axis) / (2.0 + b.mean(axis=axis))

    found = ask(ratio, (x, y), paired=True, vectorized=vectorized, n_resamples=50)
    want = [ratio(x[r], y[r]) for r in drawn_rows(40, 50)]
    assert found.distributions[0].values == pytest.approx(np.array(want), rel=1e-12)  # type: ignore[attr-defined]
    left = [ratio(np.delete(x, i), np.delete(y, i)) for i in range(40)]
    assert np.sort(found.left_out()[0][:, 0]) == pytest.approx(np.sort(left), rel=1e-12)
    independent = ask(ratio, (x, y[:30]), paired=False, vectorized=vectorized, n_resamples=50)
    assert [part.shape for part in independent.left_out()] == [(40, 1), (30, 1)]
    assert independent.units == (40, 30)


def test_callables_of_two_dimensions_several_numbers_and_groups(rng: np.random.Generator) -> None:
    X, groups = rng.standard_normal((120, 3)), np.arange(120) // 6
    b = er.bootstrap(lambda Z: Z.mean(axis=0), X, groups=groups, n_resamples=400, random_state=0)
    assert list(b) == ["<lambda>[0]", "<lambda>[1]", "<lambda>[2]"]
    same = er.bootstrap("mean", X[:, 1], groups=groups, n_resamples=400, random_state=0)
    assert b["<lambda>[1]"].low == pytest.approx(same.low)
    assert same.n == 20
    with pytest.raises(ValueError, match="holds 3 numbers; take one by name"):
        _ = b.value


def test_the_cap_of_the_jackknife(rng: np.random.Generator) -> None:
    x = rng.exponential(size=5000)
    calls = 0

    def mean(a: Array) -> float:
        nonlocal calls
        calls += 1
        return float(a.mean())

    b = er.bootstrap(mean, x, n_resamples=200, random_state=0)
    assert calls == 200 + 2000 + 1
    assert "2000 blocks of rows" in b.reason
    found = ask(mean, x, n_resamples=10)
    a = acceleration([part[:, 0] for part in found.left_out()])
    assert a == pytest.approx(stats.skew(x) / (6.0 * np.sqrt(5000)), abs=5.0 * 0.65 / 2000)


def test_strata_keep_their_sizes(rng: np.random.Generator) -> None:
    strata = rng.permutation(np.repeat(["a", "b"], [30, 20]))
    x = np.where(strata == "a", 5.0, 0.0) + rng.standard_normal(50)
    b = er.bootstrap("mean", x, strata=strata, n_resamples=20_000, random_state=0)
    parts = [x[strata == s] for s in "ab"]
    sd = np.sqrt(sum(p.size * p.var() for p in parts)) / 50
    assert b.standard_error == pytest.approx(sd, rel=5.0 / np.sqrt(2 * 20_000))
    median = er.bootstrap("median", x, strata=strata, n_resamples=999, random_state=0)
    assert "999 resamples" in median.method


def test_same_bits_for_any_number_of_threads(rng: np.random.Generator) -> None:
    x = rng.exponential(size=3000)
    results = [er.bootstrap("mean", x, random_state=5).to_dict() for _ in for_thread_counts(lambda: None)]
    assert all(r == results[0] for r in results)
    assert er.bootstrap("mean", x, random_state=6).low != results[0]["mean"]["low"]


def test_scale_and_shift_do_not_matter(rng: np.random.Generator) -> None:
    x = rng.exponential(size=60)
    small = er.bootstrap("standard_deviation", x, random_state=1)
    assert small.low is not None
    moved = er.bootstrap("standard_deviation", 1e-8 * x + 1.0, random_state=1)
    assert moved.low == pytest.approx(1e-8 * small.low, rel=1e-6)
    assert er.bootstrap("mean", 1e300 * x, random_state=1).low == pytest.approx(
        1e300 * er.bootstrap("mean", x, random_state=1).low
    )


GOOD = np.linspace(0.0, 1.0, 40) ** 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"data": GOOD[:9]}, "9 rows are too few; at least 10"),
        ({"data": np.full(40, 2.5)}, "same on every resample"),
        ({"groups": np.arange(40) % 5}, "5 groups are too few; at least 6"),
        ({"statistic": "correlation", "data": (GOOD, np.eye(40)[0])}, "undefined on"),
        ({"statistic": lambda a: np.nan if a.max() < 1.0 else 1.0 + a[0]}, "undefined on"),
        ({"statistic": "quantile", "q": 0.95}, "beyond all of 40 rows in 13 % of samples"),
    ],
)
def test_no_interval(change: dict[str, Any], reason: str) -> None:
    call: dict[str, Any] = {"statistic": "mean", "data": GOOD, "n_resamples": 400, "random_state": 0} | change
    b = er.bootstrap(call.pop("statistic"), call.pop("data"), **call)
    assert b.low is None
    assert b.high is None
    assert np.isfinite(b.value)
    assert reason in b.reason


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data": GOOD}, "better: method='studentised', hall (losses) and student"),
        ({"data": GOOD[:15], "method": "studentised"}, "better: hall (losses) and student"),
        ({"groups": np.arange(40) % 10}, "better: method='studentised', grouped_mean"),
        ({"statistic": "median", "data": GOOD[:12]}, "12 rows this method often covers less"),
        ({"statistic": "median", "method": "basic"}, "use method='percentile'"),
        ({"statistic": np.mean}, "40 rows this method often covers less than its level"),
    ],
)
def test_few_units_name_the_better_method(change: dict[str, Any], said: str) -> None:
    call: dict[str, Any] = {"statistic": "mean", "data": GOOD, "random_state": 0} | change
    b = er.bootstrap(call.pop("statistic"), call.pop("data"), **call)
    assert b.low is not None
    assert said in b.reason
    enough = er.bootstrap("mean", np.arange(50.0) ** 2, random_state=0)
    assert enough.reason == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statistic": "mode"}, "one of mean, weighted_mean"),
        ({"method": "bc"}, "method must be one of percentile"),
        ({"data": np.r_[GOOD, np.nan]}, "data is nan in row 40"),
        ({"data": np.array(["a", "b"])}, "not numbers"),
        ({"data": np.ones((4, 2))}, "must be one-dimensional"),
        ({"data": []}, "empty"),
        ({"data": ()}, "empty tuple"),
        ({"data": (GOOD, GOOD)}, "needs one array"),
        ({"statistic": "correlation", "data": (GOOD, GOOD[1:])}, "arrays of one length"),
        ({"statistic": "correlation", "data": (GOOD, np.ones(40))}, r"data\[1\] is constant"),
        ({"statistic": "weighted_mean", "data": (GOOD, GOOD - 0.5)}, "weights, must not be negative"),
        ({"statistic": "regression", "data": (np.column_stack([GOOD, GOOD]), GOOD)}, "collinear"),
        (
            {"statistic": "regression", "data": (np.column_stack([GOOD, GOOD * 0]), GOOD)},
            "'x1' .* is constant",
        ),
        ({"level": 1.0}, "level must lie"),
        ({"n_resamples": 99}, "n_resamples must be at least 200"),
        ({"statistic": "median", "method": "studentised"}, "no plain standard error"),
        ({"statistic": np.mean, "method": "studentised"}, "no standard error of its own"),
        ({"statistic": np.mean, "data": (GOOD, GOOD)}, "say paired=True"),
        ({"statistic": lambda a: np.nan}, "returned nan on the data itself"),
        ({"statistic": lambda a: np.ones((2, 2))}, r"must return shape \(\) or \(k,\)"),
        ({"statistic": lambda a, axis: a, "vectorized": True}, "numbers on"),
        ({"statistic": lambda a, axis: 1.0, "vectorized": True}, "must return shape"),
        ({"statistic": lambda a: "x"}, "must return one number"),
        ({"groups": np.ones(3)}, "groups must hold one label"),
        ({"strata": np.arange(40)}, "at least two rows"),
        ({"groups": np.arange(40) // 4, "strata": np.arange(40) // 7}, "rows in several strata"),
        (
            {"statistic": "mean_difference", "data": (GOOD, GOOD), "groups": np.ones(40)},
            "not for independent",
        ),
        ({"statistic": "correlation", "data": (GOOD, GOOD[::-1]), "paired": False}, "belong together"),
        ({"statistic": "variance", "method": "studentised", "strata": np.arange(40) % 2}, "independent rows"),
        ({"statistic": "quantile", "q": 1.5}, "q must lie"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], message: str) -> None:
    call: dict[str, Any] = {"statistic": "mean", "data": GOOD} | change
    with pytest.raises(ValueError, match=message):
        er.bootstrap(call.pop("statistic"), call.pop("data"), **call)


def test_forms(rng: np.random.Generator) -> None:
    import pandas as pd

    X = pd.DataFrame(rng.standard_normal((50, 2)), columns=["age", "dose"])
    b = er.bootstrap("regression", (X, X["age"] + rng.standard_normal(50)), random_state=0)
    assert list(b) == ["intercept", "age", "dose"]
    assert "age" in repr(b)
    assert ">age</th>" in b._repr_html_()
    frame = b.to_frame()
    assert list(frame["standard_error"]) == list(b.standard_errors.values())
    assert b.to_dict()["dose"]["standard_error"] == b.standard_errors["dose"]
    with pytest.raises(ValueError, match="keep=True"):
        _ = er.bootstrap("mean", X["age"]).distribution
    paired = er.bootstrap("mean_difference", (X["age"], X["dose"]), paired=True, random_state=0)
    same = er.bootstrap("mean", X["age"] - X["dose"], random_state=0)
    assert (paired.low, paired.high) == (same.low, same.high)


def test_q_belongs_to_the_quantile() -> None:
    x = np.arange(50.0)
    with pytest.raises(ValueError, match="q is for the statistic 'quantile' alone"):
        er.bootstrap("median", x, q=0.3)
    assert "About: the 0.9-quantile of" in str(er.bootstrap("quantile", np.arange(100.0), q=0.9))
    assert "in 100 % of samples" in str(er.bootstrap("quantile", x, q=1.0))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (np.arange(20.0) + 1j, "complex"),
        (np.arange(20).astype("datetime64[D]"), "dates or times"),
        (sparse.csr_array(np.ones((20, 1))), "sparse"),
    ],
)
def test_what_is_no_number_is_refused(data: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        er.bootstrap("mean", data)


@pytest.mark.parametrize("wrong", [{"n_resamples": 999.5}, {"n_resamples": "9"}, {"level": "x"}, {"q": "x"}])
def test_a_setting_of_the_wrong_type_is_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must"):
        er.bootstrap("mean", np.arange(50.0), **wrong)


def test_very_large_numbers_are_printed_short() -> None:
    found = er.bootstrap("mean", np.array([1e300, 2e300, 3e300, 1.5e300] * 5), random_state=0)
    assert max(map(len, str(found).splitlines())) < 300
    assert "1.875e+300 [" in str(found)
