"""What a model file holds of a fitted pipeline: the numbers that answers are made from, and no more.

How a fit ended, and what it said of its training rows, stands in the metadata or nowhere.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from empirisk.estimators.clusters.base import Clusterer
from empirisk.estimators.estimator import Estimator
from empirisk.report.fit.grown import trees_of

__all__ = ["is_own_record", "numbers_only"]

# Records of arrays and labels that our estimators hold.
TABLES = frozenset(
    {
        "empirisk.trees.structure.Trees",
        "empirisk.data.columns.ColumnCoder",
        "empirisk.estimators.naive_bayes.mixed.Part",
        "empirisk.neighbors.index.Index",
        "empirisk.estimators.neighbors.vote_weights.VoteWeights",
        "empirisk.estimators.kernel.score_probabilities.ScoreProbabilities",
        "empirisk.estimators.network.units.Units",
        "empirisk.problems.network_layers.Layers",
    }
)
# How a fit went, and the groups of its training rows, which `predict` says again.
FITS = ("solution_", "validation_loss_", "validation_curve_")
TOLD = ("solution_", "labels_", "certificate_", "selection_", "starts_")


def numbers_only(pipeline: Pipeline) -> Pipeline:
    """Return the pipeline whose steps and final estimator hold their numbers only; how they were found is in
    the metadata.
    """
    estimator = copy.copy(pipeline[-1])
    params, grown = estimator.get_params(deep=False), trees_of(estimator) is not None
    told = TOLD if isinstance(estimator, Clusterer) else FITS
    for name, value in dict(vars(estimator)).items():
        if name in told or (grown and name not in params and not _plain_data(value)):
            del estimator.__dict__[name]
    before = [(name, _bare(step)) for name, step in pipeline.steps[:-1]]
    return Pipeline([*before, (pipeline.steps[-1][0], estimator)])


def _bare(step: Any) -> Any:
    """Return a fitted transformer without what our estimators in it tell of their fits."""
    made = copy.copy(step)
    if isinstance(step, Pipeline):
        made.steps = [(name, _bare(inner)) for name, inner in step.steps]
    elif isinstance(step, ColumnTransformer):
        made.transformers_ = [(name, _bare(inner), columns) for name, inner, columns in step.transformers_]
    elif isinstance(step, Estimator):
        for name in TOLD:
            made.__dict__.pop(name, None)
    return made


def _plain_data(value: Any) -> bool:
    """Return whether a value is an array, a number, a text, one of our tables or losses, or a tuple of
    these.
    """
    if isinstance(value, tuple):
        return all(_plain_data(v) for v in value)
    kind = type(value)
    return (
        value is None
        or isinstance(value, np.ndarray | np.generic | int | float | str)
        or is_own_record(f"{kind.__module__}.{kind.__qualname__}")
    )


def is_own_record(name: str) -> bool:
    """Return whether a dotted name is a frozen record that our estimators hold: trees, rows to search, names
    of columns, a loss, a kernel, a distance, the layers of a network.
    """
    from empirisk import kernels, losses, neighbors
    from empirisk.problems import activations

    known = (losses.REGISTRY, kernels.REGISTRY, neighbors.METRICS, activations.REGISTRY)
    named = {f"{kind.__module__}.{kind.__qualname__}" for registry in known for kind in registry.values()}
    return name in TABLES or name in named
