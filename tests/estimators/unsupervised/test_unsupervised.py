"""What every estimator without targets owes: scikit-learn's contract, a flat name, clean failures."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.estimators.unsupervised import REGISTRY
from empirisk.results import Kind
from tests.oracles.complete import complete

USES = [
    er.KernelDensity(),
    er.KernelDensity(0.7, window="epanechnikov", standardise=False),
    er.NearestNeighbors(),
    er.NearestNeighbors(3, metric="manhattan", algorithm="kd_tree"),
    er.NearestNeighbors(1, radius=0.5, metric="chebyshev"),
    er.OneClassSVM(),
    er.OneClassSVM(0.1, kernel="laplacian"),
]
EACH = pytest.mark.parametrize("est", USES, ids=repr)


def test_every_row_is_tested() -> None:
    here = "USES in tests/estimators/unsupervised/test_unsupervised.py"
    complete({type(use).__name__ for use in USES}, REGISTRY, "a use", here)
    for name, thing in REGISTRY.items():
        assert getattr(er, name, None) is thing, f"add {name!r} to src/empirisk/__init__.pyi"


def expected_failures(est: Any) -> dict[str, str]:
    """Checks that cannot hold, with the reason; an expected failure that passes is a failure."""
    if not isinstance(est, er.OneClassSVM):
        return {}
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": "equal up to the tolerance, and not bit for bit"
        for kind in ("dense", "sparse")
    }


@parametrize_with_checks(USES, expected_failed_checks=expected_failures)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


@EACH
def test_certificates_are_shown_kept_and_verified(est: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    model = clone(est).fit(X)
    assert model.certificate_.claim in repr(model)
    again = pickle.loads(pickle.dumps(model))
    assert again.certificate_ == model.certificate_
    if model.certificate_.kind is Kind.NONE:
        with pytest.raises(
            TypeError, match=f"{type(est).__name__} has no certificate that could be verified"
        ):
            er.verify(again, X, None)
    else:
        assert er.verify(again, X, None).kind is model.certificate_.kind
        with np.errstate(all="ignore"):
            other = er.verify(again, 1.01 * X, None)
        assert other.kind is Kind.NONE or not other.within(1e-4)
    frame = pd.DataFrame(X, columns=list("abc"))
    assert list(clone(est).fit(frame).feature_names_in_) == list("abc")


@EACH
def test_a_failed_fit_leaves_the_state_before(est: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    model = clone(est).fit(X)
    before = {k: v for k, v in vars(model).items() if k.endswith("_")}
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.where(X > 1.0, np.inf, X))
    assert all(vars(model)[k] is v for k, v in before.items())
