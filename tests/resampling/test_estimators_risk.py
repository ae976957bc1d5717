"""Risks of estimators against closed forms, enumeration and quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

import empirisk as er
from empirisk.distributions import StudentT
from empirisk.resampling.parametric import ESTIMATORS, beta_map, beta_mean, trimmed_mean
from empirisk.typing import Array

P = [0.05, 0.3, 0.5, 0.9]


def check(risk: Any, name: str, true_risk: Array, true_bias: Array) -> None:
    """Every number within five Monte-Carlo standard errors of the truth."""
    for e, truth in zip(risk.risk(name), true_risk, strict=True):
        error = (e.high - e.low) / (2.0 * 1.959964)
        assert abs(e.value - truth) <= 5.0 * error + 1e-12
    assert np.all(np.abs(risk.bias(name) - true_bias) <= 5.0 * risk.bias_error(name) + 1e-12)
    values = np.array([e.value for e in risk.risk(name)])
    assert risk.variance(name) + risk.bias(name) ** 2 == pytest.approx(values, rel=1e-12)


def bernoulli(rule: Callable[[Array], Array], n: int) -> tuple[Array, Array]:
    """Exact risk and bias of a function of the number of ones."""
    s = np.arange(n + 1.0)
    weights = np.array([stats.binom.pmf(s, n, p) for p in P])
    errors = rule(s)[None, :] - np.array(P)[:, None]
    return (weights * errors**2).sum(axis=1), (weights * errors).sum(axis=1)


RULES: dict[str, tuple[Any, Callable[[Array, int], Array]]] = {
    "mean": ("mean", lambda s, n: s / n),
    "minimax": ("bernoulli_minimax", lambda s, n: (s + np.sqrt(n) / 2) / (n + np.sqrt(n))),
    "posterior mean": (beta_mean(2.0, 3.0), lambda s, n: (s + 2) / (n + 5)),
    "most likely": (beta_map(2.0, 3.0), lambda s, n: (s + 1) / (n + 3)),
    "a half": (lambda x: 0.5, lambda s, n: np.full_like(s, 0.5)),
}


@pytest.mark.parametrize("antithetic", [False, True])
def test_bernoulli(antithetic: bool, rng: np.random.Generator) -> None:
    n = 12
    given = {name: rule for name, (rule, _) in RULES.items()}
    r = er.estimators_risk(given, "bernoulli", P, n, antithetic=antithetic, random_state=rng)
    for name, (_, formula) in RULES.items():
        check(r, name, *bernoulli(lambda s, f=formula: f(s, n), n))  # type: ignore[misc]
    # Lehmann and Casella: the minimax rule has the same risk everywhere, below the largest of the mean.
    assert r.worst_parameter("mean") == 0.5
    assert r.maximal_risk("minimax").value < r.maximal_risk("mean").value
    assert "cross" in r.compare("mean", "minimax").verdict


MODELS = ["uniform", lambda t: stats.uniform(0.0, t), lambda t, u: t * u]


@pytest.mark.parametrize("model", MODELS, ids=["by name", "frozen family", "of uniforms"])
def test_uniform(model: Any, rng: np.random.Generator) -> None:
    n, theta = 10, np.array([0.5, 2.0])
    names = ["maximum", "unbiased_maximum", "twice_mean"]
    r = er.estimators_risk(names, model, theta, n, random_state=rng)
    check(r, "maximum", 2.0 * theta**2 / ((n + 1) * (n + 2)), -theta / (n + 1))
    check(r, "unbiased_maximum", theta**2 / (n * (n + 2)), 0.0 * theta)
    check(r, "twice_mean", theta**2 / (3 * n), 0.0 * theta)
    assert r.compare("twice_mean", "unbiased_maximum").verdict.startswith("unbiased_maximum dominates")


def median_variance(n: int) -> float:
    """Of a standard normal sample of odd size: quadrature of the density of the middle order statistic."""
    k = (n - 1) // 2
    constant = np.exp(special.gammaln(n + 1) - 2 * special.gammaln(k + 1))

    def density(t: float) -> float:
        return float(t * t * constant * stats.norm.pdf(t) * (stats.norm.cdf(t) * stats.norm.sf(t)) ** k)

    return float(integrate.quad(density, -8.0, 8.0)[0])


def test_gaussian(rng: np.random.Generator) -> None:
    theta = np.array([-1.0, 4.0])
    r = er.estimators_risk(["mean", "median", "first"], "gaussian", theta, 11, random_state=rng)
    check(r, "mean", np.full(2, 1.0 / 11.0), np.zeros(2))
    check(r, "median", np.full(2, median_variance(11)), np.zeros(2))
    check(r, "first", np.ones(2), np.zeros(2))
    heavy = er.estimators_risk(["mean", "median"], "laplace", [0.0], 101, random_state=rng)
    check(heavy, "mean", np.array([2.0 / 101.0]), np.zeros(1))
    assert heavy.compare("median", "mean").verdict.startswith("median dominates")
    lifetimes = er.estimators_risk(["mean"], "exponential", [3.0], 6, random_state=rng)
    check(lifetimes, "mean", np.array([9.0 / 6.0]), np.zeros(1))


@pytest.mark.parametrize("d", [5, 8])
def test_james_stein(d: int, rng: np.random.Generator) -> None:
    # In 3 and 4 coordinates the squared error has no variance at 0, and simulation no error bar.
    # Stein (1981): risk d - (d - 2)^2 E 1/|Z|^2, |Z|^2 noncentral chi-square; per row for n rows.
    n, theta = 4, np.zeros((3, d))
    theta[:, 0] = [0.0, 0.7, 3.0]
    r = er.estimators_risk(
        ["mean", "james_stein", "positive_james_stein"], "gaussian", theta, n, random_state=rng
    )
    for e, t in zip(r.risk("james_stein"), theta, strict=True):
        away = n * float(t @ t)
        # E 1/chi'^2_d(away) = sum of Poisson(away/2) weights over 1/(d + 2k - 2).
        k = np.arange(400)
        inverse = float(np.sum(stats.poisson.pmf(k, away / 2.0) / (d + 2.0 * k - 2.0)))
        truth = (d - (d - 2) ** 2 * inverse) / n
        assert abs(e.value - truth) <= 5.0 * (e.high - e.low) / (2 * 1.96)
    assert r.risk("mean")[0].value == pytest.approx(d / n, rel=0.1)
    assert (
        r.compare("mean", "james_stein").verdict
        == "james_stein dominates mean: a smaller risk at all 3 parameters."
    )
    assert r.bias("james_stein").shape == (3, d)
    squared = np.sum(r.bias("james_stein") ** 2, axis=1) + r.variance("james_stein")
    assert squared == pytest.approx([e.value for e in r.risk("james_stein")], rel=1e-12)


@pytest.mark.parametrize("antithetic", [False, True])
def test_maximal_risk_covers(antithetic: bool, rng: np.random.Generator) -> None:
    # 41 parameters of the same risk: the largest estimate is biased upwards, the interval allows for it.
    truth, misses = 1.0 / (4.0 * (1.0 + np.sqrt(16)) ** 2), 0
    for _ in range(60):
        e = er.estimators_risk(
            ["bernoulli_minimax"],
            "bernoulli",
            np.linspace(0.3, 0.7, 41),
            16,
            n_samples=1000,
            antithetic=antithetic,
            random_state=rng,
        ).maximal_risk("bernoulli_minimax")
        misses += not e.low <= truth <= e.high
    assert misses <= stats.binom.ppf(1.0 - 1e-6, 60, 0.05)


def test_callables_see_one_sample_or_many(rng: np.random.Generator) -> None:
    seed = int(rng.integers(1000))
    plain = er.estimators_risk({"t": np.median}, "gaussian", [1.0], 9, n_samples=1000, random_state=seed)
    many = er.estimators_risk(
        {"t": lambda x: np.median(x, axis=1)},
        "gaussian",
        [1.0],
        9,
        n_samples=1000,
        vectorized=True,
        random_state=seed,
    )
    named = er.estimators_risk(["median"], "gaussian", [1.0], 9, n_samples=1000, random_state=seed)
    assert plain.risk("t")[0] == many.risk("t")[0] == named.risk("median")[0]
    twice = er.estimators_risk({"a": "mean", "b": "mean"}, "gaussian", [0.0], 5, random_state=seed)
    assert twice.compare("a", "b").verdict == "a and b make the same errors."
    squares = er.estimators_risk(
        {"plug-in": lambda x: x.mean() ** 2}, "gaussian", [2.0], 10, target=lambda t: t**2, random_state=seed
    )
    assert squares.bias("plug-in")[0] == pytest.approx(0.1, abs=5.0 * squares.bias_error("plug-in")[0])


def test_forms() -> None:
    r = er.estimators_risk(["mean", "median"], "cauchy", [0.0, 1.0], 15, random_state=0)
    assert "maximal risk" in repr(r)
    assert "median" in repr(r)
    assert "<table>" in r._repr_html_()
    frame = r.to_frame()
    assert list(frame["estimator"]) == ["mean", "mean", "median", "median"]
    assert np.isinf(frame["risk"][:2]).all()
    assert np.allclose((frame["squared_bias"] + frame["variance"])[2:], frame["risk"][2:])


def test_trimmed_mean_of_odd_shares() -> None:
    x = np.arange(10.0)[None, :] ** 2
    assert trimmed_mean(0.3)(x) == pytest.approx(stats.trim_mean(x, 0.3, axis=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"estimators": ["mode"]}, "one of mean, median"),
        ({"estimators": ["mean", "mean"]}, "two estimators are called 'mean'"),
        ({"estimators": {}}, "empty"),
        ({"model": "gauss"}, "one of bernoulli, gaussian"),
        ({"parameters": []}, "numbers"),
        ({"parameters": [np.nan]}, "must be finite"),
        ({"n": 0}, "n must be at least 1"),
        ({"n_samples": 10}, "at least 1000"),
        ({"level": 0.0}, "level must lie"),
        ({"estimators": ["james_stein"]}, "at least 3 coordinates"),
        ({"estimators": {"t": lambda x: x}}, "estimator 't' returned shape"),
        ({"estimators": {"t": lambda x: np.nan}}, "'t' returned NaN"),
        ({"model": lambda t: stats.norm(0.0, t), "parameters": [-1.0]}, "not finite at parameter -1.0"),
        ({"model": lambda t, u: u[:, 0]}, "model returned shape"),
        ({"target": lambda t: np.inf}, "target must be a finite"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], message: str) -> None:
    call: dict[str, Any] = {"estimators": ["mean"], "model": "gaussian", "parameters": [0.0], "n": 5} | change
    with pytest.raises(ValueError, match=message):
        er.estimators_risk(**call)


def test_wrong_types() -> None:
    with pytest.raises(TypeError, match="estimator 't' must be callable"):
        er.estimators_risk({"t": 3}, "gaussian", [0.0], 5)  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="must return a frozen"):
        er.estimators_risk(["mean"], lambda t: t, [0.0], 5)


@pytest.mark.parametrize(("model", "theta"), [("bernoulli", 1.5), ("uniform", 0.0), ("exponential", -1.0)])
def test_parameters_without_a_distribution_are_refused(model: str, theta: float) -> None:
    with pytest.raises(ValueError, match=f"parameters of '{model}' must"):
        er.estimators_risk("mean", model, [theta], n=5)


def test_without_any_risk_the_table_prints() -> None:
    assert "0.000" in str(er.estimators_risk("mean", "bernoulli", [0.0, 1.0], n=5, random_state=0))


@pytest.mark.parametrize("wrong", [{"n": 2.5}, {"n": 5, "n_samples": 2000.5}])
def test_counts_are_whole(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{list(wrong)[-1]} must be a whole number"):
        er.estimators_risk("mean", "gaussian", [0.0], **wrong)


def test_a_risk_has_no_interval_below_zero() -> None:
    """One sample in a thousand errs: the normal interval would reach below 0."""
    rare = {"rare": lambda x: np.where(x[:, 0] > 0.999, 1.0, 0.0), "never": lambda x: 0.0 * x[:, 0]}
    r = er.estimators_risk(rare, lambda t, u: u, [0.0], 1, n_samples=1000, vectorized=True, random_state=5)
    seen = r.risk("rare")[0]
    assert 0.0 < seen.value < 0.004
    assert seen.low == 0.0
    assert "cut at 0" in seen.reason
    assert r.maximal_risk("rare").low == 0.0
    assert min(v for v in r.to_frame()["risk_low"]) == 0.0
    assert r.risk("never")[0].reason == ""
    assert r.title.startswith("Quadratic risk over 1 parameter,")


def test_one_parameter_is_no_all() -> None:
    r = er.estimators_risk(["mean", "first"], "gaussian", [0.0], 20, n_samples=1000, random_state=0)
    assert str(r.compare("mean", "first")) == "mean dominates first: a smaller risk at the one parameter."


def test_the_normal_model_is_called_gaussian() -> None:
    with pytest.raises(ValueError, match=r"gaussian \(normal\)"):
        er.estimators_risk(["mean"], "normal", [0.0], 5)


def test_laws_are_models() -> None:
    # Laws and names draw the same rows, and the mean of n rows has the risk of one over n.
    from empirisk.distributions import Dirichlet, Gamma, Laplace

    law = er.estimators_risk(["mean", "median"], lambda m: Laplace(m, 1.0), [0.0, 1.0], 10, random_state=0)
    name = er.estimators_risk(["mean", "median"], "laplace", [0.0, 1.0], 10, random_state=0)
    for rule in ("mean", "median"):
        for ours, theirs in zip(law.risk(rule), name.risk(rule), strict=True):
            assert ours.value == pytest.approx(theirs.value, rel=1e-9)
    gamma = er.estimators_risk(["mean"], lambda m: Gamma(2.0, 2.0 / m), [1.0, 3.0], 5, random_state=0)
    for m, estimate in zip((1.0, 3.0), gamma.risk("mean"), strict=True):
        assert estimate.value == pytest.approx(m * m / 10.0, rel=0.1)
    with pytest.raises(TypeError, match="must be a law of one number"):
        er.estimators_risk(["mean"], lambda m: Dirichlet([m, m]), [1.0], 5)


# Rows of moments of orders below r, and how many of n rows may be far before an estimator is.
HEAVY_MODELS: list[tuple[Any, float]] = [
    ("cauchy", 1.0),
    (lambda m: StudentT(0.6, m, 1.0), 0.6),
    (lambda m: StudentT(1.5, m, 1.0), 1.5),
    (lambda m: StudentT(2.0, m, 1.0), 2.0),
    (lambda m: StudentT(9.0, m, 1.0), 9.0),
    (lambda m: stats.cauchy(m), 1.0),
    *((name, np.inf) for name in ("gaussian", "laplace", "exponential", "uniform", "bernoulli")),
]
RESISTS: dict[str, Callable[[int], int]] = {
    "median": lambda n: (n - 1) // 2,
    "trimmed_mean": lambda n: n // 10,
    **dict.fromkeys(sorted(set(ESTIMATORS) - {"median", "trimmed_mean"}), lambda n: 0),
}


@pytest.mark.parametrize("row", range(len(HEAVY_MODELS)))
@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_a_risk_that_is_infinite_is_said_to_be(row: int, name: str) -> None:
    model, order = HEAVY_MODELS[row]
    if "james" in name and (not isinstance(model, str) or order > 1.0):
        return
    n, theta = 12, [[0.5] * 5] if "james" in name else [0.5]
    r = er.estimators_risk(
        [name, "median"] if name != "median" else [name], model, theta, n, n_samples=1000, random_state=0
    )
    (risk,) = r.risk(name)
    infinite = order * (RESISTS[name](n) + 1) <= 2.0
    if name in ("maximum", "unbiased_maximum") and row == 5:  # a law of SciPy's, of which one tail is asked
        infinite = False
        assert risk.high is None
        assert "Pareto shape" in risk.reason
    assert np.isinf(risk.value) == infinite
    if infinite:
        assert risk.high is None
        assert risk.reason.startswith("the risk is infinite: a row has no moment of order")
        assert np.isinf(r.variance(name)).all()
        assert np.isnan(r.bias(name)).all() == (order * (RESISTS[name](n) + 1) <= 1.0)
        assert np.isinf(r.maximal_risk(name).value)
        assert f"The risk of {name} is infinite at 1 of 1 parameter" in str(r)
        if order * 6.0 > 2.0 and name != "median":
            assert r.compare("median", name).verdict.startswith(f"median dominates {name}")


@pytest.mark.parametrize("order", [0.7, 1.0, 1.5])
def test_functions_with_infinite_risk_get_no_interval(order: float) -> None:
    rules = {"own mean": lambda x: x.mean(axis=1), "own median": lambda x: np.median(x, axis=1)}
    r = er.estimators_risk(
        rules, lambda m, u: m + stats.t(order).ppf(u), [0.0], 15, vectorized=True, random_state=0
    )
    (mean,), (median,) = r.risk("own mean"), r.risk("own median")
    assert mean.low is None
    assert "the risk may be infinite" in mean.reason
    assert r.maximal_risk("own mean").high is None
    assert median.low is not None
    assert r.compare("own mean", "own median").differences[0].low is None
    assert "The risk of own mean has no interval at 1 of 1 parameter" in str(r)


def test_light_tails_give_no_false_alarm() -> None:
    names = ["mean", "median", "midrange", "first", "trimmed_mean"]
    for model in ("gaussian", "laplace", "exponential", "uniform"):
        for seed in range(3):
            r = er.estimators_risk(names, model, [1.0, 3.0], 7, n_samples=1000, random_state=seed)
            assert all(e.high is not None for name in names for e in r.risk(name))


def in_place(x: Array) -> Any:
    """The trimmed mean of one sample, or of many, which are sorted where they lie."""
    x.sort()
    return x[..., 1:-1].mean(axis=-1)


@pytest.mark.parametrize("vectorized", [False, True], ids=["one", "many"])
@pytest.mark.parametrize("antithetic", [False, True], ids=["plain", "pairs"])
def test_no_estimator_sees_what_another_did_to_its_sample(vectorized: bool, antithetic: bool) -> None:
    """The variance of the first row is 1, whichever estimator comes before it."""
    rules = {"trim": in_place, "first": lambda x: x[..., 0] * 1.0}
    known = {"vectorized": vectorized, "antithetic": antithetic, "n_samples": 1000, "random_state": 0}
    one = er.estimators_risk(rules, "gaussian", [0.0, 1.0], 10, **known)
    other = er.estimators_risk(dict(reversed(rules.items())), "gaussian", [0.0, 1.0], 10, **known)
    for name in rules:
        assert one.risk(name) == other.risk(name)
    for risk in one.risk("first"):
        assert risk.value == pytest.approx(1.0, abs=5.0 * math.sqrt(2.0 / 500))


def test_no_parameter_sees_what_a_model_or_a_target_did_to_its_numbers() -> None:
    def sorting(theta: Any, u: Array) -> Array:
        u.sort(axis=1)
        return theta + u

    def zeroing(theta: Any) -> Any:
        theta *= 0.0
        return theta

    r = er.estimators_risk("first", sorting, [5.0, 0.0], 2, n_samples=1000, random_state=0)
    u = np.random.default_rng(0).random((1000, 2))
    np.testing.assert_allclose(r.bias("first"), u.min(axis=1).mean(), rtol=1e-9)
    vectors = er.estimators_risk(
        "mean", "gaussian", [[1.0, 2.0]], 4, target=zeroing, n_samples=1000, random_state=0
    )
    np.testing.assert_allclose(vectors.bias("mean"), [[1.0, 2.0]], atol=5.0 * math.sqrt(0.25 / 1000))


ODD: list[tuple[str, Any]] = [
    ("text", lambda x: "a"),
    ("complex", lambda x: 1j),
    ("nothing", lambda x: None),
    ("ragged", lambda x: [1.0, 2.0][: int(x[0] > 0.0) + 1]),
    ("date", lambda x: np.datetime64("2020-01-01")),
]


@pytest.mark.parametrize(("what", "rule"), ODD, ids=[name for name, _ in ODD])
def test_estimates_that_are_no_numbers_are_refused_in_words(what: str, rule: Any) -> None:
    with pytest.raises(ValueError, match=r"^estimator 'n' (must return a real number|returned NaN)"):
        er.estimators_risk({"n": rule}, "gaussian", [0.0], 5, n_samples=1000)


def test_complex_numbers_of_many_samples_are_not_cut_to_their_real_parts() -> None:
    with pytest.raises(ValueError, match=r"^estimator 'n' must return a real number"):
        er.estimators_risk(
            {"n": lambda x: x.mean(axis=1) + 1j}, "gaussian", [0.0], 5, n_samples=1000, vectorized=True
        )


def test_targets_and_parameters_that_are_none_are_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r"^target must be a function of a parameter, or None .*, got 3\.$"):
        er.estimators_risk("mean", "gaussian", [0.0], 5, target=3)  # type: ignore[arg-type]
    for odd in ("a", 1j, [[1.0]], [1.0, [2.0]], math.nan):
        with pytest.raises(ValueError, match=r"^target must be a finite number or vector, got "):
            er.estimators_risk("mean", "gaussian", [0.0], 5, target=lambda theta, odd=odd: odd)  # type: ignore[misc]
    for grid in (["a"], [1j], [[1.0], [1.0, 2.0]]):
        with pytest.raises(ValueError, match=r"^parameters must be numbers"):
            er.estimators_risk("mean", "gaussian", grid, 5)
    with pytest.raises(TypeError, match=r"^estimators must be a sequence or a mapping, got int\.$"):
        er.estimators_risk(3, "gaussian", [0.0], 5)  # type: ignore[arg-type]
