"""What is printed at the prompt is one or two lines that say something: no arrays, no thousand characters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data.tabular import Tabular
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.estimators import AS_WRITTEN, BY_STEPS, Use, data_for, use
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.likelihood_estimators import COUNTS, SETS
from tests.conformance.likelihood_estimators import USES as LIKELIHOODS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import USES as TREES

MORE = [
    use("BaggingClassifier", n_estimators=3),
    use("PlugInClassifier"),
    use("BaggingRegressor", n_estimators=3),
    use(
        "GradientBoostingClassifier", calibrate="isotonic", calibration_fraction=0.3, validation_fraction=0.3
    ),
    use("GradientBoostingRegressor", calibration_fraction=0.3, early_stopping=True, n_estimators=20),
    use("RandomForestRegressor", n_estimators="auto"),
    use("AdaBoostClassifier", early_stopping="validation"),
]
ONE_OF_EACH = list(
    {
        u.kind: u
        for u in reversed(
            [
                *AS_WRITTEN,
                *BY_STEPS,
                *TREES,
                *KERNELS,
                *NEIGHBORS,
                *PROCESSES,
                *NETWORKS,
                *SMOOTHERS,
                *BAYES,
                *LIKELIHOODS,
                *COUNTS,
                *SETS,
            ]
        )
    }.values()
)


def assert_short(thing: Any, what: str) -> None:
    text = repr(thing)
    lines = text.splitlines()
    assert len(lines) <= 2, f"{what}: {len(lines)} lines\n{text}"
    longest = max(len(line.split("  # ")[0]) for line in lines)  # behind it stands a sentence
    assert longest <= 450, f"{what}: a line of {longest} characters\n{text}"
    assert "array(" not in text, f"{what} prints an array\n{text}"
    assert " object at 0x" not in text, f"{what} says nothing\n{text}"


def results_of(est: Any) -> Iterator[tuple[str, Any]]:
    """What a fit left of our own types."""
    names = [n for n in dir(est) if n.endswith("_") and not n.startswith("_")]
    for name in names:
        found = getattr(est, name, None)
        for k, thing in enumerate(found if isinstance(found, tuple | list) else [found]):
            if type(thing).__module__.startswith("empirisk"):
                yield f"{type(est).__name__}.{name}[{k}]", thing


@pytest.mark.parametrize("u", [*ONE_OF_EACH, *MORE], ids=str)
def test_fits_and_what_they_leave_are_short(u: Use, rng: np.random.Generator) -> None:
    est = u.make()
    d = data_for(est, rng, n=120)
    assert_short(est, "before the fit")
    est.fit(d.X, d.y)
    assert_short(est, "after the fit")
    seen = list(results_of(est))
    assert "solution_" in str(seen)
    for what, thing in seen:
        if not isinstance(thing, Tabular):
            assert_short(thing, what)


@pytest.mark.parametrize("u", [u for u in ONE_OF_EACH if hasattr(u.make(), "problem")], ids=str)
def test_problems_are_short(u: Use, rng: np.random.Generator) -> None:
    est = u.make()
    d = data_for(est, rng)
    problem = est.problem(d.X, d.y)
    assert_short(problem, "problem")
    assert "60 rows x 5 columns" in repr(problem)
    assert_short(problem.data, "problem.data")
    if not hasattr(problem, "design"):  # of networks, which are no linear problems
        assert_short(problem.evaluate(problem.start()), "evaluation")
        return
    assert_short(problem.design, "problem.design")
    assert_short(problem.evaluate(problem.zeros()), "evaluation")
    assert_short(problem.potential(), "potential")


def test_searches_paths_and_certificates_are_short(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    grid = er.selection.GridSearch(er.Ridge(), {"alpha": [0.01, 0.1, 1.0]}, random_state=0)
    draws = er.selection.RandomSearch(er.Ridge(), {"alpha": er.selection.LogUniform(0.1, 1)}, random_state=0)
    chooser = er.selection.StructuralRiskMinimizer({"stump": er.hypotheses.DecisionStumps()})
    for search, target in ((grid, y), (draws, y), (chooser, y > 0.0)):
        assert_short(search, "before the fit")
        assert_short(search.fit(X, target), "after the fit")
    assert "best of 3: alpha=" in repr(grid)
    assert_short(er.path(er.Lasso(), X, y), "path")
    assert_short(er.convex.ConvexProblem(lambda x: x @ x, 2, [lambda x: 1.0 - x.sum()]), "convex problem")
    model = er.Ridge().fit(X, y)
    assert model.certificate_.claim in repr(model.certificate_)
    head = repr(model.solution_).split("  # ")[0]
    assert head == "Solution(CERTIFIED, 'least_squares', n_steps=1, w of shape (4,))"
    assert_short(er.bounds.held_out_binomial(np.repeat([0, 1], [95, 5])), "bound")
