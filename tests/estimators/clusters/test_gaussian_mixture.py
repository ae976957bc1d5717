"""Mixtures of Gaussians: published likelihoods, closed forms, fifty digits, collapses, the choice of K."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture as Peer

import empirisk as er
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.mixtures import DegenerateError
from empirisk.results import Kind, Status
from tests.oracles.old_faithful import old_faithful

# Log-likelihoods by mclust 6.0.0 in R 4.2.2; its own tolerance is 1e-5 of the value.
MCLUST = {
    ("EEE", 3): -1126.31592782723,
    ("VVV", 2): -1130.26396018475,
    ("EEE", 2): -1140.18675943708,
    ("VVI", 2): -1147.80635253781,
    ("EII", 2): -1709.68137294974,
}
PEERS = {"full": "full", "tied": "tied", "diagonal": "diag", "spherical": "spherical"}


def three(rng: np.random.Generator, n: int = 300) -> np.ndarray:
    """Three groups that overlap a little."""
    centres = np.array([[0.0, 0.0], [4.0, 1.0], [0.0, 5.0]])
    return np.asarray(centres[np.arange(n) % 3] + rng.normal(size=(n, 2)))


@pytest.mark.parametrize(("letters", "k"), MCLUST)
def test_likelihoods_of_mclust(letters: str, k: int) -> None:
    model = er.GaussianMixture(k, covariance=letters, n_init=3, tol=1e-6).fit(old_faithful())
    assert model.log_likelihood_ == pytest.approx(MCLUST[letters, k], abs=2e-4)
    assert model.log_likelihood_ >= MCLUST[letters, k] - 1e-4


def test_one_component_is_the_closed_form(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3)) @ np.diag([1.0, 100.0, 0.01]) + 1e4
    model = er.GaussianMixture(1).fit(X)
    np.testing.assert_allclose(model.means_[0], X.mean(axis=0), rtol=1e-14)
    cov = np.cov(X.T, bias=True)
    unit = np.sqrt(np.diag(cov))
    np.testing.assert_allclose(
        model.covariances_[0] / np.outer(unit, unit), cov / np.outer(unit, unit), atol=1e-10
    )
    logs = -0.5 * (50 * np.linalg.slogdet(2.0 * np.pi * cov)[1] + 50 * 3)
    assert model.log_likelihood_ == pytest.approx(logs, rel=1e-12)
    assert model.n_iter_ <= 2


@pytest.mark.parametrize("covariance", PEERS)
def test_scikit_learn_ends_at_the_same_parameters(covariance: str, rng: np.random.Generator) -> None:
    X = three(rng)
    ours = er.GaussianMixture(3, covariance=covariance, tol=1e-8).fit(X)
    theirs = Peer(
        3, covariance_type=PEERS[covariance], tol=1e-14, reg_covar=0.0, max_iter=5000, means_init=ours.means_,
        weights_init=ours.weights_,
        precisions_init={"spherical": lambda c: 1.0 / c, "diag": lambda c: 1.0 / c}.get(
            PEERS[covariance], np.linalg.inv)(ours.covariances_),
    ).fit(X)  # fmt: skip
    np.testing.assert_allclose(ours.means_, theirs.means_, atol=2e-5)
    np.testing.assert_allclose(ours.weights_, theirs.weights_, atol=2e-5)
    np.testing.assert_allclose(ours.covariances_, theirs.covariances_, atol=1e-4)
    assert ours.bic_ == pytest.approx(theirs.bic(X), rel=1e-9)
    assert ours.aic_ == pytest.approx(theirs.aic(X), rel=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-4)


def test_densities_in_fifty_digits() -> None:
    """Five rows of one column, and a row whose density no double holds."""
    X = np.array([[0.0], [0.5], [1.0], [7.0], [9.0]])
    model = er.GaussianMixture(2, tol=1e-9).fit(X)
    with mpmath.workdps(50):
        pi, mean = (
            [mpmath.mpf(float(v)) for v in model.weights_],
            [mpmath.mpf(float(v)) for v in model.means_[:, 0]],
        )
        deviation = [mpmath.mpf(float(v)) for v in model._parts["factors"][:, 0, 0]]

        def density(x: Any) -> Any:
            return mpmath.fsum(w * mpmath.npdf(x, m, s) for w, m, s in zip(pi, mean, deviation, strict=True))

        value = mpmath.fsum(mpmath.log(density(mpmath.mpf(float(x)))) for x in X[:, 0])
        far = float(mpmath.log(density(mpmath.mpf(500))))
    assert model.log_likelihood_ == pytest.approx(float(value), rel=1e-14)
    assert model.score_samples([[500.0]])[0] == pytest.approx(far, rel=1e-13)
    assert far < -10_000.0


def test_the_optimum_is_stationary_in_fifty_digits() -> None:
    """Newton's method of mpmath, from the end of EM, moves no parameter by more than a little."""
    X = np.array([0.0, 0.5, 1.0, 7.0, 9.0, 4.0])
    model = er.GaussianMixture(2, covariance="tied_spherical", tol=1e-7).fit(X[:, None])

    def slope(m0: Any, m1: Any, log_s: Any, odds: Any) -> list[Any]:
        def loss(*a: Any) -> Any:
            share, s = 1 / (1 + mpmath.exp(-a[3])), mpmath.exp(a[2])
            return -mpmath.fsum(
                mpmath.log(share * mpmath.npdf(x, a[0], s) + (1 - share) * mpmath.npdf(x, a[1], s))
                for x in X.tolist()
            )

        at = (m0, m1, log_s, odds)
        return [mpmath.diff(loss, at, tuple(int(i == j) for i in range(4))) for j in range(4)]

    w = model.weights_
    start = [*model.means_[:, 0], 0.5 * np.log(model.covariances_), np.log(w[0] / w[1])]
    with mpmath.workdps(30):
        exact = mpmath.findroot(slope, start, tol=1e-20)
    np.testing.assert_allclose(start, [float(v) for v in exact], atol=3e-6)


def test_weights_are_repetitions(rng: np.random.Generator) -> None:
    X, s = three(rng, 120), rng.integers(0, 4, 120)
    s[0] = 1
    one = er.GaussianMixture(3, tol=1e-7).fit(X, sample_weight=0.25 * s)
    other = er.GaussianMixture(3, tol=1e-7).fit(np.repeat(X, s, axis=0))
    np.testing.assert_allclose(one.means_, other.means_, atol=1e-6)
    np.testing.assert_allclose(one.covariances_, other.covariances_, atol=1e-5)
    for name in ("log_likelihood_", "bic_", "icl_"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-8), name


# -- collapses ----------------------------------------------------------------------------------


def test_a_part_that_collapses_on_equal_rows_is_named(rng: np.random.Generator) -> None:
    X = np.vstack([rng.normal(size=(40, 2)), np.full((15, 2), 9.0)])
    with pytest.raises(DegenerateError, match=r"component . has no spread in column 0 .*give a ridge > 0"):
        er.GaussianMixture(2).fit(X)
    # The tied covariance has the spread of all, and so has a ridge, at the price of its penalty.
    assert er.GaussianMixture(2, covariance="tied").fit(X).certificate_.kind is Kind.MONOTONE
    model = er.GaussianMixture(2, ridge=1e-3).fit(X)
    assert np.linalg.eigvalsh(model.covariances_).min() > 0.0
    assert er.verify(model, X, None).within(1e-5)


def test_a_ridge_that_pays_for_fewer_parts_is_to_be_lowered() -> None:
    """Each part pays ``c S tr(Sigma^-1 V) / 2``, so that with a large c two parts are better than three."""
    X = load_iris().data
    few, many = (er.GaussianMixture(k, ridge=1e-2, random_state=0) for k in (2, 3))
    few.fit(X)
    with pytest.raises(DegenerateError, match=r"has no rows left .*lower the ridge"):
        many.fit(X)
    assert er.GaussianMixture(3, ridge=1e-3, random_state=0).fit(X).weights_.min() > 0.2


def test_a_singular_covariance_is_named(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    X[:, 2] = X[:, 0] - 2.0 * X[:, 1]
    with pytest.raises(DegenerateError, match=r"singular covariance \(its rows lie in a plane; column"):
        er.GaussianMixture(2).fit(X)
    assert er.GaussianMixture(2, covariance="diagonal").fit(X).solution_.status.ok


def test_starts_that_degenerate_are_counted_and_left_out(rng: np.random.Generator) -> None:
    X = np.vstack([rng.normal(size=(60, 2)), np.full((4, 2), 3.0)])
    model = er.GaussianMixture(3, n_init=12, init="random").fit(X)
    lost = len(model.starts_.degenerate)
    assert len(model.starts_.values) == 12
    assert int(np.isnan(model.starts_.values).sum()) == lost
    if lost:
        assert f"{lost} degenerated" in model.certificate_.claim


def test_numbers_without_a_fit_are_named(rng: np.random.Generator) -> None:
    X = np.vstack([np.zeros((6, 1)), rng.normal(size=(30, 1))])
    model = er.GaussianMixture([1, 25], n_init=2).fit(X)
    assert model.n_components_ == 1
    assert list(model.selection_.singular) == [25]
    assert "without a fit: 25 (degenerate)" in model.selection_.sentence


def test_more_components_than_rows_are_refused() -> None:
    with pytest.raises(ValueError, match=r"n_components = 5, but X has n_samples = 3 rows"):
        er.GaussianMixture(5).fit(np.arange(3.0)[:, None])


# -- the number of components -------------------------------------------------------------------


def test_the_criterion_finds_three_groups_and_says_how_sure(rng: np.random.Generator) -> None:
    X = 2.0 * three(rng)
    model = er.GaussianMixture("bic", covariance="spherical", n_init=2, tol=1e-3).fit(X)
    chosen = model.selection_
    assert model.n_components_ == chosen.best == 3
    assert chosen.n_components == tuple(range(1, 10))
    assert chosen.low[chosen.n_components.index(1)] > 0.0
    assert 1 not in chosen.open
    j = chosen.n_components.index(2)
    two = er.GaussianMixture(2, covariance="spherical", n_init=2, tol=1e-3).fit(X)
    assert chosen.difference[j] == pytest.approx(two.bic_ - model.bic_, rel=1e-9)
    # The standard error is that of twice a sum of differences of log-densities.
    d = model.score_samples(X) - two.score_samples(X)
    assert chosen.standard_error[j] == pytest.approx(2.0 * np.sqrt(len(X)) * d.std(), rel=1e-9)
    assert "BIC takes 3 components" in chosen.sentence


def test_criteria_have_their_formulas(rng: np.random.Generator) -> None:
    X = three(rng)
    model = er.GaussianMixture(3).fit(X)
    d = 2 + 3 * (2 + 3)
    assert model.bic_ == pytest.approx(d * np.log(300) - 2.0 * model.score_samples(X).sum())
    assert model.icl_ == pytest.approx(model.bic_ - 2.0 * np.log(model.predict_proba(X).max(axis=1)).sum())
    for word in ("icl", "aic"):
        chosen = er.GaussianMixture([2, 3], criterion=word).fit(X)
        assert chosen.selection_.values.min() == pytest.approx(getattr(chosen, f"{word}_"))


# -- what is read off a fit ---------------------------------------------------------------------


def test_draws_are_like_the_rows_and_outliers_are_rare(rng: np.random.Generator) -> None:
    X = three(rng, 900)
    model = er.GaussianMixture(3).fit(X)
    drawn, part = model.sample(20_000, 0)
    np.testing.assert_allclose(np.bincount(part) / 20_000, model.weights_, atol=0.02)
    np.testing.assert_allclose(drawn.mean(axis=0), X.mean(axis=0), atol=0.08)
    scores = model.outlier_scores(drawn[:2000])
    assert np.quantile(scores, [0.1, 0.5, 0.9]) == pytest.approx([0.1, 0.5, 0.9], abs=0.05)
    assert model.outlier_scores([[50.0, 50.0]])[0] == 1.0


def test_given_means_are_one_start(rng: np.random.Generator) -> None:
    X = three(rng)
    model = er.GaussianMixture(3, init=[[0.0, 0.0], [4.0, 1.0], [0.0, 5.0]]).fit(X)
    assert len(model.starts_.values) == 1
    assert "one start alone" in model.certificate_.claim
    with pytest.raises(ValueError, match=r"init must have shape .* = \(3, 2\), got \(2, 2\)"):
        er.GaussianMixture(3, init=np.eye(2)).fit(X)


def test_too_few_steps_are_said(rng: np.random.Generator) -> None:
    model = er.GaussianMixture(3, max_iter=2, n_init=1, init="random", tol=1e-7)
    with pytest.warns(CertificateWarning, match="ER001: EM took max_iter = 2 steps"):
        model.fit(three(rng))
    assert model.solution_.status is Status.MAX_STEPS


def test_far_rows_and_offsets_lose_no_digits(rng: np.random.Generator) -> None:
    """A column of years has its variance, and 2^30 added to each row changes the parameters as it should."""
    X = np.round(three(rng) * 256.0) / 256.0
    one, other = er.GaussianMixture(3, tol=1e-7).fit(X), er.GaussianMixture(3, tol=1e-7).fit(X + 2.0**20)
    np.testing.assert_allclose(other.means_ - 2.0**20, one.means_, atol=1e-6)
    np.testing.assert_allclose(other.covariances_, one.covariances_, atol=1e-5)


def test_parameters_out_of_range_are_refused() -> None:
    X = np.arange(10.0)[:, None]
    for bad, words in (
        ({"n_components": 0}, "n_components must be an integer >= 1, a list"),
        ({"n_components": "gap"}, 'n_components must be .*"bic"'),
        ({"covariance": "ellipse"}, "covariance must be"),
        ({"init": "furthest"}, 'init must be "k-means'),
        ({"criterion": "dic"}, "criterion must be 'bic'"),
        ({"ridge": -1.0}, "ridge must be"),
        ({"tol": -1.0}, "tol must be"),
        ({"n_init": 0}, "n_init must be"),
    ):
        with pytest.raises(ValueError, match=words):
            er.GaussianMixture(**{"n_components": 2, **bad}).fit(X)


def test_new_rows_may_be_equal(rng: np.random.Generator) -> None:
    """A table that has no spread has no fit, and predictions all the same."""
    X = rng.normal(size=(60, 2))
    model = er.GaussianMixture(2).fit(X)
    np.testing.assert_array_equal(model.predict(X[[5, 5, 5]]), model.predict(X)[[5, 5, 5]])
    with pytest.raises(
        ValueError, match=r"column 1 of X holds numbers of size 1e\+200, whose squares overflow"
    ):
        model.predict(np.array([[0.0, 1e200]]))


def test_chances_are_features_with_names(rng: np.random.Generator) -> None:
    X = pd.DataFrame(three(rng), columns=["a", "b"])
    model = er.GaussianMixture(3, random_state=0).set_output(transform="pandas").fit(X)
    made = model.transform(X)
    assert list(made.columns) == ["gaussianmixture0", "gaussianmixture1", "gaussianmixture2"]
    np.testing.assert_array_equal(made.to_numpy(), model.predict_proba(X))
