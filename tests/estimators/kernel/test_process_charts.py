"""Charts of Gaussian processes: what is drawn is what the model says, and what cannot be drawn is named."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit

import empirisk as er
from empirisk.kernels import Gaussian, Linear

KERNEL = 1.5 * Gaussian(length_scale=0.5)


def column(rng: np.random.Generator, n: int = 50) -> tuple[Any, Any]:
    x = rng.uniform(-2.0, 3.0, size=(n, 1))
    return x, np.sin(2.0 * x[:, 0]) + 0.2 * rng.normal(size=n)


@pytest.mark.parametrize("inducing", [None, 20])
def test_the_curve_of_a_regressor_is_its_prediction(inducing: Any, rng: np.random.Generator) -> None:
    x, y = column(rng)
    model = er.GaussianProcessRegressor(KERNEL, noise=0.05, method=None, inducing=inducing).fit(x, y)
    curve = pickle.loads(pickle.dumps(model)).curve(0.8, points=30)
    at = np.array(curve["x"])[:, None]
    band = model.prediction_interval(at, 0.8)
    np.testing.assert_allclose(curve["value"], model.predict(at))
    np.testing.assert_allclose(curve["low"], band.low)
    np.testing.assert_allclose(curve["high"], band.high)
    np.testing.assert_allclose(curve["rows"], np.column_stack([x[:, 0], y]), rtol=1e-12)
    ends = model.prediction_interval(x, 0.8)
    assert curve["inside"] == np.count_nonzero((ends.low <= y) & (y <= ends.high))
    assert curve["x"][0] == pytest.approx(x.min() - 0.1 * np.ptp(x))
    assert model.plot().axes.get_xlabel() == "the column of X"


def test_the_curve_of_a_classifier_is_its_probability(rng: np.random.Generator) -> None:
    x, y = column(rng)
    frame = pd.DataFrame({"dose": x[:, 0]})
    labels = np.where(y > 0.0, "up", "down")
    model = er.GaussianProcessClassifier(KERNEL, method=None).fit(frame, labels)
    ax = model.plot().axes
    curve = model.curve(0.9, points=20)
    at = pd.DataFrame({"dose": curve["x"]})
    mean, std = model.latent(at, return_std=True)
    np.testing.assert_allclose(curve["value"], model.predict_proba(at)[:, 1])
    np.testing.assert_allclose(curve["low"], expit(mean - 1.644854 * std), rtol=1e-5)
    assert curve["inside"] is None
    assert [row[1] for row in curve["rows"]] == (labels == "up").astype(float).tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("dose", "probability of up")
    assert er.GaussianProcessClassifier(KERNEL, method=None).fit(sp.csr_array(x), labels).curve()["rows"]


def test_the_evidence_along_a_parameter_is_that_of_fits_there(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 2))
    y = 10.0 * (np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=40))
    model = er.GaussianProcessRegressor(1.0 * Gaussian(length_scale=1.0), restarts=0).fit(X, y)
    curve = model.evidence_curve(points=5)
    assert curve["parameter"] == "length_scale"
    assert max(curve["value"]) == pytest.approx(0.0, abs=1e-8)
    assert curve["x"][2] == curve["fitted"]
    for x, value in zip(curve["x"], curve["value"], strict=True):
        kernel = model.kernel_.with_parameters(length_scale=x)
        there = er.GaussianProcessRegressor(kernel, noise=model.noise_, method=None).fit(X, y)
        assert there.log_marginal_likelihood_ - model.log_marginal_likelihood_ == pytest.approx(
            value, abs=1e-6
        )
    noise = model.evidence_curve("noise", points=3)
    assert noise["fitted"] == pytest.approx(model.noise_)
    assert model.plot().axes.get_xlabel() == "length_scale"
    with pytest.raises(ValueError, match="parameter must be"):
        model.evidence_curve("width")


def test_several_classes_draw_their_evidence(rng: np.random.Generator) -> None:
    x, y = column(rng)
    model = er.GaussianProcessClassifier(KERNEL, method=None).fit(x, np.digitize(y, [-0.5, 0.5]))
    assert model.plot().axes.get_ylabel() == "minus that of the fit (nats)"
    with pytest.raises(ValueError, match="a curve is that of two classes, and there are 3"):
        model.curve()


def test_what_cannot_be_drawn_is_named(rng: np.random.Generator) -> None:
    x, y = column(rng)
    K = KERNEL.block(x)
    given = er.GaussianProcessRegressor("precomputed", noise=0.1, method=None).fit(K, y)
    for draw in (given.plot, given.curve, given.evidence_curve):
        with pytest.raises(
            ValueError, match="a chart needs the rows, which a precomputed kernel does not keep"
        ):
            draw()
    wide = er.GaussianProcessRegressor(Linear(), noise=0.1, method=None).fit(np.hstack([x, x * x]), y)
    with pytest.raises(ValueError, match="a curve needs a fit on one column, and this one has 2"):
        wide.curve()
    with pytest.raises(ValueError, match="there is nothing to draw"):
        wide.plot()
