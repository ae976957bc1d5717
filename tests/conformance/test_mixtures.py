"""Every mixture family keeps its contract: derivatives, best parameters, monotone EM, draws, blocks."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import empirisk as er
from empirisk.data import ArrayBlocks, BlockList, Design
from empirisk.estimators.clusters import mixture_starts
from empirisk.mixtures import REGISTRY, family_of
from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.problems import LatentProblem
from empirisk.results import Status
from empirisk.solvers import ExpectationMaximization, solve
from tests.oracles.complete import complete

K = 3


def gaussian_rows(rng: np.random.Generator, n: int) -> np.ndarray:
    """Three overlapping groups in three columns of different units."""
    centres = np.array([[0.0, 0.0, 0.0], [3.0, 1.0, -2.0], [-1.0, 3.0, 2.0]])
    turned = rng.normal(size=(n, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.3], [0.0, 0.0, 0.7]])
    return np.asarray((centres[np.arange(n) % 3] + turned) * np.array([1.0, 10.0, 0.1]))


# How rows of each family are drawn.
ROWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    name: gaussian_rows for name, row in REGISTRY.items() if issubclass(row, GaussianFamily)
}


def groups_of(draw: Callable[[np.random.Generator, np.ndarray], np.ndarray], means: Any) -> Any:
    """Three groups whose cells are drawn with the means of their group."""
    table = np.asarray(means, dtype=float)
    return lambda rng, n: np.asarray(draw(rng, table[np.arange(n) % 3]), dtype=float)


ROWS["bernoulli"] = groups_of(
    lambda rng, p: rng.random(p.shape) < p,
    [[0.9, 0.8, 0.2, 0.7, 0.5], [0.2, 0.3, 0.8, 0.1, 0.6], [0.7, 0.1, 0.6, 0.9, 0.1]],
)
ROWS["poisson"] = groups_of(
    lambda rng, m: rng.poisson(m), [[1.0, 5.0, 9.0], [6.0, 2.0, 0.7], [8.0, 12.0, 3.0]]
)
ROWS["multinomial"] = groups_of(
    lambda rng, q: np.array([rng.multinomial(12, row) for row in q]),
    [[0.6, 0.2, 0.1, 0.1], [0.1, 0.1, 0.2, 0.6], [0.2, 0.5, 0.2, 0.1]],
)
ROWS["regression"] = gaussian_rows


def with_gaps(rng: np.random.Generator, n: int) -> np.ndarray:
    """Rows of which every fourth lacks a cell, and one all of them."""
    X = gaussian_rows(rng, n)
    X[::4, 1] = np.nan
    X[2::8, 2] = np.nan
    X[5] = np.nan
    return X


ROWS["incomplete"] = with_gaps
EACH = pytest.mark.parametrize("name", sorted(REGISTRY))
GAUSSIAN = sorted(
    name for name, row in REGISTRY.items() if issubclass(row, GaussianFamily) and not row.missing
)


def test_every_family_is_tested() -> None:
    complete(ROWS, REGISTRY, "rows", "ROWS in tests/conformance/test_mixtures.py")


def problem_of(
    name: str, rng: np.random.Generator, n: int = 240, k: int = K, ridge: float = 0.0
) -> LatentProblem:
    """A mixture of drawn rows with weights of 1 and 2."""
    X = ROWS[name](rng, n)
    lines = np.array([[2.0, 0.1, 3.0], [-1.0, 0.0, 9.0], [0.0, -0.3, 1.0]])[np.arange(n) % 3]
    y = (X * lines).sum(axis=1) + rng.normal(size=n) if family_of(name).targets else np.zeros(n)
    data = ArrayBlocks(Design(X), y, 1.0 + (np.arange(n) % 4 == 0))
    return LatentProblem(family_of(name), data, k, ridge)


def far_start(problem: LatentProblem, rng: np.random.Generator) -> np.ndarray:
    """Chances that follow the columns, so that the parts differ."""
    way = rng.normal(size=(problem.data.n_cols + 1, problem.n_parts))

    def chances(block: Any) -> np.ndarray:
        z = np.nan_to_num((block.design.X - problem.facts.mean) / np.sqrt(problem.facts.variance))
        z = np.column_stack([z, block.y / (1.0 + np.abs(block.y))])
        e = np.exp(2.0 * z @ way - (2.0 * z @ way).max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))

    return problem.from_chances(chances)


@EACH
def test_names_and_letters(name: str) -> None:
    family = family_of(name)
    assert family_of(family) is family
    if family.letters:
        assert type(family_of(family.letters)) is type(family) is type(family_of(family.letters.lower()))
    with pytest.raises(ValueError, match=r"covariance must be .*'full'.*got 'bananas'"):
        family_of("bananas", "covariance")


@EACH
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_the_gradient_is_that_of_the_objective(name: str, ridge: float, rng: np.random.Generator) -> None:
    problem = problem_of(name, rng, ridge=ridge)
    w = far_start(problem, rng)
    e = problem.evaluate(w)
    live = np.flatnonzero(
        (w != 0.0) | (e.grad != 0.0)
    )  # zeros above the diagonal of factors are no parameters
    for j in live[:: max(1, len(live) // 12)]:
        step = np.zeros_like(w)
        step[j] = 1e-5 * max(1e-2, abs(w[j]))
        slope = (problem.evaluate(w + step).loss - problem.evaluate(w - step).loss) / (2.0 * step[j])
        assert e.grad[j] == pytest.approx(slope, rel=2e-5, abs=1e-7 + 1e-9 / step[j] * abs(e.loss) * 1e-6), j


@EACH
def test_every_step_raises_the_likelihood_up_to_a_stationary_point(
    name: str, rng: np.random.Generator
) -> None:
    problem = problem_of(name, rng)
    solution = solve(
        problem, ExpectationMaximization(False), w0=far_start(problem, rng), tol=1e-5, max_steps=20_000
    )
    assert solution.status in (Status.CERTIFIED, Status.FLOOR), solution.sentence
    loss = np.array([point.objective for point in solution.trace])
    assert np.all(np.diff(loss) <= 1e-13 * np.abs(loss[:-1]))
    assert loss[-1] < loss[0]
    # The gain that a certificate states is at most what the next step brings.
    e = problem.evaluate(far_start(problem, rng))
    better, gain = e.improved
    assert 0.0 < gain <= e.loss - problem.evaluate(better).loss + 1e-12 * abs(e.loss)


@EACH
def test_extrapolation_is_monotone_and_ends_at_a_stationary_point(
    name: str, rng: np.random.Generator
) -> None:
    problem = problem_of(name, rng)
    w = far_start(problem, rng)
    plain = solve(problem, ExpectationMaximization(False), w0=w, tol=1e-5, max_steps=20_000)
    fast = solve(problem, ExpectationMaximization(), w0=w, tol=1e-5, max_steps=20_000)
    loss = np.array([point.objective for point in fast.trace])
    assert np.all(np.diff(loss) <= 1e-13 * np.abs(loss[:-1]))
    assert fast.status in (Status.CERTIFIED, Status.FLOOR), fast.sentence
    if problem.family.extrapolates:
        assert fast.n_passes <= 1.5 * plain.n_passes + 5.0
    else:
        np.testing.assert_array_equal(fast.w, plain.w)


@EACH
def test_of_several_starts_one_is_finished_and_the_others_are_behind(
    name: str, rng: np.random.Generator
) -> None:
    problem = problem_of(name, rng)
    begun = [far_start(problem, rng) for _ in range(3)]
    found = er.expectation_maximization(problem, begun, max_steps=20_000)
    starts = found.starts
    assert found.status in (Status.CERTIFIED, Status.FLOOR), found.sentence
    assert -found.state.evaluation.loss == np.nanmax(starts.values)
    done = [j for j in range(3) if j not in starts.left and not np.isnan(starts.values[j])]
    assert len(done) + len(starts.left) + len(starts.degenerate) == 3
    assert (f"{len(done)} of 3 starts" in found.certificate.claim) == bool(starts.left)


@EACH
def test_no_point_nearby_fits_expected_sums_better(name: str, rng: np.random.Generator) -> None:
    """The maximisation step is compared with every other point that it could have returned for like sums."""
    problem = problem_of(name, rng)
    w = far_start(problem, rng)
    e, family = problem.evaluate(w), problem.family
    parts = problem.parts(w)
    best = family.maximise(parts, e.sums, problem.facts)
    top = family.expected(best, parts, e.sums, problem.facts)
    for scale in (1e-3, 1e-2, 0.1, 0.5):
        for _ in range(5):
            like = tuple(
                s * (1.0 + scale * rng.uniform(-1.0, 1.0, (len(s),) + (1,) * (s.ndim - 1))) for s in e.sums
            )
            try:
                other = family.maximise(parts, like, problem.facts)
            except ValueError:
                continue
            assert family.expected(other, parts, e.sums, problem.facts) <= top + 1e-9 * abs(top)


def moved_start(problem: LatentProblem, rng: np.random.Generator) -> np.ndarray:
    """Parameters whose chances do not belong to them: means are half a deviation off, weights by halves."""
    w = far_start(problem, rng)
    w[: problem.n_parts] += rng.permutation(np.linspace(-0.5, 0.5, problem.n_parts))
    means = problem.parts(w).get("means")
    if means is not None and isinstance(problem.family, GaussianFamily):
        means += 0.5 * np.sqrt(problem.facts.variance) * rng.choice([-1.0, 1.0], means.shape)
    return w


@EACH
def test_the_gain_of_a_step_is_that_of_its_definition(name: str, rng: np.random.Generator) -> None:
    """``Q(w', w) - Q(w, w)`` a row, Q the mean of the log-likelihood over the chances of w."""
    problem = problem_of(name, rng)
    w = moved_start(problem, rng)
    (block,) = problem.data
    better, gain = problem.evaluate(w).improved

    def joint(at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        log, chance = problem.family.rows(problem.parts(at), problem.log_weights(at), block)
        with np.errstate(divide="ignore"):
            return log[:, None] + np.log(chance), chance

    (before, chance), (after, _) = joint(w), joint(better)
    live = chance > 0.0
    rise = np.where(live, chance, 0.0) * (np.where(live, after, 0.0) - np.where(live, before, 0.0))
    told = float(block.weight @ rise.sum(axis=1)) / block.weight.sum()
    if problem.family.missing:
        # Cells that nobody has seen are complete data, too, and take a part of the rise (Jensen).
        assert 0.0 < gain <= told * (1.0 + 1e-8)
    else:
        assert gain == pytest.approx(told, rel=1e-8)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_covariances_are_about_the_new_means(name: str, rng: np.random.Generator) -> None:
    """Sums are taken about the old means, which is made good: as if the rows were read again."""
    problem = problem_of(name, rng)
    w = moved_start(problem, rng)
    family, parts = problem.family, problem.parts(w)
    assert isinstance(family, GaussianFamily)
    (block,) = problem.data
    share = (family.rows(parts, problem.log_weights(w), block)[1] * block.weight[:, None]).T
    mass = share.sum(axis=1)
    means = share @ block.design.X / mass[:, None]
    off = block.design.X - means[:, None]
    scatter = np.einsum("kn,kni,knj->kij", share, off, off)
    scatter = scatter if family.full else np.diagonal(scatter, axis1=1, axis2=2)
    best = family.maximise(parts, problem.evaluate(w).sums, problem.facts)
    np.testing.assert_allclose(best["means"], means, rtol=1e-9)
    factor = best["factors"]
    found = factor @ factor.transpose(0, 2, 1) if family.full else factor**2
    expected = family.best(parts, mass, scatter)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())


@EACH
def test_one_pass_is_the_sum_over_rows(name: str, rng: np.random.Generator) -> None:
    """Log-densities of single rows add up to the pass, and chances to the expected rows."""
    problem = problem_of(name, rng)
    w = far_start(problem, rng)
    (block,) = problem.data
    log, chance = problem.family.rows(problem.parts(w), problem.log_weights(w), block)
    e = problem.evaluate(w)
    assert float(block.weight @ log) == pytest.approx(e.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(block.weight @ chance, e.sums[0], rtol=1e-10)
    np.testing.assert_allclose(chance.sum(axis=1), 1.0, rtol=1e-12)


@EACH
def test_blocks_of_a_memory_map_give_the_answer_of_memory(
    name: str, rng: np.random.Generator, tmp_path: Any
) -> None:
    problem = problem_of(name, rng)
    X = problem.data.design.X  # type: ignore[attr-defined]
    stored = np.memmap(tmp_path / "rows", dtype=X.dtype, mode="w+", shape=X.shape)
    stored[:] = X
    y, weight = problem.data.y, problem.data.weight  # type: ignore[attr-defined]
    blocks = LatentProblem(problem.family, BlockList.cut(stored, y, weight, rows=77), K)
    w = far_start(problem, rng)
    one = solve(problem, ExpectationMaximization(False), w0=w, tol=1e-5, max_steps=40)
    other = solve(blocks, ExpectationMaximization(False), w0=w, tol=1e-5, max_steps=40)
    np.testing.assert_allclose(other.w, one.w, rtol=1e-6, atol=1e-9)


@EACH
def test_draws_have_the_moments_of_the_part(name: str, rng: np.random.Generator) -> None:
    """The parts that fit draws from a part best are that part, to the error of so many draws."""
    problem = problem_of(name, rng)
    if problem.family.targets:
        with pytest.raises(ValueError, match="no density of the columns"):
            problem.family.draw({}, 0, 1, rng)
        return
    parts, n = problem.parts(far_start(problem, rng)), 20_000
    rows = problem.family.draw(parts, 1, n, rng)
    data = ArrayBlocks(Design(rows), np.zeros(n), np.ones(n))
    log, _ = problem.family.rows(parts, np.where(np.arange(K) == 1, 0.0, -np.inf), next(iter(data)))
    # E log f under f itself, against that of a fit to the draws: the difference is chi squared over 2 n.
    one = LatentProblem(problem.family, data, 1)
    best = -one.evaluate(one.from_chances(lambda block: np.ones((n, 1)))).loss
    free = problem.family.free(1, problem.data.n_cols)
    assert -1e-9 <= best - log.mean() <= (free + 6.0 * np.sqrt(2.0 * free)) / (2.0 * n)


@EACH
def test_free_numbers_are_the_dimension_of_the_best_points(name: str, rng: np.random.Generator) -> None:
    """The points that the maximisation step reaches form a surface of so many dimensions."""
    problem = problem_of(name, rng)
    w = far_start(problem, rng)
    e, parts = problem.evaluate(w), problem.parts(w)
    at = np.concatenate([np.ravel(s) for s in e.sums[1:]])
    sizes = np.cumsum([s.size for s in e.sums[1:]])[:-1]

    def public(sums: np.ndarray) -> np.ndarray:
        split = [part.reshape(s.shape) for part, s in zip(np.split(sums, sizes), e.sums[1:], strict=True)]
        if isinstance(problem.family, GaussianFamily) and problem.family.full:
            split[-1] = 0.5 * (split[-1] + split[-1].transpose(0, 2, 1))
        found = problem.family.maximise(parts, (e.sums[0], *split), problem.facts)
        if isinstance(problem.family, GaussianFamily):
            found = {"means": found["means"], "covariances": problem.family.matrices(found)}
        unit = np.sqrt(problem.facts.variance)
        flat = []
        for block in found.values():
            scaled = block / unit if block.ndim == 2 and block.shape[1] == len(unit) else block
            flat.append(np.ravel(scaled / unit[:, None] / unit if block.ndim == 3 else scaled))
        return np.concatenate(flat)

    columns = []
    for j in np.flatnonzero(at):
        step = np.zeros_like(at)
        step[j] = 1e-4 * abs(at[j])
        columns.append((public(at + step) - public(at - step)) / 2e-4)
    values = np.linalg.svd(np.array(columns), compute_uv=False)
    assert int((values > 1e-6 * values[0]).sum()) == problem.family.free(K, problem.data.n_cols)


SPARSE = pytest.mark.parametrize("name", sorted(n for n, row in REGISTRY.items() if row.sparse))


def scattered(X: np.ndarray, rng: np.random.Generator) -> sp.csr_array:
    """The same rows as CSR in which cells are in no order, and every second one is stored as two."""
    row, column = np.nonzero(X)
    value = X[row, column]
    part = np.where(np.arange(len(value)) % 2 == 0, 0.25 * value, value)
    order = rng.permutation(2 * len(value))
    values = np.concatenate([part, value - part])[order]
    rows, columns = np.tile(row, 2)[order], np.tile(column, 2)[order]
    sorted_rows = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[sorted_rows], np.arange(len(X) + 1))
    return sp.csr_array((values[sorted_rows], columns[sorted_rows], starts), shape=X.shape)


@SPARSE
def test_sparse_rows_have_the_fit_of_dense_ones(name: str, rng: np.random.Generator) -> None:
    X, s = ROWS[name](rng, 150), 1.0 + (np.arange(150) % 3 == 0)
    est = er.Mixture([2, 3], family=name, n_init=2)
    dense = clone(est).fit(X, sample_weight=s)
    block = f"{dense._chosen_family().block}_"
    for make in (sp.csr_array, sp.csc_array, sp.coo_matrix, lambda X: scattered(X, rng)):
        rows = make(X)
        model = clone(est).fit(rows, sample_weight=s)
        np.testing.assert_array_equal(model.labels_, dense.labels_)
        np.testing.assert_allclose(getattr(model, block), getattr(dense, block), rtol=1e-6, atol=1e-9)
        assert model.log_likelihood_ == pytest.approx(dense.log_likelihood_, rel=1e-10)
        np.testing.assert_allclose(dense.score_samples(rows), dense.score_samples(X), rtol=1e-11)
        np.testing.assert_allclose(dense.predict_proba(rows), dense.predict_proba(X), rtol=1e-9, atol=1e-300)
        assert er.verify(model, rows, None, sample_weight=s).within(1e-4)
    random = clone(est).set_params(init="random")
    one, other = clone(random).fit(X), clone(random).fit(sp.csr_array(X))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    single = clone(est).fit(sp.csr_array(X.astype(np.float32)))
    assert getattr(single, block).dtype == np.float32


@SPARSE
def test_sparse_rows_stay_sparse(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No array holds more cells at once than the starts look at."""
    X = sp.csr_array((rng.random((400, 300)) < 0.02).astype(float))
    monkeypatch.setattr(mixture_starts, "MOST_CELLS", 30_000)
    sizes, dense = [0], sp.csr_array.toarray

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        sizes.append(int(np.prod(self.shape)))
        return dense(self, *args, **kwargs)

    monkeypatch.setattr(sp.csr_array, "toarray", watched)
    for init in ("k-means++", "random"):
        model = er.Mixture(2, family=name, n_init=1, init=init, tol=1e-2).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        assert er.verify(model, X, None).within(1e-1)
    assert max(sizes) <= 30_000 < 400 * 300


@SPARSE
def test_sparse_cells_outside_the_domain_are_refused_by_their_place(
    name: str, rng: np.random.Generator
) -> None:
    X = ROWS[name](rng, 60)
    X[41, 2] = 0.5
    with pytest.raises(ValueError, match=r"X holds 0\.5 in column 2, row 41"):
        er.Mixture(2, family=name).fit(sp.csr_array(X))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        er.Mixture(2, family="full").fit(sp.csr_array(X))


STORED_FITS = [
    er.GaussianMixture(2, covariance="diagonal", n_init=1, tol=1e-2),
    er.GaussianMixture(2, covariance="diagonal", init="random", n_init=1, tol=1e-2),
    er.RegressionMixture(2, n_init=1, tol=1e-2),
]


@pytest.mark.full  # a table larger than what a fit keeps of it takes seconds
@pytest.mark.parametrize("est", STORED_FITS, ids=repr)
def test_a_fit_on_a_memory_map_has_the_bits_of_memory_and_copies_no_table(
    est: Any, rng: np.random.Generator, tmp_path: Any
) -> None:
    """What is kept beside the rows of the map does not grow with the columns: 100 bytes of a row hold it."""
    n, p = 120_000, 60
    X = rng.normal(size=(n, p))
    X[::2, 0] += 6.0
    y = np.where(np.arange(n) % 2 == 0, X[:, 1], -X[:, 1]) + 0.3 * rng.normal(size=n)
    stored = np.memmap(tmp_path / "rows", dtype=X.dtype, mode="w+", shape=X.shape)
    stored[:] = X
    one = clone(est).fit(X, y)
    tracemalloc.start()
    other = clone(est).fit(stored, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    np.testing.assert_array_equal(other.solution_.w, one.solution_.w)
    np.testing.assert_array_equal(other.labels_, one.labels_)
    # Some stretches of 16,384 rows and the 20,000 rows among which seeds are looked for are arrays at once.
    stretches = 8.0 * p * (3 * 16_384 + 20_000 * (est.init == "k-means++"))
    assert peak < 100.0 * n + stretches < X.nbytes
