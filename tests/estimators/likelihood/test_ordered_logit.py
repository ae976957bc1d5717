"""Ordered regression: the optimum in many digits, its certificate, tables, margins and refusals."""

from __future__ import annotations

import warnings
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pytest

import empirisk as er
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.problems.likelihoods import Ordered
from empirisk.results import Kind

LINKS = ("logit", "probit")


def rows(rng: np.random.Generator, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """Return two columns of unlike units, and four classes along a line."""
    X = rng.normal(size=(n, 2)) * np.array([1.0, 10.0]) + np.array([0.0, 200.0])
    z = X @ np.array([1.0, -0.05]) + rng.logistic(size=n)
    return X, np.digitize(z, np.quantile(z, [0.2, 0.5, 0.8]))


def loss_in_digits(link: str, X: Any, y: Any, s: Any) -> Any:
    """Return the mean negative log-likelihood as a function of coefficients and cut points, in 40 digits."""
    below = (lambda t: 1 / (1 + mpmath.exp(-t))) if link == "logit" else mpmath.ncdf

    def value(*w: Any) -> Any:
        cuts = [mpmath.mpf("-inf"), *w[X.shape[1] :], mpmath.mpf("inf")]
        total = mpmath.mpf(0)
        for row, k, weight in zip(X, y, s, strict=True):
            z = sum(mpmath.mpf(float(a)) * b for a, b in zip(row, w, strict=False))
            high = mpmath.mpf(1) if k == len(cuts) - 2 else below(cuts[k + 1] - z)
            low = mpmath.mpf(0) if k == 0 else below(cuts[k] - z)
            total -= mpmath.mpf(float(weight)) * mpmath.log(high - low)
        return total / mpmath.mpf(float(sum(s)))

    return value


@pytest.mark.parametrize("link", LINKS)
def test_fit_is_the_optimum_in_many_digits_and_the_bound_holds(link: str, rng: np.random.Generator) -> None:
    X, y = rows(rng, 30)
    s = rng.integers(1, 3, 30).astype(float)
    model = er.OrderedLogit(link, tol=1e-13).fit(X, y, sample_weight=s)
    w = [*model.coef_, *model.cutpoints_]
    with mpmath.workdps(40):
        value = loss_in_digits(link, X, y, s)
        for j in range(len(w)):
            slope = mpmath.diff(value, tuple(map(mpmath.mpf, w)), tuple(int(k == j) for k in range(len(w))))
            assert abs(slope) < 1e-7 * max(1.0, 200.0 * (j < 2))
        least = value(*map(mpmath.mpf, w))
        assert float(least) * -s.sum() == pytest.approx(model.log_likelihood_, rel=1e-12)
        problem = model.problem(X, y, s)
        for size in (1e-4, 1e-3, 1e-2):
            moved = model.solution_.w + size * rng.normal(size=len(w)) * np.array([1.0, 0.1, 1.0, 1.0, 1.0])
            found = problem.certify(moved)
            excess = problem.objective(moved, problem.evaluate(moved)) - float(least)
            if link == "logit":
                assert found.value >= excess * (1.0 - 1e-6)
                assert found.kind is Kind.CURVATURE or not np.isfinite(found.value)


def test_bound_is_proved_in_a_neighbourhood_that_is_no_point(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.OrderedLogit().fit(X, y)
    problem = model.problem(X, y)
    moved = model.solution_.w + 1e-3
    found = problem.certify(moved)
    assert found.kind is Kind.CURVATURE
    excess = problem.objective(moved, problem.evaluate(moved)) - problem.objective(
        model.solution_.w, problem.evaluate(model.solution_.w)
    )
    assert excess <= found.value <= 3.0 * excess
    assert found.suboptimality() == found.value


@pytest.mark.parametrize("link", LINKS)
def test_derivatives_are_those_of_the_value(link: str, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    problem = er.OrderedLogit(link, alpha=0.1).problem(X / np.array([1.0, 10.0]), y)
    w = problem.start() + 0.3 * np.array([1.0, -1.0, -1.0, 0.2, 1.0])
    step = 1e-5 * np.eye(5)
    slopes = [
        (problem.objective(w + d, problem.evaluate(w + d)), problem.objective(w - d, problem.evaluate(w - d)))
        for d in step
    ]
    e = problem.evaluate(w, ("hessian",))
    np.testing.assert_allclose([(a - b) / 2e-5 for a, b in slopes], problem.gradient(w, e), atol=1e-8)
    bent = [
        (problem.gradient(w + d, problem.evaluate(w + d)) - problem.gradient(w - d, problem.evaluate(w - d)))
        / 2e-5
        for d in step
    ]
    np.testing.assert_allclose(bent, problem.hessian(e), atol=1e-7)
    rows_ = problem.likelihood.slopes(w).mean(axis=0)
    np.testing.assert_allclose(rows_, e.grad, atol=1e-14)


def test_two_classes_are_logistic_regression(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    y = np.where(y > 1, "yes", "no")
    model, plain = er.OrderedLogit(tol=1e-14).fit(X, y), er.LogisticRegression(alpha=0, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_[0], rtol=1e-6)
    np.testing.assert_allclose(-model.cutpoints_, plain.intercept_, rtol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-6)
    ours, theirs = model.summary(), plain.summary()
    np.testing.assert_allclose(ours.se[:2], theirs.se[1:], rtol=1e-5)
    np.testing.assert_allclose(ours.ratios().value, theirs.ratios().value, rtol=1e-6)
    assert ours["LR"] == pytest.approx(theirs["LR"], rel=1e-7)


@pytest.mark.full  # the peer takes a second
@pytest.mark.parametrize("link", LINKS)
def test_statsmodels_has_the_same_table(link: str, rng: np.random.Generator) -> None:
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    X, y = rows(rng, 300)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    peer = OrderedModel(y, X, distr=link).fit(method="bfgs", disp=0, gtol=1e-9, maxiter=1000)
    table = er.OrderedLogit(link).fit(X, y).summary()
    np.testing.assert_allclose(table.coef[:2], peer.params[:2], rtol=1e-5)
    np.testing.assert_allclose(table.se[:2], peer.bse[:2], rtol=1e-4)
    assert table["log_likelihood"] == pytest.approx(peer.llf, rel=1e-9)


@pytest.mark.parametrize("link", LINKS)
def test_standard_errors_do_not_depend_on_the_origin(link: str, rng: np.random.Generator) -> None:
    """Cut points in the units of the user: their errors are those of a fit in columns as they are."""
    X, y = rows(rng)
    model = er.OrderedLogit(link, tol=1e-13).fit(X, y)
    raw = Ordered(X, y, np.ones(len(y)), 4, link)
    H = raw.sums(np.concatenate([model.coef_, model.cutpoints_]), True).hess
    assert H is not None
    np.testing.assert_allclose(model.summary().covariance, np.linalg.inv(H) / len(y), rtol=1e-6)


@pytest.mark.parametrize("link", LINKS)
def test_margins_have_the_gradients_of_their_averages(link: str, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.OrderedLogit(link).fit(X, np.array(["d", "a", "c", "b"])[y])
    shares = np.stack([np.full(len(y), 1.0 / len(y)), rng.dirichlet(np.ones(len(y)))])
    mean, gradient = model._averages(X, shares)
    np.testing.assert_allclose(mean, shares @ model.predict_proba(X), rtol=1e-10)
    for j in range(5):
        ends = []
        for step in (1e-6, -1e-6):
            other = er.OrderedLogit(link).fit(X, np.array(["d", "a", "c", "b"])[y])
            name, at = ("coef_", j) if j < 2 else ("cutpoints_", j - 2)
            getattr(other, name)[at] += step
            ends.append(other._averages(X, shares)[0])
        np.testing.assert_allclose((ends[0] - ends[1]) / 2e-6, gradient[:, :, j], atol=2e-7)
    table = er.margins(model, X, effects="all")
    assert len(table.value) == 8
    np.testing.assert_allclose(table.value.reshape(2, 4).sum(axis=1), 0.0, atol=1e-12)


def test_the_order_of_the_classes(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    names = np.array(["low", "mid", "high", "top"])
    given = er.OrderedLogit(order=["low", "mid", "high", "top"]).fit(X, names[y])
    plain = er.OrderedLogit().fit(X, y)
    np.testing.assert_allclose(given.coef_, plain.coef_)
    assert given.classes_.tolist() == ["high", "low", "mid", "top"]
    assert given.order_.tolist() == names.tolist()
    np.testing.assert_allclose(given.predict_proba(X)[:, [1, 2, 0, 3]], plain.predict_proba(X))
    ordered = pd.Series(pd.Categorical.from_codes(y, list(names), ordered=True))
    enum = pl.Series(names[y], dtype=pl.Enum(list(names)))
    frame = pd.DataFrame(X, columns=["a", "b"])
    for model in (
        er.OrderedLogit().fit(X, ordered),
        er.OrderedLogit().fit(X, enum),
        er.formula("grade ~ a + b", frame.assign(grade=ordered), er.OrderedLogit()).estimator_,
    ):
        assert model.order_.tolist() == names.tolist()
        np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9)
    reverse = er.OrderedLogit(order=[3, 2, 1, 0]).fit(X, y)
    np.testing.assert_allclose(reverse.coef_, -plain.coef_, rtol=1e-6)


def test_classes_in_perfect_order_have_no_maximum() -> None:
    X = pd.DataFrame({"dose": np.arange(6.0), "noise": [0.0, 3.0, 1.0, 2.0, 5.0, 4.0]})
    for link in LINKS:
        with pytest.raises(SeparationError, match=r"dose.* puts the rows in the order of their classes; add"):
            er.OrderedLogit(link).fit(X[["dose"]], [0, 0, 1, 1, 2, 2])
        with pytest.raises(SeparationError, match="but for ties"):
            er.OrderedLogit(link).fit(X[["dose"]].replace(3.0, 2.0), [0, 0, 0, 1, 2, 2])
    assert er.OrderedLogit(alpha=0.1).fit(X, [0, 0, 1, 1, 2, 2]).solution_.status.ok


def test_collinear_columns_have_no_number_of_their_own(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.OrderedLogit().fit(np.column_stack([X, X[:, 0]]), y)
    plain = er.OrderedLogit().fit(X, y)
    table = model.summary()
    assert np.isnan(table.se[[0, 2]]).all()
    assert table.se[1] == pytest.approx(plain.summary().se[1], rel=1e-6)
    assert "not determined by the rows: x0, x2" in str(table.notes)
    with pytest.raises(ValueError, match=r"do not determine x0, x2 .*collinear"):
        model.wald_test(["x0", "x2"])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"link": "cloglog"}, r"link must be one of .*, got 'cloglog'"),
        ({"order": [0, 1, 2]}, r"order must name each class of y once, but it lacks 3"),
        ({"order": [0, 1, 2, 3, 4]}, r"but it names 4; the classes are 0, 1, 2, 3"),
        ({"alpha": "cv"}, r"alpha"),
        ({"alpha": -1.0}, r"alpha"),
    ],
)
def test_refusals(parameters: dict[str, Any], words: str, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(ValueError, match=words):
        er.OrderedLogit(**parameters).fit(X, y)


def test_a_class_without_weight_is_refused(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(ValueError, match="the class 2 has no row with positive sample_weight"):
        er.OrderedLogit().fit(X, y, sample_weight=(y != 2).astype(float))
    with pytest.raises(ValueError, match="covariance must be one of"):
        er.OrderedLogit().fit(X, y).summary(covariance="HC3")


def test_text_without_an_order_is_told(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    words = np.array(["none", "mild", "strong", "worst"])[y]
    with pytest.warns(
        UserWarning, match="ER006: .* by the alphabet, mild < none < strong < worst: give order="
    ):
        er.OrderedLogit().fit(X, words)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        er.OrderedLogit(order=["none", "mild", "strong", "worst"]).fit(X, words)
        er.OrderedLogit().fit(X, y)
        er.OrderedLogit().fit(X, np.where(y > 1, "yes", "no"))
