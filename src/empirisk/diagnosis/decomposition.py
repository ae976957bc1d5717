"""Where the loss comes from: optimisation, estimation, approximation, noise, as far as that is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.data.tabular import Tabular
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.model_parts import last_step, solution_of
from empirisk.diagnosis.more_rows import last_doubling, mean_loss
from empirisk.diagnosis.noise_ceiling import loss_noise
from empirisk.results import Estimate, Solution, Status
from empirisk.wording import number

__all__ = ["Decomposition", "Part", "decompose"]

KNOWN, BOUNDED, UNKNOWN = "known", "bounded", "not identifiable"


@dataclass(frozen=True)
class Part:
    """One part of the loss.

    Parameters
    ----------
    name : str
        "optimisation", "estimation", "approximation", "noise", and what is known of sums of them.
    value, low, high : float or None
        In units of the loss (optimisation: of the training objective); None where nothing can be said.
    status : str
        "known", "bounded" or "not identifiable".
    why : str
        By which argument, or why not.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    status: str
    why: str


class Decomposition(Tabular):
    """``risk = noise + approximation + estimation + optimisation``, as far as one table of rows tells.

    Parameters
    ----------
    parts : sequence of Part
        The rows.
    loss : str
        Name of the loss.
    risk : float
        Out-of-fold mean loss.
    half : float, default nan
        Half the width of its 95 % interval.
    n : int, default 0
        Rows.
    """

    def __init__(
        self, parts: Sequence[Part], loss: str, risk: float, half: float = math.nan, n: int = 0
    ) -> None:
        self.parts = tuple(parts)
        self.loss = loss
        self.risk = risk
        self.half = half
        self.n = n

    @property
    def estimate(self) -> Estimate:
        """The out-of-fold mean loss with its interval."""
        n, method = self.n, "out-of-fold losses, 1.25 times the row error"
        if not math.isfinite(self.half):
            return Estimate(self.risk, None, None, 0.95, n, method, "too few rows to tell an interval by")
        low, high = max(0.0, self.risk - self.half), self.risk + self.half
        return Estimate(self.risk, low, high, 0.95, n, method)

    def __getitem__(self, name: str) -> Part:
        try:
            return next(p for p in self.parts if p.name == name)
        except StopIteration:
            raise KeyError(f"no part {name!r}; there are {', '.join(p.name for p in self.parts)}") from None

    @property
    def title(self) -> str:
        """The first line above the table of the parts of the loss."""
        return (
            f"Where the {self.loss} of {number(self.risk, 4)} comes from"
            if self.parts
            else "No loss to decompose"
        )

    def _shown(self) -> dict[str, list[Any]]:
        return {
            "part": [p.name for p in self.parts],
            "value": [_span(p, self.risk) for p in self.parts],
            "": [p.status for p in self.parts],
            "by": [p.why for p in self.parts],
        }

    def _columns(self) -> dict[str, list[Any]]:
        fields = ("name", "value", "low", "high", "status", "why")
        return {f: [getattr(p, f) for p in self.parts] for f in fields}

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar for each part, with the word for how far it is known; returns the Plot."""
        from empirisk.plots import AttributionDisplay

        names = {"name": "part", "status": "standing", "why": "how"}
        parts = [{names.get(k, k): v for k, v in row.items()} for row in self.to_dict()]
        risk = {"value": self.risk, "low": None, "high": None}
        return AttributionDisplay(parts, self.loss, risk).plot(ax)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the stable JSON form: one row for each part."""
        return [vars(p) for p in self.parts]


def _span(p: Part, risk: float) -> str:
    """Return between what a part lies; an end above the loss, an estimate too, is the whole of it."""
    if p.low is None or p.high is None:
        return "unknown"
    if p.high > risk > p.low:
        return f"{number(p.low)} to all of it"
    return f"{number(p.low)} to {number(p.high)}" if p.high > p.low else f"{number(p.low)}"


def decompose(ctx: Context) -> Decomposition:
    """Attribute the out-of-fold loss, and say of each part how far it is known.

    The estimation error rests on the assumption that the learning curve is ``a + b n^-c`` with 1/2 <= c <= 1
    beyond the last measured doubling; noise against approximation cannot be told apart without repeated rows.
    No part is negative or larger than the loss: limits that exclude each other are given up, with the reason.
    """
    try:
        risk, half = mean_loss(ctx)
    except NotRun:
        return Decomposition((), "", math.nan)
    estimation = _estimation(ctx)
    both = _rest(risk, half, estimation)
    noise = _noise(ctx)
    parts = (_optimisation(ctx, risk + half), estimation, _approximation(both, noise), noise, both)
    return Decomposition(parts, ctx.loss_name, risk, half, ctx.n)


def _optimisation(ctx: Context, most: float) -> Part:
    """Return the duality gap of our estimators; nothing is known about a solver without a certificate."""
    found = [s for s in ctx.solutions if s is not None]
    if not found and _is_ours(ctx):
        found = [s for s in (solution_of(ctx.refit()),) if s is not None]
    if not found:
        why = f"{ctx.name} gives no certificate of its optimum"
        return Part("optimisation", None, None, None, UNKNOWN, why)
    gaps = [_gap(s) for s in found]
    worst = max(range(len(found)), key=lambda k: math.inf if (g := gaps[k]) is None else g)
    gap, why = gaps[worst], f"on the training objective: {found[worst].certificate.claim}"
    if gap is None or gap > most:  # a gap above the whole loss says nothing about a part of it
        return Part("optimisation", None, None, None, UNKNOWN, why)
    return Part("optimisation", gap, 0.0, gap, BOUNDED if gap > 0.0 else KNOWN, why)


def _gap(solution: Solution) -> float | None:
    gap = solution.certificate.suboptimality()
    if gap is None and solution.status in (Status.CERTIFIED, Status.FLOOR):
        return 0.0  # least squares: the KKT residual is at the rounding floor
    return gap


def _is_ours(ctx: Context) -> bool:
    last = last_step(ctx.est)
    return type(last_step(getattr(last, "estimator", last))).__module__.startswith("empirisk.estimators")


def _estimation(ctx: Context) -> Part:
    try:
        doubling = last_doubling(ctx)
    except NotRun as reason:
        return Part("estimation", None, None, None, UNKNOWN, str(reason))
    d, r = doubling.d, doubling.ratio
    if d.refused:
        return Part("estimation", None, None, None, UNKNOWN, d.refused)
    further = 0.5 if r is None else max(0.0, (r - 2.0) / (2.0 * (r + 1.0)))
    low, high = further * max(d.low, 0.0), max(d.high, 0.0) / (math.sqrt(2.0) - 1.0)
    low, high = min(low, doubling.least), min(high, doubling.most)  # no part is larger than the loss
    value = min(max(2.0 * further * d.gain, low), high)
    why = "the last doubling of the rows, if the loss falls like a + b n^-c with 1/2 <= c <= 1"
    return Part("estimation", value, low, high, BOUNDED, why)


def _rest(risk: float, half: float, estimation: Part) -> Part:
    name, why = "noise + approximation", "the loss less the estimation error"
    if estimation.low is None or estimation.high is None or estimation.value is None:
        return Part(name, None, 0.0, risk + half, BOUNDED, "at most the loss")
    low, high = max(0.0, risk - half - estimation.high), max(0.0, risk + half - estimation.low)
    return Part(name, max(0.0, risk - estimation.value), low, high, BOUNDED, why)


def _noise(ctx: Context) -> Part:
    try:
        low, high, repeated = loss_noise(ctx)
    except NotRun as reason:
        return Part("noise", None, None, None, UNKNOWN, str(reason))
    if repeated:
        return Part("noise", None, low, high, BOUNDED, f"{repeated}, and the loss of the model")
    return Part(
        "noise", None, 0.0, high, BOUNDED, "at most the loss of any model; repeat rows for a lower end"
    )


def _approximation(both: Part, noise: Part) -> Part:
    known = noise.low is not None and noise.low > 0.0 and noise.high is not None
    if not known or both.low is None or both.high is None:
        why = "a rough truth and noise look alike without repeated rows"
        return Part("approximation", None, None, None, UNKNOWN, why)
    low, high = max(0.0, both.low - (noise.high or 0.0)), both.high - (noise.low or 0.0)
    if high < low:
        why = (
            "the limits of the noise and of noise + approximation exclude each other: the rows are dependent"
        )
        return Part("approximation", None, None, None, UNKNOWN, why)
    return Part("approximation", None, low, high, BOUNDED, "noise + approximation less the noise")
