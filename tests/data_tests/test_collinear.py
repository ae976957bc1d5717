"""Collinear columns are found and named, in any unit, and nothing is found where there is nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data import Design
from empirisk.data.collinear import find_collinear
from empirisk.data.triangular import triangular_factor
from tests.oracles import nist


def find(X, intercept=True, names=None, weight=None):
    X = X if sp.issparse(X) else np.asarray(X)
    return find_collinear(Design(X), np.ones(X.shape[0]) if weight is None else weight, intercept, names)


def test_a_linear_relation_is_written_out(rng):
    a, b = rng.standard_normal((2, 50))
    found = find(np.column_stack([a, b, 2 * a - b]), names=["a", "b", "c"])
    assert found.rank == 2
    assert np.isinf(found.condition)
    (relation,) = found.relations
    assert relation.exact
    # Any of the three may be the one that is explained; the relation is the same.
    assert relation.sentence in {"c = 2 a - b", "a = 0.5 b + 0.5 c", "b = 2 a - c"}
    left = np.column_stack([a, b, 2 * a - b])
    right = left[:, relation.others] @ relation.coefficients + relation.constant
    np.testing.assert_allclose(left[:, relation.column], right, atol=1e-12)


def test_constant_duplicate_and_shifted_columns_are_named(rng):
    a, b = rng.standard_normal((2, 40))
    X = np.column_stack([a, np.full(40, 3.0), b, a, 7.0 - 2.0 * b])
    sentences = find(X, names=["a", "k", "b", "a2", "c"]).sentences
    assert "k is constant (3)" in sentences
    assert {"a2 duplicates a", "a duplicates a2"} & set(sentences)
    assert {"c = -2 b + 7", "b = -0.5 c + 3.5"} & set(sentences)
    assert len(sentences) == 3


def test_without_an_intercept_a_constant_column_is_a_column(rng):
    a = rng.standard_normal(30)
    assert find(np.column_stack([a, np.ones(30)]), intercept=False).relations == ()
    assert find(np.column_stack([a, np.zeros(30)]), intercept=False).sentences == ("x1 is zero in every row",)
    shifted = find(np.column_stack([a, np.ones(30), a + 2.0]), intercept=False)
    assert len(shifted.relations) == 1
    assert shifted.rank == 2


def test_a_full_set_of_dummies(rng):
    X = np.eye(4)[rng.integers(0, 4, size=200)]
    found = find(X, names=list("abcd"))
    assert found.rank == 3
    (relation,) = found.relations
    assert relation.constant == pytest.approx(1.0)
    assert sorted([relation.column, *relation.others]) == [0, 1, 2, 3]
    assert relation.coefficients == pytest.approx((-1.0, -1.0, -1.0))
    assert find(X, intercept=False).relations == ()
    assert find(sp.csr_array(X), names=list("abcd")).sentences == found.sentences


def test_scales_of_1e12_and_1e_minus_12_do_not_matter(rng):
    a, b, c = rng.standard_normal((3, 60))
    X = np.column_stack([1e12 * a, 1e-12 * b, a + b, c])
    found = find(X)
    assert len(found.relations) == 1
    r = found.relations[0]
    assert r.exact
    assert 3 not in (r.column, *r.others)
    assert find(np.column_stack([1e12 * a, 1e-12 * b, c])).relations == ()


def test_nearly_collinear_columns_are_called_nearly(rng):
    a, b, e = rng.standard_normal((3, 500))
    found = find(np.column_stack([a, b, a - b + 1e-5 * e]), names=["a", "b", "c"])
    (relation,) = found.relations
    assert not relation.exact
    assert " is nearly " in relation.sentence
    assert 1e-6 < relation.residual < 1e-4
    assert found.rank == 3


def test_many_rows_take_the_gram_route_and_agree(rng):
    X = rng.standard_normal((5000, 4))
    X[:, 3] = X[:, 0] + 0.01 * rng.standard_normal(5000)
    design, weight = Design(X), rng.integers(0, 4, size=5000).astype(float)
    fast = triangular_factor(design, weight, True)
    slow = triangular_factor(design, weight, True, exact=True)
    assert (fast.method, slow.method) == ("cholesky", "qr")
    np.testing.assert_allclose(fast.singular, slow.singular, rtol=1e-9)
    H, K = fast.half_inverse(), slow.half_inverse()
    np.testing.assert_allclose(H @ H.T, K @ K.T, rtol=1e-9, atol=1e-16)
    X[:, 3] = X[:, 0]
    found = find(X)
    assert found.relations[0].exact
    assert find(np.column_stack([X[:, :3], X[:, 0] + 1e-7 * rng.standard_normal(5000)])).rank == 4


def test_inflation_is_one_over_one_minus_r_squared(rng):
    X = rng.standard_normal((80, 3))
    X[:, 2] += X[:, 0]
    found = find(X)
    for j in range(3):
        A = np.column_stack([np.ones(80), np.delete(X, j, axis=1)])
        rss = np.linalg.lstsq(A, X[:, j], rcond=None)[1][0]
        r2 = 1.0 - rss / ((X[:, j] - X[:, j].mean()) ** 2).sum()
        assert found.inflation[j] == pytest.approx(1.0 / (1.0 - r2), rel=1e-10)
    # Unit columns about their means: the singular values of the correlation matrix.
    values = np.linalg.eigvalsh(np.corrcoef(X.T))
    assert found.condition == pytest.approx(np.sqrt(values[-1] / values[0]), rel=1e-10)


def test_random_columns_raise_no_alarm(rng):
    for n, p in ((10, 9), (30, 29), (200, 50)):
        X = rng.standard_normal((n, p)) + 100.0 * rng.standard_normal(p)
        found = find(X)
        assert found.relations == ()
        assert found.rank == p


def test_rows_without_weight_are_absent(rng):
    a, b = rng.standard_normal((2, 20))
    X = np.column_stack([a, b, a])
    X[3, 2] = 50.0
    weight = np.ones(20)
    assert find(X, weight=weight).relations == ()
    weight[3] = 0.0
    assert find(X, weight=weight).relations[0].sentence in {"x2 duplicates x0", "x0 duplicates x2"}


def test_longley_and_filip_are_of_full_rank():
    for name in ("longley", "filip", "wampler1"):
        X, _ = nist.case(name).arrays()
        found = find(X)
        assert found.rank == X.shape[1], name
        assert not any(r.exact for r in found.relations)
    assert find(nist.case("longley").arrays()[0]).relations == ()
    assert find(nist.case("filip").arrays()[0]).relations


def test_more_columns_than_rows(rng):
    found = find(rng.standard_normal((6, 9)))
    assert found.rank == 5
    assert len(found.relations) == 4


def test_too_many_columns_are_skipped_with_a_reason():
    found = find(np.zeros((2, 501)))
    assert found.rank is None
    assert "501 columns" in found.reason


def test_no_columns_and_no_weight():
    assert find(np.zeros((4, 0))).relations == ()
    assert find(np.ones((4, 2)), weight=np.zeros(4)).rank == 0


@pytest.mark.parametrize("intercept", [True, False])
def test_the_factor_of_some_columns_is_that_of_their_rows(intercept, rng):
    X = rng.standard_normal((300, 6)) * 10.0 ** np.arange(-3, 3) + 5.0
    X[:, 5] = X[:, 0] + X[:, 1]
    kept = np.array([4, 0, 2, 1])
    part = triangular_factor(Design(X), np.ones(300), intercept).of(kept)
    whole = triangular_factor(Design(X[:, kept]), np.ones(300), intercept, exact=True)
    assert part.rank == whole.rank == 4
    np.testing.assert_allclose(part.singular, whole.singular, rtol=1e-10)
    inverses = [f.half_inverse() @ f.half_inverse().T for f in (part, whole)]
    np.testing.assert_allclose(*inverses, rtol=1e-9)
