"""The phrases that findings share: shares of the baseline's loss, evidence, and "cannot tell"."""

from __future__ import annotations

from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import Paired
from empirisk.results import Estimate
from empirisk.wording import number, percent

__all__ = ["cannot_tell", "evidence", "less_loss", "settle"]


def less_loss(gain: Estimate, loss: str) -> str:
    """For example "12 % (5 % to 19 %) of the baseline's log loss".

    Examples
    --------
    >>> less_loss(Estimate(0.12, 0.05, 0.19, 0.95, 100, ""), "log loss")
    "12 % of the baseline's log loss (5 % to 19 %)"
    """
    head = f"{percent(gain.value)} of the baseline's {loss}"
    if gain.low is None or gain.high is None:
        return head
    return f"{head} ({percent(gain.low)} to {percent(gain.high)})"


def evidence(ctx: Context, d: Paired, against: str) -> str:
    """Return what was compared, on how many rows, with what result."""
    effective = "effective " if ctx.weights is not None else ""
    rows = f"{d.n} {effective}{'groups' if ctx.groups is not None else 'rows'}"
    head = f"{against}: mean difference of the out-of-fold {ctx.loss_name} {number(d.gain)} on {rows}"
    if d.refused:
        return f"{head}; no test, because {d.refused}"
    return (
        f"{head}, 95 % interval {number(d.low)} to {number(d.high)}; margin {number(d.margin)} "
        f"({percent(d.margin / ctx.baseline_risk)} of the baseline's {number(ctx.baseline_risk)})"
    )


def settle(d: Paired) -> str:
    """Return how many rows would answer, in words; empty when that cannot be said."""
    return f"about {d.rows_needed:,} would" if d.rows_needed else ""


def cannot_tell(ctx: Context, d: Paired, question: str) -> str:
    """Return the sentence of "cannot tell": why there is no answer, or how many rows would give one."""
    if d.refused:
        return f"Cannot tell {question}: {d.refused}."
    more = d.rows_needed and (d.rows_needed > ctx.n)
    tail = f"; {settle(d)}" if more else ""
    return f"With {ctx.n:,} rows it cannot be told {question}{tail}."
