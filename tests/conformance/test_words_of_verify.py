"""Estimators without targets have a certificate that `verify` confirms, or it says why there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.estimators.clusters import REGISTRY as CLUSTERS
from empirisk.estimators.features import REGISTRY as FEATURES
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED
from empirisk.results import Kind
from tests.conformance.clusterers import USES as GROUPED
from tests.conformance.clusterers import groups
from tests.estimators.features.test_feature_maps import USES as MAPPED
from tests.estimators.unsupervised.test_unsupervised import USES as OTHERS
from tests.oracles.complete import complete

USES = [*GROUPED, *MAPPED, *OTHERS, er.RandomProjection(epsilon=0.9, delta=0.9)]


def test_every_estimator_without_targets_is_tested() -> None:
    tested = {type(use).__name__ for use in USES}
    complete(tested, {**CLUSTERS, **FEATURES, **UNSUPERVISED}, "a use", "the list of its own registry")


@pytest.mark.parametrize("est", USES, ids=repr)
def test_verify_confirms_a_claim_or_says_why_there_is_none(est: Any, rng: np.random.Generator) -> None:
    X, _ = groups(rng, 60, 80 if est.get_params().get("n_components") == "jl" else 3)
    model = clone(est).fit(X)
    stated = getattr(model, "certificate_", None)
    if stated is not None and stated.kind not in (Kind.NONE, Kind.MONTE_CARLO):
        assert er.verify(model, X).kind is stated.kind
        return
    with pytest.raises(TypeError) as refused:
        er.verify(model, X)
    said = str(refused.value)
    assert said.startswith(f"{type(est).__name__} ")
    why = said.partition(": ")[2]
    assert len(why.split()) > 3, "say why there is nothing to verify"
    assert stated is None or stated.claim.removeprefix("none: ") == why


def test_verify_refuses_what_is_no_estimator_and_what_is_not_fitted() -> None:
    from sklearn.decomposition import PCA
    from sklearn.exceptions import NotFittedError

    with pytest.raises(TypeError, match="verify needs a fitted empirisk estimator, got PCA"):
        er.verify(PCA().fit(np.eye(3)), np.eye(3))
    with pytest.raises(NotFittedError):
        er.verify(er.FourierFeatures(), np.eye(3))
