"""How many components: rules against their definitions, and how often they find the number that is true."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.reduction.bicross import bi_cross_validation
from empirisk.reduction.centred import CentredRows, blocks_of
from empirisk.reduction.how_many import broken_stick, parallel
from empirisk.typing import Array


def factors(rng: np.random.Generator, n: int = 200, p: int = 20, k: int = 3, strength: float = 3.0) -> Array:
    """Return rows with k factors in independent noise."""
    return strength * rng.normal(size=(n, k)) @ rng.normal(size=(k, p)) / math.sqrt(k) + rng.normal(
        size=(n, p)
    )


@pytest.mark.parametrize("p", [1, 2, 7])
def test_the_pieces_of_a_broken_stick(p: int, rng: np.random.Generator) -> None:
    direct = [sum(1.0 / i for i in range(j, p + 1)) / p for j in range(1, p + 1)]
    np.testing.assert_allclose(broken_stick(p), direct, rtol=1e-14)
    cuts = np.sort(rng.random((20_000, p - 1)), axis=1)
    pieces = np.diff(cuts, axis=1, prepend=0.0, append=1.0)
    np.testing.assert_allclose(np.sort(pieces, axis=1)[:, ::-1].mean(axis=0), broken_stick(p), atol=0.01)


@pytest.mark.parametrize(("n", "p"), [(60, 5), (8, 12)])
def test_parallel_analysis_is_that_of_normal_tables(n: int, p: int, rng: np.random.Generator) -> None:
    variances = np.geomspace(4.0, 1.0, p)
    tables = rng.normal(size=(2000, n, p)) * np.sqrt(variances)
    tables -= tables.mean(axis=1, keepdims=True)
    values = np.linalg.svd(tables, compute_uv=False) ** 2 / n
    direct = np.quantile(values, 0.95, axis=0)
    count = min(n - 1, p)
    ours = np.mean(
        [parallel(variances, float(n), count, np.random.default_rng(s)) for s in range(30)], axis=0
    )
    np.testing.assert_allclose(ours, direct[:count], rtol=0.06, atol=0.03)


@pytest.mark.parametrize("rule", ["parallel", "bcv"])
def test_the_number_of_strong_factors_is_found(rule: str, rng: np.random.Generator) -> None:
    found = [er.PCA(rule, random_state=seed).fit(factors(rng)).n_components_ for seed in range(10)]
    assert found.count(3) >= 9


def test_parallel_analysis_finds_no_component_in_independent_columns(rng: np.random.Generator) -> None:
    falsely = 0
    for seed in range(60):
        X = rng.normal(size=(80, 10)) * np.geomspace(3.0, 1.0, 10)
        falsely += er.PCA("parallel", random_state=seed).fit(X).choice_["found"] > 0
    # 5 % are meant: 60 tables have 10 or more with probability 0.001.
    assert falsely < 10


def test_a_share_takes_the_fewest_components_that_reach_it(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 6)) * [4.0, 3.0, 2.0, 1.0, 0.5, 0.1]
    shares = np.cumsum(er.PCA().fit(X).explained_variance_ratio_)
    for wanted in (0.01, 0.5, 0.9, 0.999):
        pca = er.PCA(wanted).fit(X)
        assert pca.n_components_ == int(np.argmax(shares >= wanted)) + 1
        assert pca.choice_["rule"] == wanted
        np.testing.assert_allclose(pca.choice_["values"], er.PCA().fit(X).explained_variance_ratio_)


def test_held_out_blocks_are_predicted_by_the_formula(rng: np.random.Generator) -> None:
    X = factors(rng, 12, 10, 2)
    data = CentredRows.read(blocks_of(X, np.ones(12)))
    errors = bi_cross_validation(data, np.random.default_rng(4))
    again, draws = np.zeros(len(errors)), np.random.default_rng(4)
    A = (X - X.mean(axis=0)) / data.unit
    for _ in range(3):
        rows, columns = draws.permutation(12) % 2, draws.permutation(10) % 2
        for r in range(2):
            for c in range(2):
                held, left = A[np.ix_(rows == r, columns == c)], A[np.ix_(rows != r, columns == c)]
                above, rest = A[np.ix_(rows == r, columns != c)], A[np.ix_(rows != r, columns != c)]
                U, s, V = np.linalg.svd(rest, full_matrices=False)
                for k in range(len(errors)):
                    inverse = (V[:k].T / s[:k]) @ U[:, :k].T
                    again[k] += np.square(held - above @ inverse @ left).sum()
    np.testing.assert_allclose(errors, again / (3 * A.size), rtol=1e-9)


def test_few_rows_or_columns_cannot_be_halved(rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="needs 4 of each, got 30 x 3"):
        er.PCA("bcv").fit(rng.normal(size=(30, 3)))
