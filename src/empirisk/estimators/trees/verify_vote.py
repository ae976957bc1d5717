"""Recompute the certificate of a boosted vote with plain NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.estimators.checks import check_weights
from empirisk.estimators.trees.tree_base import dense
from empirisk.results import Certificate, Kind, unconfirmed
from empirisk.trees.plain_edge import plain_largest_edge
from empirisk.trees.plain_walk import plain_leaves
from empirisk.trees.vote_certificate import vote_certificate

__all__ = ["verify_vote"]

# Two sums of the same numbers in another order: the loss is a mean of exp of sums over all rounds.
CLOSE = 1e-9


def verify_vote(est: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """Walk the rows through the trees, add the votes up, and compare the loss with all stumps.

    The rows, losses and edges are computed anew; what the fit claims is compared with them: another loss than
    the stated one says that these are not the votes, or not the rows, of the fit.
    """
    stated = est.certificate_
    table = dense(est._table(X))
    targets = est._targets(y, fitting=False)
    weight = est._weights(check_weights(sample_weight, table.n_rows), targets)
    live = (weight > 0.0) & ~est._held_out(table, targets, weight)
    rows = np.asarray(table.X[live], dtype=np.float64)
    sign = np.where(targets[live] == 1.0, 1.0, -1.0)
    base = weight[live] / weight[live].sum()
    if est.estimator is None:
        trees = est.trees_
        value = trees.value[:, 0]
        leaf = plain_leaves(trees, rows)
        score = value[leaf].sum(axis=1)
        leaves = np.where(trees.feature < 0, np.abs(value), 0.0)
        reach = float(np.maximum.reduceat(leaves, trees.start[:-1]).sum())
    else:
        score = est._scores(table.X[live])[:, 0]
        reach = float(est.reach_)
    margin = sign * score
    # log f(F), without leaving the range of exp.
    least = float(margin.min())
    mass = base * np.exp(least - margin)
    log_loss = math.log(mass.sum()) - least
    loss = math.exp(min(log_loss, 700.0))
    claimed = stated.scale if stated.kind is Kind.DUALITY_GAP else stated.value
    if not math.isclose(loss, claimed, rel_tol=CLOSE * (1.0 + reach), abs_tol=1e-300):
        return unconfirmed(
            f"the exponential loss of the vote on these rows is {loss:.6g}, stated was {claimed:.6g}"
        )
    if not math.isclose(reach, float(est.reach_), rel_tol=CLOSE, abs_tol=1e-300):
        return unconfirmed(f"the votes add up to {reach:.6g}, stated was {float(est.reach_):.6g}")
    wrong = float(base[(margin < 0.0) | ((margin == 0.0) & (sign > 0.0))].sum())
    if wrong > loss * (1.0 + CLOSE):
        return unconfirmed(f"the training error {wrong:.6g} is above the exponential loss {loss:.6g}")
    mass /= mass.sum()
    edge = None
    if est.estimator is None and est.max_depth == 1:
        edge = plain_largest_edge(rows, table.n_categories, mass * sign)
    return vote_certificate(loss, least / reach if reach else 0.0, float(mass @ margin), reach, edge, 2)
