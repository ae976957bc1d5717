"""Windows and the sums over them: against integrals, plain NumPy on all pairs, and rows that vanish."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gamma

from empirisk import _loops
from empirisk.neighbors import WINDOWS, RowScale, RowsInWindows, bandwidth_grid, window_of
from empirisk.typing import Array

NAMES = sorted(WINDOWS)
# k(u) as the docstrings write it.
FORMULAS = {
    "boxcar": lambda u: 1.0 * (u <= 1.0),
    "epanechnikov": lambda u: (1.0 - u**2) * (u <= 1.0),
    "gaussian": lambda u: np.exp(-(u**2) / 2.0),
    "tricube": lambda u: (1.0 - u**3) ** 3 * (u <= 1.0),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("p", [1, 2, 5])
def test_mass_deviation_and_draws_are_those_of_the_formula(
    name: str, p: int, rng: np.random.Generator
) -> None:
    window, k = window_of(name), FORMULAS[name]
    end = 1.0 if window.bounded else np.inf
    u = np.linspace(0.0, 2.0, 41)
    np.testing.assert_allclose(window.weights(u**2), k(u), atol=1e-15)
    sphere = 2.0 * np.pi ** (p / 2.0) / gamma(p / 2.0)
    mass = sphere * quad(lambda r: r ** (p - 1) * k(r), 0.0, end)[0]
    assert window.log_mass(p) == pytest.approx(np.log(mass), abs=1e-10)
    second = sphere * quad(lambda r: r ** (p + 1) * k(r), 0.0, end)[0] / mass
    assert window.deviation(p) == pytest.approx(np.sqrt(second / p), rel=1e-8)
    square = window.radii(rng, p, 40_000) ** 2
    assert abs(square.mean() - second) < 5.0 * square.std() / 200.0


def by_hand(
    rows: Array, s: Array, y: Array, q: Array, h: float, name: str, slopes: bool
) -> tuple[float, float, float]:
    """The fit at one query, the effective number of rows and the mass, by least squares on all rows."""
    w = s * FORMULAS[name](np.sqrt(((rows - q) ** 2).sum(axis=1)) / h)
    if not slopes:
        return float(w @ y / w.sum()), float(w.sum() ** 2 / (w @ w)), float(w.sum())
    design = np.column_stack([np.ones(len(y)), rows - q]) * np.sqrt(w)[:, None]
    best = np.linalg.lstsq(design, np.sqrt(w) * y, rcond=None)[0]
    return float(best[0]), float(w.sum() ** 2 / (w @ w)), float(w.sum())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("slopes", [False, True])
@pytest.mark.parametrize(("n", "p"), [(40, 1), (511, 2), (513, 3), (1100, 4)])
def test_fits_are_those_of_all_pairs(
    name: str, slopes: bool, n: int, p: int, rng: np.random.Generator
) -> None:
    rows, s, y = rng.normal(size=(n, p)), rng.uniform(0.2, 2.0, n), rng.normal(size=n)
    near = 0.5 * rows[rng.integers(0, n, 9)] + 0.1
    widths = np.array([2.5, 4.0])
    fits = RowsInWindows(rows, s, y, window_of(name), slopes).fits(near, widths)
    for m, h in enumerate(widths):
        for i, q in enumerate(near):
            value, effective, mass = by_hand(rows, s, y, q, h, name, slopes)
            assert fits.value[m, i] == pytest.approx(value, rel=1e-9, abs=1e-9)
            assert fits.effective[m, i] == pytest.approx(effective, rel=1e-9)
            assert fits.log_mass[m, i] == pytest.approx(np.log(mass), abs=1e-9)
    assert not fits.empty.any()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("slopes", [False, True])
def test_a_row_is_left_out_in_part_or_as_a_whole(name: str, slopes: bool, rng: np.random.Generator) -> None:
    rows, s, y = rng.normal(size=(60, 2)), rng.integers(1, 4, 60).astype(float), rng.normal(size=60)
    some, widths = np.array([3, 59, 0]), np.array([2.0])
    whole = RowsInWindows(rows, s, y, window_of(name), slopes)
    for left in (None, np.array([2.0, 0.0, 0.5])):
        fits = whole.fits(rows[some], widths, some, left)
        for j, i in enumerate(some):
            weight = s.copy()
            weight[i] = 0.0 if left is None else left[j]
            keep = weight > 0.0
            value = by_hand(rows[keep], weight[keep], y[keep], rows[i], 2.0, name, slopes)[0]
            assert fits.value[0, j] == pytest.approx(value, rel=1e-9)


def test_far_away_a_gaussian_window_is_the_nearest_row(rng: np.random.Generator) -> None:
    rows, y = np.array([[0.0], [1.0], [3.0]]), np.array([5.0, 7.0, -1.0])
    for slopes in (False, True):
        seen = RowsInWindows(rows, np.ones(3), y, window_of("gaussian"), slopes)
        fits = seen.fits(np.array([[1e6], [-1e6], [1.2]]), np.array([0.01]))
        np.testing.assert_allclose(fits.value[0], [-1.0, 5.0, 7.0])
        # The mass itself has 300 digits and more after the point; its logarithm has them all.
        np.testing.assert_allclose(fits.log_mass[0], -0.5 * (np.array([1e6 - 3, 1e6, 0.2]) / 0.01) ** 2)
        np.testing.assert_array_equal(fits.effective[0], 1.0)


@pytest.mark.parametrize("name", [n for n in NAMES if WINDOWS[n].bounded])
@pytest.mark.parametrize("slopes", [False, True])
def test_an_empty_window_takes_the_nearest_rows_where_that_is_asked(name: str, slopes: bool) -> None:
    rows, y = np.array([[0.0], [2.0], [9.0]]), np.array([4.0, 8.0, 0.0])
    s, q, h = np.array([1.0, 3.0, 1.0]), np.array([[1.0], [20.0], [0.0]]), np.array([0.5])
    fits = RowsInWindows(rows, s, y, window_of(name), slopes, True).fits(q, h)
    np.testing.assert_array_equal(fits.value[0], [7.0, 0.0, 4.0])  # (4 + 3 * 8) / 4; rows at one distance
    np.testing.assert_array_equal(fits.empty[0], [True, True, False])
    alone = RowsInWindows(rows, s, y, window_of(name), slopes).fits(q, h)
    np.testing.assert_array_equal(alone.empty, fits.empty)
    assert alone.log_mass[0, 0] == -np.inf


def test_slopes_are_taken_where_rows_differ(rng: np.random.Generator) -> None:
    x = rng.normal(size=(50, 1))
    twice = np.concatenate([x, x], axis=1)  # a second column that says what the first does
    line = 3.0 * x[:, 0] - 1.0
    seen = RowsInWindows(twice, np.ones(50), line, window_of("gaussian"), True)
    np.testing.assert_allclose(seen.fits(np.array([[0.3, 0.3]]), np.array([0.5])).value, [[-0.1]], rtol=1e-9)
    one = RowsInWindows(x[:1], np.ones(1), line[:1], window_of("gaussian"), True)
    np.testing.assert_allclose(one.fits(np.array([[0.3]]), np.array([0.5])).value, [line[:1]])
    # However wide the window is, the line is there.
    wide = RowsInWindows(x, np.ones(50), line, window_of("gaussian"), True)
    np.testing.assert_allclose(wide.fits(np.array([[5.0]]), np.array([1e8])).value, [[14.0]], rtol=1e-9)


def test_blocks_and_layouts_have_one_answer(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    seen = RowsInWindows(rows, np.ones(300), y, window_of("tricube"), True)
    fits = seen.fits(rows, np.array([1.0, 2.0]))
    monkeypatch.setattr("empirisk.neighbors.local_fit.PAIRS", 5000)
    monkeypatch.setattr("empirisk.neighbors.local_fit.FEWEST", 3)
    again = seen.fits(rows, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(fits.value, again.value)
    none = seen.fits(rows[:0], np.array([1.0, 2.0]))
    assert none.value.shape == (2, 0)
    plain = _loops.window_sums(rows, rows[:5], "tricube", np.array([1.0]), np.ones(300), y, True)
    turned = _loops.window_sums(
        np.asfortranarray(rows), rows[::-1][-5:][::-1], "tricube", np.array([1.0]), np.ones(300), y, True
    )
    for one, other in zip(plain, turned, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"window": "ball"}, "no window is called ball"),
        ({"X": np.zeros((3, 2), np.float32)}, "dense float64"),
        ({"Q": np.zeros((2, 1))}, "same number of columns"),
        ({"left_out": np.zeros(5, np.int64)}, "one for each query"),
        ({"weight": np.ones(4)}, "weight has shape"),
        ({"X": np.zeros((0, 2)), "weight": np.ones(0), "target": np.ones(0)}, "must have a row"),
    ],
)
def test_the_loop_checks_shapes(change: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {
        "X": np.zeros((3, 2)), "Q": np.zeros((2, 2)), "window": "boxcar", "bandwidths": np.ones(1),
        "weight": np.ones(3), "target": np.ones(3),
    }  # fmt: skip
    with pytest.raises(ValueError, match=words):
        _loops.window_sums(**{**given, **change})


def test_a_grid_holds_the_reference_and_all_rows(rng: np.random.Generator) -> None:
    rows = rng.normal(size=(200, 2))
    rows -= rows.mean(axis=0)
    grid, given = bandwidth_grid(25, rows, np.ones(200), window_of("boxcar"))
    assert len(grid) == 25
    assert not given
    apart = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2)).max()
    assert grid[-1] >= apart
    reference = rows.std(axis=0).max() * (4.0 / (200 * 4.0)) ** (1.0 / 6.0) * 2.0  # the boxcar of two columns
    assert grid[0] == pytest.approx(reference / 32.0)
    np.testing.assert_array_equal(
        bandwidth_grid([3.0, 1.0], rows, np.ones(200), window_of("boxcar"))[0], [1, 3]
    )
    for bad in (0, 1, -1, 2.5, True, [], [0.0], [1.0, np.inf], "many", [[1.0]]):
        with pytest.raises(ValueError, match="bandwidths must be a number of them"):
            bandwidth_grid(bad, rows, np.ones(200), window_of("boxcar"))


def test_columns_are_brought_to_one_scale(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 4)) * [1e-200, 1.0, 1e200, 0.0] + [0.0, 1e3, 0.0, 0.1]
    weight = rng.uniform(size=30)
    scale = RowScale.of(X, weight, True)
    z = scale.apply(X)
    np.testing.assert_allclose(weight @ z / weight.sum(), 0.0, atol=1e-12)
    np.testing.assert_allclose(weight @ z**2 / weight.sum(), [1.0, 1.0, 1.0, 0.0], rtol=1e-9)
    np.testing.assert_allclose(scale.undo(z), X, rtol=1e-12)
    plain = RowScale.of(X[:, :2], weight, False)
    assert plain.outer(plain.inner(3.7)) == pytest.approx(3.7, rel=1e-15)
    z = plain.apply(X[:, :2])
    apart = plain.outer(np.linalg.norm(z[0] - z[1:], axis=1))
    np.testing.assert_allclose(apart, np.linalg.norm(X[0, :2] - X[1:, :2], axis=1), rtol=1e-9)
    with pytest.raises(ValueError, match="in column 1, row 2: no distance can be told"):
        scale.apply(
            np.where(np.arange(4) == 1, np.full((3, 4), 1e3), X[:3]) + np.outer([0, 0, 1e170], [0, 1, 0, 0])
        )
