"""The registry of scenarios, and the measurement of one.

A scenario is a function of (generator, n) that returns the arguments of :func:`empirisk.diagnosis.context`:

    @scenario("ER205", "ridge, folds alike", n=(60, 300), runs=1000, rule=outlying_fold_rule)
    def ridge_folds(rng, n):
        X = rng.normal(size=(n, 5))
        return {"est": Ridge(), "X": X, "y": X[:, 0] + rng.normal(size=n)}
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from bench.alarms.scenario import Scenario
from empirisk.diagnosis import REGISTRY, Answer, Context, Outcome, context
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.family import correct

Rng = np.random.Generator
Draw = Callable[[Rng, int], dict[str, Any]]
Rule = Callable[[Context], bool]
Event = Callable[[Context, Answer], bool]

FAMILY = "all"  # the code of scenarios that ask every finding, with Holm's correction
NULL, BOUNDARY, FAULT, INTERVAL = "null", "boundary", "fault", "interval"


@dataclass(frozen=True)
class Result:
    """Shares in per cent; NaN where a column has no meaning.

    `gain` is the mean estimated gain, `covers` how often the 95 % interval holds it, `edge_fires` and
    `edge_clears` the two error rates when the gain itself is the margin.
    """

    runs: int
    fires: float
    clears: float
    not_run: float
    gain: float
    covers: float
    edge_fires: float
    edge_clears: float
    rule: float
    rule_runs: int

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the share `fires`."""
        return monte_carlo_error(self.fires, self.runs)


def monte_carlo_error(share: float, runs: int) -> float:
    """Standard error of a share in per cent, that of 1 hit at least."""
    p = min(max(share / 100.0, 1.0 / runs), 1.0 - 1.0 / runs)
    return 100.0 * math.sqrt(p * (1.0 - p) / runs)


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    code: str,
    what: str,
    *,
    n: int | tuple[int, ...],
    truth: str = NULL,
    runs: int = 200,
    rule: Rule | None = None,
    rule_runs: int = 60,
    event: Event | None = None,
    least: float | tuple[float, ...] = 0.0,
) -> Callable[[Draw], Draw]:
    """Register a draw function, once for each n; `least` is the power promised there."""
    sizes = (n,) if isinstance(n, int) else n
    powers = least if isinstance(least, tuple) else (least,) * len(sizes)

    def register(draw: Draw) -> Draw:
        for rows, power in zip(sizes, powers, strict=True):
            s = Scenario(code, what, rows, draw, truth, power, rule, runs, rule_runs, event)
            SCENARIOS[s.key] = s
        return draw

    return register


def ask(s: Scenario, rng: Rng) -> tuple[Context, Answer]:
    """Draw one sample and ask the finding."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ctx = context(random_state=rng, **s.draw(rng, s.n))
        if s.code != FAMILY:
            return ctx, _one(s.code, ctx)
        answers, _ = correct([_one(code, ctx) for code in REGISTRY], ctx.level)
        fired = [a for a in answers if a.outcome is Outcome.FIRES and a.p is not None]
        outcome = Outcome.FIRES if fired else Outcome.CANNOT_TELL
        return ctx, Answer(FAMILY, outcome, ", ".join(a.code for a in fired))


def _one(code: str, ctx: Context) -> Answer:
    try:
        return REGISTRY[code](ctx)
    except NotRun as reason:
        return Answer(code, Outcome.NOT_RUN, str(reason))


def measure(s: Scenario, scale: float = 1.0, seed: int = 0) -> Result:
    """Run one scenario, and return how often the finding fires and how often the rule of a peer does."""
    rng = np.random.default_rng([seed, *s.key.encode()])
    runs = max(20, int(s.runs * scale))
    rule_runs = 0 if s.rule is None else max(20, min(runs, int(s.rule_runs * scale)))
    outcomes, events, gains, ruled = [], 0, [], 0
    for i in range(runs):
        ctx, answer = ask(s, rng)
        outcomes.append(answer.outcome)
        events += s.event(ctx, answer) if s.event else answer.outcome is Outcome.FIRES
        if answer.gain is not None and answer.gain.low is not None and answer.gain.high is not None:
            half = (answer.gain.high - answer.gain.low) / 2.0 / ctx.interval_factor * 1.25
            gains.append((answer.gain.value, answer.gain.low, answer.gain.high, half, answer.gain.n))
        if i < rule_runs and s.rule is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ruled += s.rule(ctx)

    def share(what: Outcome) -> float:
        return 100.0 * float(np.mean([o is what for o in outcomes]))

    return Result(
        runs, 100.0 * events / runs, share(Outcome.CLEAR), share(Outcome.NOT_RUN),
        *_gains([] if s.truth == INTERVAL else gains),
        100.0 * ruled / rule_runs if rule_runs else math.nan, rule_runs,
    )  # fmt: skip


def _gains(rows: list[tuple[float, float, float, float, int]]) -> tuple[float, float, float, float]:
    """Mean gain, coverage, and the two error rates with that gain as the margin, all in per cent."""
    if len(rows) < 20:
        return math.nan, math.nan, math.nan, math.nan
    value, low, high, half, n = np.array(rows).T
    truth = value.mean()
    t = (value - truth) / half * stats.t.ppf(0.975, n - 1)
    critical = stats.t.ppf(0.95, n - 1)
    covers = (low <= truth) & (truth <= high)
    return (
        100.0 * float(truth),
        100.0 * float(covers.mean()),
        100.0 * float((t > critical).mean()),
        100.0 * float((t < -critical).mean()),
    )
