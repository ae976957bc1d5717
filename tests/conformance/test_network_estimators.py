"""What networks owe beside the conformance of all estimators: the contract, seeds, states, words."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.network import run as run_module
from empirisk.results import Kind, Status
from tests.conformance.estimators import data_for, each
from tests.conformance.network_estimators import USES

# Weights equal repetition in the checks, whose rows fit into one batch.
CONTRACT = [er.MLPClassifier(20, n_epochs=60, step=0.01), er.MLPRegressor(20, n_epochs=60, step=0.01)]


@parametrize_with_checks(CONTRACT)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def weights(est: Any) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in [*est.coefs_, *est.intercepts_, *est.gains_]])


@each(USES)
def test_same_bits_for_a_seed_and_any_number_of_threads(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng, n=90)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="openmp"):
            found.append(weights(clone(est).fit(d.X, d.y)))
    assert np.array_equal(*found)
    assert not np.array_equal(found[0], weights(clone(est).set_params(random_state=1).fit(d.X, d.y)))


@each(USES)
def test_float32_stays_float32(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    X = d.X.astype(np.float32)
    fitted = clone(est).fit(X, d.y)
    assert all(part.dtype == np.float32 for part in [*fitted.coefs_, *fitted.intercepts_])
    answer = fitted.predict_proba(X) if is_classifier(est) else fitted.predict(X)
    assert answer.dtype == np.float32
    wide = clone(est).fit(d.X, d.y)
    # The same steps in another format: a hundred of them drift apart by far less than they move.
    assert np.abs(weights(fitted) - weights(wide)).max() < 0.02


@each(USES)
def test_the_certificate_is_of_all_training_rows(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    fitted = clone(est).fit(d.X, d.y)
    assert fitted.certificate_.kind is Kind.STATIONARITY
    again = er.verify(fitted, d.X, d.y)
    assert again.value == pytest.approx(fitted.certificate_.value, rel=1e-9)
    assert fitted.problem(d.X, d.y).objective(
        fitted.solution_.w, fitted.problem(d.X, d.y).evaluate(fitted.solution_.w)
    ) == pytest.approx(fitted.loss_, rel=1e-12)
    fitted.coefs_[0] = fitted.coefs_[0] + 0.1
    assert er.verify(fitted, d.X, d.y).kind is Kind.NONE


@each(USES)
def test_the_scale_of_weights_and_absent_rows_change_nothing(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    s = rng.integers(0, 3, len(d.y)).astype(float)
    wild = np.where(s[:, None] > 0.0, d.X, 1e6)
    a = clone(est).fit(d.X, d.y, sample_weight=s)
    b = clone(est).fit(wild, d.y, sample_weight=1024.0 * s)
    np.testing.assert_allclose(weights(a), weights(b), rtol=1e-6, atol=1e-9)


@each(USES)
def test_units_of_columns_change_nothing(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    units = 2.0 ** np.arange(-20, 30, 10)
    a, b = clone(est).fit(d.X, d.y), clone(est).fit(d.X * units, d.y)
    np.testing.assert_allclose(weights(a), weights(b), rtol=1e-6, atol=1e-9)


@each(USES)
def test_an_interrupt_leaves_the_estimator_as_it_was(
    est: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = data_for(est, rng)
    fitted = clone(est).fit(d.X, d.y)
    before = dict(vars(fitted).items())
    real, calls = run_module.one_epoch, []

    def stopped(*args: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args, **more)

    monkeypatch.setattr(run_module, "one_epoch", stopped)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(d.X[:40], d.y[:40])
    assert vars(fitted) == before


@each(USES)
def test_partial_fit_goes_on_epoch_by_epoch(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    more = {"classes": np.unique(d.y)} if is_classifier(est) else {}
    est = clone(est).set_params(early_stopping=False, n_epochs=3)
    if est.normalization == "batch":
        with pytest.raises(ValueError, match="all rows, which a stream does not have"):
            est.partial_fit(d.X, d.y, **more)
        return
    whole, pieces = clone(est).fit(d.X, d.y), clone(est)
    for _ in range(3):
        pieces.partial_fit(d.X, d.y, **more)
    assert np.array_equal(weights(whole), weights(pieces))
    assert pieces.certificate_.kind is Kind.NONE
    with pytest.raises(TypeError, match="rows of a stream are gone"):
        er.verify(pieces, d.X, d.y)
    assert pieces.problem(d.X, d.y).certify(pieces.solution_.w).value == pytest.approx(
        whole.certificate_.value
    )
    # A model file holds no memories of the rule; training goes on without them.
    again = pickle.loads(pickle.dumps(pieces)).partial_fit(d.X, d.y)
    assert again.n_iter_ == 1


def test_labels_unknown_to_a_stream_are_refused_by_row(rng: np.random.Generator) -> None:
    X = rng.normal(size=(6, 2))
    model = er.MLPClassifier(3)
    with pytest.raises(ValueError, match="classes must name all labels"):
        model.partial_fit(X, [0, 1, 0, 1, 0, 1])
    model.partial_fit(X, [0, 1, 0, 1, 0, 1], classes=[0, 1])
    before = weights(model)
    with pytest.raises(ValueError, match=r"the label 7 in row 2, which is not among the classes \[0, 1\]"):
        model.partial_fit(X, [0, 1, 7, 1, 0, 1])
    with pytest.raises(ValueError, match="new classes need a new model"):
        model.partial_fit(X, [0, 1, 2, 1, 0, 1], classes=[0, 1, 2])
    assert np.array_equal(weights(model), before)


def test_a_step_that_is_too_long_is_said_and_leaves_finite_weights(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    with pytest.warns(CertificateWarning, match="epoch .* layer .* not finite"):
        model = er.MLPRegressor((10, 10), optimizer="gradient_step", step=1e8).fit(X, y)
    assert model.solution_.status is Status.DIVERGED
    assert np.isfinite(model.predict(X)).all()
    with pytest.warns(CertificateWarning, match="at the start: take a shorter step"):
        model = er.MLPRegressor(10, "tanh", optimizer="adam", step=50.0, n_epochs=5).fit(X, y)
    assert model.solution_.status is Status.COMPLETED


def test_dead_units_and_constant_columns_are_noted(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    model = er.MLPRegressor(10, warm_start=True, n_epochs=5).fit(X, y)
    model.intercepts_[0][:3] -= 1e3
    model.fit(X, y)
    problem = model.problem(X, y)
    sums = problem.layers.forward(model.solution_.w, problem.inputs(X)).sums[0]
    dead = int((sums.max(axis=0) <= 0.0).sum())
    assert dead >= 3
    assert f"{dead} of 10 units of layer 1 are 0 on every training row" in model.solution_.note
    flat = er.MLPRegressor(4, n_epochs=5).fit(np.ones((20, 2)), y[:20])
    assert "no column of X varies" in flat.solution_.note
    assert np.ptp(flat.predict(rng.normal(size=(5, 2)) * 0.0 + 1.0)) == 0.0


def test_early_stopping_keeps_the_best_epoch_with_the_interval_of_its_loss(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + rng.normal(size=300)
    model = er.MLPRegressor(60, step=0.01, early_stopping=True, patience=5, n_epochs=300).fit(X, y)
    curve, told = model.validation_curve_, model.validation_loss_
    assert told is not None
    assert told.low is not None
    assert told.high is not None
    assert len(curve) < 300
    assert int(np.argmin(curve)) + 1 == model.n_iter_ == len(curve) - 5
    assert told.value == curve.min()
    assert told.low < told.value < told.high
    assert told.n == 30
    problem = model.problem(X, y)
    (block,) = problem.data
    held = np.flatnonzero(block.weight == 0.0)
    assert len(held) == 30
    losses = problem.row_losses(block.y[held], problem.scores(model.solution_.w, X[held]))
    assert told.value == pytest.approx(losses.mean())
    assert told.high - told.value == pytest.approx(2.0452296421327034 * losses.std(ddof=1) / np.sqrt(30))


def test_several_starts_keep_the_best_and_say_how_far_they_lie_apart(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    single = [er.MLPClassifier(4, n_epochs=10, random_state=k).fit(X, y).loss_ for k in range(3)]
    model = er.MLPClassifier(4, n_epochs=10, n_init=3).fit(X, y)
    assert model.loss_ == min(single)
    assert f"over 3 starts F lay between {min(single):.6g} and {max(single):.6g}" in model.certificate_.claim
    assert er.verify(model, X, y).kind is Kind.STATIONARITY


def test_warm_start_goes_on_and_a_tolerance_ends_the_run(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    y = X[:, 0] * X[:, 1]
    model = er.MLPRegressor(6, "tanh", warm_start=True, n_epochs=30, step=0.02).fit(X, y)
    first = model.loss_
    assert model.fit(X, y).loss_ < first
    easy = er.MLPRegressor((), alpha=0.1, step=0.05, tol=1e-2, n_epochs=5_000).fit(X, y)
    assert easy.solution_.status is Status.CERTIFIED
    assert easy.certificate_.within(1e-2)
    assert easy.n_iter_ < 5_000
    with pytest.warns(CertificateWarning, match="step limit"):
        er.MLPRegressor(4, tol=1e-12, n_epochs=3).fit(X, y)


def test_no_hidden_layer_is_the_linear_model(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 3)) * [1.0, 10.0, 0.1] + [5.0, 0.0, -1.0]
    y = np.where(X[:, 0] - 5.0 + 0.1 * X[:, 1] + rng.logistic(size=150) > 0.0, "yes", "no")
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    model = er.MLPClassifier(
        (), alpha=0.02, schedule="cosine", step=0.05, batch_size=150, n_epochs=2_000, tol=1e-6
    ).fit(X, y)
    wanted = er.LogisticRegression(alpha=0.02, tol=1e-10).fit(scaled, y)
    np.testing.assert_allclose(model.coefs_[0][:, 0], wanted.coef_.ravel(), atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), wanted.predict_proba(scaled), atol=1e-4)


def test_columns_of_targets_are_learned_together(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 2))
    Y = np.column_stack([X[:, 0] * X[:, 1], 1e3 * X[:, 0] + 5.0])
    model = er.MLPRegressor(40, "tanh", step=0.02, batch_size=50).fit(X, Y)
    assert model.predict(X).shape == (200, 2)
    error = ((model.predict(X) - Y) ** 2).mean(axis=0) / Y.var(axis=0)
    assert (error < 0.05).all()


def test_sparse_rows_are_their_dense_form(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.3)
    y = rng.integers(0, 3, 80)
    dense = er.MLPClassifier(5, n_epochs=5).fit(X, y)
    for kind in (sp.csr_array, sp.csc_array):
        other = er.MLPClassifier(5, n_epochs=5).fit(kind(X), y)
        np.testing.assert_allclose(weights(other), weights(dense), rtol=1e-8, atol=1e-11)
        np.testing.assert_allclose(other.predict_proba(kind(X)), other.predict_proba(X), rtol=1e-13)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"hidden": (3, 0)}, "hidden must be an integer >= 1"),
        ({"activation": "step"}, "activation='step' has no slope"),
        ({"activation": "rellu"}, "did you mean 'relu'"),
        ({"optimizer": "adams"}, "did you mean 'adam"),
        ({"optimizer": "langevin"}, "optimizer must be"),
        ({"step": 0.0}, "step must be"),
        ({"schedule": "fast"}, "schedule must be one of"),
        ({"dropout": 1.0}, "dropout must be below 1"),
        ({"clip": 0.0}, "clip must be"),
        ({"n_init": 0}, "n_init must be"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"early_stopping": True, "validation_share": 0.999}, "leaves none to train"),
        ({"standardise": 1}, "standardise must be True or False"),
    ],
)
def test_parameters_are_refused_by_name(change: dict[str, Any], word: str, rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match=word):
        er.MLPClassifier(n_epochs=2).set_params(**change).fit(X, y)
