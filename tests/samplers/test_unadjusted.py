"""Steps that are always taken: default runs are believed, and what is believed is so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.samplers import REGISTRY, sample
from empirisk.typing import Array

UNADJUSTED = [name for name, row in REGISTRY.items() if not row.exact]


def posed(what: str) -> tuple[Any, dict[str, Any]]:
    """Return a regression of 500 rows and five columns, and what its sampling is told."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    score = X @ [1.0, -0.5, 0.25, 0.0, 0.0]
    if what == "logistic":
        return er.LogisticRegression(alpha=0.01).fit(X, score + rng.logistic(size=500) > 0.0), {}
    return er.Ridge(alpha=0.01).fit(X, score + rng.normal(size=500)), {"dispersion": 1.0}


def centre(what: str, model: Any, more: dict[str, Any]) -> tuple[Array, Array]:
    """Return the posterior means and their errors: a Gaussian's mode, or means of long exact chains."""
    if what == "linear":
        return np.append(model.coef_, model.intercept_), np.zeros(6)
    exact = sample(model, draws=20_000, random_state=99, **more)
    return exact.mean, exact.mcse


@pytest.mark.parametrize("what", ["logistic", "linear"])
@pytest.mark.parametrize("name", UNADJUSTED)
@pytest.mark.full  # 20 runs of 40,000 steps take seconds
def test_default_runs_are_believed_and_their_errors_hold(name: str, what: str) -> None:
    model, more = posed(what)
    runs = [sample(model, method=name, random_state=seed, **more) for seed in range(20)]
    assert sum(not run.doubts for run in runs) >= 18
    mean, error = centre(what, model, more)
    z = np.array([(run.mean - mean) / np.hypot(run.mcse, error) for run in runs])
    # Draws are spread a little wider than the target, and so are their errors: squares of z below 1.  A mean
    # of 120 squares, of which those of one run depend on each other, has a deviation below 0.2.
    assert 0.4 < (z**2).mean() < 1.6
    # A bias of the means would show in all seeds: a mean of 20 has a deviation of 0.22.
    assert np.abs(z.mean(axis=0)).max() < 5.0 / np.sqrt(20.0)
