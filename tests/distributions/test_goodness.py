"""Goodness of fit: known statistics, the level without a fault, and power with one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from empirisk.distributions import (
    Dirichlet,
    Gamma,
    Laplace,
    Multinomial,
    MultivariateGaussian,
    NegativeBinomial,
    NormalInverseGamma,
    Poisson,
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
