"""The kernel density: against scikit-learn, integrals, refits without each row, 40 digits, its own draws."""

from __future__ import annotations

import itertools
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad
from scipy.stats import kstest
from sklearn.neighbors import KernelDensity as Theirs

import empirisk as er
from empirisk.neighbors import window_of
from empirisk.typing import Array

NAMES = {"gaussian": "gaussian", "epanechnikov": "epanechnikov", "boxcar": "tophat"}
WINDOWS = [*NAMES, "tricube"]


def rows(rng: np.random.Generator, n: int = 80, p: int = 2) -> Array:
    """Two clouds of unlike spread in each column."""
    first = rng.random(n) < 0.4
    return rng.normal(size=(n, p)) * np.where(first, 0.3, 1.0)[:, None] + 2.0 * first[:, None]


@pytest.mark.parametrize("window", NAMES)
@pytest.mark.parametrize("p", [1, 2, 6])
def test_the_density_is_that_of_scikit_learn(window: str, p: int, rng: np.random.Generator) -> None:
    X, new, s = rows(rng, p=p), rows(rng, 20, p), rng.uniform(0.1, 2.0, 80)
    h = 3.0 if p == 6 else 0.8
    ours = er.KernelDensity(h, window=window, standardise=False).fit(X, sample_weight=s)
    theirs = Theirs(bandwidth=h, kernel=NAMES[window]).fit(X, sample_weight=s)
    np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-9, atol=1e-9)
    near = new[np.isfinite(theirs.score_samples(new))]
    assert ours.score(near) == pytest.approx(theirs.score(near), rel=1e-9)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("standardise", [True, False])
def test_the_density_integrates_to_one(window: str, standardise: bool, rng: np.random.Generator) -> None:
    x = 40.0 * rows(rng, 20, 1) + 300.0
    h = 0.4 if standardise else 15.0
    model = er.KernelDensity(h, window=window, standardise=standardise).fit(x)
    width = h * (x.std() if standardise else 1.0)
    inner = np.unique(np.concatenate([x - width, x, x + width]))
    grid = np.concatenate([inner, [x.min() - 12.0 * width, x.max() + 12.0 * width]])
    grid.sort()
    f = lambda v: float(np.exp(model.score_samples([[v]])[0]))  # noqa: E731
    total = sum(quad(f, a, b)[0] for a, b in itertools.pairwise(grid))
    assert total == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("window", WINDOWS)
def test_the_density_of_two_columns_integrates_to_one(window: str, rng: np.random.Generator) -> None:
    X = rows(rng, 15) * [1.0, 100.0]
    model = er.KernelDensity(0.6, window=window).fit(X)
    a = np.linspace(X[:, 0].min() - 5.0, X[:, 0].max() + 5.0, 401)
    b = np.linspace(X[:, 1].min() - 500.0, X[:, 1].max() + 500.0, 401)
    points = np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2)
    total = np.exp(model.score_samples(points)).sum() * (a[1] - a[0]) * (b[1] - b[0])
    assert total == pytest.approx(1.0, abs=0.02 if window == "boxcar" else 2e-3)


@pytest.mark.parametrize("window", WINDOWS)
def test_leave_one_out_equals_refits(window: str, rng: np.random.Generator) -> None:
    X = rows(rng, 40)
    X[5:8] = X[3]  # copies leave together
    s = rng.uniform(0.1, 2.0, 40)
    h = 0.6 if window == "gaussian" else 2.5
    grid = [h, 50.0]
    model = er.KernelDensity(window=window, standardise=False, bandwidths=grid).fit(X, sample_weight=s)
    fixed = er.KernelDensity(h, window=window, standardise=False).fit(X, sample_weight=s)
    left = np.empty(40)
    for i in range(40):
        keep = (X[i] != X).any(axis=1)
        refit = er.KernelDensity(h, window=window, standardise=False).fit(X[keep], sample_weight=s[keep])
        left[i] = refit.score_samples(X[[i]])[0]
    np.testing.assert_allclose(fixed.score_samples(None), left, rtol=1e-9, atol=1e-9)
    assert model.selection_.loss[0] == pytest.approx(-(s @ left) / s.sum(), rel=1e-9)
    assert model.bandwidth_ == grid[int(np.argmin(model.selection_.loss))]
    assert model.n_samples_fit_ == 37


def test_logarithms_are_right_where_densities_are_no_doubles() -> None:
    x = [0.0, 0.3, 1.0]
    model = er.KernelDensity(0.01, standardise=False).fit(np.array(x)[:, None], sample_weight=[1, 2, 1])
    with mpmath.workdps(40):
        for q in (0.5, 2.0, 1e3, -1e6):
            total = mpmath.fsum(
                w * mpmath.exp(-(((mpmath.mpf(q) - mpmath.mpf(v)) / mpmath.mpf(0.01)) ** 2) / 2)
                for v, w in zip(x, (1, 2, 1), strict=True)
            )
            wanted = mpmath.log(total / 4 / mpmath.mpf(0.01) / mpmath.sqrt(2 * mpmath.pi))
            assert model.score_samples([[q]])[0] == pytest.approx(float(wanted), rel=1e-12)
    assert model.score_samples([[2.0]])[0] < np.log(1e-300)
    ends = er.KernelDensity(0.01, window="tricube", standardise=False).fit(np.array(x)[:, None])
    assert ends.score_samples([[0.5]])[0] == -np.inf


def test_one_heavy_row_leaves_the_others_what_they_are() -> None:
    x = np.array([[0.0], [1.0], [1.5]])
    model = er.KernelDensity(0.7, standardise=False).fit(x, sample_weight=[1.0, 1e-25, 3e-25])
    others = er.KernelDensity(0.7, standardise=False).fit(x[1:], sample_weight=[1.0, 3.0])
    assert model.score_samples(None)[0] == pytest.approx(others.score_samples(x[:1])[0], rel=1e-12)


@pytest.mark.parametrize("window", WINDOWS)
def test_draws_have_the_density(window: str, rng: np.random.Generator) -> None:
    x = 40.0 * rows(rng, 12, 1) + 300.0
    s = rng.uniform(0.1, 2.0, 12)
    model = er.KernelDensity(0.5, window=window).fit(x, sample_weight=s)
    drawn = model.sample(4000, random_state=5)
    assert drawn.shape == (4000, 1)
    assert np.isfinite(model.score_samples(drawn)).all()
    grid = np.linspace(x.min() - 250.0, x.max() + 250.0, 20_001)
    share = np.cumsum(np.exp(model.score_samples(grid[:, None])))
    share /= share[-1]
    assert kstest(drawn[:, 0], lambda v: np.interp(v, grid, share)).pvalue > 1e-4
    X = rows(rng, 10, 3) * [1.0, 10.0, 100.0]
    cloud = er.KernelDensity(0.5, window=window).fit(X)
    found = cloud.sample(60_000, random_state=6)
    # Columns vary as the rows do and as the window does: h^2 deviations of each column.
    inner = window_of(window).deviation(3) * 0.5
    np.testing.assert_allclose(found.var(axis=0) / X.var(axis=0) - 1.0, inner**2, atol=0.03)
    np.testing.assert_allclose(found.mean(axis=0), X.mean(axis=0), atol=0.03 * X.std(axis=0).max())


def test_the_bandwidth_is_near_the_best_of_a_normal_cloud() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1000, 1))
    model = er.KernelDensity().fit(x)
    reference = (4.0 / 3.0 / 1000.0) ** 0.2  # of the least integrated squared error
    assert reference / 2.0 < model.bandwidth_ < 2.0 * reference
    assert not model.selection_.at_the_edge
    # The mean of -log f of the others estimates the entropy of the normal law.
    told = model.selection_
    assert abs(told.loss[told.index] - 0.5 * np.log(2.0 * np.pi * np.e)) < 4.0 * told.se[told.index]


def test_rounded_rows_have_a_window_of_some_width(rng: np.random.Generator) -> None:
    x = np.round(rng.normal(size=(500, 1)), 1)
    model = er.KernelDensity(standardise=False).fit(x)
    assert model.bandwidth_ > 0.05
    assert model.n_samples_fit_ == len(np.unique(x))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bandwidth": 0.0}, "bandwidth must be a finite number > 0"),
        ({"bandwidth": "scott"}, 'bandwidth must be a number > 0 or "cv"'),
        ({"bandwidth": 1e300}, "times the spread of the columns, got 1e\\+300 times"),
        ({"bandwidths": [-1.0]}, "bandwidths must be a number of them"),
        ({"window": "ball"}, "window must be one of boxcar, epanechnikov, gaussian, tricube"),
        ({"standardise": 1}, "standardise must be True or False"),
        (
            {"window": "boxcar", "bandwidths": [0.1]},
            "every one of the bandwidths leaves a row without others",
        ),
    ],
)
def test_parameters_are_refused_by_name(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.KernelDensity(**change).fit(np.arange(6.0)[:, None])


def test_rows_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="column 1 is the same in all rows"):
        er.KernelDensity().fit(np.column_stack([x, np.ones(6)]))
    same = np.ones((4, 1))
    with pytest.raises(ValueError, match="needs at least 2 distinct rows"):
        er.KernelDensity(standardise=False).fit(same)
    alone = er.KernelDensity(1.0, standardise=False).fit(same)
    assert alone.score_samples([[1.0]])[0] == pytest.approx(-0.5 * np.log(2.0 * np.pi))
    with pytest.raises(ValueError, match="needs at least 2 distinct rows"):
        alone.score_samples(None)
    with pytest.raises(ValueError, match="in column 0, row 1: no distance can be told"):
        alone.score_samples([[1.0], [1e200]])
    with pytest.raises(ValueError, match="n_samples must be an integer >= 1"):
        alone.sample(0)
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1e-9)
    with pytest.raises(MemoryError, match="a dense copy of 6 x 1 sparse cells needs about"):
        er.KernelDensity(1.0).fit(sp.csr_array(x))
