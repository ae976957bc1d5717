"""Goodness of fit: known statistics, the level without a fault, and power with one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from empirisk.distributions import (
    Beta,
    Binomial,
    Dirichlet,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    Multinomial,
    MultivariateGaussian,
    NegativeBinomial,
    NormalInverseGamma,
    Poisson,
    StudentT,
    Uniform,
    fit_map,
    fit_mle,
    goodness_of_fit,
)


def test_the_statistic_is_that_of_anderson_and_darling() -> None:
    x = Laplace(1.0, 2.0).sample(60, 0)
    sample_fit = (x - x.mean()) / x.std()  # maximum likelihood divides by n
    u = ndtr(np.sort(sample_fit))
    n = len(u)
    i = np.arange(1, n + 1)
    wanted = -n - ((2 * i - 1) * (np.log(u) + np.log(1.0 - u[::-1]))).sum() / n
    got = goodness_of_fit("gaussian", x, n_resamples=19)
    assert got.statistic == pytest.approx(wanted, rel=1e-9)
    assert got.name == "Anderson-Darling"


@pytest.mark.full  # a hundred samples, each fitted twenty times
def test_false_alarms_are_as_rare_as_the_level_says() -> None:
    rng = np.random.default_rng(5)
    p = [
        goodness_of_fit("exponential", x, n_resamples=19, random_state=rng).p_value.value
        for x in rng.exponential(size=(100, 25))
    ]
    # 10 % of p-values are at most 0.1 and 50 % at most 0.5; these counts have chances below 1e-5.
    assert sum(v <= 0.1 for v in p) < 25
    assert 28 < sum(v <= 0.5 for v in p) < 72


# Laws that can be compared with rows, how many of these are drawn, and what is known beforehand.
SIZED: list[tuple[Any, int, dict[str, Any]]] = [
    (Gaussian(1.0, 2.0), 20, {}),
    (Laplace(0.0, 1.0), 20, {}),
    (Exponential(2.0), 20, {}),
    (Gamma(2.0, 1.0), 30, {}),
    (Beta(2.0, 3.0), 30, {}),
    (Poisson(4.0), 60, {}),
    (Geometric(0.3), 60, {}),
    (Binomial(6, 0.4), 60, {"n": 6}),
    (NegativeBinomial(3.0, 1.0), 80, {}),
    (Uniform(0.0, 1.0), 20, {}),
    (StudentT(3.0), 50, {}),
    (MultivariateGaussian([0.0, 1.0], [[1.0, 0.4], [0.4, 1.0]]), 30, {}),
    (Dirichlet([2.0, 1.0, 3.0]), 30, {}),
    (Multinomial([0.5, 0.3, 0.2], 6), 30, {"n": 6}),
]


@pytest.mark.slow  # hundreds of samples of each law, each fitted twenty times
@pytest.mark.parametrize("row", range(len(SIZED)), ids=[law.name for law, _, _ in SIZED])
def test_true_laws_are_rejected_as_seldom_as_the_level_says(row: int) -> None:
    """With 19 resamples the least p-value is 5 %, where a verdict at the level 5 % just can reject."""
    law, n, known = SIZED[row]
    rng = np.random.default_rng(row)
    done = rejected = 0
    for _ in range(100 if law.name == "student_t" else 400):
        try:
            found = goodness_of_fit(type(law), law.sample(n, rng), n_resamples=19, random_state=rng, **known)
        except ValueError:  # rows without a likeliest law, or whose cells are all fitted
            continue
        done += 1
        rejected += "do not follow" in found.verdict
    assert done >= 60
    # More would have a chance of 1e-5 at the size 5 %.
    assert rejected <= binom.ppf(1.0 - 1e-5, done, 0.05)


CAUCHY = np.random.default_rng(0).standard_cauchy(300)


@pytest.mark.parametrize("n_resamples", [19, 39, 71, 72])
def test_the_verdict_and_the_p_value_agree(n_resamples: int) -> None:
    wrong = goodness_of_fit("gaussian", CAUCHY, n_resamples=n_resamples)
    assert wrong.p_value.value == 1.0 / (n_resamples + 1.0)
    assert "do not follow" in wrong.verdict
    rng = np.random.default_rng(3)
    for x in rng.exponential(size=(6, 12)):
        found = goodness_of_fit("gaussian", x, n_resamples=n_resamples, random_state=rng)
        assert ("do not follow" in found.verdict) == (found.p_value.value <= 0.05)


@pytest.mark.full  # fits of Student's law, which search long where tails are a Gaussian's
def test_samples_without_a_likeliest_law_are_replaced_and_told() -> None:
    found = goodness_of_fit("student_t", StudentT(3.0).sample(50, 0), n_resamples=39)
    assert found.p_value.n == 39
    assert found.lost > 0
    assert f"{found.lost} more simulated samples had no likeliest law and did not count: " in str(found)
    assert "no heavier tails than a Gaussian" in found.why
    plain = goodness_of_fit("exponential", Exponential(1.0).sample(50, 0), n_resamples=19)
    assert (plain.lost, plain.why) == (0, "")
    assert "did not count" not in str(plain)


def test_wrong_laws_are_told() -> None:
    heavy = goodness_of_fit("gaussian", Laplace().sample(400, 1), n_resamples=79)
    assert "do not follow" in heavy.verdict
    counts = goodness_of_fit("poisson", NegativeBinomial(3.0, 1.0).sample(300, 1), n_resamples=79)
    assert "do not follow" in counts.verdict
    assert "Pearson" in counts.name
    right = goodness_of_fit("gamma", Gamma(2.0, 1.0).sample(200, 1), n_resamples=79)
    assert "No departure" in str(right)
    assert "No departure" in goodness_of_fit("poisson", Poisson(3.0).sample(200, 1), n_resamples=79).verdict


def test_what_cannot_be_compared_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"x has 3 rows, and a comparison with a law needs 10"):
        goodness_of_fit("gaussian", [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"nothing can be compared"):
        goodness_of_fit("bernoulli", np.tile([0.0, 1.0], 20))
    with pytest.raises(ValueError, match=r"nothing can be compared"):
        goodness_of_fit("categorical", np.tile([0.0, 1.0, 2.0], 20), k=3)
    with pytest.raises(
        ValueError, match=r"no distance to rows of several numbers; compare column by column$"
    ):
        goodness_of_fit("normal_inverse_gamma", NormalInverseGamma(0.0, 1.0, 3.0, 2.0).sample(30, 0))
    with pytest.raises(ValueError, match=r"^n_resamples must be a whole number >= 19"):
        goodness_of_fit("gaussian", np.arange(20.0), n_resamples=5)


VECTORS = [
    (MultivariateGaussian([1.0, -0.5], [[1.5, 0.6], [0.6, 0.8]]), {}),
    (Dirichlet([2.5, 0.7, 1.4]), {}),
    (Multinomial([0.5, 0.3, 0.2], 6), {"n": 6}),
]


@pytest.mark.parametrize(("law", "known"), VECTORS, ids=lambda v: getattr(v, "name", ""))
def test_laws_of_several_numbers_are_compared(law: Any, known: dict[str, Any]) -> None:
    right = goodness_of_fit(type(law), law.sample(150, 2), n_resamples=39, **known)
    assert "No departure" in right.verdict
    mixed = np.concatenate([law.sample(75, 2), OTHERS[law.name].sample(75, 3)])
    assert "do not follow" in goodness_of_fit(type(law), mixed, n_resamples=79, **known).verdict


OTHERS: dict[str, Any] = {
    "multivariate_gaussian": MultivariateGaussian([1.0, -0.5], [[15.0, -6.0], [-6.0, 8.0]]),
    "dirichlet": Dirichlet([1.0, 20.0, 20.0]),
    "multinomial": Multinomial([0.1, 0.1, 0.8], 6),
}


def test_a_fit_is_taken_and_made_anew() -> None:
    x = Gamma(2.0, 1.0).sample(120, 1)
    fit = fit_mle("gamma", x)
    told, plain = goodness_of_fit(fit, x, n_resamples=39), goodness_of_fit("gamma", x, n_resamples=39)
    assert told.statistic == pytest.approx(plain.statistic, rel=1e-12)
    assert told.p_value == plain.p_value
    with pytest.raises(ValueError, match="family was fitted by the maximum of the posterior"):
        goodness_of_fit(fit_map("poisson", [1, 2, 3], Gamma(2.0, 1.0)), [1, 2, 3])
