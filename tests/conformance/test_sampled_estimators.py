"""Every estimator is sampled from its posterior, or refused in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import empirisk as er
from empirisk.samplers import sample
from tests.conformance.estimators import ALL, data_for, each, is_regression

# Estimators whose loss is a likelihood of one score and whose penalty is a prior: these must not be refused.
POSTERIORS = ("Ridge", "Lasso", "ElasticNet", "PoissonRegressor", "GammaRegressor", "LogisticRegression")


@pytest.mark.parametrize("classes", [2, 3])
@each(ALL)
def test_a_fitted_model_is_sampled_or_says_why_not(est: Any, classes: int, rng: np.random.Generator) -> None:
    data = data_for(est, rng, classes=classes)
    model = est.fit(data.X, data.y)
    try:
        found = sample(model, method="proximal_langevin", draws=8, warm_up=20, dispersion=1.0)
    except (TypeError, ValueError) as error:
        said = str(error)
        assert type(est).__name__ not in POSTERIORS, said
        assert len(said.split()) > 8, said
        assert "give" in said or "sample" in said or "pass" in said, said
        return
    assert np.isfinite(found.draws).all()
    assert len(found.names) == found.draws.shape[2]
    if is_regression(est) or classes == 3:
        means = found.means(data.X)
        assert np.isfinite(means).all()
    if classes == 3 and not is_regression(est):
        np.testing.assert_allclose(means.sum(axis=3), 1.0, rtol=1e-12)
    loss = getattr(found.law, "loss", None)
    if loss is not None and not (loss.labels or loss.predictive):
        with pytest.raises(TypeError, match="has no distribution function to draw targets from"):
            found.predictive_check(data.X, data.y)
        return
    check = found.predictive_check(data.X, data.y, replications=8)
    assert np.isfinite(check.replicated).all()
    assert check.replicated.shape[2] == len(check.names) == len(check.observed)


def test_parameters_have_the_names_of_the_columns(rng: np.random.Generator) -> None:
    frame = pd.DataFrame({"age": rng.normal(size=30), "dose": rng.normal(size=30)})
    model = er.Ridge(alpha=0.1).fit(frame, frame["age"] + rng.normal(size=30))
    found = sample(model, draws=4, warm_up=4, dispersion=1.0)
    assert found.names == ["age", "dose", "intercept"]
    assert "dose" in repr(found)


def test_draws_that_no_memory_holds_are_refused_before() -> None:
    normal = er.samplers.FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(2))
    with pytest.raises(MemoryError, match="take fewer draws, each of which is worth more with thin=10"):
        sample(normal, draws=10**9, chains=1000)
