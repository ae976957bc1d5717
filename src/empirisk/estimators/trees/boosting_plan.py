"""The parameters of a boosting estimator, checked, as the rounds take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.columns import Table
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count, check_flag, check_number, is_flag
from empirisk.estimators.trees.boosting_constraints import check_interactions, check_monotone
from empirisk.estimators.trees.boosting_parts import LARGE
from empirisk.estimators.trees.boosting_rounds import Plan
from empirisk.losses import Loss
from empirisk.trees.bins import MAX_BINS
from empirisk.trees.growth import Growth

__all__ = ["plan_of", "shares_of", "stops"]


def plan_of(est: Any, table: Table, losses: tuple[Loss, ...]) -> Plan:
    """Return how the trees grow; refuses what is out of range by parameter name."""
    p, leaves, depth = table.n_cols, est.max_leaf_nodes, est.max_depth
    monotone = check_monotone(est.monotonic_cst, table)
    if monotone is not None and losses[0].vector:
        raise ValueError(
            "monotonic_cst needs one score a row: with more than two classes a score that rises says nothing "
            "about the probability of its class"
        )
    growth = Growth(
        max_leaves=None if leaves is None else check_count("max_leaf_nodes", leaves, 2),
        max_depth=None if depth is None else check_count("max_depth", depth, 0),
        min_rows_leaf=check_count("min_samples_leaf", est.min_samples_leaf, 1),
        l2=check_number("l2", est.l2, 0.0),
        min_gain=check_number("min_gain", est.min_gain, 0.0),
        max_features=_columns("max_features", est.max_features, p),
        tree_features=_columns("tree_features", est.tree_features, p),
        monotonic=None if monotone is None else tuple(int(sign) for sign in monotone),
        interactions=check_interactions(est.interaction_cst, table),
    )
    bins = check_count("max_bins", est.max_bins, 2)
    if bins > MAX_BINS:
        raise ValueError(f"max_bins must lie in [2, {MAX_BINS}], got {bins}")
    subsample = check_number("subsample", est.subsample, 0.0, 1.0)
    if subsample == 0.0:
        raise ValueError("subsample must be a number > 0 and <= 1, got 0")
    return Plan(
        losses=losses,
        growth=growth,
        max_bins=bins,
        rounds=check_count("n_estimators", est.n_estimators, 1),
        learning_rate=check_number("learning_rate", est.learning_rate, 0.0, closed=False),
        subsample=subsample,
        seed=check_seed(est.random_state),
        patience=check_count("n_iter_no_change", est.n_iter_no_change, 1),
    )


def stops(early_stopping: Any, n: int, given: bool) -> bool:
    """Return whether rows choose the number of rounds, at n rows of positive weight.

    `given` says that the user gave rows for that.
    """
    if isinstance(early_stopping, str):
        check_choice("early_stopping", early_stopping, {"auto": True})
        return given or n > LARGE
    return check_flag("early_stopping", early_stopping)


def shares_of(est: Any, watches: bool) -> tuple[float, float]:
    """Return the shares of the rows that are watched (0 unless asked for) and that calibrate."""
    watch = check_number("validation_fraction", est.validation_fraction, 0.0, 1.0)
    calibrate = check_number("calibration_fraction", est.calibration_fraction, 0.0, 1.0)
    if not watches:
        watch = 0.0
    elif not 0.0 < watch < 1.0:
        raise ValueError(f"validation_fraction must lie strictly between 0 and 1, got {watch:g}")
    if watch + calibrate >= 1.0:
        raise ValueError(
            f"validation_fraction + calibration_fraction = {watch + calibrate:g} leaves no rows to fit"
        )
    return watch, calibrate


def _columns(name: str, given: Any, p: int) -> int | None:
    """Return a number of columns from a count (beyond p: all) or a share of them (at least one)."""
    if given is None:
        return None
    if isinstance(given, float | np.floating):
        share = check_number(name, given, 0.0, 1.0)
        if share > 0.0:
            return None if share == 1.0 else max(1, round(share * p))
    elif isinstance(given, int | np.integer) and not is_flag(given) and given >= 1:
        return None if given >= p else int(given)
    raise ValueError(f"{name} must be None, a count >= 1, or a share > 0.0 and <= 1.0, got {given!r}")
