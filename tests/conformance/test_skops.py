"""Fitted estimators in the files of skops, which run no code: they load, answer and claim as before."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import empirisk as er
from empirisk.diagnosis.answer import Outcome
from empirisk.estimators import REGISTRY
from empirisk.estimators.clusters import REGISTRY as CLUSTERS
from empirisk.estimators.features import REGISTRY as FEATURES
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED
from empirisk.kernels import Gaussian
from empirisk.results import Kind, Status
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.clusterers import USES as CLUSTERERS
from tests.conformance.clusterers import groups
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
from tests.conformance.tree_estimators import OPTIMAL
from tests.conformance.tree_estimators import USES as TREES
from tests.estimators.features.test_feature_maps import USES as MAPS
from tests.estimators.unsupervised.test_unsupervised import USES as UNSUPERVISED_USES
from tests.oracles.complete import complete

sio = pytest.importorskip("skops.io", reason="files of skops need the extra: pip install 'empirisk[report]'")

MORE: list[Use] = [
    use("BaggingClassifier", n_estimators=3),
    use("PlugInClassifier"),
    use("BaggingRegressor", n_estimators=3),
    use(
        "GradientBoostingClassifier", calibrate="isotonic", calibration_fraction=0.3, validation_fraction=0.3
    ),
    use("AdaBoostClassifier", early_stopping="validation"),
]
USES = [
    *ALL,
    *POSTERIORS,
    *BY_STEPS,
    *BAYES,
    *KERNELS,
    *LIKELIHOODS,
    *COUNTS,
    *SETS,
    *MIXTURES,
    *NEIGHBORS,
    *PROCESSES,
    *NETWORKS,
    *SMOOTHERS,
    *TREES,
    *OPTIMAL,
    *MORE,
]
WITHOUT_TARGETS = [*MAPS, *UNSUPERVISED_USES]
# What a file may hold beside our own types: sets of column numbers, how numbers lie in memory, sparse rows.
PLAIN = {"builtins.frozenset", "numpy.dtype", "scipy.sparse._csr.csr_matrix"}


def stored(thing: Any) -> Any:
    """Return what a file of the thing holds, after a look at the types that it asks to be trusted."""
    data = sio.dumps(thing)
    asked = sio.get_untrusted_types(data=data)
    foreign = [t for t in asked if not t.startswith("empirisk.") and t not in PLAIN]
    assert not foreign, f"the file asks to trust {foreign}"
    return sio.loads(data, trusted=asked)


def answers(est: Any, X: Any) -> Any:
    """Return what a fitted estimator says of some rows: probabilities, numbers or features."""
    for name in ("predict_proba", "predict", "transform", "kneighbors", "score_samples"):
        if hasattr(est, name):
            return np.asarray(getattr(est, name)(X))
    if hasattr(est, "labels_"):
        return est.labels_
    raise AssertionError(f"{type(est).__name__} says nothing of rows")


def assert_kept(est: Any, X: Any) -> None:
    again = stored(est)
    np.testing.assert_array_equal(answers(again, X), answers(est, X))
    assert repr(again) == repr(est)
    if hasattr(est, "certificate_"):
        assert again.certificate_ == est.certificate_
    if hasattr(est, "solution_"):
        assert again.solution_.status is est.solution_.status
    if getattr(est, "preimage", "none") != "none":
        Z = answers(est, X)
        np.testing.assert_array_equal(again.inverse_transform(Z), est.inverse_transform(Z))


def test_every_registered_estimator_is_tested() -> None:
    complete({u.kind for u in USES}, REGISTRY, "a use", "tests/conformance/estimators.py or its neighbours")
    complete({type(m).__name__ for m in WITHOUT_TARGETS}, {*FEATURES, *UNSUPERVISED}, "a use", "USES there")
    complete({type(m).__name__ for m in CLUSTERERS}, CLUSTERS, "a use", "tests/conformance/clusterers.py")


@each(USES)
def test_a_file_answers_and_claims_as_the_fit(est: Any, rng: np.random.Generator) -> None:
    d = data_for(est, rng)
    assert_kept(clone(est).fit(d.X, d.y), d.X)


@pytest.mark.parametrize("one", WITHOUT_TARGETS, ids=repr)
def test_a_file_of_what_has_no_targets_answers_as_the_fit(one: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    assert_kept(clone(one).fit(X, X[:, 0]), X)


@pytest.mark.parametrize("one", CLUSTERERS, ids=repr)
def test_a_file_of_what_groups_rows_answers_as_the_fit(one: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    assert_kept(clone(one).fit(X), X)


@pytest.mark.parametrize("form", ["sparse", "precomputed", "frame", "float32"])
def test_a_file_keeps_the_rows_of_a_kernel_in_their_form(form: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + X[:, 1] > 0.0, "yes", "no")
    rows = {
        "sparse": sp.csr_matrix(X),
        "precomputed": X @ X.T,
        "frame": pd.DataFrame(X, columns=["a", "b", "c"]),
        "float32": X.astype(np.float32),
    }[form]
    kernel = "precomputed" if form == "precomputed" else Gaussian(gamma=0.5)
    assert_kept(er.SVC(kernel=kernel, probability=True).fit(rows, y), rows)


def test_a_file_of_a_search_has_its_choice(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    grid = {"alpha": [0.1, 1.0], "kernel": [Gaussian(gamma=0.1), Gaussian(gamma=1.0)]}
    search = er.selection.GridSearch(er.KernelRidge(), grid, cv=2, repeats=1, random_state=0)
    search.fit(X, X[:, 0])
    again = stored(search)
    assert repr(again.result_) == repr(search.result_)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


@pytest.mark.parametrize("member", [*Kind, *Status, *Outcome], ids=lambda m: f"{type(m).__name__}.{m.name}")
def test_members_are_stored_by_their_names(member: Any) -> None:
    """So that a file is read after the sentence that is a member's value was worded anew."""
    assert member.__reduce__() == (type(member), (member.name,))
    again = (pickle.loads(pickle.dumps(member)), copy.copy(member), copy.deepcopy(member), stored(member))
    assert all(one is member for one in again)
    assert type(member)(member.value) is member


def test_a_name_that_no_member_has_is_refused() -> None:
    for wrong in ("GAP", 3, None):
        with pytest.raises(ValueError, match="is not a valid Kind"):
            Kind(wrong)
