"""ER202: a richer class of models would have a lower risk."""

from __future__ import annotations

from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.richer import richer
from empirisk.diagnosis.words import cannot_tell, evidence, less_loss
from empirisk.wording import percent

__all__ = ["CODE", "underfitting"]

CODE = "ER202"


def underfitting(ctx: Context) -> Answer:
    """Compare the model with one of the next richer class on the same folds.

    Null: the richer alternative gains no more than the margin.  "No richer class helps" can never be
    concluded, only that this one does not.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = X[:, 0] ** 2 + rng.normal(size=400)
    >>> underfitting(context(LinearRegression(), X, y, random_state=0)).outcome.value
    'fires'
    """
    rich = richer(ctx)
    words = rich.words
    d = ctx.compare(ctx.row_losses(ctx.out_of_fold(rich.model, rich.X, plan=rich.plan), ctx.scored))
    gain, shown = ctx.share(d), evidence(ctx, d, f"against {words}")
    p = None if d.refused else d.p_fire
    outcome = d.outcome(ctx.level)
    if outcome is Outcome.FIRES:
        sentence = f"Underfitted: {words} would save {less_loss(gain, ctx.loss_name)}."
        return Answer(CODE, outcome, sentence, p, gain, shown, f"Try a richer class: {words}.")
    if outcome is Outcome.CLEAR:
        sentence = f"Not underfitted as far as was tried: {words} would not save {_least(ctx)}."
        return Answer(CODE, outcome, sentence, p, gain, shown)
    sentence = cannot_tell(ctx, d, f"whether a richer class ({words}) is better")
    return Answer(CODE, outcome, sentence, p, gain, shown, rows_needed=d.rows_needed or None)


def _least(ctx: Context) -> str:
    return f"{percent(ctx.margin_share)} of the baseline's {ctx.loss_name}"
