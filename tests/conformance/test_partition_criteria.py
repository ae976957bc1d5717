"""What every criterion for the number of clusters owes: the right number where it is plain, or a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

import empirisk as er
from empirisk.partitions.criteria import REGISTRY
from empirisk.partitions.k_choice import KChoice


@pytest.fixture(scope="module")
def choices() -> dict[str, KChoice]:
    """Three groups far apart, asked by k-means and by a mixture."""
    rng = np.random.default_rng(0)
    X = 12.0 * np.eye(3, 2)[np.arange(90) % 3] + rng.normal(size=(90, 2))
    few: dict[str, Any] = {"n_draws": 39, "n_subsamples": 5}
    return {
        "kmeans": er.choose_k(KMeans(n_init=3), X, range(1, 7), **few),
        "mixture": er.choose_k(GaussianMixture(reg_covar=1e-3), X, range(1, 5), **few),
    }


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_three_groups_far_apart_are_three(name: str, choices: dict[str, KChoice]) -> None:
    recommended = {
        who: choice.criteria[name].k for who, choice in choices.items() if choice.criteria[name].k is not None
    }
    assert recommended, "no estimator could be judged by it"
    assert set(recommended.values()) == {3}


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_values_have_intervals_or_reasons(name: str, choices: dict[str, KChoice]) -> None:
    for choice in choices.values():
        judged = choice.criteria[name]
        assert len(judged.why.split()) > 2
        for e in judged.values.values():
            assert e.reason or (e.low is not None and e.high is not None and e.low <= e.value <= e.high)
            assert e.method
            assert e.target
