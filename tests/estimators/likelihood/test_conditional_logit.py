"""Conditional logistic regression: against sums over all subsets, pairs, a peer, and what it refuses."""

from __future__ import annotations

import pickle
from itertools import combinations
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest

import empirisk as er
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.results import Kind


def sets_of(rng: np.random.Generator, n: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns, cases and sets of 2 to 6 rows; some have no case, some nothing else."""
    group = np.repeat(np.arange(n), rng.integers(2, 7, n))
    X = rng.normal(size=(len(group), 2)) * np.array([1.0, 5.0]) + 3.0 * rng.normal(size=n)[group, None]
    z = X @ np.array([0.6, -0.1]) + rng.normal(size=n)[group]
    return X, (z + rng.logistic(size=len(group)) > 0.0).astype(int), group


def by_subsets(w: np.ndarray, X: np.ndarray, y: np.ndarray, group: np.ndarray) -> mpmath.mpf:
    """Return the log-likelihood by the definition, over all subsets of each set, in 30 digits."""
    total = mpmath.mpf(0)
    for g in np.unique(group):
        rows = np.flatnonzero(group == g)
        z = [
            sum(mpmath.mpf(float(a)) * mpmath.mpf(float(b)) for a, b in zip(X[i], w, strict=True))
            for i in rows
        ]
        m = int(y[rows].sum())
        top = sum(z[k] for k in range(len(rows)) if y[rows[k]])
        total += top - mpmath.log(sum(mpmath.exp(mpmath.fsum(part)) for part in combinations(z, m)))
    return total


def test_likelihood_is_the_sum_over_all_subsets_and_the_fit_its_maximum(rng: np.random.Generator) -> None:
    X, y, group = sets_of(rng, 25)
    model = er.ConditionalLogit().fit(X, y, groups=group)
    with mpmath.workdps(30):
        best = by_subsets(model.coef_, X, y, group)
        assert float(best) == pytest.approx(model.log_likelihood_, rel=1e-12)
        for j in range(2):
            step = np.zeros(2)
            step[j] = 1e-6
            slope = (
                by_subsets(model.coef_ + step, X, y, group) - by_subsets(model.coef_ - step, X, y, group)
            ) / 2e-6
            assert abs(slope) < 1e-4
        problem, total = (
            model.problem(X, y, groups=group),
            len(model.problem(X, y, groups=group).likelihood.weight),
        )
        for size in (1e-4, 1e-3):
            w = model.coef_ + size * np.array([1.0, 0.2])
            found = problem.certify(w)
            excess = float(best - by_subsets(w, X, y, group)) / total
            assert found.kind is Kind.CURVATURE
            assert excess <= found.value <= 3.0 * excess
    assert er.verify(model, X, y, groups=group).within(1e-12)


def test_pairs_are_logistic_regression_on_differences(rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 2))
    y = np.tile([1, 0], 60)
    X[y == 1] += 0.4
    model = er.ConditionalLogit().fit(X, y, groups=np.repeat(np.arange(60), 2))
    plain = er.LogisticRegression(alpha=0, fit_intercept=False, tol=1e-13)
    D = X[0::2] - X[1::2]
    sign = np.where(np.arange(60) % 2, 1.0, -1.0)
    plain.fit(D * sign[:, None], sign)
    np.testing.assert_allclose(model.coef_, plain.coef_[0], rtol=1e-6)
    np.testing.assert_allclose(model.summary().se, plain.summary().se, rtol=1e-6)
    robust, theirs = model.summary(covariance="HC0"), plain.summary(covariance="HC0")
    np.testing.assert_allclose(robust.se, theirs.se, rtol=1e-6)
    pairs = np.repeat(np.arange(60) // 3, 2)
    clustered = model.summary(covariance="CR0", groups=pairs)
    np.testing.assert_allclose(
        clustered.se, plain.summary(covariance="CR0", groups=np.arange(60) // 3).se, rtol=1e-6
    )


@pytest.mark.full  # the peer enumerates in Python
def test_statsmodels_has_the_same_table(rng: np.random.Generator) -> None:
    from statsmodels.discrete.conditional_models import ConditionalLogit

    X, y, group = sets_of(rng)
    peer = ConditionalLogit(y, X, groups=group).fit(disp=0)
    table = er.ConditionalLogit().fit(X, y, groups=group).summary()
    np.testing.assert_allclose(table.coef, peer.params, rtol=1e-4)
    np.testing.assert_allclose(table.se, peer.bse, rtol=1e-3)
    assert table["log_likelihood"] == pytest.approx(peer.llf, rel=1e-8)


def test_sets_without_information_change_nothing_and_are_named(rng: np.random.Generator) -> None:
    X, y, group = sets_of(rng)
    names = np.array([f"s{g:02d}" for g in group])
    model = er.ConditionalLogit().fit(X, y, groups=names)
    rate = pd.Series(y).groupby(group).mean()
    alone = rate.index[(rate == 0.0) | (rate == 1.0)]
    assert len(alone) > 0
    assert model.uninformative_.tolist() == [f"s{g:02d}" for g in alone]
    assert f"s{alone[0]:02d}" in str(model.summary().notes)
    keep = ~np.isin(group, alone)
    np.testing.assert_allclose(
        er.ConditionalLogit().fit(X[keep], y[keep], groups=group[keep]).coef_, model.coef_, rtol=1e-12
    )
    assert model.n_sets_ == len(rate) - len(alone) == model.summary()["n"]


def test_a_weight_is_a_repeated_set_and_order_and_levels_do_not_matter(rng: np.random.Generator) -> None:
    X, y, group = sets_of(rng)
    times = rng.integers(0, 3, group.max() + 1)
    weighted = er.ConditionalLogit().fit(X, y, sample_weight=times[group], groups=group)
    rows = np.concatenate([np.flatnonzero(times[group] > k) for k in range(2)])
    copies = np.concatenate([group[times[group] > k] + 100 * k for k in range(2)])
    repeated = er.ConditionalLogit().fit(X[rows], y[rows], groups=copies)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)
    np.testing.assert_allclose(weighted.summary().se, repeated.summary().se, rtol=1e-6)
    order = rng.permutation(len(y))
    level = 1e4 * rng.normal(size=group.max() + 1)
    moved = er.ConditionalLogit().fit((X + level[group][:, None])[order], y[order], groups=group[order])
    plain = er.ConditionalLogit().fit(X, y, groups=group)
    np.testing.assert_allclose(moved.coef_, plain.coef_, rtol=1e-6)


def test_many_cases_in_one_set_are_fitted_like_few(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.logistic(size=300) > -1.0).astype(int)
    one = er.ConditionalLogit().fit(X, y)
    plain = er.LogisticRegression(alpha=0).fit(X, y)
    # One large set: conditioning on the number of cases costs next to nothing (Breslow and Day, 7.1).
    np.testing.assert_allclose(one.coef_, plain.coef_[0], rtol=0.02)
    turned = er.ConditionalLogit().fit(-X, 1 - y)
    np.testing.assert_allclose(turned.coef_, one.coef_, rtol=1e-8)


def test_predictions_are_chances_within_a_set(rng: np.random.Generator) -> None:
    X, y, group = sets_of(rng)
    model = er.ConditionalLogit().fit(X, np.where(y, "case", "free"), groups=group)
    assert model.classes_.tolist() == ["case", "free"]
    other = er.ConditionalLogit().fit(X, y, groups=group)
    np.testing.assert_allclose(model.coef_, -other.coef_, rtol=1e-8)
    chance = other.predict_proba(X, group)[:, 1]
    np.testing.assert_allclose(pd.Series(chance).groupby(group).sum(), 1.0)
    first = np.flatnonzero(group == 0)
    odds = np.exp(X[first] @ other.coef_)
    np.testing.assert_allclose(chance[first], odds / odds.sum(), rtol=1e-10)
    again = pickle.loads(pickle.dumps(other))
    np.testing.assert_array_equal(again.predict(X, group), other.predict(X, group))
    np.testing.assert_allclose(again.summary(X, y, sets=group).se, other.summary().se)
    assert other.summary().ratios().kind == "odds ratio"
    with pytest.raises(ValueError, match=r"no average predictions.*ratios"):
        er.margins(other, X, effects="all")


def test_refusals(rng: np.random.Generator) -> None:
    X, y, group = sets_of(rng)
    with pytest.raises(ValueError, match="no set has a case and a control"):
        er.ConditionalLogit().fit(X, y, groups=np.arange(len(y)))
    with pytest.raises(ValueError, match=r"groups must have one entry per row, shape"):
        er.ConditionalLogit().fit(X, y, groups=group[:-1])
    with pytest.raises(ValueError, match=r"rows of a set have one weight"):
        er.ConditionalLogit().fit(X, y, sample_weight=1.0 + np.arange(len(y)), groups=group)
    with pytest.raises(ValueError, match=r"Only binary"):
        er.ConditionalLogit().fit(X, np.arange(len(y)) % 3, groups=group)
    apart = pd.DataFrame({"dose": X[:, 0] + 100.0 * y, "age": X[:, 1]})
    with pytest.raises(SeparationError, match=r"dose.* is larger for the cases of every set; add a penalty"):
        er.ConditionalLogit().fit(apart, y, groups=group)
    assert er.ConditionalLogit(alpha=0.1).fit(apart, y, groups=group).solution_.status.ok
    model = er.ConditionalLogit().fit(X, y, groups=group)
    with pytest.raises(ValueError, match="lies in another group than other rows of its matched set"):
        model.summary(covariance="cluster", groups=np.arange(len(y)) % 2)
    constant = er.ConditionalLogit().fit(np.column_stack([X, group]), y, groups=group)
    assert np.isnan(constant.summary().se[2])


def test_a_likelihood_without_a_maximum_is_known_after_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newton's method would take all that it may, each step with many trials."""
    from empirisk.estimators.likelihood import base

    asked: list[int] = []
    solve = base.solve

    def counted(problem: Any, *, tol: float, max_steps: int) -> Any:
        asked.append(max_steps)
        return solve(problem, tol=tol, max_steps=max_steps)

    monkeypatch.setattr(base, "solve", counted)
    town, sets = np.eye(4)[np.arange(24) % 4], np.arange(24) // 4
    case = (np.arange(24) % 4 == 0).astype(int)
    with pytest.raises(ValueError, match="the likelihood has no maximum"):
        er.ConditionalLogit(max_iter=500).fit(town, case, groups=sets)
    assert asked == [base.TRIAL]
