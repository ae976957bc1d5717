"""ER204: the model predicts no better than the mean or the class frequencies."""

from __future__ import annotations

from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.words import cannot_tell, evidence, less_loss
from empirisk.wording import percent

__all__ = ["CODE", "no_better_than_the_baseline"]

CODE = "ER204"
FIRST_GOOD_NEWS = 0.05


def no_better_than_the_baseline(ctx: Context) -> Answer:
    """Two nulls, never mixed: "fires" rejects a gain of the margin or more, "clear" rejects no gain.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from empirisk.diagnosis import context
    >>> rng = np.random.default_rng(0)
    >>> X, noise = rng.normal(size=(1000, 3)), rng.normal(size=1000)
    >>> no_better_than_the_baseline(context(Ridge(), X, noise, random_state=0)).outcome.value
    'fires'
    """
    base = ctx.baseline_losses
    d = ctx.compare(ctx.losses, model=base)
    gain = ctx.saved(d)
    mean = "one rate for all rows" if ctx.rates else "the mean"
    guess = mean if ctx.task == "regression" else "the class frequencies"
    shown = evidence(ctx, d, f"the model against {guess}")
    if d.refused:
        sentence = cannot_tell(ctx, d, f"whether the model predicts better than {guess}")
        return Answer(CODE, Outcome.CANNOT_TELL, sentence, None, gain, shown)
    p = d.p_clear
    if p <= ctx.level:
        saved = "saves" if gain.value >= 0.0 else "loses"
        amount, most = percent(abs(gain.value)), percent(max(gain.high or 0.0, 0.0))
        sentence = (
            f"The model predicts no better than {guess}: it {saved} {amount} of the baseline's "
            f"{ctx.loss_name}, and can save {most} at most."
        )
        advice = (
            "Check that the target and the columns belong together; other columns are needed, not tuning."
        )
        return Answer(CODE, Outcome.FIRES, sentence, p, gain, shown, advice)
    news = ctx.compare(ctx.losses, 0.0, model=base)
    if news.p_fire <= FIRST_GOOD_NEWS:
        sentence = f"Better than {guess}: the model saves {less_loss(gain, ctx.loss_name)}."
        return Answer(CODE, Outcome.CLEAR, sentence, p, gain, shown)
    sentence = cannot_tell(ctx, d, f"whether the model predicts better than {guess}")
    return Answer(CODE, Outcome.CANNOT_TELL, sentence, p, gain, shown, rows_needed=d.rows_needed or None)
