"""A model that compares rows, in one sentence: neighbours, or a kernel machine."""

from __future__ import annotations

from empirisk.report.fit.compared import n_kept
from empirisk.report.fit.final import FinalModel
from empirisk.wording import counted, number

__all__ = ["compared_sentence"]


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
