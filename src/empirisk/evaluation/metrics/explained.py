"""D2: the share of a loss that a model saves against the best constant, for absolute, pinball and log-loss.

``D2 = 1 - sum loss(y, prediction)/sum loss(y, c)`` with the constant c that is best on the same rows (a
median, a quantile, the shares of the classes), as R2 does for squared errors. Hastie, Tibshirani and
Wainwright, Statistical Learning with Sparsity (2015), section 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from empirisk.evaluation.intervals.base import Floats, too_few
from empirisk.evaluation.metrics.numbers import check_share, pinball_losses
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, REGRESSION, Predictions
from empirisk.evaluation.metrics.probabilities import log_losses
from empirisk.evaluation.metrics.score import Score
from empirisk.losses.quantile import middle_quantile

MIN_ROWS = 30

Losses = Callable[[Predictions], Floats]


def explained(name: str, task: str, needs: str, label: str, losses: Losses, constant: Losses) -> Score:
    """Return the metric of losses of rows and of their losses under the best constant."""

    def point(p: Predictions) -> float:
        total = float(p.weight @ constant(p))
        return 1.0 - float(p.weight @ losses(p)) / total if total > 0.0 else math.nan

    def influence(p: Predictions) -> Floats:
        # The best constant moves with the rows, but a loss at its minimum does not change at first order.
        own, none = p.weight * losses(p), p.weight * constant(p)
        return np.asarray((own.mean() / none.mean() * none - own) / none.mean())

    def refusal(p: Predictions) -> str:
        lost = int((~np.isfinite(losses(p))).sum())
        if lost:
            return f"{lost} rows gave probability 0 to the class that occurred, so the loss is infinite"
        return too_few(p.n, MIN_ROWS) if p.n < MIN_ROWS else ""

    return Score(
        name,
        task,
        needs,
        point,
        influence,
        scale="log of 1 - s",
        refusal=refusal,
        undefined=f"{label} is undefined: a constant has no loss on these rows",
        label=label,
        by_default=False,
    )


def class_shares(p: Predictions) -> Floats:
    """Return minus the logarithm of the share that the class of each row has among these rows."""
    mass = p.class_mass
    return np.asarray(-np.log(mass / mass.sum(), where=mass > 0.0, out=np.zeros(p.n_classes))[p.y])


def d2_pinball(q: float = 0.5) -> Score:
    """``1 - sum pinball(y, prediction)/sum pinball(y, quantile of y)``: the share of a quantile loss saved.

    Parameters
    ----------
    q : float in (0, 1), default 0.5
        The quantile that is predicted.

    Returns
    -------
    Score
        The metric, to be given to ``metrics=``; its name is ``d2_pinball`` at 0.5, else ``d2_pinball(q)``.

    Raises
    ------
    ValueError
        `q` is not a number between 0 and 1.

    Examples
    --------
    >>> from empirisk.evaluation.metrics.predictions import regression
    >>> round(d2_pinball(0.9).value(regression([1.0, 2.0, 3.0], [1.0, 3.0, 3.0])), 4)
    0.6667
    """
    q = check_share(q, "q")
    return explained(
        "d2_pinball" if q == 0.5 else f"d2_pinball({q:g})",
        REGRESSION,
        "pred",
        f"D² of the {100 * q:g} % quantile",
        lambda p: pinball_losses(p.y, p.output("pred"), q),
        lambda p: pinball_losses(p.y, middle_quantile(p.y, p.weights, q), q),
    )


D2_PINBALL = d2_pinball()
D2_ABSOLUTE = explained(
    "d2_absolute",
    REGRESSION,
    "pred",
    "D² of absolute errors",
    lambda p: np.asarray(np.abs(p.y - p.output("pred"))),
    lambda p: np.asarray(np.abs(p.y - middle_quantile(p.y, p.weights, 0.5))),
)
D2_LOG_LOSS = explained(
    "d2_log_loss", CLASSIFICATION, "proba", "D² of the log-loss", log_losses, class_shares
)
