"""The losses that boosting takes, by name or as objects."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from empirisk.estimators.checks import is_flag
from empirisk.estimators.linear.families import tweedie_loss
from empirisk.estimators.loss_names import loss_named, scalar_losses
from empirisk.losses import Huber, Logistic, Loss, Quantile, Softmax, with_offset
from empirisk.losses.quantile import weighted_quantile
from empirisk.typing import Array

__all__ = ["classification_loss", "constants", "levels", "regression_losses"]

# A normal law has this share of its standard deviation between the quartiles' middle and each quartile.
NORMAL_QUARTILE = 0.6744897501960817
# The score of a class without rows: its probability is 0 in floating point, and nothing is infinite.
ABSENT = -1e3


def levels(q: Any) -> tuple[float, ...]:
    """The quantiles asked for: one number or several different ones, strictly between 0 and 1.

    Examples
    --------
    >>> levels(0.5), levels([0.1, 0.9])
    ((0.5,), (0.1, 0.9))
    """
    given = [q] if isinstance(q, Real | str) else list(np.atleast_1d(q))
    for one in given:
        if is_flag(one) or not isinstance(one, Real) or not 0.0 < float(one) < 1.0:
            raise ValueError(f"q must be a number strictly between 0 and 1, or several, got {q!r}")
    out = tuple(float(one) for one in given)
    if not out or len(set(out)) < len(out):
        raise ValueError(f"q must hold different numbers, at least one, got {q!r}")
    return out


def regression_losses(loss: Any, q: Any, power: Any, y: Array, weight: Array) -> tuple[Loss, ...]:
    """Return one loss, or one for each quantile; "huber" takes its corner from the spread of the targets."""
    if isinstance(loss, str):
        if loss == "tweedie":
            return (tweedie_loss(power),)
        # Losses whose parameters are arguments of the estimator, or come from the rows.  A corner at 1.35
        # standard deviations costs 5 % of the mean's efficiency where targets are normal.
        menu: dict[str, Callable[[], list[Loss]]] = {
            "quantile": lambda: [Quantile(one) for one in levels(q)],
            "huber": lambda: [Huber(1.35 * _spread(y, weight))],
        }
        if loss in menu:
            return tuple(menu[loss]())
        made = loss_named(loss)
        if made is not None and not made.labels:
            return (made,)
        raise ValueError(f"loss must be one of {_names(False)}, or a Loss object, got {loss!r}")
    _refuse_other(loss, f"one of {_names(False)}")
    if loss.vector or loss.labels:
        raise ValueError(f"the loss {loss.name!r} is for classes; take a GradientBoostingClassifier")
    return (loss,)


def classification_loss(loss: Any, n_classes: int) -> Loss:
    """Logistic for two classes, softmax for more; or a loss of the labels -1 and +1."""
    if isinstance(loss, str):
        if loss == "auto":
            return Logistic() if n_classes == 2 else Softmax()
        named = loss_named(loss)
        if named is None:
            raise ValueError(f"loss must be auto, {_names(True)}, or a Loss object, got {loss!r}")
        loss = named
    _refuse_other(loss, f"auto, {_names(True)}")
    if loss.vector:
        return loss  # type: ignore[no-any-return]
    if not loss.labels:
        raise ValueError(f"the loss {loss.name!r} is for numbers; take a GradientBoostingRegressor")
    if n_classes > 2:
        raise ValueError(f"the loss {loss.name!r} knows two classes, y holds {n_classes}; take loss='auto'")
    return loss  # type: ignore[no-any-return]


def _names(labels: bool) -> str:
    """Return the losses of one score for labels, or for numbers."""
    return ", ".join(scalar_losses(lambda loss: loss.labels == labels))


def _refuse_other(loss: Any, words: str) -> None:
    if isinstance(loss, type) or not isinstance(loss, Loss):
        raise ValueError(f"loss must be {words}, or a Loss object (er.losses), got {loss!r}")


def _spread(y: Array, weight: Array) -> float:
    """Median distance from the median, as the standard deviation of a normal law; 1 where it is 0."""
    distance = np.abs(y - weighted_quantile(y, weight, 0.5))
    return float(weighted_quantile(distance, weight, 0.5)) / NORMAL_QUARTILE or 1.0


def constants(losses: tuple[Loss, ...], y: Array, weight: Array, offset: Array) -> Array:
    """Return the best constant scores under the offsets, shape (k,)."""
    if not offset.any():
        best = [np.atleast_1d(loss.best_constant(y, weight)) for loss in losses]
    else:
        shifted = (with_offset(loss, y, offset) for loss in losses)
        best = [np.atleast_1d(loss.best_constant(target, weight)) for loss, target in shifted]
    start = np.concatenate(best).astype(np.float64)
    if losses[0].vector:
        # A class without weight never gets a probability: no tree has a reason to raise its score.
        absent = np.bincount(y.astype(np.intp), weights=weight, minlength=len(start)) == 0.0
        return np.where(absent | np.isneginf(start), ABSENT, start)
    if not np.isfinite(start).all():
        raise ValueError(
            f"the loss {losses[0].name!r} has no finite constant score for these targets (all are "
            f"{y[0]:g}); without an event there is nothing to boost"
        )
    return start
