"""Models without coefficients in whole sentences: laws of the classes, networks, comparisons of rows."""

from __future__ import annotations

from typing import Any

from empirisk.report.fit.compared import n_kept
from empirisk.report.fit.final import FinalModel
from empirisk.wording import counted, number, percent

__all__ = ["compared_sentence", "laws_sentence", "network_sentence"]

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
        f" {counted(model.n_numbers, 'weight')}, over {counted(n_columns, 'column')} that enter as"
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


def compared_sentence(model: FinalModel, n_columns: int) -> str:
    """Return what the model keeps, and how it answers.

    Parameters
    ----------
    model : FinalModel
        Of nearest neighbours, or of a kernel.
    n_columns : int
        Columns of the table that are features.
    """
    over = f"over {counted(n_columns, 'column')}, brought to one scale"
    kept, rows = n_kept(model.estimator), model.train.n
    regression = model.train.task == "regression"
    if model.candidate.kind == "neighbors":
        k = model.estimator.n_neighbors_
        answer = "mean of the target" if regression else "share of each class"
        near = "the nearest row" if k == 1 else f"the {k:,} nearest rows"
        return f"The {answer} among {near} of {kept:,} training rows that are kept, {over}."
    pairs = len(model.estimator.dual_coef_)
    added = "" if pairs == 1 else f", in {pairs:,} machines of two classes each"
    width = model.estimator.kernel_.parameters.get("gamma")
    told = "" if width is None else f" exp(-{number(float(width))} x squared distance)"
    link = "a logistic function" if pairs == 1 else "the softmax function"
    through = "" if regression else f", passed through {link} whose slope was learned on rows left out"
    what = f"{kept:,} of the {rows:,} training rows{added}{through}"
    return f"A weighted sum of likenesses{told} to {what}; {over}."
