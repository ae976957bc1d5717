"""The map of a search: axes of kernels, a finer grid around the best, who stands within one error of it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.evaluation.standing import Standing
from empirisk.kernels import Gaussian, Laplacian, Linear
from empirisk.search.axes import axes_of
from empirisk.search.grid_section import grid_section
from empirisk.search.points import Params, grid_points
from empirisk.search.zoom import edges, refine
from empirisk.selection import GridSearch


def gaussians(*widths: float) -> list[Any]:
    return [Gaussian(length_scale=w) for w in widths]


def test_kernels_that_differ_in_one_number_are_an_axis() -> None:
    points = grid_points({"alpha": [0.1, 1.0], "kernel": gaussians(0.5, 2.0)})
    assert [(a.label, a.values) for a in axes_of(points)] == [
        ("alpha", (0.1, 1.0)),
        ("length_scale of kernel", (0.5, 2.0)),
    ]
    assert edges(points, 0) == {"alpha": "lowest", "length_scale of kernel": "lowest"}
    sums = [{"kernel": Gaussian(gamma=g) + 0.5 * Linear()} for g in (1.0, 3.0)]
    assert [(a.inner, a.values) for a in axes_of(sums)] == [("0.gamma", (1.0, 3.0))]


@pytest.mark.parametrize(
    "kernels",
    [
        [Gaussian(gamma=1.0), Laplacian(gamma=2.0)],  # of two kinds
        [Gaussian("scale"), Gaussian(gamma=2.0)],  # a word has no number yet
        ["gaussian", "linear"],
        [Gaussian(gamma=1.0) + 1.0 * Linear(), Gaussian(gamma=2.0) + 2.0 * Linear()],  # two numbers vary
        [Gaussian(gamma=1.0), Gaussian(gamma=1.0)],
    ],
)
def test_other_kernels_are_no_axis(kernels: list[Any]) -> None:
    assert axes_of([{"kernel": k} for k in kernels]) == []


def standing_of(points: list[Params], loss: Any, noise: float = 1e-9) -> Standing:
    values = np.array([loss(p) for p in points])
    return Standing(values, noise * np.eye(len(points)), 99.0, "")


def test_zooming_follows_a_slanted_valley() -> None:
    """The loss is ``(u + v)^2 + (u - v - 0.5)^2 / 100`` in the logarithms, slanted by 45 degrees."""

    def loss(p: Params) -> float:
        u, v = np.log10(p["alpha"]), np.log10(p["kernel"].length_scale)
        return float((u + v) ** 2 + (u - v - 0.5) ** 2 / 100.0)

    points = grid_points({"alpha": [0.1, 1.0, 10.0], "kernel": gaussians(0.1, 1.0, 10.0)})
    for _ in range(4):
        standing = standing_of(points, loss)
        points += [p for p in refine(points, int(np.argmin(standing.loss)), standing) if p not in points]
    best = min(points, key=loss)
    # The minimum is at u = 1/4, v = -1/4, which two halvings of the step 1 reach.
    assert np.log10(best["alpha"]) == pytest.approx(0.25)
    assert np.log10(best["kernel"].length_scale) == pytest.approx(-0.25)


def test_a_finer_grid_has_its_corners() -> None:
    points = grid_points({"alpha": [0.01, 1.0, 100.0], "kernel": gaussians(0.25, 1.0, 4.0)})
    found = refine(points, 4, standing_of(points, lambda p: float(p is not points[4])))
    got = sorted((p["alpha"], p["kernel"].length_scale) for p in found)
    want = sorted(set(product((0.1, 1.0, 10.0), (0.5, 1.0, 2.0))) - {(1.0, 1.0)})
    np.testing.assert_allclose(got, want)
    noisy = standing_of(points, lambda p: float(p is not points[4]), noise=9.0)
    assert refine(points, 4, noisy) == []


@pytest.fixture(scope="module")
def searched() -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    z = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=120)
    grid = {"fit_intercept": [True, False], "alpha": [1e-4, 1e-2, 1.0], "kernel": gaussians(0.3, 1.0, 3.0)}
    search = GridSearch(er.KernelRidge(), grid, repeats=1, zoom=1, random_state=0)
    return search.fit(X, z)


def test_a_map_holds_the_numbers_of_the_search(searched: Any) -> None:
    result = searched.result_
    section = grid_section(result)
    best = result.points[result.lowest]
    own = [i for i, p in enumerate(result.points) if p["fit_intercept"] is best["fit_intercept"]]
    assert result.n_first == 18 < len(result.points)
    assert section["rest"] == {"fit_intercept": str(best["fit_intercept"])}
    assert [s["value"] for s in section["settings"]] == [result.scores[i].value for i in own]
    assert [s["first"] for s in section["settings"]] == [i < 18 for i in own]
    # One standard error of the paired difference, from the covariance of the errors of both.
    c, at = result.standing.covariance, {i: k for k, i in enumerate(result.ranked)}
    low = at[result.lowest]
    for s, i in zip(section["settings"], own, strict=True):
        k = at[i]
        gap = result.standing.loss[k] - result.standing.loss[low]
        assert s["within"] == (gap <= np.sqrt(max(0.0, c[k, k] + c[low, low] - 2.0 * c[k, low])))
    assert section["settings"][section["best"]]["value"] == result.scores[result.lowest].value
    assert section["settings"][section["best"]]["shade"] == 0.0
    assert section["missing"] == []


def test_every_cell_belongs_to_the_nearest_setting(searched: Any) -> None:
    section = grid_section(searched.result_)
    step = {"x": 2.0, "y": np.log10(1.0 / 0.3)}  # of the first grid, in powers of ten
    logs = {"x": np.log10(section["x"]["values"]), "y": None}
    assert (section["x"]["scale"], section["y"]["scale"]) == ("log", "linear")  # 3 is ten times 0.3 only
    logs["y"], step["y"] = np.array(section["y"]["values"]), float(np.median(np.diff([0.3, 1.0, 3.0])))
    own = np.array([[np.log10(s["x"]) / step["x"], s["y"] / step["y"]] for s in section["settings"]])
    for i, y in enumerate(logs["y"]):
        for j, x in enumerate(logs["x"]):
            away = np.linalg.norm(own - [x / step["x"], y / step["y"]], axis=1)
            assert away[section["cells"][i][j]] == pytest.approx(away.min())


def test_the_chart_of_a_search_names_its_axes(searched: Any) -> None:
    ax = searched.result_.plot(kind="grid", over=("kernel", "alpha")).axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("length_scale of kernel", "alpha")
    assert ax.get_title(loc="left").startswith("mse is lowest")


def test_what_has_no_map_is_refused(searched: Any) -> None:
    with pytest.raises(ValueError, match=r"name two different numbers that vary \(alpha, length_scale"):
        searched.result_.plot(kind="grid", over=("alpha", "gamma"))
    with pytest.raises(ValueError, match="kind must be 'winner', 'best' or 'grid'"):
        searched.result_.plot(kind="map")
    X = np.random.default_rng(0).normal(size=(40, 2))
    one = GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, repeats=1, cv=2, random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"needs two numbers that vary \(here: alpha\)"):
        one.result_.plot(kind="grid")


def test_a_setting_that_fails_is_marked() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    grid = {"alpha": [0.1, 1.0], "max_iter": [-1, 100]}
    with pytest.warns(UserWarning, match="candidates failed"):
        search = GridSearch(er.KernelRidge(), grid, repeats=1, cv=2, random_state=0).fit(X, y)
    section = grid_section(search.result_)
    assert [(m["y"], m["state"]) for m in section["missing"]] == [(-1, "failed"), (-1, "failed")]
    assert "2 settings without a score (failed)" in er.plots.ModelSelectionGridDisplay(section).description
