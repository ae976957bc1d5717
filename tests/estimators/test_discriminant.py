"""Linear and quadratic discriminants: Fisher's iris as R reports it, definitions, shrinkage, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLinear
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as PeerQuadratic

import empirisk as er
from empirisk.data import BlockList, Design
from empirisk.data.row_blocks import Block
from empirisk.estimators.discriminant.class_moments import ClassMoments
from empirisk.estimators.discriminant.covariance import oas


def clouds(rng: np.random.Generator, n: int = 200, p: int = 4) -> tuple[Any, Any]:
    """Three classes of unlike covariances, some rows of each of them."""
    y = np.arange(n) % 3
    mixing = rng.normal(size=(3, p, p))
    return np.einsum("ij,ijk->ik", rng.normal(size=(n, p)), mixing[y]) + 0.7 * y[:, None] + 5.0, y


def test_fisher_iris_as_r_prints_it() -> None:
    """MASS::lda(Species ~ ., iris) prints these coefficients and proportions of trace."""
    X, y = load_iris(return_X_y=True)
    model = er.LinearDiscriminantAnalysis().fit(X, y)
    printed = np.array(
        [
            [0.8293776, 0.02410215],
            [1.5344731, 2.16452123],
            [-2.2012117, -0.93192121],
            [-2.8104603, 2.83918785],
        ]
    )
    sign = np.sign((printed * model.scalings_).sum(axis=0))
    np.testing.assert_allclose(sign * model.scalings_, printed, rtol=1e-6)
    np.testing.assert_allclose(model.explained_variance_ratio_, [0.9912, 0.0088], atol=5e-5)
    assert (model.predict(X) != y).sum() == 3
    assert (er.QuadraticDiscriminantAnalysis().fit(X, y).predict(X) != y).sum() == 3


def test_linear_posteriors_are_those_of_the_densities(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    model = er.LinearDiscriminantAnalysis().fit(X, y)
    Z = X - np.stack([X[y == k].mean(axis=0) for k in range(3)])[y]
    C = Z.T @ Z / (len(y) - 3)
    law = [multivariate_normal(X[y == k].mean(axis=0), C).logpdf(X) for k in range(3)]
    joint = np.stack(law, axis=1) + np.log(np.bincount(y) / len(y))
    expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)
    np.testing.assert_allclose(model.covariance_, C, rtol=1e-12)
    np.testing.assert_allclose(
        model.decision_function(X) - model.decision_function(X)[:, :1],
        joint - joint[:, :1],
        rtol=1e-8,
        atol=1e-10,
    )


def test_quadratic_posteriors_are_those_of_the_densities(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    model = er.QuadraticDiscriminantAnalysis(priors=[0.5, 0.3, 0.2]).fit(X, y)
    law = [multivariate_normal(X[y == k].mean(axis=0), np.cov(X[y == k].T)).logpdf(X) for k in range(3)]
    joint = np.stack(law, axis=1) + np.log([0.5, 0.3, 0.2])
    expected = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-9, atol=1e-11)


def test_axes_have_unit_variance_within_and_rank_by_the_ratio(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    model = er.LinearDiscriminantAnalysis().fit(X, y)
    Z = model.transform(X)
    means = np.stack([Z[y == k].mean(axis=0) for k in range(3)])
    apart = Z - means[y]
    np.testing.assert_allclose(apart.T @ apart / (len(y) - 3), np.eye(2), atol=1e-10)
    between = np.bincount(y) / len(y) @ means**2
    np.testing.assert_allclose(between / between.sum(), model.explained_variance_ratio_, rtol=1e-9)
    # No direction has a larger ratio than the first axis.
    for v in rng.normal(size=(200, 4)):
        m = np.bincount(y) / len(y) @ (model.means_ @ v - model.xbar_ @ v) ** 2
        assert m / (v @ model.covariance_ @ v) <= between[0] * (1.0 + 1e-9)
    first = er.LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    np.testing.assert_allclose(first.transform(X), Z[:, :1], rtol=1e-9, atol=1e-12)
    assert list(first.get_feature_names_out()) == ["lineardiscriminantanalysis0"]
    with pytest.raises(ValueError, match=r"n_components = 3 exceeds min\(classes - 1, columns\) = 2"):
        er.LinearDiscriminantAnalysis(n_components=3).fit(X, y)


@pytest.mark.parametrize("kind", ["each", "pooled", "diagonal"])
def test_moments_of_blocks_add_up_without_cancellation(kind: str, rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    X, s = X + 1e7, rng.integers(0, 3, len(y)) * 0.5
    whole = ClassMoments.of(Block(Design(X), y, s, 0), 4, kind)
    parts = [
        ClassMoments.of(Block(Design(X[a : a + 13]), y[a : a + 13], s[a : a + 13], a), 4, kind)
        for a in range(0, len(y), 13)
    ]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    exact = X.astype(np.longdouble)
    for k in range(3):
        m = np.average(exact[y == k], axis=0, weights=s[y == k])
        np.testing.assert_allclose(total.mean[k], m.astype(float), rtol=1e-15)
        Z = (exact[y == k] - m) * np.sqrt(s[y == k])[:, None]
        if kind != "pooled":
            full = (Z.T @ Z).astype(float)
            np.testing.assert_allclose(total.scatter[k], full if kind == "each" else np.diag(full), rtol=1e-7)
    np.testing.assert_allclose(total.scatter, whole.scatter, rtol=1e-7, atol=1e-7)
    assert total.weight[3] == 0.0


# -- shrinkage ----------------------------------------------------------------------------------


def test_ledoit_wolf_is_the_formula_over_all_rows(rng: np.random.Generator) -> None:
    """d^2 and b^2 of the paper by their definitions, a sum over outer products of rows."""
    X, y = clouds(rng, n=40)
    for k, share in enumerate(er.QuadraticDiscriminantAnalysis("ledoit_wolf").fit(X, y).shrinkage_):
        Z = X[y == k] - X[y == k].mean(axis=0)
        S = Z.T @ Z / len(Z)
        d2 = ((S - np.trace(S) / 4 * np.eye(4)) ** 2).sum()
        b2 = sum(((np.outer(z, z) - S) ** 2).sum() for z in Z) / len(Z) ** 2
        assert share == pytest.approx(min(b2 / d2, 1.0), rel=1e-10)
        assert share == pytest.approx(ledoit_wolf_shrinkage(X[y == k]), rel=1e-9)
    Z = X - np.stack([X[y == k].mean(axis=0) for k in range(3)])[y]
    pooled = er.LinearDiscriminantAnalysis("ledoit_wolf").fit(X, y)
    assert pooled.shrinkage_ == pytest.approx(ledoit_wolf_shrinkage(Z, assume_centered=True), rel=1e-9)
    blocks = er.LinearDiscriminantAnalysis("ledoit_wolf").fit_blocks(BlockList.cut(X, y, rows=7))
    assert blocks.shrinkage_ == pytest.approx(pooled.shrinkage_, rel=1e-10)


@pytest.mark.parametrize("freedom", [3.0, 12.0, 80.0])
def test_oas_is_the_limit_of_its_iteration(freedom: float, rng: np.random.Generator) -> None:
    """Equations 21 and 22 of the paper, iterated: the oracle with the last estimate for the truth."""
    Z = rng.normal(size=(int(freedom), 5)) * [1.0, 1.0, 2.0, 3.0, 0.5]
    S, p = Z.T @ Z / freedom, 5
    F, share = np.trace(S) / p * np.eye(p), 0.5
    for _ in range(3_000):
        now = (1.0 - share) * S + share * F
        cross, trace = float((now * S).sum()), float(np.trace(now))
        over = (1.0 - 2.0 / p) * cross + trace**2
        share = over / ((freedom + 1.0 - 2.0 / p) * cross + (1.0 - freedom / p) * trace**2)
        share = min(max(share, 0.0), 1.0)
    assert oas(S, freedom) == pytest.approx(share, abs=1e-6)


def test_shrinkage_mixes_with_the_mean_variance(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    plain = er.LinearDiscriminantAnalysis().fit(X, y).covariance_
    mixed = er.LinearDiscriminantAnalysis(0.3).fit(X, y).covariance_
    np.testing.assert_allclose(mixed, 0.7 * plain + 0.3 * np.trace(plain) / 4 * np.eye(4), rtol=1e-12)
    full = er.LinearDiscriminantAnalysis(1.0).fit(X, y)  # spheres: the nearest mean, but for priors
    even = er.LinearDiscriminantAnalysis(1.0, priors=[1 / 3] * 3).fit(X, y)
    nearest = ((X[:, None, :] - full.means_) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(even.predict(X), nearest)
    wide = rng.normal(size=(20, 50))
    with pytest.raises(ValueError, match="17 degrees of freedom are fewer than its 50 columns"):
        er.LinearDiscriminantAnalysis().fit(wide, np.arange(20) % 3)
    for shrinkage in ("oas", "ledoit_wolf", 0.1):
        model = er.LinearDiscriminantAnalysis(shrinkage).fit(wide, np.arange(20) % 3)
        assert np.isfinite(model.predict_log_proba(wide)).all()
        assert 0.0 < model.shrinkage_ <= 1.0
    for bad in (-0.1, 1.1, "auto", True, [0.1]):
        with pytest.raises(ValueError, match=r'^shrinkage must be None, a number from 0 to 1, "ledoit_wolf"'):
            er.QuadraticDiscriminantAnalysis(bad).fit(X, y)


# -- what cannot be fitted ----------------------------------------------------------------------


def test_singular_covariances_name_columns_and_class(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    labels = np.array(["ash", "birch", "cedar"])[y]
    frame = pd.DataFrame(X, columns=["height", "width", "age", "mass"])
    frame["both"] = 2.0 * frame["height"] - frame["age"]
    tied = (
        r"a combination of column 'height', column 'age', column 'both' does not vary in it; drop one of them"
    )
    with pytest.raises(ValueError, match=f"the pooled covariance of the classes is singular: {tied}"):
        er.LinearDiscriminantAnalysis().fit(frame, labels)
    with pytest.raises(ValueError, match=f"the covariance of class 'ash' is singular: {tied}"):
        er.QuadraticDiscriminantAnalysis().fit(frame, labels)
    frame["both"] = np.where(y == 1, 3.0, X[:, 0] * X[:, 1])
    assert er.LinearDiscriminantAnalysis().fit(frame, labels).certificate_.within(0.0)
    with pytest.raises(
        ValueError, match="the covariance of class 'birch' is singular: column 'both' does not vary"
    ):
        er.QuadraticDiscriminantAnalysis().fit(frame, labels)
    with pytest.raises(ValueError, match="class 'cedar' has rows of weight 1"):
        er.QuadraticDiscriminantAnalysis().fit(X[:3, :1], labels[[0, 0, 2]])
    with pytest.raises(ValueError, match="leave no degree of freedom for a covariance"):
        er.LinearDiscriminantAnalysis().fit(X[:3], labels[:3])


@pytest.mark.parametrize("make", [er.LinearDiscriminantAnalysis, er.QuadraticDiscriminantAnalysis])
def test_units_and_places_of_the_columns_change_nothing(make: Any, rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    plain = make().fit(X, y).predict_log_proba(X)
    other = X * [1e-12, 1e12, 1.0, 1e6] + [0.0, 1e13, -1e4, 0.0]
    np.testing.assert_allclose(make().fit(other, y).predict_log_proba(other), plain, rtol=1e-7, atol=1e-9)


def test_the_claim_says_what_was_inverted(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    model = er.LinearDiscriminantAnalysis().fit(X, y)
    R = model.covariance_ / np.sqrt(np.outer(*[np.diag(model.covariance_)] * 2))
    assert f"condition number {np.linalg.cond(R):.3g}" in model.certificate_.claim
    assert "covariances of 3 classes" in er.QuadraticDiscriminantAnalysis().fit(X, y).certificate_.claim


def test_agreement_with_scikit_learn(rng: np.random.Generator) -> None:
    X, y = clouds(rng)
    peer = PeerLinear(solver="lsqr").fit(X, y)  # it divides by n
    ours = er.LinearDiscriminantAnalysis().fit(X, y)
    share = (len(y) - 3) / len(y)
    np.testing.assert_allclose(share * ours.covariance_, peer.covariance_, rtol=1e-10)
    steps = (ours.coef_ - ours.coef_[0]) / share
    np.testing.assert_allclose(steps, peer.coef_ - peer.coef_[0], rtol=1e-7, atol=1e-9)
    quadratic = PeerQuadratic(store_covariance=True).fit(X, y)
    told = er.QuadraticDiscriminantAnalysis().fit(X, y)
    for k, C in enumerate(quadratic.covariance_):  # by n_k or n_k - 1, as the version may be
        shares = C / told.covariance_[k]
        np.testing.assert_allclose(shares, shares[0, 0], rtol=1e-8)
        assert shares[0, 0] == pytest.approx(1.0, rel=2.0 / (y == k).sum())
