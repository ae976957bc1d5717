"""Kernel smoothers: against statsmodels, refits without each row, lines that come back, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from statsmodels.nonparametric.kernel_regression import KernelReg

import empirisk as er
from empirisk.typing import Array


def waves(rng: np.random.Generator, n: int = 150, p: int = 2) -> tuple[Array, Array]:
    """Rows, and targets that bend along the first column."""
    X = rng.normal(size=(n, p)) * np.linspace(1.0, 30.0, p) + 5.0
    return X, np.sin(2.0 * X[:, 0]) + X[:, -1] / 30.0 + 0.2 * rng.normal(size=n)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(("degree", "kind"), [(0, "lc"), (1, "ll")])
def test_the_fit_is_that_of_statsmodels(degree: int, kind: str, rng: np.random.Generator) -> None:
    X, y = waves(rng)
    new = X[:20] + 0.1
    # A product of Gaussian windows of widths h sd_j is one Gaussian window of standardised distances.
    theirs = KernelReg(y, X, "cc", reg_type=kind, bw=0.4 * X.std(axis=0)).fit(new)[0]
    ours = er.KernelSmoother(0.4, degree=degree).fit(X, y).predict(new)
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(("degree", "kind"), [(0, "lc"), (1, "ll")])
def test_the_bandwidth_is_that_of_their_leave_one_out(
    degree: int, kind: str, rng: np.random.Generator
) -> None:
    X = rng.uniform(0.0, 6.0, size=(60, 1))  # no row stands alone
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=60)
    grid = np.geomspace(0.2, 2.0, 8)
    model = er.KernelSmoother(degree=degree, bandwidths=grid).fit(X, y)
    reg = KernelReg(y, X, "c", reg_type=kind, bw=[1.0])
    for h, loss in zip(grid, model.selection_.loss, strict=True):
        theirs = reg.cv_loo(np.array([h]) * X.std(), reg.est[kind])
        assert loss == pytest.approx(0.5 * theirs, rel=1e-6)
    assert model.bandwidth_ == grid[np.argmin(model.selection_.loss)]


@pytest.mark.parametrize("window", ["gaussian", "epanechnikov", "tricube", "boxcar"])
@pytest.mark.parametrize("degree", [0, 1])
def test_leave_one_out_equals_refits(window: str, degree: int, rng: np.random.Generator) -> None:
    X, y = waves(rng, n=40)
    X /= X.std(axis=0)
    h, s = (0.5 if window == "gaussian" else 1.2), rng.uniform(0.1, 3.0, 40)
    make = lambda: er.KernelSmoother(h, window=window, degree=degree, standardise=False)  # noqa: E731
    found = make().fit(X, y, s).predict(None)
    for i in range(0, 40, 3):
        keep = np.arange(40) != i
        refit = make().fit(X[keep], y[keep], s[keep]).predict(X[[i]])
        assert found[i] == pytest.approx(refit[0], rel=1e-8, abs=1e-8)
    chosen = er.KernelSmoother(window=window, degree=degree, standardise=False, bandwidths=[h, 9.0]).fit(
        X, y, s
    )
    mean = float(s @ (0.5 * (found - y) ** 2) / s.sum())
    assert chosen.selection_.loss[0] == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("degree", [0, 1])
def test_doubled_noise_has_the_losses_of_single_rows(degree: int, rng: np.random.Generator) -> None:
    X, y, s = rng.normal(size=(80, 2)), rng.normal(size=80), rng.uniform(0.5, 2.0, 80)
    grid = np.geomspace(0.01, 5.0, 8)
    twice = np.repeat(np.arange(80), 2)
    for weight in (None, s, rng.integers(1, 4, 80)):
        many = None if weight is None else weight[twice]
        make = er.KernelSmoother(degree=degree, bandwidths=grid)
        single = make.fit(X, y, weight).selection_
        doubled = make.fit(X[twice], y[twice], many).selection_
        np.testing.assert_allclose(doubled.loss, single.loss, rtol=1e-6)
        assert doubled.best == single.best > 0.3
        assert er.KernelSmoother(degree=degree).fit(X[twice], y[twice], many).bandwidth_ > 0.3


def test_equal_rows_of_a_small_table_are_left_out_one_by_one(rng: np.random.Generator) -> None:
    x = rng.integers(0, 2, (200, 1)).astype(float)
    y = np.where(rng.random(200) < 0.2, 1.0 - x[:, 0], x[:, 0])
    found = er.KernelSmoother(1e-3, degree=0, standardise=False).fit(x, y).predict(None)
    same = x == x.T
    np.testing.assert_allclose(found, (same @ y - y) / (same.sum(axis=1) - 1.0))


def test_the_standard_error_is_that_of_the_losses_of_the_rows(rng: np.random.Generator) -> None:
    X, y = waves(rng, n=80)
    model = er.KernelSmoother(rule="one_se").fit(X, y)
    told = model.selection_
    at = er.KernelSmoother(told.bandwidths[4]).fit(X, y)
    lost = 0.5 * (at.predict(None) - y) ** 2
    assert told.loss[4] == pytest.approx(lost.mean(), rel=1e-9)
    assert told.se[4] == pytest.approx(lost.std(ddof=1) / np.sqrt(80.0), rel=1e-9)
    best = int(np.argmin(told.loss))
    within = np.flatnonzero(told.loss <= told.loss[best] + told.se[best])[-1]
    assert model.bandwidth_ == told.bandwidths[within]
    assert er.KernelSmoother().fit(X, y).bandwidth_ == told.bandwidths[best]


@pytest.mark.parametrize("window", ["gaussian", "epanechnikov", "tricube", "boxcar"])
def test_lines_are_reproduced_also_at_the_edge(window: str, rng: np.random.Generator) -> None:
    X, _ = waves(rng, n=60, p=3)
    b = np.array([2.0, -0.3, 0.01])
    model = er.KernelSmoother(6.0, window=window).fit(X, X @ b + 7.0)
    new = X[:10] * 1.05
    np.testing.assert_allclose(model.predict(new), new @ b + 7.0, rtol=1e-8)
    for h in (500.0, 1e6):  # all rows alike: least squares
        y = rng.normal(size=60)
        wide = er.KernelSmoother(h, window=window).fit(X, y).predict(X)
        least = er.LinearRegression().fit(X, y).predict(X)
        np.testing.assert_allclose(wide, least, atol=1e-3 if h == 500.0 else 1e-8)
        flat = er.KernelSmoother(1e8, window=window, degree=0).fit(X, y).predict(X)
        np.testing.assert_allclose(flat, y.mean(), atol=1e-12)


def test_effective_rows_of_a_boxcar_are_those_within(rng: np.random.Generator) -> None:
    x = np.sort(rng.uniform(size=50))[:, None]
    model = er.KernelSmoother(0.2, window="boxcar", degree=0, standardise=False).fit(x, x[:, 0])
    within = (np.abs(x - x.T) <= 0.2).sum(axis=1)
    np.testing.assert_allclose(model.effective_rows(x), within)
    np.testing.assert_allclose(model.effective_rows(None), within - 1)
    gaussian = er.KernelSmoother(0.2).fit(x, x[:, 0])
    assert gaussian.effective_rows([[1e9]])[0] == pytest.approx(1.0)


def test_an_empty_window_is_refused_or_answered_by_the_nearest_rows() -> None:
    x, y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 4.0, 9.0, 16.0])
    make = lambda **more: er.KernelSmoother(  # noqa: E731
        1.5, window="tricube", degree=0, standardise=False, **more
    )
    new = [[2.0], [40.0], [-7.0]]
    assert make().fit(x, y).predict(new)[1:].tolist() == [16.0, 0.0]
    words = r"no training row is within the bandwidth 1.5 of row 1 of X \(2 such rows in all\); take a larger"
    with pytest.raises(ValueError, match=words):
        make(empty="error").fit(x, y).predict(new)
    # A bandwidth that leaves a training row alone is none of those that are compared.
    far = np.concatenate([x, [[60.0]]])
    told = make(empty="error", bandwidths=[1.5, 20.0, 70.0]).set_params(bandwidth="cv").fit(far, [*y, 3.0])
    assert told.bandwidth_ == 70.0
    assert np.isinf(told.selection_.loss[:2]).all()
    with pytest.raises(ValueError, match="every one of the bandwidths leaves a training row without others"):
        make(empty="error", bandwidths=[1.5, 2.0]).set_params(bandwidth="cv").fit(far, [*y, 3.0])
    with pytest.raises(ValueError, match="no training row is within"):
        make(empty="error").fit(far, [*y, 3.0]).predict(None)


def test_it_finds_what_is_there(rng: np.random.Generator) -> None:
    X, y = waves(rng, n=600, p=1)
    model = er.KernelSmoother().fit(X, y)
    error = np.mean((model.predict(X) - np.sin(2.0 * X[:, 0]) - X[:, 0] / 30.0) ** 2)
    assert error < 0.01
    assert not model.selection_.at_the_edge
    noise = er.KernelSmoother(degree=0, rule="one_se").fit(X, rng.normal(size=600))
    assert noise.bandwidth_ > 3.0 * model.bandwidth_
    narrow = er.KernelSmoother(bandwidths=[0.5, 1.0]).fit(X, y)
    assert narrow.selection_.at_the_edge


def test_odd_rows_have_an_answer() -> None:
    same = np.ones((6, 2))
    for degree in (0, 1):
        model = er.KernelSmoother(degree=degree).fit(same, np.arange(6.0))
        np.testing.assert_allclose(model.predict(same), 2.5)
        np.testing.assert_allclose(model.predict(None), (15.0 - np.arange(6.0)) / 5.0)
    one = er.KernelSmoother(1.0).fit([[1.0]], [3.0])
    assert one.predict([[5.0]]).tolist() == [3.0]
    with pytest.raises(ValueError, match="needs at least 2 rows of weight > 0"):
        one.predict(None)
    outlier = np.concatenate([np.linspace(0.0, 1.0, 30), [1e30]])[:, None]
    found = er.KernelSmoother().fit(outlier, np.arange(31.0)).predict([[0.5], [1e30]])
    assert np.isfinite(found).all()
    large = er.KernelSmoother(1.0).fit(np.arange(9.0)[:, None], 1e120 * np.arange(9.0))
    np.testing.assert_allclose(large.predict([[3.5]]), 3.5e120)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bandwidth": 0.0}, "bandwidth must be a finite number > 0"),
        ({"bandwidth": "scott"}, 'bandwidth must be a number > 0 or "cv"'),
        ({"bandwidth": None}, "bandwidth must be a finite number > 0"),
        ({"bandwidth": 1e-300}, "times the spread of the columns, got 1e-300 times"),
        ({"bandwidths": [1e-200, 1.0]}, "bandwidths must be between"),
        ({"bandwidths": 0}, "bandwidths must be a number of them"),
        ({"degree": 2}, "degree must be 0 or 1, got 2"),
        ({"degree": True}, "degree must be 0 or 1, got True"),
        ({"window": "ball"}, "window must be one of boxcar, epanechnikov, gaussian, tricube"),
        ({"empty": "mean"}, "empty must be 'nearest' or 'error'"),
        ({"standardise": "yes"}, "standardise must be True or False"),
        ({"rule": "max"}, 'rule must be "min" or "one_se"'),
    ],
)
def test_parameters_are_refused_by_name(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.KernelSmoother(**change).fit(np.arange(6.0)[:, None], np.arange(6.0))


def test_rows_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = np.arange(6.0)[:, None], np.arange(6.0)
    with pytest.raises(ValueError, match="needs at least 2 rows for leave-one-out, got n_samples = 1"):
        er.KernelSmoother().fit(x, y, sample_weight=[0, 0, 1, 0, 0, 0])
    model = er.KernelSmoother(1.0).fit(x, y)
    with pytest.raises(ValueError, match="in column 0, row 1: no distance can be told"):
        model.predict([[1.0], [1e200]])
    with pytest.raises(ValueError, match="y contains NaN in row 2"):
        model.fit(x, np.where(x[:, 0] == 2.0, np.nan, y))
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1e-9)
    with pytest.raises(MemoryError, match="a dense copy of 6 x 1 sparse cells needs about"):
        model.predict(sp.csr_array(x))
