"""Several targets at once, over the registry: a fit on k columns is k fits, told by the columns' names."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.results import Kind
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.estimators import ALL, BY_STEPS, Use, data_for, each, use
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.likelihood_estimators import COUNTS, SETS
from tests.conformance.likelihood_estimators import USES as LIKELIHOODS
from tests.conformance.mixture_estimators import USES as MIXTURES
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.posterior_estimators import USES as POSTERIORS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import USES as TREES
from tests.oracles.complete import complete

KNOWN = [
    *ALL,
    *BY_STEPS,
    *BAYES,
    *KERNELS,
    *LIKELIHOODS,
    *MIXTURES,
    *NEIGHBORS,
    *NETWORKS,
    *POSTERIORS,
    *PROCESSES,
    *SMOOTHERS,
    *TREES,
]
WRAPPERS = [
    use("BaggingClassifier", n_estimators=5),
    use("BaggingRegressor", n_estimators=5),
    use("PlugInClassifier", regressor=er.KNeighborsRegressor()),
]
# One use of each class: how a fit is dealt out does not depend on its parameters.
ONE_EACH: list[Use] = list({u.kind: u for u in reversed([*KNOWN, *WRAPPERS])}.values())
EACH = each(ONE_EACH)


def test_every_estimator_is_tried() -> None:
    # Sets and counts with zeros ask for targets of their own, which the exchanged ones here are not.
    special = {u.kind for u in [*SETS, *COUNTS]}
    complete({u.kind for u in ONE_EACH}, set(REGISTRY) - special, "a use", "KNOWN or WRAPPERS")


def two_targets(est: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and two targets, the second of which has some values of the first exchanged."""
    d = data_for(est, np.random.default_rng(11), n=40, p=3, classes=2)
    other = d.y.copy()
    other[:6] = d.y[:6][::-1]
    other[-4:] = d.y[-4:][::-1]
    return d.X, d.y, other


def fitted(est: Any, *rows: Any, **more: Any) -> Any:
    """A fitted clone; what fits say about their certificates is not asked here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(est).fit(*rows, **more)


@EACH
def test_a_fit_on_two_columns_is_two_fits(est: Any) -> None:
    X, first, second = two_targets(est)
    model = fitted(est, X, np.column_stack([first, second]))
    alone = [fitted(est, X, y) for y in (first, second)]
    told = model.predict(X)
    assert told.shape[:1] + told.shape[-1:] == (len(X), 2)
    if est._fits_together:  # one problem, whose optimum falls apart into those of the columns
        return
    for j, one in enumerate(alone):
        np.testing.assert_array_equal(told[..., j], one.predict(X))
        for name in ("predict_proba", "predict_log_proba", "decision_function"):
            if hasattr(one, name):
                said = getattr(model, name)(X)
                column = said[j] if isinstance(said, list) else said[..., j]
                np.testing.assert_array_equal(column, getattr(one, name)(X))
    if is_classifier(est):
        assert [c.tolist() for c in model.classes_] == [one.classes_.tolist() for one in alone]
    assert list(model.by_target_) == [0, 1]
    assert model.n_features_in_ == X.shape[1]
    if hasattr(alone[0], "certificate_"):
        states = [one.certificate_ for one in alone]
        worst = max(states, key=lambda c: (c.kind is Kind.NONE, c.relative))
        assert (model.certificate_.kind, model.certificate_.relative) == (worst.kind, worst.relative)
        assert "worst of 2 targets" in model.certificate_.claim
        assert "worst of 2 targets" in repr(model)


@EACH
def test_targets_have_the_names_of_a_frame_and_a_fit_on_one_forgets_the_others(est: Any) -> None:
    X, first, second = two_targets(est)
    model = fitted(est, X, pd.DataFrame({"early": first, "late": second}))
    by_polars = fitted(est, X, pl.DataFrame({"early": first, "late": second}))
    np.testing.assert_array_equal(model.predict(X), by_polars.predict(X))
    if est._fits_together:
        return
    assert list(model.by_target_) == list(by_polars.by_target_) == ["early", "late"]
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    with pytest.raises(AttributeError, match=r"was fitted on 2 targets.*by_target_\['early'\]"):
        _ask(model)
    holes = np.array(second, dtype=object)
    holes[7] = None
    before = dict(vars(model))
    with pytest.raises((ValueError, TypeError), match=r"in the target 'late': .*row 7"):
        model.fit(X, pd.DataFrame({"early": first, "late": holes}))
    assert vars(model) == before
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, first)
    assert not hasattr(model, "by_target_")
    np.testing.assert_array_equal(model.predict(X), fitted(est, X, first).predict(X))


def _ask(model: Any) -> Any:
    """Ask for what each of the models has, and the model of all has not."""
    only = set(vars(model.by_target_["early"])) - set(vars(model))
    return getattr(model, min(name for name in only if not hasattr(type(model), name)))
