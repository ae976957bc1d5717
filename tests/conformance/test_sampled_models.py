"""Every linear estimator and every loss is sampled as what it is, or refused in words that help."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import is_classifier

import empirisk as er
from empirisk.losses import Offset
from empirisk.samplers import REGISTRY, FunctionTarget, LinearTarget, sample
from empirisk.typing import Array
from tests.conformance.estimators import FIXED, Use, data_for
from tests.conformance.loss_samples import ALL, SAMPLES, loss_of

SHORT: dict[str, Any] = {"draws": 8, "warm_up": 8, "chains": 2}
OF_FUNCTIONS = [name for name, row in REGISTRY.items() if not (row.draws_rows or row.by_blocks)]
SAMPLED = [use for use in FIXED if hasattr(use.make(), "_fitted_problem")]
RAW = ("shape", "0-dimensional", "sequence", "array element", "unexpected keyword", "NoneType")


def refused(error: Exception) -> None:
    """What is refused says so in a sentence of the project, which names no other wrapper."""
    said = str(error)
    assert "offset" not in said, said
    assert not any(word in said for word in RAW), said
    assert len(said.split()) > 8, said


@pytest.mark.parametrize("name", list(REGISTRY))
@pytest.mark.parametrize("use", SAMPLED, ids=str)
def test_every_linear_model_is_sampled_in_one_line_or_refused(use: Use, name: str) -> None:
    model = use.make()
    data = data_for(model, np.random.default_rng(0), classes=2)
    model.fit(data.X, data.y)
    posed = model._fitted_problem(None, None, None)
    loss, _ = posed.loss.plain(posed.data.y)
    needed = loss.likelihood and not loss.unit_dispersion and posed.dispersion == 1.0
    options = {**SHORT, "method": name, **({"dispersion": 0.5} if needed else {})}
    try:
        found = sample(model, **options)
    except (ValueError, TypeError) as error:
        refused(error)
        return
    assert found.draws.shape == (2, 8, data.X.shape[1] + posed.intercept)
    assert ("Gibbs posterior" in found.target) == (not loss.likelihood)
    if needed:
        with pytest.raises(ValueError, match=f"loss '{loss.name}' has a dispersion.*give dispersion="):
            sample(model, method=name, **SHORT)
    else:
        with pytest.raises(ValueError, match=f"loss '{loss.name}' has no dispersion, because"):
            sample(model, method=name, dispersion=0.5, **SHORT)


@pytest.mark.parametrize("name", ALL)
def test_an_offset_changes_no_fact_of_a_loss_about_its_noise(name: str) -> None:
    loss = loss_of(name)
    if loss.vector:
        return
    assert Offset(loss).unit_dispersion == loss.unit_dispersion
    assert Offset(loss).likelihood == loss.likelihood


@pytest.mark.parametrize("name", ALL)
def test_likelihoods_are_the_losses_with_a_normaliser(name: str) -> None:
    loss, y = loss_of(name), np.array(SAMPLES[name].targets, dtype=float)[:1]
    try:
        loss.log_normalizer(y, 1.0)
    except TypeError:
        assert not loss.likelihood
    else:
        assert loss.likelihood


EXPOSED: dict[str, Any] = {
    "poisson": er.PoissonRegressor(alpha=0.02),
    "gamma": er.GammaRegressor(alpha=0.02),
    "negative_binomial": er.GeneralizedLinearModel(family="negative_binomial", alpha=0.05),
}


@pytest.mark.parametrize("rows", ["exposure", "offset"])
@pytest.mark.parametrize("name", list(EXPOSED))
def test_a_model_with_an_exposure_or_offset_is_sampled_in_one_line(name: str, rows: str) -> None:
    rng = np.random.default_rng(1)
    X, known = rng.normal(size=(60, 2)), rng.uniform(1.0, 3.0, 60)
    y = rng.poisson(known * np.exp(0.3 * X[:, 0])) + (0.5 if name == "gamma" else 0.0)
    noise = {"dispersion": 0.4} if name == "gamma" else {}
    model = EXPOSED[name].fit(X, y, **{rows: known if rows == "exposure" else np.log(known)})
    found = sample(model, draws=20, warm_up=20, **noise)
    # As the same problem with the offset written by hand.
    posed = model.problem(X, y, **{rows: known if rows == "exposure" else np.log(known)})
    by_hand = sample(LinearTarget(posed, near=model.solution_.w), draws=20, warm_up=20, **noise)
    np.testing.assert_array_equal(found.draws, by_hand.draws)
    assert "with offsets" in found.target
    np.testing.assert_allclose(
        found.means(X[:2], offset=np.log(known[:2])), found.means(X[:2]) * known[:2], rtol=1e-12
    )


def normal(w: Array) -> tuple[float, Array]:
    """The potential of the standard normal law, and its gradient."""
    return 0.5 * float(w @ w), w


@pytest.mark.parametrize("shaped", [False, True])
@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_a_temperature_widens_a_function(name: str, shaped: bool) -> None:
    # At the temperature 4 U is divided by 4, and a covariance is 4 times as large: no bit is lost.
    target = FunctionTarget(normal, np.zeros(2), covariance=np.eye(2) if shaped else None)
    wide = FunctionTarget(
        lambda w: (0.125 * float(w @ w), 0.25 * w),
        np.zeros(2),
        covariance=4.0 * np.eye(2) if shaped else None,
    )
    few: dict[str, Any] = {"method": name, "draws": 20, "warm_up": 40}
    np.testing.assert_array_equal(sample(target, temperature=4.0, **few).draws, sample(wide, **few).draws)


def test_a_temperature_of_a_linear_target_and_its_dispersion_are_taken() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    problem = er.Ridge(alpha=0.1).problem(X, X[:, 0])
    wanted = sample(problem, dispersion=0.5, temperature=4.0, **SHORT).draws
    found = sample(LinearTarget(problem, 2.0), dispersion=0.5, temperature=2.0, **SHORT).draws
    np.testing.assert_array_equal(found, wanted)


def test_what_a_target_does_not_have_is_refused() -> None:
    target = FunctionTarget(normal, np.zeros(2))
    with pytest.raises(
        ValueError, match="dispersion= is that of a loss, and a potential given as a function has none"
    ):
        sample(target, dispersion=4.0)

    class Bare:
        size, names, title, call = 1, ["a"], "a law", staticmethod(normal)

        def inside(self, w: Array) -> Array:
            return w

        def guess(self) -> Any:
            return er.samplers.Guess(np.zeros(1))

    assert sample(Bare(), **SHORT).draws.shape == (2, 8, 1)
    with pytest.raises(TypeError, match=r"a Bare has no method tempered\(temperature\)"):
        sample(Bare(), temperature=2.0, **SHORT)


@pytest.fixture(scope="module")
def frame() -> Any:
    pandas = pytest.importorskip("pandas", reason="frames of pandas")
    rng = np.random.default_rng(0)
    return pandas.DataFrame(rng.normal(size=(60, 2)), columns=["age", "dose"])


@pytest.mark.parametrize("kind", ["LogisticRegression", "Ridge", "PoissonRegressor"])
def test_new_rows_are_looked_at_as_the_model_does(kind: str, frame: Any) -> None:
    model = getattr(er, kind)(alpha=0.1)
    noise = np.random.default_rng(1).normal(size=60)
    y = np.where(frame["age"] + noise > 0.0, "yes", "no") if is_classifier(model) else np.abs(frame["age"])
    model.fit(frame, y)
    found = sample(model, **SHORT, **({"dispersion": 1.0} if kind == "Ridge" else {}))
    for wrong in (frame[["dose", "age"]], frame.rename(columns={"age": "years"})):
        with pytest.raises(ValueError, match="feature names"):
            found.means(wrong)
        with pytest.raises(ValueError, match="feature names"):
            found.predictive(wrong)
    holed = frame.copy()
    holed.loc[3, "dose"] = np.nan
    with pytest.raises(ValueError, match="NaN in column 'dose', row 3"):
        found.predictive(holed)
    bare = getattr(er, kind)(alpha=0.1).fit(frame.to_numpy(), y)
    found = sample(bare, **SHORT, **({"dispersion": 1.0} if kind == "Ridge" else {}))
    dense = found.means(frame.to_numpy())
    np.testing.assert_allclose(found.means(sp.csc_array(frame.to_numpy())), dense, rtol=1e-12)
    bare.fit(np.ones((60, 3)) * np.arange(60.0)[:, None] / 60.0, y)  # of other rows: the draws do not change
    np.testing.assert_array_equal(found.means(frame.to_numpy()), dense)


def test_new_rows_of_a_problem_have_no_names() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    found = sample(er.PoissonRegressor(alpha=0.1).problem(X, np.abs(np.round(X[:, 0]))), **SHORT)
    np.testing.assert_allclose(found.means(sp.csr_array(X)), found.means(X), rtol=1e-12)
    for wrong in (X + 1j, [["a", "b"]]):
        with pytest.raises(ValueError, match="X must be an array of real numbers with 2 columns"):
            found.means(wrong)
    with pytest.raises(ValueError, match="NaN in column 1, row 0"):
        found.means([[1.0, np.nan]])
    with pytest.raises(ValueError, match="offset must be finite, got nan in row 1"):
        found.means(X[:2], offset=[0.0, np.nan])
    with pytest.raises(ValueError, match=r"offset must have shape \(2,\), one real number a row"):
        found.means(X[:2], offset=[0.0, 1j])


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7]])
def test_predictive_draws_are_the_labels_of_the_model(labels: list[Any]) -> None:
    X = np.random.default_rng(0).normal(size=(60, 1))
    y = np.where(X[:, 0] + np.random.default_rng(1).logistic(size=60) > 0.0, labels[1], labels[0])
    found = sample(er.LogisticRegression(alpha=0.1).fit(X, y), **SHORT)
    drawn = found.predictive(np.array([[3.0], [-3.0]]))
    assert drawn.dtype == y.dtype
    assert set(np.unique(drawn)) == set(labels)
    assert (drawn[:, :, 0] == labels[1]).mean() > (drawn[:, :, 1] == labels[1]).mean()


def test_rows_that_are_gone_can_be_given() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = er.PoissonRegressor(alpha=0.1).fit(X, np.abs(np.round(X[:, 0])))
    with pytest.raises(ValueError, match=r"er\.sample\(model\.problem\(X, y\)\)"):
        sample(pickle.loads(pickle.dumps(model)))
    X[:] = 1.0
    with pytest.raises(ValueError, match=r"was changed.*er\.sample\(model\.problem\(X, y\)\)"):
        sample(model)


def test_several_targets_are_sampled_one_by_one() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match=r"2 targets a row.*one model for each column of y"):
        sample(er.Ridge(alpha=0.1).fit(X, X), dispersion=1.0)


def test_a_robust_loss_with_rows_on_its_straight_parts_has_a_posterior() -> None:
    # Of 80 rows with targets far apart each has the slope +1 or -1 at the mode, and U no curvature there.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.permutation(np.repeat([-40.0, 40.0], 40))
    model = er.HuberRegressor(1e-3, scale=1.0, alpha=0.0).fit(X, y)
    found = sample(model, draws=400, dispersion=1e-3, random_state=1)
    # The density is proper: U grows at least linearly, by 80 delta / dispersion for the intercept beyond 40.
    assert np.isfinite(found.draws).all()
    assert found.deviation[2] < 40.0 + 5.0 / (80.0 * 1e-3 / 1e-3)
    collinear = er.HuberRegressor(1e-3, scale=1.0, alpha=0.0).problem(X[:, [0, 0]], y)
    with pytest.raises(ValueError, match="collinear columns"):
        sample(collinear, dispersion=1.0)


def test_an_intercept_without_a_prior_is_named_where_it_has_no_minimum() -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match="leaves the intercept free"):
        sample(er.PoissonRegressor(alpha=0.1).problem(X, np.zeros(20)))


def test_a_column_may_be_called_intercept() -> None:
    pandas = pytest.importorskip("pandas", reason="frames of pandas")
    X = pandas.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["intercept", "age"])
    found = sample(er.Ridge(alpha=0.1).fit(X, X["age"]), dispersion=1.0, **SHORT)
    assert found.names == ["intercept", "age", "(intercept)"]


def test_a_pipeline_says_what_of_it_can_be_sampled() -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(0).normal(size=(20, 2))
    pipeline = make_pipeline(StandardScaler(), er.Ridge(alpha=0.1)).fit(X, X[:, 0])
    with pytest.raises(TypeError, match=r"er\.sample\(pipeline\[-1\]\)"):
        sample(pipeline, dispersion=1.0)
    assert sample(pipeline[-1], dispersion=1.0, **SHORT).draws.shape == (2, 8, 3)


@pytest.mark.parametrize("options", [{"dispersion": 2.0}, {"temperature": 2.0}])
def test_blocks_have_no_temperature_or_dispersion_to_change(options: dict[str, float]) -> None:
    blocks = er.samplers.gaussian_blocks(np.zeros(2), np.eye(2))
    with pytest.raises(
        (ValueError, TypeError), match=r"dispersion= is that of a loss|has no method tempered"
    ):
        sample(blocks, method="gibbs", **options, **SHORT)
