"""Forests of several targets whose trees share their splits: grown once, and read target by target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_consistent_length

from empirisk.data.plain_numbers import numbers_only
from empirisk.data.threads import at_most
from empirisk.estimators.checks import check_count, check_weights
from empirisk.estimators.several_targets import naming_target
from empirisk.estimators.trees.tree_base import check_rows
from empirisk.trees.criteria import REGISTRY
from empirisk.trees.forest import GrownTrees
from empirisk.trees.out_of_bag_tally import OutOfBagTally
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["fit_together"]


def fit_together(est: Any, X: Any, columns: Mapping[Any, Any], sample_weight: Any = None) -> dict[Any, Any]:
    """Grow one forest on all targets, whose heterogeneity is the mean of theirs.

    Parameters
    ----------
    est : forest
        Its parameters count; it stays as it is.
    X : array, data frame or sparse matrix, shape (n, p)
        Rows.
    columns : mapping of arrays, shape (n,)
        Targets by name.
    sample_weight : array, shape (n,), optional
        Weights >= 0.

    Returns
    -------
    dict
        For each target a fitted forest of the class of `est` with the same splits, and its own leaves and
        errors out-of-bag.

    Raises
    ------
    ValueError
        For parameters that are about one target, by name.
    """
    _refuse_of_one(est)
    models = {name: clone(est) for name in columns}
    first = next(iter(models.values()))
    table = first._table(X, fitting=True)
    check_rows(table.n_rows)
    weight = check_weights(sample_weight, table.n_rows)
    targets, criterion = {}, ""
    for name, model in models.items():
        if model is not first:
            model._learn_columns(first)
            model.columns_ = first.columns_
        with naming_target(name):
            check_consistent_length(table.X, columns[name])
            with numbers_only((), columns[name]):
                targets[name] = model._targets(columns[name], fitting=True)
            model._note_weight(model._weights(weight, targets[name]))
            criterion = _shared(model._criterion(targets[name]))
    sizes = [len(model.classes_) if is_classifier(est) else 1 for model in models.values()]
    shown = np.column_stack(
        [
            np.eye(k)[y.astype(np.intp)] if is_classifier(est) else y
            for k, y in zip(sizes, targets.values(), strict=True)
        ]
    )
    with at_most(est.n_jobs):
        rows = [model._live_rows(table, targets[name], weight) for name, model in models.items()]
        live = shown if first._live is None else shown[first._live]
        X_live, _, live_weight = rows[0]
        task = first._task(table, X_live, live, live_weight, criterion, tuple(sizes))
        grown = task.given_number(check_count("n_estimators", est.n_estimators, 1))
        for model, k, at, (_, y, _) in zip(
            models.values(), sizes, np.cumsum([0, *sizes[:-1]]), rows, strict=True
        ):
            mine = _of_target(grown, slice(at, at + k), criterion, sum(sizes))
            losses = model._row_losses(y)
            tally = OutOfBagTally(losses[model._smooth], live_weight)
            if task.bag.draws:
                tally.add_groups(mine.oob_sums, mine.oob_trees, mine.groups)
            model.trees_ = mine.trees
            told = f"{len(mine.trees)} trees shared by {len(models)} targets"
            model._conclude(task, X_live, y, live_weight, tally, losses, told)
    kept = replace(table, X=table.X.copy()) if first._small(table, shown) else None
    for name, model in models.items():
        model._training = None if kept is None else (kept, np.array(targets[name]))
    return models


def _refuse_of_one(est: Any) -> None:
    """Refuse parameters that are about one target, or about one forest for each."""
    if isinstance(est.n_estimators, str):
        raise ValueError('targets="together" takes a number of trees: "auto" watches the risk of one target')
    for name, off in (("warm_start", False), ("monotonic_cst", None), ("class_weight", None)):
        value = getattr(est, name, off)
        if value is not off:
            raise ValueError(
                f'{name} is about one target: with targets="together" leave it at {off}, or fit each target '
                'by itself, targets="each"'
            )


def _shared(criterion: str) -> str:
    """Return the criterion, once a mean over targets of its heterogeneity can be grown on."""
    kind = REGISTRY[criterion]
    if kind.targets == "numbers" and not kind.is_variance:
        raise ValueError(
            f'criterion="{criterion}" is for targets="each": splits that numbers share take squared errors'
        )
    return criterion


def _of_target(grown: GrownTrees, block: slice, criterion: str, width: int) -> GrownTrees:
    """Return trees and out-of-bag sums of the target whose columns these are, of `width` in all."""
    trees, kind = grown.trees, REGISTRY[criterion]
    value: Array = trees.value[:, block]
    if kind.targets == "numbers":  # the variances stand behind the means
        heterogeneity = trees.value[:, width + block.start]
    else:
        cost = kind(value.shape[1]).node_loss(value, trees.weight, trees.heterogeneity)
        heterogeneity = cost / trees.weight
    return replace(grown, trees=of_target(trees, value, heterogeneity), oob_sums=grown.oob_sums[:, :, block])


def of_target(trees: Trees, value: Array, heterogeneity: Array) -> Trees:
    """Return the trees with the answers of one target, and with what each split takes from its heterogeneity.

    Parameters
    ----------
    trees : Trees
        Grown on several targets.
    value : array, shape (N, k)
        What the nodes say about the target.
    heterogeneity : array, shape (N,)
        Of the target in the nodes, per unit of weight.

    Examples
    --------
    >>> stump = Trees.stump(0, 1.5, [[1.0, 7.0], [5.0, 7.0]], 1)
    >>> of_target(stump, stump.value[:, :1], np.array([4.0, 0.0, 0.0])).gain
    array([8., 0., 0.])
    """
    inner = np.flatnonzero(trees.feature >= 0)
    left = np.repeat(trees.start[:-1], np.diff(trees.start))[inner] + trees.left[inner]
    cost = trees.weight * heterogeneity
    gain = np.zeros(len(cost))
    gain[inner] = np.maximum(cost[inner] - cost[left] - cost[left + 1], 0.0)
    return replace(trees, value=np.ascontiguousarray(value), heterogeneity=heterogeneity, gain=gain)
