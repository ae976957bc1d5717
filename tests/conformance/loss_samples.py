"""Test data of every loss: its formula again in mpmath, where to try it, and what is known about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp

from empirisk.losses import (
    REGISTRY,
    Bernoulli,
    CLogLog,
    CostSensitive,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    NegativeBinomial,
    Probit,
    Quantile,
    StableTweedie,
    Tweedie,
)


@dataclass(frozen=True)
class Sample:
    """One loss under test.

    Parameters
    ----------
    formula : callable(y, z) -> mpf
        The value of one row; z is a list for vector losses.
    targets : tuple
        Targets to try.
    outside : tuple of (y, u)
        Arguments outside the domain of the conjugate.
    law : str
        Of which kind of targets exp(-value/dispersion - log_normalizer) is a density: "line", "positive",
        "mixed" (positive, and a mass at 0), "counts", "labels", "shares", "codes", or "" for none.
    dispersion : float
        Where to try the density.
    kinks : callable(y) -> tuple of z
        Where the derivative (or the second one) jumps.
    cancels : bool
        The value is a difference of terms that are larger than it: rounding is relative to the terms.
    k : int
        Scores per row of a vector loss, else 0.
    loss : Loss, optional
        When it is not the default of the registry.
    """

    formula: Callable[[Any, Any], Any]
    targets: tuple[float, ...]
    outside: tuple[tuple[float, Any], ...] = ()
    law: str = ""
    dispersion: float = 1.0
    kinks: Callable[[float], tuple[float, ...]] = lambda y: ()
    cancels: bool = False
    k: int = 0
    loss: Any = None


LABELS, COUNTS, POSITIVE = (-1.0, 1.0), (0.0, 1.0, 4.0, 250.0), (0.02, 1.0, 3.5, 250.0)
SHARES = (0.0, 0.25, 0.7, 1.0)
NUMBERS = (-3.0, 0.0, 1.25, 500.0)
M = mp.mpf


def pinball(q: float) -> Callable[[Any, Any], Any]:
    return lambda y, z: max(M(q) * (y - z), (M(q) - 1) * (y - z))


def huber(d: float) -> Callable[[Any, Any], Any]:
    return lambda y, z: (z - y) ** 2 / 2 if abs(z - y) <= M(d) else M(d) * abs(z - y) - M(d) ** 2 / 2


def tweedie(p: float) -> Callable[[Any, Any], Any]:
    a, b = 2 - M(p), M(p) - 1
    return lambda y, z: mp.exp(a * z) / a + y * mp.exp(-b * z) / b


def negative_binomial(a: float) -> Callable[[Any, Any], Any]:
    return lambda y, z: (y + 1 / M(a)) * mp.log1p(M(a) * mp.exp(z)) - y * z


def softplus(t: Any) -> Any:
    return mp.log1p(mp.exp(t))


def cloglog(y: Any, z: Any) -> Any:
    return mp.exp(z) if y < 0 else -mp.log(-mp.expm1(-mp.exp(z)))


def costly(base: Callable[[Any, Any], Any], reject: float, accept: float) -> Callable[[Any, Any], Any]:
    return lambda y, z: (M(reject) if y > 0 else M(accept)) * base(y, z)


def sided(low: float, high: float) -> tuple[tuple[float, float], ...]:
    """Slopes just outside [low, high] for the label +1, mirrored for -1."""
    return tuple((y, y * u) for y in LABELS for u in (low - 0.01, high + 0.01) if math.isfinite(u))


def hinge(y: Any, z: Any) -> Any:
    return max(M(0), 1 - y * z)


def modified_huber(y: Any, z: Any) -> Any:
    return -2 * y * z if y * z < -1 else hinge(y, z) ** 2 / 2


def exponential(y: Any, z: Any) -> Any:
    return mp.exp(-y * z)


SAMPLES: dict[str, Sample] = {
    "absolute": Sample(
        lambda y, z: abs(z - y), NUMBERS, ((0.0, 1.01), (2.0, -1.01)), "line", 0.7, lambda y: (y,)
    ),
    "quantile": Sample(pinball(0.5), NUMBERS, ((0.0, 0.51), (0.0, -0.51)), "line", 0.7, lambda y: (y,)),
    "quantile(0.9)": Sample(
        pinball(0.9), NUMBERS, ((0.0, 0.11), (0.0, -0.91)), "line", 0.7, lambda y: (y,), loss=Quantile(0.9)
    ),
    "huber": Sample(
        huber(1.35), NUMBERS, ((0.0, 1.36), (0.0, -1.36)), "line", 0.7, lambda y: (y - 1.35, y + 1.35)
    ),
    "huber(0.25)": Sample(
        huber(0.25), NUMBERS, ((0.0, 0.26),), "line", 2.0, lambda y: (y - 0.25, y + 0.25), loss=Huber(0.25)
    ),
    "epsilon_insensitive": Sample(
        lambda y, z: max(M(0), abs(z - y) - M(0.1)),
        NUMBERS,
        ((0.0, 1.01), (2.0, -1.01)),
        "line",
        0.7,
        lambda y: (y - 0.1, y + 0.1),
        cancels=True,
    ),
    "epsilon_insensitive(0)": Sample(
        lambda y, z: abs(z - y),
        NUMBERS,
        ((0.0, 1.01),),
        "line",
        0.7,
        lambda y: (y,),
        loss=EpsilonInsensitive(0.0),
    ),
    "squared_epsilon_insensitive": Sample(
        lambda y, z: max(M(0), abs(z - y) - M(0.1)) ** 2 / 2,
        NUMBERS,
        (),
        "line",
        0.7,
        lambda y: (y - 0.1, y + 0.1),
        cancels=True,
    ),
    "half_squared": Sample(lambda y, z: (z - y) ** 2 / 2, NUMBERS, law="line", dispersion=2.5),
    "logistic": Sample(lambda y, z: softplus(-y * z), LABELS, sided(-1.0, 0.0), "labels"),
    "bernoulli": Sample(
        lambda y, z: softplus(z) - y * z, SHARES, ((0.25, 0.76), (0.25, -0.26)), "shares", cancels=True
    ),
    "bernoulli(probit)": Sample(
        lambda y, z: -y * mp.log(mp.ncdf(z)) - (1 - y) * mp.log(mp.ncdf(-z)),
        SHARES,
        ((0.0, -0.01), (1.0, 0.01)),
        "shares",
        cancels=True,
        loss=Bernoulli(Probit()),
    ),
    "bernoulli(cloglog)": Sample(
        lambda y, z: y * cloglog(1, z) + (1 - y) * cloglog(-1, z),
        SHARES,
        ((0.0, -0.01), (1.0, 0.01), (0.25, -0.26)),
        "shares",
        cancels=True,
        loss=Bernoulli(CLogLog()),
    ),
    "softmax": Sample(
        lambda y, z: mp.log(sum(mp.exp(v) for v in z)) - z[int(y)],
        (0, 1, 2),
        ((0, [0.1, 0.0, -0.1]), (0, [-0.5, 0.25, 0.2]), (1, [0.0, 0.0, 0.1])),
        "codes",
        k=3,
    ),
    "hinge": Sample(hinge, LABELS, sided(-1.0, 0.0), kinks=lambda y: (y,)),
    "one_versus_rest": Sample(
        lambda y, z: sum(softplus(-(1 if k == int(y) else -1) * v) for k, v in enumerate(z)),
        (0, 1, 2),
        ((0, [0.1, 0.0, 0.0]), (0, [-0.5, 1.1, 0.0]), (1, [-0.1, 0.0, 0.0])),
        k=3,
    ),
    "squared_hinge": Sample(
        lambda y, z: hinge(y, z) ** 2 / 2, LABELS, sided(-math.inf, 0.0), kinks=lambda y: (y,)
    ),
    "modified_huber": Sample(modified_huber, LABELS, sided(-2.0, 0.0), kinks=lambda y: (y, -y)),
    "perceptron": Sample(lambda y, z: max(M(0), -y * z), LABELS, sided(-1.0, 0.0), kinks=lambda y: (0.0,)),
    "exponential": Sample(exponential, LABELS, sided(-math.inf, 0.0)),
    "probit": Sample(lambda y, z: -mp.log(mp.ncdf(y * z)), LABELS, sided(-math.inf, 0.0), "labels"),
    "cloglog": Sample(cloglog, LABELS, ((1.0, 0.01), (1.0, -1.01), (-1.0, -0.01)), "labels"),
    "poisson": Sample(
        lambda y, z: mp.exp(z) - y * z, COUNTS, ((0.0, -0.01), (4.0, -4.01)), "counts", cancels=True
    ),
    "gamma": Sample(lambda y, z: y * mp.exp(-z) + z, POSITIVE, ((2.0, 1.01),), "positive", 0.6, cancels=True),
    "tweedie": Sample(tweedie(1.5), COUNTS, ((0.0, -0.01),), "mixed", 0.8),
    "tweedie(1.2)": Sample(tweedie(1.2), COUNTS, ((0.0, -0.01),), "mixed", 1.3, loss=Tweedie(1.2)),
    "tweedie_stable": Sample(tweedie(2.5), POSITIVE, ((2.0, 0.01), (2.0, -0.01)), cancels=True),
    "tweedie_stable(-1)": Sample(
        tweedie(-1.0),
        (-3.0, 0.0, 1.25, 20.0),
        ((2.0, 0.01), (-3.0, -0.01)),
        cancels=True,
        loss=StableTweedie(-1.0),
    ),
    "inverse_gaussian": Sample(
        lambda y, z: y * mp.exp(-2 * z) / 2 - mp.exp(-z),
        POSITIVE,
        ((2.0, 0.01),),
        "positive",
        0.5,
        cancels=True,
    ),
    "negative_binomial": Sample(
        negative_binomial(1.0), COUNTS, ((4.0, -4.01), (4.0, 1.01)), "counts", cancels=True
    ),
    "negative_binomial(0.3)": Sample(
        negative_binomial(0.3),
        COUNTS,
        ((4.0, -4.01), (4.0, 3.4)),
        "counts",
        cancels=True,
        loss=NegativeBinomial(0.3),
    ),
    "zero_one": Sample(lambda y, z: M((z > 0) != (y > 0)), LABELS, sided(-0.0, 0.0), kinks=lambda y: (0.0,)),
    "cost_sensitive": Sample(lambda y, z: softplus(-y * z), LABELS, sided(-1.0, 0.0)),
    "cost_sensitive(hinge, 5, 0.3)": Sample(
        costly(hinge, 5.0, 0.3),
        LABELS,
        ((1.0, -5.01), (1.0, 0.01), (-1.0, 0.31), (-1.0, -0.01)),
        kinks=lambda y: (y,),
        loss=CostSensitive(Hinge(), 5.0, 0.3),
    ),
    "cost_sensitive(exponential, 2, 7)": Sample(
        costly(exponential, 2.0, 7.0),
        LABELS,
        ((1.0, 0.01), (-1.0, -0.01)),
        loss=CostSensitive(Exponential(), 2.0, 7.0),
    ),
}


def loss_of(label: str) -> Any:
    """The loss under test; every row of the registry must have test data under its own name."""
    assert label in SAMPLES, f"add a sample of {label!r} to SAMPLES in tests/conformance/loss_samples.py"
    made = SAMPLES[label].loss
    return REGISTRY[label]() if made is None else made


ALL = sorted(SAMPLES.keys() | REGISTRY.keys())
