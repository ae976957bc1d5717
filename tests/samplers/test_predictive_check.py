"""Posterior predictive checks, and credible beside confidence intervals."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.losses import check_targets
from empirisk.samplers import FunctionTarget, PredictiveCheck, sample
from empirisk.samplers.draws import Draws
from empirisk.samplers.likelihood import Likelihood
from empirisk.typing import Array
from tests.conformance.loss_samples import SAMPLES, loss_of


@pytest.fixture(scope="module")
def lines() -> tuple[Draws, Array, Array, Any]:
    """Draws of a line with a flat prior, its rows, and the model."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 1))
    y = 1.0 + 2.0 * X[:, 0] + rng.normal(size=25)
    model = er.LinearRegression().fit(X, y)
    return sample(model, draws=1000, dispersion=1.0, random_state=1), X, y, model


def test_chances_of_a_gaussian_are_those_of_algebra(lines: Any) -> None:
    # y' | y ~ N(H y, s (I + H)): linear statistics a'y' are normal, with variance s a'(I + H) a.
    found, X, y, _ = lines
    D = np.column_stack([X, np.ones(25)])
    H = D @ np.linalg.solve(D.T @ D, D.T)
    weights = {"first": np.eye(25)[0], "contrast": np.sign(X[:, 0]), "sixth": np.eye(25)[5]}
    statistics = {name: lambda t, a=a: float(a @ t) for name, a in weights.items()}
    check = found.predictive_check(X, y, statistics, replications=4000, random_state=2)
    assert check.replicated.shape == (4, 1000, 3)
    for j, a in enumerate(weights.values()):
        law = stats.norm(a @ H @ y, math.sqrt(a @ (np.eye(25) + H) @ a))
        wanted = law.sf(a @ y)
        half = 2.5 * math.sqrt(wanted * (1.0 - wanted) / 4000) + 1e-9
        low, high = check.interval[:, j]
        middle = 0.5 * (low + high)
        assert low - (middle - low) - half <= wanted <= high + (high - middle) + half
        assert check.above[j] + check.below[j] == pytest.approx(1.0)
    told = check.to_frame()
    assert list(told["statistic"]) == list(weights)
    np.testing.assert_allclose(told["observed"], [a @ y for a in weights.values()])


def test_wilson_intervals_of_independent_replications() -> None:
    hits = np.zeros((4, 250, 1))
    hits[:, :75] = 1.0  # rows of one kind in a block: the effective number is far below 1000
    rng = np.random.default_rng(0)
    mixed = rng.permuted(hits, axis=1)
    block, free = (
        PredictiveCheck(["a"], np.array([1.0]), x, "made draws", 9).interval[:, 0] for x in (hits, mixed)
    )
    p, z, n = 0.3, 1.959963984540054, 1000.0
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    assert free == pytest.approx([centre - half, centre + half], abs=0.3 * half)
    assert block[1] - block[0] > 5.0 * (free[1] - free[0])


def counts(spread: bool) -> tuple[Draws, Array, Array]:
    """Draws of a Poisson model of counts that are, or are not, of that law."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 1))
    rate = np.exp(0.7 + 0.3 * X[:, 0])
    y = rng.poisson(rate * (rng.gamma(1.0, 1.0, 150) if spread else 1.0)).astype(float)
    return sample(er.PoissonRegressor(alpha=1e-3).fit(X, y), draws=250, random_state=1), X, y


def test_counts_that_vary_too_much_are_found_and_true_ones_are_not() -> None:
    found, X, y = counts(True)
    check = found.predictive_check(X, y, replications=400)
    assert check.names == ["mean", "sd", "zeros", "max"]
    assert {"sd", "zeros"} <= set(check.off)
    assert "does not reproduce" in repr(check)
    found, X, y = counts(False)
    check = found.predictive_check(X, y, replications=400)
    assert check.off == []
    assert "The model reproduces" in repr(check)


def test_labels_and_classes_are_checked_by_their_shares() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 1))
    side = np.where(X[:, 0] + rng.logistic(size=60) > 0.0, "yes", "no")
    check = sample(er.LogisticRegression(alpha=0.05).fit(X, side), draws=50).predictive_check(X, side)
    assert check.names == ["share of yes"]
    assert check.observed[0] == pytest.approx((side == "yes").mean())
    assert check.replicated.shape == (4, 50, 1)
    three = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.logistic(size=60), [-1.0, 1.0])]
    check = sample(er.LogisticRegression(alpha=0.05).fit(X, three), draws=50).predictive_check(X, three)
    assert check.names == ["share of a", "share of b", "share of c"]
    np.testing.assert_allclose(check.replicated.sum(axis=2), 1.0)
    with pytest.raises(ValueError, match="y holds 'd' in row 1, which is no class"):
        sample(er.LogisticRegression(alpha=0.05).fit(X, three), draws=4, warm_up=4).predictive_check(
            X[:2], ["a", "d"]
        )


def test_the_chart_of_a_check(lines: Any) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    found, X, y, _ = lines
    check = found.predictive_check(X, y, ["mean", "max"], replications=100)
    ax = check.plot("max").axes
    assert ax.lines[0].get_xdata()[0] == pytest.approx(y.max())
    assert sum(ax.patches[0].get_data().values) == check.replicated[:, :, 1].size
    assert "max" in ax.get_title(loc="left")
    with pytest.raises(ValueError, match="statistic must be one of"):
        check.plot("median")


def test_bins_of_counts_hold_as_many_whole_numbers_each() -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    whole = np.random.default_rng(0).integers(0, 130, size=(2, 400, 1)).astype(float)
    values, edges, _ = (
        PredictiveCheck(["a"], np.array([64.0]), whole, "made", 9).plot().axes.patches[0].get_data()
    )
    assert values.sum() == 800
    inside = [((np.arange(130) > a) & (np.arange(130) < b)).sum() for a, b in pairwise(edges)]
    assert set(inside[:-2]) == {4}
    same = np.full((2, 400, 1), 3.0)
    assert PredictiveCheck(["a"], np.array([3.0]), same, "made", 9).plot().axes.patches[
        0
    ].get_data().values.tolist() == [800]


def test_what_cannot_be_checked_is_refused(lines: Any) -> None:
    found, X, y, _ = lines
    for statistics in ("median", 3, [], {"a": 2}):
        with pytest.raises((ValueError, TypeError), match="statistics must"):
            found.predictive_check(X, y, statistics)
    with pytest.raises(ValueError, match="must return one finite number"):
        found.predictive_check(X, y, {"all": lambda t: t})
    with pytest.raises(ValueError, match="one target a row"):
        found.predictive_check(X, y[:-1])
    with pytest.raises(ValueError, match="finite numbers"):
        found.predictive_check(X, np.full(25, math.nan))
    with pytest.raises(ValueError, match="replications must be a whole number"):
        found.predictive_check(X, y, replications=0)
    normal = sample(FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(1)), draws=10, warm_up=10)
    with pytest.raises(ValueError, match="has no rows"):
        normal.predictive_check(X, y)


def test_checks_are_functions_of_their_seed(lines: Any) -> None:
    found, X, y, _ = lines
    one, two, other = (found.predictive_check(X, y, replications=40, random_state=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.replicated, two.replicated)
    assert not np.array_equal(one.replicated, other.replicated)


def test_credible_intervals_of_a_flat_prior_are_those_of_the_normal_law(lines: Any) -> None:
    # With a known variance and a flat prior both are estimate +- z times the same deviation; the table's t
    # and estimated variance make the confidence interval longer by a known factor.
    found, _, y, model = lines
    summary = model.summary(level=0.9)
    beside = found.against(summary)
    assert beside.names == ["x0", "intercept"]
    assert beside.level == 0.9
    noise = math.sqrt(float(((y - model.predict(lines[1])) ** 2).sum()) / 23)
    wanted = stats.norm.ppf(0.95) / (stats.t.ppf(0.95, 23) * noise)
    np.testing.assert_allclose(beside.ratio, wanted, rtol=0.08)
    frame = beside.to_frame()
    np.testing.assert_allclose(frame["confidence_low"], [summary.low[1], summary.low[0]])
    np.testing.assert_allclose(frame["mean"], found.mean)
    assert "times as long as the confidence interval" in repr(beside)


def test_the_chart_of_both_intervals(lines: Any) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    found, _, _, model = lines
    ax = found.against(model.summary()).plot().axes
    words = " ".join(text.get_text() for text in ax.texts)
    assert "x0, credible" in words
    assert "intercept, confidence" in words


def test_summaries_without_intervals_or_names_in_common_are_refused(lines: Any) -> None:
    found, X, y, model = lines
    with pytest.raises(TypeError, match=r"summary must be the table of model.summary\(\)"):
        found.against(model)
    with pytest.raises(ValueError, match="has no confidence intervals"):
        found.against(er.Ridge(alpha=0.1).fit(X, y).summary())
    wide = np.column_stack([X, y[:, None]])
    other = er.LinearRegression(fit_intercept=False).fit(wide, y + np.arange(25.0) % 3)
    normal = sample(FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(1)), draws=10, warm_up=10)
    with pytest.raises(ValueError, match="have no parameter in common"):
        normal.against(other.summary())


@pytest.fixture(scope="module")
def classes() -> tuple[Draws, Array, Array]:
    """Draws of three classes with a weak prior, and their rows; labels that do not sort as their codes do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.array(["c", "a", "b"])[np.digitize(X[:, 0] + rng.logistic(size=200), [-0.5, 1.0])]
    return sample(er.LogisticRegression(alpha=1e-3).fit(X, y), draws=500, random_state=0), X, y


def test_of_several_classes_both_intervals_are_differences_to_the_first(classes: Any) -> None:
    found, X, y = classes
    beside = found.against(er.LogisticRegression(alpha=0.0).fit(X, y).summary())
    assert beside.names == [f"{term}[{c}]" for term in ("x0", "x1", "intercept") for c in "bc"]
    for j, name in enumerate(beside.names):
        reference = name.replace(name[-2:], "a]")
        both = [found.draws[:, :, found.names.index(one)] for one in (name, reference)]
        difference = both[0] - both[1]
        wanted = [difference.mean(), *np.quantile(difference, [0.025, 0.975])]
        np.testing.assert_allclose(beside.credible[:, j], wanted, rtol=1e-12)
    # With many rows and a weak prior both are about the same numbers.
    assert (np.abs(np.log(beside.ratio)) < 0.25).all()
    assert (np.abs(beside.credible[0] - beside.confidence[0]) < 0.1).all()
    assert "minus those of class a" in repr(beside)


def test_summaries_of_other_models_are_refused_by_name(lines: Any, classes: Any) -> None:
    found, X, y, _ = lines
    labelled = er.LogisticRegression(alpha=0.0).fit(X, np.arange(25) % 2).summary()
    with pytest.raises(
        ValueError, match="a fit with loss 'logistic', and the draws are those of loss 'half_squ"
    ):
        found.against(labelled)
    wider = er.LinearRegression().fit(np.column_stack([X, X**2]), y).summary()
    with pytest.raises(ValueError, match=r"not of the same model: 'x1' is in one of them alone"):
        found.against(wider)
    through_0 = er.LinearRegression(fit_intercept=False).fit(X, y).summary()
    with pytest.raises(ValueError, match="'intercept' is in one of them alone"):
        found.against(through_0)
    with pytest.raises(ValueError, match="have no parameter in common"):
        classes[0].against(labelled)


def test_a_statistic_that_changes_its_array_changes_nothing_else(lines: Any) -> None:
    found, X, y, _ = lines
    seen = y.copy()

    def spoiled(t: Array) -> float:
        t.sort()
        t *= 0.0
        return 0.0

    plain = found.predictive_check(X, y, "mean", random_state=4)
    beside = found.predictive_check(X, y, {"spoiled": spoiled, "mean": np.mean}, random_state=4)
    np.testing.assert_array_equal(beside.replicated[:, :, 1], plain.replicated[:, :, 0])
    assert beside.observed[1] == plain.observed[0]
    np.testing.assert_array_equal(y, seen)


@pytest.mark.parametrize("name", [name for name in SAMPLES if not loss_of(name).vector])
def test_checked_targets_are_those_that_a_fit_takes(name: str) -> None:
    loss = loss_of(name)
    law = Likelihood(loss, 1.0, 2, True)
    for value in (-5.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0):
        y = np.array([value, 1.0])
        try:
            check_targets(loss, y)
        except ValueError as error:
            with pytest.raises(ValueError, match="no class of the model" if loss.labels else str(error)[:14]):
                law.targets(y)
        else:
            np.testing.assert_array_equal(law.targets(y), y)
    for bad, why in ((["a", "b"], "y must be an array of real numbers"), ([1.0, np.nan], "finite numbers")):
        if not loss.labels:
            with pytest.raises(ValueError, match=why):
                law.targets(bad)


def test_means_beyond_the_largest_number_are_refused_by_their_row(classes: Any) -> None:
    found, X, _ = classes
    counts = sample(er.PoissonRegressor(alpha=0.1).fit(X, np.arange(200) % 4), draws=20, warm_up=20)
    far = np.where(np.arange(len(X))[:, None] == 7, 1e6 * np.sign(X), X)
    for ask in (counts.predictive, lambda rows: counts.predictive_check(rows, np.arange(200.0) % 4)):
        with pytest.raises(ValueError, match=r"the expected target of row 7 is beyond the largest number"):
            ask(far)
    largest = np.finfo(np.float64).max
    with pytest.raises(ValueError, match=r"the expected target of row 7 is beyond the largest number"):
        found.predictive(np.where(far == X, X, largest * np.sign(X)))
