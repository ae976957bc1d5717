"""Networks of ours and of scikit-learn, with the same layers, batches, steps and penalty.

`fit` of ours measures the gradient on all rows at the end, in double precision; `partial_fit`, a single
epoch, does not.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier

import empirisk as er
from bench.objectives.network import Network, Recipe
from bench.solvers.base import Solver


def _ours(X: Any, y: Any, recipe: Recipe, one_epoch: bool) -> Network:
    model = er.MLPClassifier(
        recipe.hidden, alpha=recipe.alpha, step=recipe.step, n_epochs=recipe.epochs, batch_size=recipe.batch,
        standardise=False,
    )  # fmt: skip
    model = model.partial_fit(X, y, classes=np.unique(y)) if one_epoch else model.fit(X, y)
    return Network(model.coefs_, model.intercepts_)


def _scikit_learn(X: Any, y: Any, recipe: Recipe, one_epoch: bool) -> Network:
    # It divides the penalty by the rows of a batch, and without a tolerance takes all epochs.
    model = MLPClassifier(
        (recipe.hidden,), alpha=recipe.alpha * recipe.batch, learning_rate_init=recipe.step,
        max_iter=recipe.epochs, batch_size=min(recipe.batch, len(y)), tol=0.0,
        n_iter_no_change=recipe.epochs + 1, random_state=0,
    )  # fmt: skip
    model = model.partial_fit(X, y, classes=np.unique(y)) if one_epoch else model.fit(X, y)
    return Network(model.coefs_, model.intercepts_)


def _both(one_epoch: bool) -> list[Solver]:
    label = "partial_fit" if one_epoch else "fit"
    return [
        Solver("empirisk", label, partial(_ours, one_epoch=one_epoch)),
        Solver("scikit-learn", f"MLPClassifier {label}", partial(_scikit_learn, one_epoch=one_epoch)),
    ]


SOLVERS = {"mlp_epoch": [*_both(True), *_both(False)], "latency_mlp": _both(False)}
