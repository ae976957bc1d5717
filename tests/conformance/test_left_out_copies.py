"""Whatever chooses by leave-one-out leaves a row out with its copies: repeated rows teach nothing new."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED
from tests.conformance.estimators import Use, data_for, use

# Every estimator with an exact leave-one-out, on values that do not hang on the number of rows.
STRENGTHS = np.geomspace(1e-6, 1e3, 7)
WIDTHS = np.geomspace(0.01, 3.0, 6)
USES: list[Use] = [
    use("KNeighborsClassifier", n_neighbors="cv"),
    use("KNeighborsClassifier", n_neighbors="cv", weights="distance", class_weight="balanced"),
    use("KNeighborsRegressor", n_neighbors="cv"),
    use("KernelSmoother", bandwidths=WIDTHS),
    use("KernelSmoother", bandwidths=WIDTHS, degree=0, window="tricube"),
    use("KernelRidge", alpha="cv", alphas=STRENGTHS),
    use("Ridge", alpha="cv", alphas=STRENGTHS),
]
MADE = [*(u.make() for u in USES), er.KernelDensity(bandwidths=WIDTHS)]
# Documented words of a choice by leave-one-out.
WORDS = ("leave-one-out", "leaves each row out")
# Evidence of all rows and refits, no choice by rows that are left out.
OTHERS = {"GaussianProcessRegressor", "GaussianProcessClassifier"}


def noise(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return rows and targets that have nothing to do with each other."""
    d = data_for(est, rng, classes=2)
    return d.X, rng.permutation(d.y)


def losses(est: Any) -> Any:
    return np.asarray(est.selection_.loss)


@pytest.mark.parametrize("est", MADE, ids=[f"{type(est).__name__}-{i}" for i, est in enumerate(MADE)])
@pytest.mark.parametrize("weighted", [False, True], ids=["equal", "weighted"])
def test_doubled_rows_have_the_losses_of_single_ones(
    est: Any, weighted: bool, rng: np.random.Generator
) -> None:
    X, y = noise(est, rng)
    s = rng.uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))
    twice = rng.permutation(np.repeat(np.arange(len(X)), 2))
    single = losses(est.fit(X, y, sample_weight=s))
    double = losses(est.fit(X[twice], y[twice], sample_weight=s[twice]))
    if hasattr(est, "n_neighbors_"):  # k rows are 2 k rows
        double = double[1::2][: len(single)]
        single = single[: len(double)]
        assert est.n_neighbors_ > 1
    np.testing.assert_allclose(double, single, rtol=1e-6)
    assert double.min() > 0.0 or is_classifier(est)


def test_every_choice_by_leave_one_out_is_tested() -> None:
    every = {**REGISTRY, **UNSUPERVISED}
    tell = {name for name, cls in every.items() if any(w in (cls.__doc__ or "") for w in WORDS)}
    assert tell - OTHERS == {type(est).__name__ for est in MADE}
