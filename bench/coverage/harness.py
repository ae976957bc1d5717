"""A simulated setting, its registry, and the measurement."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.results import Estimate

Rng = np.random.Generator
Sample = tuple[Estimate, float]


@dataclass(frozen=True)
class Case:
    """One simulated setting: `draw` gives (estimate, truth) of one sample."""

    name: str
    what: str
    samples: int
    draw: Callable[[Rng], Sample]
    remark: str = ""


@dataclass(frozen=True)
class Result:
    """Measured coverage in per cent, its Monte-Carlo error, share of refusals, median width."""

    samples: int
    coverage: float
    error: float
    refused: float
    width: float


CASES: dict[str, Case] = {}


def case(what: str, samples: int, remark: str = "") -> Callable[[Callable], Callable]:
    """Register a draw function under its own name."""

    def register(draw: Callable[[Rng], Sample]) -> Callable:
        CASES[draw.__name__] = Case(draw.__name__, what, samples, draw, remark)
        return draw

    return register


def measure(c: Case, scale: float = 1.0, seed: int = 0) -> Result:
    """Run one case, and return how often the interval holds the truth."""
    rng = np.random.default_rng([seed, *c.name.encode()])
    hit, refused, widths = 0, 0, []
    samples = max(20, int(c.samples * scale))
    for _ in range(samples):
        e, truth = c.draw(rng)
        if e.low is None or e.high is None:
            refused += 1
            continue
        hit += e.low <= truth <= e.high
        widths.append(e.high - e.low)
    answered = samples - refused
    p = hit / max(1, answered)
    error = 100.0 * math.sqrt(max(p * (1.0 - p), 0.95 * 0.05) / max(1, answered))
    return Result(
        samples, 100.0 * p, error, 100.0 * refused / samples, float(np.median(widths)) if widths else math.nan
    )
