"""A model of the rows of each class, or a network, in whole sentences: what it is and what it assumes."""

from __future__ import annotations

from typing import Any

from empirisk.report.fit.final import FinalModel
from empirisk.wording import counted, number, percent

__all__ = ["laws_sentence", "network_sentence"]

# What a law of the classes is, and when it is right.
LAWS = {
    "gaussian_nb": (
        "within a class every column has a normal distribution, with a mean and a variance of its own, and is"
        " independent of the others"
    ),
    "categorical_nb": (
        "within a class every column draws from its levels, with chances of its own, and is independent of"
        " the others"
    ),
    "multinomial_nb": (
        "within a class the counts of a row fall on the columns with fixed chances, each count independently"
        " of the others"
    ),
    "mixed_nb": (
        "within a class every number has a normal distribution and every level or truth value a chance of"
        " its own, and columns are independent of the others; empty cells say nothing"
    ),
    "qda": "the rows of a class have a normal distribution, with means and a covariance of their own",
    "lda": (
        "the rows of a class have a normal distribution, with means of their own and one covariance for all"
        " classes"
    ),
}


def laws_sentence(model: FinalModel, n_columns: int) -> str:
    """Return what a discriminant or naive Bayes assumes, and how it was shrunk.

    Parameters
    ----------
    model : FinalModel
    n_columns : int
        Columns of the table that are features.
    """
    name, estimator = model.candidate.name, model.estimator
    return (
        f"Chances of the classes by Bayes' rule, from {counted(n_columns, 'column')}. It assumes that"
        f" {LAWS[name]}; where that fails, its chances are too sure of themselves, and the calibration in the"
        f" test section shows it.{_shrunk(estimator)}"
    )


def _shrunk(estimator: Any) -> str:
    """Return how far covariances were shrunk; "" where there are none."""
    share = getattr(estimator, "shrinkage_", None)
    if share is None:
        return ""
    each = sorted(float(s) for s in ([share] if isinstance(share, float) else share))
    low, high = percent(each[0]), percent(each[-1])
    told = low if low == high else f"{low} to {high}"
    what = "covariance was" if isinstance(share, float) else "covariances were"
    return f" The {what} shrunk by {told} towards equal variances (Ledoit and Wolf)."


def network_sentence(model: FinalModel, n_columns: int) -> str:
    """Return the layers of a network, how it was trained, and what the rows held out said.

    Parameters
    ----------
    model : FinalModel
    n_columns : int
        Columns of the table that are features.
    """
    estimator = model.estimator
    widths = [part.shape[0] for part in estimator.coefs_] + [estimator.coefs_[-1].shape[1]]
    hidden = " and ".join(str(w) for w in widths[1:-1])
    held = estimator.validation_loss_
    return (
        f"A network of {counted(len(widths) - 2, 'hidden layer')} ({hidden} rectified units) with"
        f" {model.n_numbers:,} weights, over {counted(n_columns, 'column')} that enter as"
        f" {counted(widths[0], 'standardised term')}. It was trained for"
        f" {counted(estimator.n_iter_, 'epoch')}, the best of at most {estimator.n_epochs:,} on"
        f" {percent(estimator.validation_share)} of the training rows, which were held out{_loss(held)}."
        " Another seed gives another network: training ends near a point where the gradient is small, which"
        " need not be the best one."
    )


def _loss(held: Any) -> str:
    """Return the loss of the rows held out, with its interval where there is one."""
    if held is None:
        return ""
    ends = "" if held.low is None else f" [{number(held.low)}, {number(held.high)}]"
    return f" (their loss in training units: {number(held.value)}{ends})"
