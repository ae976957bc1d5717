"""What a fit keeps of its rows: enough for every question, never in a pickle, never changed unseen."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
import weakref
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import empirisk as er
from empirisk.estimators import training
from empirisk.estimators.linear.base import LinearEstimator
from tests.conformance.estimators import FIXED, data_for, each, use

NAMES = list("abcde")


def columns(X: Any) -> Any:
    """Return the rows as a frame with named columns."""
    return pd.DataFrame(X, columns=NAMES)


# How rows reach a fit as objects that nobody else holds.
TEMPORARY: dict[str, Any] = {
    "masked array": lambda d, keep: (d.X[keep], d.y[keep]),
    "columns of a frame": lambda d, keep: (
        columns(d.X).assign(y=d.y)[NAMES][keep],
        columns(d.X).assign(y=d.y).loc[keep, "y"],
    ),
    "sparse rows": lambda d, keep: (sp.csr_array(d.X)[keep], d.y[keep]),
    "lists": lambda d, keep: (d.X[keep].tolist(), d.y[keep].tolist()),
}
linear = each(FIXED, lambda est: isinstance(est, LinearEstimator))
# With standard errors.
plain = each(
    [
        use("LinearRegression"),
        use("LinearRegression", fit_intercept=False),
        use("PoissonRegressor", alpha=0.0),
        use("GeneralizedLinearModel", family="gamma"),
        use("LogisticRegression", alpha=0.0),
    ]
)


def answers(model: Any, new: Any, rows: tuple[Any, ...]) -> list[Any]:
    """What a model says about its coefficients, or the refusal in words."""
    training = rows or None
    asked = [
        lambda: model.summary(*rows),
        lambda: model.summary(*rows, covariance="HC3"),
        lambda: model.wald_test(NAMES[0] if hasattr(model, "feature_names_in_") else "x0", training=training),
        lambda: model.interval(new, training=training),
        lambda: model.influence(*rows),
        lambda: er.equivalent_constraint(model, *rows),
    ]
    out = []
    for ask in asked:
        try:
            out.append(repr(ask()))
        except (ValueError, TypeError, AttributeError) as e:
            out.append(f"{type(e).__name__}: {e}")
    return out


@linear
def test_columns_of_a_frame_that_nobody_holds_answer_as_given_ones_do(
    est: Any, rng: np.random.Generator
) -> None:
    check_answers(est, "columns of a frame", rng)


@pytest.mark.parametrize("way", TEMPORARY)
@plain
def test_rows_that_nobody_holds_answer_as_given_ones_do(est: Any, way: str, rng: np.random.Generator) -> None:
    check_answers(est, way, rng)


def check_answers(est: Any, way: str, rng: np.random.Generator) -> None:
    """A fit on rows that are gone by now says what it says about the same rows given again."""
    d = data_for(est, rng)
    keep = np.arange(len(d.y)) % 6 > 0
    model = clone(est).fit(*TEMPORARY[way](d, keep))
    gc.collect()
    rows = TEMPORARY[way](d, keep)
    new = rows[0][:2]
    said = answers(model, new, ())
    assert not any("not at hand" in text or "changed in memory" in text for text in said), said
    assert said == answers(model, new, rows)


@linear
def test_rows_in_float32_that_nobody_touched_are_not_called_changed(
    est: Any, rng: np.random.Generator
) -> None:
    """A weak penalty magnifies what float32 leaves of a gradient in the gap of the plainest dual point."""
    d = data_for(est, rng)
    for alpha in (1e-3, 1e-5, 1e-8):
        model = clone(est)
        if "alpha" in model.get_params() and isinstance(model.alpha, float) and model.alpha > 0.0:
            model.set_params(alpha=alpha)
        X = d.X.astype(np.float32) if sp.issparse(d.X) else np.asarray(d.X, dtype=np.float32)
        X = np.hstack([X, rng.normal(size=(X.shape[0], 10)).astype(np.float32)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a weak penalty may need more steps than the estimator takes
            model.fit(X, d.y)
        model._fitted_problem(None, None, None)


@linear
def test_no_rows_travel_in_a_pickle_or_copy(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    model = clone(est).fit(d.X, d.y)
    assert model._training is not None
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert getattr(other, "_training", None) is None
        assert "_training" not in pickle.loads(pickle.dumps(other)).__dict__
        with pytest.raises(ValueError, match=r"not at hand.*pass X and y"):
            other.summary()
    assert not hasattr(clone(model), "solution_")


def test_a_change_of_x_after_the_fit_is_seen(rng: np.random.Generator) -> None:
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200)
    changes = {
        "scaled": lambda X: X.__imul__(2.0),
        "a cell": lambda X: X.__setitem__((3, 1), 50.0),
        "shuffled": lambda X: rng.shuffle(X),
        "shifted": lambda X: X.__iadd__(1.0),
        "sorted": lambda X: X.sort(axis=0),
    }
    for name, change in changes.items():
        mine = X.copy()
        model = er.LinearRegression().fit(mine, y)
        whole = repr(model.summary())
        change(mine)
        with pytest.raises(ValueError, match="changed in memory after the fit"):
            model.summary(), name
        assert repr(model.summary(X, y)) == whole


def test_changes_of_y_and_weights_after_the_fit_change_nothing(rng: np.random.Generator) -> None:
    X = rng.normal(size=(100, 3))
    y, s = X[:, 0] + rng.normal(size=100), rng.uniform(0.5, 1.0, 100)
    for make in (er.LinearRegression, lambda: er.Ridge(0.1), lambda: er.HuberRegressor()):
        mine, weight = y.copy(), s.copy()
        model = make().fit(X, mine, weight)
        whole = repr(model.summary())
        mine[:], weight[:] = 0.0, 7.0
        assert repr(model.summary()) == whole


def test_offsets_and_exposures_are_kept(rng: np.random.Generator) -> None:
    X, exposure = rng.normal(size=(120, 2)), rng.uniform(0.5, 20.0, 120)
    y = rng.poisson(exposure * np.exp(0.3 * X[:, 0])).astype(float)
    model = er.PoissonRegressor(alpha=0.0).fit(X, y, exposure=exposure.copy())
    given = {"X": X, "y": y, "exposure": exposure}
    assert repr(model.summary()) == repr(model.summary(**given))
    assert repr(model.influence()) == repr(model.influence(**given))
    assert repr(model.wald_test("x0")) == repr(model.wald_test("x0", training=given))
    assert repr(model.interval(X[:3])) == repr(model.interval(X[:3], training=(X, y, None, None, exposure)))
    logs = er.PoissonRegressor(alpha=0.0).fit(X, y, offset=np.log(exposure))
    assert repr(logs.influence(X, y, offset=np.log(exposure))) == repr(logs.influence())
    with pytest.raises(ValueError, match="not the rows that the model was fitted on"):
        model.influence(X, y)
    with pytest.raises(ValueError, match=r"all rows of the fit or none.*got exposure"):
        model.influence(exposure=exposure)


def test_large_columns_are_found_while_they_live_and_are_not_kept_alive(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "KEPT_BYTES", 4000)
    X = rng.normal(size=(200, 3))
    frame = columns(rng.normal(size=(200, 5)))
    for mine in (X, frame):
        y = np.asarray(mine)[:, 0] + rng.normal(size=200)
        model = er.LinearRegression().fit(mine, pd.Series(y))
        assert repr(model.summary()) == repr(model.summary(mine, y))
    alive = weakref.ref(frame)
    del frame, mine
    gc.collect()
    assert alive() is None
    with pytest.raises(ValueError, match=r"not at hand.*pass X and y of the fit again"):
        model.summary()
    # A list has no weak reference.
    listed = er.LinearRegression().fit(X.tolist(), X[:, 0] + rng.normal(size=200))
    with pytest.raises(ValueError, match="not at hand"):
        listed.summary()


def test_a_slice_does_not_keep_what_it_was_cut_from(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "KEPT_BYTES", 8000)
    whole = rng.normal(size=(5000, 3))
    model = er.LinearRegression().fit(whole[:100], rng.normal(size=100))
    alive = weakref.ref(whole)
    del whole
    assert alive() is None
    assert model.summary().valid


def test_members_of_ensembles_keep_nothing(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    bag = er.BaggingRegressor(er.Ridge(), n_estimators=3, random_state=0).fit(X, y)
    folds = er.selection.CrossValidatedEnsemble(er.Ridge(), random_state=0).fit(X, y)
    for member in [*(m.model if hasattr(m, "model") else m for m in bag.estimators_), *folds.members_]:
        assert member._training is None


@pytest.mark.parametrize("kind", ["RandomForestRegressor", "ExtraTreesClassifier"])
def test_forests_answer_about_rows_that_nobody_holds(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0.0).astype(int)
    model = getattr(er, kind)(5, bootstrap=True, random_state=0).fit(X[:50], pd.Series(y)[:50])
    found = model.importances().value
    np.testing.assert_array_equal(found, model.importances(X[:50], y[:50]).value)
    X[:] = 0.0
    np.testing.assert_array_equal(found, model.importances().value)
    assert "_training" not in pickle.loads(pickle.dumps(model)).__dict__
