"""What is called plot draws at once, where it is told, and returns the Plot: in every class."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

import empirisk as er
from empirisk.estimators import REGISTRY as SUPERVISED
from empirisk.estimators.clusters import REGISTRY as CLUSTERS
from empirisk.estimators.features import REGISTRY as FEATURES
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED
from tests.conformance.clusterers import USES
from tests.oracles.complete import complete
from tests.oracles.structure import module_names

pytest.importorskip("matplotlib")

# One of each class that draws, small.
MODELS: list[Any] = [
    *{type(use).__name__: use for use in USES if hasattr(use, "plot")}.values(),
    er.PCA(2),
    er.DecisionTreeClassifier(),
    er.DecisionTreeRegressor(),
    er.GradientBoostingClassifier(n_estimators=5),
    er.GradientBoostingRegressor(n_estimators=5),
    er.GaussianProcessClassifier(),
    er.GaussianProcessRegressor(),
    er.RegressionMixture(1),
]
EACH = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


def drawers() -> Iterator[tuple[str, Any]]:
    """Return every method whose name begins with plot, of every class of the package, by its full name."""
    for name in module_names():
        module = importlib.import_module(name)
        for thing in vars(module).values():
            if inspect.isclass(thing) and thing.__module__ == name:
                for method, does in vars(thing).items():
                    if method == "plot" or method.startswith("plot_"):
                        yield f"{name}.{thing.__name__}.{method}", does


def test_every_plot_takes_axes_and_says_that_it_returns_a_plot() -> None:
    found = dict(drawers())
    assert len(found) > 20, "the scan found next to no plots: it is looking in the wrong place"
    for name, does in found.items():
        ax = inspect.signature(does).parameters.get("ax")
        assert ax is not None, f"{name} draws on Axes that are given: let it take ax=None"
        assert ax.default is None, f"{name} makes a figure where ax is None"
        assert "Plot" in inspect.getdoc(does), f"{name} draws and returns the Plot: say so"


def test_every_model_that_draws_is_tried() -> None:
    every = {**SUPERVISED, **CLUSTERS, **FEATURES, **UNSUPERVISED}
    draws = {name for name, c in every.items() if hasattr(c, "plot")}
    complete(
        [type(m).__name__ for m in MODELS], draws, "a model", "MODELS in tests/conformance/test_plots.py"
    )


@pytest.mark.parametrize("model", USES, ids=lambda m: type(m).__name__)
def test_numbers_of_clusters_at_an_axis_are_whole(model: Any, rng: np.random.Generator) -> None:
    x = np.concatenate([rng.normal(size=(20, 1)) + 9.0 * k for k in range(3)])
    ax = clone(model).fit(x).plot(x).axes
    ax.figure.canvas.draw()
    if ax.get_ylabel() == "number of the cluster":
        low, high = ax.get_ylim()
        shown = [t.get_text() for t in ax.get_yticklabels() if low <= t.get_position()[1] <= high]
        assert shown == ["0", "1", "2"]
    else:
        assert "Mixture" in type(model).__name__, "rows of one column lie along the numbers of their clusters"


@EACH
def test_one_call_draws(model: Any, rng: np.random.Generator) -> None:
    from matplotlib.figure import Figure

    X = np.concatenate([rng.normal(size=(20, 3)) + 6.0 * k * np.eye(3)[k] for k in range(3)])
    y = (np.arange(60) % 2).astype(float)
    model = clone(model).fit(X, y if get_tags(model).target_tags.required else None)
    takes = inspect.signature(model.plot).parameters
    given = {"X": X, "y": y}
    rows = [v for n, v in given.items() if n in takes and takes[n].default is inspect.Parameter.empty]
    plot = model.plot(*rows)
    assert isinstance(plot, er.plots.Plot)
    ax = plot.axes
    assert ax.get_title(loc="left")
    assert ax.figure.get_axes() == [ax]
    own = Figure().add_subplot()
    assert model.plot(*rows, ax=own).axes is own
    assert own.get_title(loc="left").split() == ax.get_title(loc="left").split()
