"""Rows of every kind: memory maps, float32, series and frames, and what is no row of a law."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from empirisk.data import BlockList
from empirisk.distributions import (
    REGISTRY,
    Categorical,
    Dirichlet,
    ExponentialFamily,
    Gamma,
    Gaussian,
    Multinomial,
    MultivariateGaussian,
    NormalInverseGamma,
    StudentT,
    Uniform,
    fit_map,
    fit_mle,
    fit_moments,
)
from tests.conformance.test_distributions import NAMES, SAMPLES, theta_of

FITS = pytest.mark.parametrize("fit", [fit_mle, fit_moments], ids=lambda f: f.__name__)
LAWS = pytest.mark.parametrize("law", [law for law, _ in SAMPLES], ids=NAMES)


def told(law: Any) -> dict[str, Any]:
    """The structure that a fit of the law must be told."""
    if isinstance(law, Categorical):
        return {"k": len(law.p)}
    return {} if isinstance(law, ExponentialFamily) else {s: getattr(law, s) for s in law.structure}


def family(law: Any) -> Any:
    """The class of the law, or a member where its structure are functions."""
    return law if isinstance(law, ExponentialFamily) else type(law)


@LAWS
@FITS
def test_a_memory_map_gives_the_same_bits(law: Any, fit: Any, tmp_path: Path) -> None:
    if fit is fit_moments and not law.orders:
        return
    x = law.sample(700, 3)
    path = tmp_path / "x.npy"
    np.save(path, x)
    here = fit(family(law), x, **told(law))
    assert here.log_likelihood == pytest.approx(here.distribution.log_prob(x).sum(), rel=1e-10, abs=1e-9)
    there = fit(family(law), np.load(path, mmap_mode="r"), **told(law))
    assert here.distribution == there.distribution
    assert np.array_equal(here.covariance, there.covariance, equal_nan=True)
    assert here.log_likelihood == there.log_likelihood


@LAWS
def test_lists_series_and_frames_are_rows(law: Any) -> None:
    x = law.sample(60, 3)
    wanted = theta_of(fit_mle(family(law), x, **told(law)).distribution)
    columns = {f"c{j}": v for j, v in enumerate(np.reshape(x, (60, -1)).T)}
    forms = [x.tolist(), pd.DataFrame(columns), pl.DataFrame(columns)]
    if not law.dimension:
        forms += [pd.Series(x), pl.Series(x)]
    for form in forms:
        np.testing.assert_array_equal(theta_of(fit_mle(family(law), form, **told(law)).distribution), wanted)
    blocks = BlockList.cut(np.reshape(x, (60, -1)), np.zeros(60), rows=13)
    got = theta_of(fit_mle(family(law), blocks, **told(law)).distribution)
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-12)


@LAWS
def test_rows_in_float32_are_summed_in_float64(law: Any) -> None:
    x = law.sample(400, 3).astype(np.float32)
    if isinstance(law, Dirichlet):
        x = np.maximum(x, 1e-6)
        x /= x.sum(axis=1, keepdims=True)
    narrow, wide = (fit_mle(family(law), v, **told(law)) for v in (x, x.astype(np.float64)))
    np.testing.assert_allclose(
        theta_of(narrow.distribution), theta_of(wide.distribution), rtol=1e-12, atol=1e-12
    )


@LAWS
@FITS
def test_what_is_no_row_is_refused_in_words(law: Any, fit: Any) -> None:
    if fit is fit_moments and not law.orders:
        return
    x = law.sample(12, 3)
    hurt = x.copy()
    hurt.reshape(12, -1)[4, 0] = np.nan
    cases = [
        (hurt, None, "nan in row 4"),
        (np.ma.masked_array(x, np.arange(x.size).reshape(x.shape) == 5), None, "behind a mask"),
        (x[:0], None, "no rows"),
        (x, np.zeros(12), "all sample weights are 0"),
        (x, np.ones(11), r"sample_weight has shape \(11,\)"),
        (x, -np.ones(12), r"sample_weight holds -1 in row 0 \(12 such rows"),
        (x, ["a"] * 12, "sample_weight must be numbers"),
        (np.zeros((2, 2, 2)), None, r"x has shape \(2, 2, 2\)"),
    ]
    for rows, weight, words in cases:
        with pytest.raises(ValueError, match=words):
            fit(family(law), rows, sample_weight=weight, **told(law))


# Laws that have no member without variance.
NO_LAW = {
    "beta",
    "dirichlet",
    "gamma",
    "gaussian",
    "laplace",
    "multivariate_gaussian",
    "negative_binomial",
    "normal_inverse_gamma",
    "student_t",
    "uniform",
}


@pytest.mark.parametrize("name", sorted(set(REGISTRY) - {"exponential_family"}))
def test_equal_rows_give_a_sentence_or_a_law(name: str) -> None:
    row = REGISTRY[name]
    rows: Any = np.full(6, 1.0)
    if row in (Dirichlet, MultivariateGaussian, NormalInverseGamma, Multinomial):
        rows = np.full((6, 2), 0.5 if row is not Multinomial else 1.0)
    if name == "beta":
        rows = np.full(6, 0.5)
    structure = {"categorical": {"k": 3}, "binomial": {"n": 2}, "multinomial": {"n": 2}}.get(name, {})
    for fit in (fit_mle, fit_moments):
        if name in NO_LAW:
            with pytest.raises(ValueError, match=r"(\S+ ){8}"):
                fit(name, rows, **structure)
            continue
        found = fit(name, rows, **structure)
        assert np.isfinite(theta_of(found.distribution)).all()
        assert np.isfinite(found.covariance).all()


def test_fewer_rows_than_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"no more rows than columns"):
        fit_mle("multivariate_gaussian", np.random.default_rng(0).normal(size=(3, 3)))
    with pytest.raises(ValueError, match=r"a column is constant"):
        fit_mle("multivariate_gaussian", np.column_stack([np.arange(5.0), np.ones(5)]))
    for name in ("gaussian", "gamma", "student_t"):
        with pytest.raises(ValueError, match=r"the same number|a variance needs more than 1"):
            fit_mle(name, [2.0])


def test_a_gaussian_has_no_tails_for_degrees_of_freedom() -> None:
    with pytest.raises(ValueError, match=r"no heavier tails than a Gaussian"):
        fit_mle("student_t", np.linspace(-1.0, 1.0, 200))


def test_degrees_of_freedom_are_found() -> None:
    fit = fit_mle("student_t", StudentT(4.0, 1.0, 2.0).sample(20_000, 0))
    df = fit.estimates["df"]
    assert df.low is not None
    assert df.high is not None
    assert df.low <= 4.0 <= df.high
    assert fit.certificate.value < 1e-9


def test_counts_outside_of_the_support_are_named_by_row() -> None:
    with pytest.raises(ValueError, match=r"^x holds 1\.5 in row 2"):
        fit_mle("poisson", [1.0, 2.0, 1.5])
    with pytest.raises(ValueError, match=r"^x holds 3 in row 1"):
        fit_mle("categorical", [0, 3], k=3)
    with pytest.raises(ValueError, match=r"^x sums to 3 in row 1 \(1 such rows in all\)"):
        fit_mle("multinomial", [[1, 1], [2, 1]], n=2)
    with pytest.raises(ValueError, match=r"^x sums to 1\.1 in row 0"):
        fit_mle("dirichlet", [[0.5, 0.6], [0.5, 0.5]])


def test_arguments_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"^family must be a class of distributions or one of"):
        fit_mle("gauss", [1.0])
    with pytest.raises(TypeError, match=r"needs k=, which rows do not tell"):
        fit_mle("categorical", [0, 1])
    with pytest.raises(TypeError, match=r"^'mean' is estimated or unknown"):
        fit_mle("gaussian", [0.0, 1.0], mean=0.0)
    with pytest.raises(ValueError, match=r"^level must lie strictly between 0 and 1"):
        fit_mle("gaussian", [0.0, 1.0], level=1.0)
    with pytest.raises(ValueError, match=r"^level must lie strictly between 0 and 1"):
        fit_map("poisson", [1, 2], Gamma(1.0, 1.0), level=2.0)
    with pytest.raises(ValueError, match=r"^covariance must be 'model' or 'robust'"):
        fit_mle("gaussian", [0.0, 1.0], covariance="white")


def test_a_member_stands_for_its_family() -> None:
    x = Gaussian(3.0, 2.0).sample(30, 0)
    assert fit_mle(Gaussian(), x).distribution == fit_mle("gaussian", x).distribution


def test_what_a_law_does_not_have_is_said() -> None:
    two, flat = MultivariateGaussian([0.0, 0.0]), Uniform()
    for call, words in (
        (lambda: two.cdf([[0.0, 0.0]]), "distribution function"),
        (lambda: two.quantile(0.5), "quantiles"),
        (lambda: two.mode(), "mode"),
        (lambda: flat.fisher_information(), "Fisher information"),
        (lambda: flat.score([0.5]), "derivatives"),
        (lambda: flat.shifted(1.0), "shifted rows"),
        (lambda: NormalInverseGamma().frozen(), r"scipy\.stats"),
    ):
        with pytest.raises(ValueError, match=rf"^the .* distribution has no .*{words}"):
            call()


def test_blocks_without_weight_are_refused() -> None:
    blocks = BlockList.cut(np.ones((4, 1)), np.zeros(4), np.zeros(4))
    with pytest.raises(ValueError, match=r"^all sample weights are 0"):
        fit_mle("poisson", blocks)
    with pytest.raises(ValueError, match=r"^row blocks carry their weights"):
        fit_mle("poisson", blocks, sample_weight=np.ones(4))
