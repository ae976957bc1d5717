"""Sensible ranges of the settings of our estimators: what is tried along a path, and what is drawn.

A path is a parameter whose values one fit gives together: strengths, prunings, rounds, neighbours.  The rest
is drawn: Bergstra and Bengio, Journal of Machine Learning Research 13 (2012), section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from empirisk.estimators.linear.tune import alpha_grid
from empirisk.kernels import Gaussian
from empirisk.search.points import LogUniform

__all__ = ["NOTHING", "PRUNINGS", "RANGES", "ROUNDS", "Space", "prunings"]

# Of boosting: what is tried at first; further ones follow while the loss is shown to fall.
ROUNDS = (3, 5, 10, 20, 35, 60, 100, 150, 200, 300)
STRENGTHS, PRUNINGS = 25, 16
NEIGHBOURS = (1, 2, 3, 5, 7, 10, 15, 22, 33, 50, 75, 110, 160)
NATURAL = (0, 1)  # ends of a range beyond which a parameter has no values
WIDTHS = (0.1, 0.3, 1.0, 3.0, 10.0)  # of a Gaussian kernel, times one over columns and their mean variance

Along = Callable[[Any, Any, Any], Sequence[Any]]
Draws = Mapping[str, Any]


@dataclass(frozen=True)
class Space:
    """What is tried of one estimator.

    Parameters
    ----------
    path : str
        The parameter whose values are fitted together; "" for none.
    along : callable of (model, X, y)
        Its values for a model with the other settings, the simplest model first.
    draws : mapping, or callable of (model, X, y) that returns one
        Parameters to lists of values or to distributions.
    fixed : mapping
        Settings without which the path has no meaning.
    grows : bool
        Whether the path can go on beyond its last value.
    """

    path: str = ""
    along: Along | None = None
    draws: Draws | Callable[[Any, Any, Any], Draws] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    grows: bool = False

    def at_ends(self, settings: Mapping[str, Any]) -> dict[str, str]:
        """Return the drawn numbers that lie at an end of their range: "lowest" or "highest", by name.

        Parameters
        ----------
        settings : mapping
            Parameters to values; what the space does not draw, what is no number, and 0 and 1, beyond which
            there is nothing (no penalty, all rows, one row), are left out.

        Examples
        --------
        >>> space = Space(draws={"l2": [0.0, 1.0, 10.0], "rate": LogUniform(0.02, 0.2), "kind": ["a", "b"]})
        >>> space.at_ends({"l2": 10.0, "rate": 0.05, "kind": "a"})
        {'l2': 'highest'}
        """
        out = {}
        for name, source in {} if callable(self.draws) else self.draws.items():
            value = settings.get(name)
            ends = (source.low, source.high) if isinstance(source, LogUniform) else _ends(source)
            if ends and isinstance(value, int | float) and value in ends and value not in NATURAL:
                out[name] = "lowest" if value == ends[0] else "highest"
        return out


def _ends(source: Any) -> tuple[Any, ...]:
    """Return the smallest and the largest of the listed numbers; nothing where there are none to order."""
    numbers = [v for v in source if isinstance(v, int | float)] if isinstance(source, list) else []
    whole = isinstance(source, list) and len(numbers) == len(source) > 2
    return (min(numbers), max(numbers)) if whole else ()


def strengths(model: Any, X: Any, y: Any) -> list[float]:
    """Return the strengths of a linear model along its own grid, the largest first."""
    twin = clone(model).set_params(alpha=1.0)
    return [float(a) for a in alpha_grid(twin._prepare(X, y, None, fitting=True), STRENGTHS)]


def prunings(tree: Any, X: Any, y: Any, size: int = PRUNINGS) -> list[float]:
    """Return geometric midpoints of the strengths at which a tree on all rows loses a branch, thinned.

    Parameters
    ----------
    tree : decision tree
    X, y
        Rows.
    size : int
        Values at most; the largest comes first.
    """
    found = clone(tree).set_params(alpha=0.0).cost_complexity_path(X, y).alpha
    steps = np.unique(found[found > 0.0])
    if steps.size == 0:
        return [0.0]
    if steps.size == 1:  # all or nothing
        return [1.5 * float(steps[0]), 0.5 * float(steps[0])]
    middles = np.append(np.sqrt(steps[1:] * steps[:-1]), steps[-1] * 1.5)
    picked = np.unique(np.linspace(0, middles.size - 1, min(size, middles.size)).round().astype(int))
    return [float(a) for a in middles[picked][::-1]]


def _rounds(model: Any, X: Any, y: Any) -> list[int]:
    """Return numbers of rounds, the most not above one for each 5 rows at first."""
    return [r for r in ROUNDS if r <= max(10, len(y) // 5)]


def _neighbours(model: Any, X: Any, y: Any) -> list[int]:
    """Return numbers of neighbours up to a quarter of the rows, many first."""
    return [k for k in NEIGHBOURS if k <= max(1, len(y) // 4)][::-1]


def _kernel_strengths(model: Any, X: Any, y: Any) -> list[float]:
    """Return strengths of a kernel machine, ``1/(nC)`` for prices C from 0.01 to 1000."""
    return [float(1.0 / (len(y) * c)) for c in np.logspace(-2.0, 3.0, 11)]


def _widths(model: Any, X: Any, y: Any) -> Draws:
    """Return Gaussian kernels of several widths, for a model whose kernel is the Gaussian by its word."""
    if not isinstance(model.kernel, str) or model.kernel != "gaussian":
        return {}
    X = X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = X.multiply(X) if hasattr(X, "tocsr") else X * X
    variance = float(np.mean(np.asarray(squares.mean(axis=0)).ravel() - mean**2))
    scale = 1.0 / (X.shape[1] * variance) if variance > 0.0 else 1.0
    return {"kernel": [Gaussian(gamma=scale * w) for w in WIDTHS]}


LEAVES = [1, 2, 3, 5, 10, 20]
LINEAR = Space("alpha", strengths)
MIXED = Space("alpha", strengths, {"l1_ratio": [0.0, 0.1, 0.5, 0.9, 1.0]})
TREE = Space("alpha", prunings, {"min_samples_leaf": LEAVES})
FOREST = Space(draws={"min_samples_leaf": LEAVES, "max_features": ["sqrt", 0.2, 0.33, 0.5, 0.75, 1.0]})
BOOSTING = Space(
    "n_estimators",
    _rounds,
    {
        "learning_rate": LogUniform(0.02, 0.2),
        "max_leaf_nodes": LogUniform(4, 64, integer=True),
        "min_samples_leaf": LogUniform(3, 60, integer=True),
        "l2": [0.0, 1.0, 10.0],
        "subsample": [0.6, 0.8, 1.0],
        "max_features": [0.3, 0.6, None],
        "tree_features": [0.3, 0.6, None],
    },
    {"early_stopping": False},
    grows=True,
)
ADABOOST = Space(
    draws={"max_depth": [1, 2, 3, 4], "n_estimators": [30, 100, 300], "learning_rate": [0.1, 0.3, 1.0]}
)
VOTE = Space(draws={"max_samples": [0.3, 0.5, 0.7, 1.0], "max_features": [0.5, 0.7, 1.0]})
NEAR = Space("n_neighbors", _neighbours, {"weights": ["uniform", "distance"]})
KERNEL = Space("alpha", _kernel_strengths, _widths)
NETWORK = Space(
    draws={
        "alpha": LogUniform(1e-6, 1e-1),
        "hidden": [(50,), (100,), (200,), (100, 100)],
        "dropout": [0.0, 0.1, 0.3],
        "n_epochs": [50, 100, 200],
    }
)
STEPS = Space(draws={"alpha": LogUniform(1e-7, 1e-1)})
PENALTY = Space(draws={"alpha": LogUniform(1e-6, 1.0)})
SMOOTHED = Space(draws={"alpha": LogUniform(1e-3, 10.0)})
SHRUNK = Space(draws={"shrinkage": [None, "ledoit_wolf", "oas", 0.01, 0.1, 0.3, 0.6, 0.9]})

# By the names of the registry of estimators.
RANGES: dict[str, Space] = {
    **dict.fromkeys(("Ridge", "Lasso", "LinearSVC", "PenalizedRegressor"), LINEAR),
    **dict.fromkeys(("LogisticRegression", "PoissonRegressor", "GammaRegressor", "TweedieRegressor"), MIXED),
    **dict.fromkeys(("GeneralizedLinearModel", "HuberRegressor", "LinearSVR"), MIXED),
    **dict.fromkeys(("LeastAbsoluteDeviations", "QuantileRegressor"), MIXED),
    "ElasticNet": Space("alpha", strengths, {"l1_ratio": [0.05, 0.1, 0.5, 0.9, 0.99]}),
    **dict.fromkeys(("DecisionTreeClassifier", "DecisionTreeRegressor"), TREE),
    **dict.fromkeys(("RandomForestClassifier", "RandomForestRegressor"), FOREST),
    **dict.fromkeys(("ExtraTreesClassifier", "ExtraTreesRegressor"), FOREST),
    **dict.fromkeys(("GradientBoostingClassifier", "GradientBoostingRegressor"), BOOSTING),
    **dict.fromkeys(("AdaBoostClassifier", "AdaBoostRegressor"), ADABOOST),
    **dict.fromkeys(("BaggingClassifier", "BaggingRegressor"), VOTE),
    **dict.fromkeys(("KNeighborsClassifier", "KNeighborsRegressor"), NEAR),
    **dict.fromkeys(("SVC", "SVR", "KernelRidge", "KernelLogisticRegression", "KernelQuantile"), KERNEL),
    "KernelSGDClassifier": Space(draws={"alpha": LogUniform(1e-5, 1e-1)}),
    "KernelSmoother": Space(draws={"degree": [0, 1]}),
    **dict.fromkeys(("MLPClassifier", "MLPRegressor"), NETWORK),
    **dict.fromkeys(("SGDClassifier", "SGDRegressor"), STEPS),
    **dict.fromkeys(("BernoulliNB", "CategoricalNB", "MultinomialNB", "MixedNB"), SMOOTHED),
    "GaussianNB": Space(draws={"var_smoothing": LogUniform(1e-12, 1.0)}),
    **dict.fromkeys(("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"), SHRUNK),
    **dict.fromkeys(("OrderedLogit", "HurdleRegressor", "ZeroInflatedRegressor"), PENALTY),
    "BayesianGLM": Space(draws={"prior_precision": LogUniform(1e-3, 1e3)}),
    "ConstrainedRegressor": Space(draws={"radius": LogUniform(1e-2, 1e2)}),
    "RegressionMixture": Space(draws={"n_components": [1, 2, 3, 4]}),
}

# Estimators without ranges, and why.
NOTHING: dict[str, str] = {
    "BayesianLinearRegression": "the evidence chooses its precision",
    "GaussianProcessClassifier": "the marginal likelihood chooses its kernel",
    "GaussianProcessRegressor": "the marginal likelihood chooses its kernel and noise",
    "ConditionalLogit": "folds would tear its matched sets apart",
    "HalfspaceClassifier": "it has no setting that changes its optimum",
    "LinearRegression": "it has no setting that changes its optimum",
    "Perceptron": "it has no setting that its bound does not fix",
    "PlugInClassifier": "it is as its regressor is: tune that one",
}
