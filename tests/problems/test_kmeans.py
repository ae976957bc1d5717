"""K-means over row blocks: sums and gradients, the same centres as in memory, the certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.clustering.lloyd import Lloyd
from empirisk.clustering.seedings import KMeansParallel
from empirisk.data import BlockList
from empirisk.problems import KMeansProblem
from empirisk.results import Kind, Status


def mixed(rng: np.random.Generator, n: int = 900, p: int = 4) -> np.ndarray:
    """Rows around eight corners that overlap."""
    return np.asarray(rng.normal(size=(n, p)) + 3.0 * rng.integers(0, 2, size=(n, p)))


def blocks(X: Any, weight: Any = None, rows: int = 128) -> BlockList:
    return BlockList.cut(X, np.zeros(X.shape[0]), weight, rows=rows)


def test_a_pass_gives_the_value_and_its_slope(rng: np.random.Generator) -> None:
    X, s = mixed(rng), rng.integers(0, 3, 900).astype(float)
    problem, w = KMeansProblem(blocks(X, s), X[:5]), rng.normal(size=(5, 4))
    e = problem.evaluate(w)
    square = ((X[:, None] - w) ** 2).sum(axis=2)
    assert e.loss == pytest.approx(float(s @ square.min(axis=1)) / s.sum(), rel=1e-13)
    for k, j in ((0, 0), (3, 2)):
        step = np.zeros((5, 4))
        step[k, j] = 1e-6
        slope = (problem.evaluate(w + step).loss - problem.evaluate(w - step).loss) / 2e-6
        assert e.grad[k, j] == pytest.approx(slope, abs=1e-6)
    # The next step lowers the objective by that much at least.
    assert problem.evaluate(e.means).loss <= e.loss - e.step + 1e-12


@pytest.mark.parametrize("sparse", [False, True])
def test_blocks_of_a_memory_map_give_the_centres_of_a_fit_in_memory(
    sparse: bool, tmp_path: Path, rng: np.random.Generator
) -> None:
    X, s = mixed(rng), rng.integers(0, 3, 900).astype(float)
    start = np.vstack([X[:11], np.full((1, 4), 50.0)])  # the last one has no rows
    rows: Any = sp.csr_array(X)
    if not sparse:
        rows = np.memmap(tmp_path / "x", dtype=np.float64, mode="w+", shape=X.shape)
        rows[:] = X
    here = Lloyd(sp.csr_array(X) if sparse else X, s).run(start, 0.0, 300)
    there = er.solve(KMeansProblem(blocks(rows, s, 100), start), "lloyd", tol=0.0, max_steps=300)
    assert there.status in (Status.CERTIFIED, Status.FLOOR)
    np.testing.assert_allclose(there.w, here.centers, rtol=1e-10, atol=1e-10)
    assert there.certificate.kind is Kind.STATIONARITY
    assert abs(there.n_steps - here.n_iter) <= 3


def test_fits_of_blocks_say_what_fits_in_memory_say(rng: np.random.Generator) -> None:
    X, s = mixed(rng), rng.integers(0, 3, 900).astype(float)
    one = er.KMeans(6, init="k-means||", n_init=3, tol=0.0).fit(X, sample_weight=s)
    other = er.KMeans(6, n_init=3, tol=0.0).fit_blocks(blocks(X, s))
    best = er.KMeans(6, init=other.cluster_centers_, tol=0.0).fit(X, sample_weight=s)
    assert other.inertia_ == pytest.approx(best.inertia_, rel=1e-12)
    np.testing.assert_allclose(other.cluster_centers_, best.cluster_centers_, rtol=1e-10, atol=1e-12)
    # The same draws, but early stopping: the starts that were completed end in the same places.
    np.testing.assert_allclose(other.objectives_[~one.given_up_], one.objectives_[~one.given_up_], rtol=1e-10)
    np.testing.assert_array_equal(other.predict(X), best.labels_)
    assert er.verify(other, X, None, sample_weight=s).within(1e-20)
    assert not hasattr(other, "labels_")


def test_the_cut_into_blocks_does_not_matter(rng: np.random.Generator) -> None:
    X = mixed(rng)
    some = [
        KMeansParallel().from_blocks(blocks(X, rows=rows), 5, np.random.default_rng(0)) for rows in (64, 900)
    ]
    np.testing.assert_array_equal(*some)
    ends = [er.solve(KMeansProblem(blocks(X, rows=rows), some[0]), "lloyd").w for rows in (64, 900)]
    np.testing.assert_allclose(*ends, rtol=1e-11)


def test_single_precision_stays_and_seeds_that_read_all_rows_are_refused(rng: np.random.Generator) -> None:
    X = mixed(rng).astype(np.float32)
    model = er.KMeans(3, n_init=1).fit_blocks(blocks(X))
    assert model.cluster_centers_.dtype == np.float32
    for init in ("random", "farthest-first"):
        with pytest.raises(ValueError, match=f"init='{init}' reads the rows K times"):
            er.KMeans(3, init=init).fit_blocks(blocks(X))
    before = model.cluster_centers_
    with pytest.raises(ValueError, match="5 is more than the 2 distinct rows"):
        model.set_params(n_clusters=5).fit_blocks(blocks(np.repeat(np.eye(2), 9, axis=0)))
    assert model.cluster_centers_ is before
    with pytest.raises(ValueError, match="5 clusters are more than the 2 distinct rows"):
        model.set_params(init=np.arange(10.0).reshape(5, 2)).fit_blocks(
            blocks(np.repeat(np.eye(2), 9, axis=0))
        )


def test_what_the_loop_refuses(rng: np.random.Generator) -> None:
    problem = KMeansProblem(blocks(mixed(rng)), np.zeros((2, 4)))
    with pytest.raises(ValueError, match="needs a design matrix in memory"):
        er.solve(problem, "newton")
    with pytest.raises(ValueError, match="centres that are means"):
        er.solve(er.Ridge().problem(np.eye(3), [1.0, 2.0, 3.0]), "lloyd")
    with pytest.raises(ValueError, match=r"first must hold K centres of 4 columns, got shape \(2, 3\)"):
        KMeansProblem(blocks(mixed(rng)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="has no penalty whose strength"):
        problem.with_strength(1.0)
