"""Principal components with a public number changed, of which no certificate may be confirmed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.results import Kind
from tests.oracles.changed_numbers import confirmed_changes


@pytest.mark.parametrize(
    "est",
    [er.PCA(), er.PCA(2), er.PCA(0.7), er.KernelPCA("gaussian", 3)],
    ids=["all", "two", "share", "kernel"],
)
@pytest.mark.parametrize("stored", [np.asarray, np.float32, sp.csr_array])
def test_no_changed_number_of_components_is_confirmed(
    est: Any, stored: Any, rng: np.random.Generator
) -> None:
    X = stored(rng.normal(size=(40, 5)) * [4.0, 3.0, 2.0, 1.0, 0.5] + 3.0)
    model = est.fit(X)
    assert er.verify(model, X, None).kind is model.certificate_.kind
    assert not confirmed_changes(model, X)


def test_a_wrong_share_is_told_with_both_numbers(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 1)) * np.array([[1.0, 2.0]])  # one direction explains all
    model = er.PCA(1).fit(X)
    model.explained_variance_ratio_ = np.array([0.5])
    found = er.verify(model, X, None)
    assert found.kind is Kind.NONE
    assert "explained_variance_ratio_" in found.claim
    assert "is 1 for these rows, not 0.5" in found.claim
