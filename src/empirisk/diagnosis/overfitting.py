"""ER201: a simpler version of the model would have a lower risk.

Copas, Journal of the Royal Statistical Society B 45 (1983).
"""

from __future__ import annotations

from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import Paired
from empirisk.diagnosis.simpler import simpler
from empirisk.diagnosis.words import cannot_tell, evidence, less_loss
from empirisk.wording import percent

__all__ = ["CODE", "overfitting"]

CODE = "ER201"
SHRINK = 0.2  # of the way from the predictions to the baseline


def overfitting(ctx: Context) -> Answer:
    """Compare the model with its predictions shrunk by 20 % and with one step more of regularisation.

    Null: neither has a risk lower by more than the margin; ``p = 2 min(p_a, p_b)``.  The gap between training
    and test loss is not looked at: it is positive for every sane model.

    References
    ----------
    J. B. Copas, "Regression, prediction and shrinkage", J. R. Statist. Soc. B 45 (1983), 311-354.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = X[:, 0] + rng.normal(size=200)
    >>> overfitting(context(KNeighborsRegressor(1), X, y, random_state=0)).outcome.value
    'fires'
    """
    ladder = _ladder(ctx)
    tried = "; ".join(evidence(ctx, d, f"against {name}") for name, _, d in ladder)
    if any(d.refused for _, _, d in ladder):
        return Answer(CODE, Outcome.CANNOT_TELL, cannot_tell(ctx, ladder[0][2], _QUESTION), evidence=tried)
    p = min(1.0, len(ladder) * min(d.p_fire for _, _, d in ladder))
    if p <= ctx.level:
        return _fires(ctx, p, ladder, tried)
    gain = ctx.share(ladder[0][2])
    unsettled = [d for _, _, d in ladder if d.outcome(0.0) is not Outcome.CLEAR]
    if not unsettled:
        sentence = (
            "Not overfitted: no simpler version of this model that was tried is better by "
            f"{percent(ctx.margin_share)} of the baseline's loss."
        )
        return Answer(CODE, Outcome.CLEAR, sentence, p, gain, tried)
    d = max(unsettled, key=lambda d: d.rows_needed)
    sentence = cannot_tell(ctx, d, _QUESTION)
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, p, gain, tried, rows_needed=d.rows_needed or None)


def _ladder(ctx: Context) -> list[tuple[str, str, Paired]]:
    """Return the simpler versions: what to call them, the setting to change, the comparison; the more useful
    first.
    """
    drawn_in = (1.0 - SHRINK) * ctx.output + SHRINK * ctx.baseline
    ladder = [("its predictions drawn 20 % toward the baseline", "", ctx.compare(ctx.losses_of(drawn_in)))]
    step = simpler(ctx.est, ctx.plan.n_train)
    if step is not None:
        model, words = step
        losses = ctx.row_losses(ctx.out_of_fold(model), ctx.scored)
        ladder.insert(0, (f"the same model with {words}", words, ctx.compare(losses)))
    return ladder


_QUESTION = "whether a simpler version of this model is better"


def _fires(ctx: Context, p: float, ladder: list[tuple[str, str, Paired]], tried: str) -> Answer:
    proven = [row for row in ladder if len(ladder) * row[2].p_fire <= ctx.level]
    name, words, d = proven[0]  # not the larger gain of the two, which would flatter it
    gain = ctx.share(d)
    sentence = f"Overfitted: {name} would save {less_loss(gain, ctx.loss_name)}."
    advice = f"Set {words} and refit" if words else "Regularise more and refit: predictions are too extreme"
    if words == "a ridge penalty":
        advice = "Use ridge regression instead of least squares"
    return Answer(CODE, Outcome.FIRES, sentence, p, gain, tried, f"{advice}.")
