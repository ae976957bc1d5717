"""What every null of no clusters owes: rows with the mean and spread of those that it stands in for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.partitions.nulls import REGISTRY, Prepared, principal_axes
from empirisk.partitions.rows import read_rows

EACH = pytest.mark.parametrize("name", sorted(REGISTRY))


def rows(rng: np.random.Generator, n: int = 4000, p: int = 3) -> Any:
    """Return correlated Gaussian rows far from the origin."""
    return rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 100.0


@EACH
def test_drawn_rows_have_the_mean_of_the_rows(name: str, rng: np.random.Generator) -> None:
    X = rows(rng)
    drawn = REGISTRY[name]().draw(principal_axes(read_rows(X)), rng)
    assert drawn.shape == X.shape
    error = 6.0 * drawn.std(axis=0) / len(X) ** 0.5
    middle = 0.5 * (X.max(axis=0) - X.min(axis=0)) if name == "box" else error
    assert (np.abs(drawn.mean(axis=0) - X.mean(axis=0)) <= middle + error).all()


@EACH
def test_drawn_rows_keep_the_axes_of_the_rows(name: str, rng: np.random.Generator) -> None:
    # The box that just holds the rows keeps their axes and is wider; the others keep the covariance.
    X = rows(rng)
    drawn = REGISTRY[name]().draw(principal_axes(read_rows(X)), rng)
    S, other = np.cov(X.T), np.cov(drawn.T)
    if name != "box":
        np.testing.assert_allclose(other, S, atol=8.0 * np.trace(S) / len(X) ** 0.5)
    _, axes = np.linalg.eigh(S)
    turned = axes.T @ other @ axes
    off = turned - np.diag(np.diag(turned))
    scale = np.sqrt(np.outer(np.diag(turned), np.diag(turned)))
    assert (np.abs(off / scale) < 0.1).all()


@EACH
def test_weights_are_repetitions(name: str, rng: np.random.Generator) -> None:
    X = rows(rng, 60)
    s = rng.integers(0, 3, 60)
    one = principal_axes(read_rows(X, s))
    other = principal_axes(read_rows(np.repeat(X, s, axis=0)))
    np.testing.assert_allclose(one.deviation, other.deviation, rtol=1e-9)
    np.testing.assert_allclose(one.centre, other.centre, rtol=1e-9)
    assert len(REGISTRY[name]().draw(one, rng)) == int((s > 0).sum())


@EACH
def test_seeds_storage_and_precision(name: str, rng: np.random.Generator) -> None:
    X = rows(rng, 50).astype(np.float32)
    null = REGISTRY[name]()
    drawn = null.draw(principal_axes(read_rows(X)), np.random.default_rng(4))
    assert drawn.dtype == np.float32
    again = null.draw(principal_axes(read_rows(sp.csr_array(X))), np.random.default_rng(4))
    np.testing.assert_allclose(again, drawn, rtol=1e-4)
    assert null.label
    assert null.name == name


@EACH
@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300])
def test_wide_and_flat_tables(name: str, scale: float, rng: np.random.Generator) -> None:
    wide = scale * rng.normal(size=(12, 40))
    wide[:, 7] = 3.0 * scale
    drawn = REGISTRY[name]().draw(principal_axes(read_rows(wide)), rng)
    assert np.isfinite(drawn).all()
    np.testing.assert_allclose(drawn[:, 7], 3.0 * scale, rtol=1e-9)


def test_the_elliptical_null_has_tails_like_the_rows_and_one_mode() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_t(5, size=(20_000, 1))
    drawn = REGISTRY["elliptical"]().draw(principal_axes(read_rows(X)), rng)
    # The factor U has the mean fourth power 1/5, and c^4 = 9: the kurtosis grows by 9/5.
    kurtosis = [float(np.mean((x - x.mean()) ** 4) / x.var() ** 2) for x in (X, drawn)]
    assert kurtosis[1] == pytest.approx(1.8 * kurtosis[0], rel=0.25)
    two = np.concatenate([rng.normal(-9.0, 1.0, 10_000), rng.normal(9.0, 1.0, 10_000)])[:, None]
    drawn = REGISTRY["elliptical"]().draw(principal_axes(read_rows(two)), rng)
    heights, _ = np.histogram(np.abs(drawn), bins=np.arange(0.0, 16.0, 2.0))
    assert (np.diff(heights) < 4.0 * np.sqrt(heights[1:])).all(), "the density falls from the mean on"


@EACH
def test_a_null_that_was_prepared_draws_the_same(name: str, rng: np.random.Generator) -> None:
    axes = principal_axes(read_rows(np.column_stack([rows(rng, 60), rng.integers(0, 3, 60)])))
    null = REGISTRY[name]()
    ready = null.prepared(axes) if isinstance(null, Prepared) else null
    one, other = (law.draw(axes, np.random.default_rng(1)) for law in (null, ready))
    np.testing.assert_array_equal(one, other)


def test_equal_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="all rows of X are equal"):
        principal_axes(read_rows(np.ones((5, 2))))
