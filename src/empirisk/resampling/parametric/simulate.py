"""Errors of all estimators at all parameters on the same simulated samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.parametric.estimators import Many
from empirisk.resampling.parametric.existence import heavy
from empirisk.resampling.parametric.models import Transform, uniforms

__all__ = ["Errors", "floats_of", "simulate"]

# Numbers that a block of samples holds.
BLOCK = 1 << 20


@dataclass(frozen=True)
class Errors:
    """What the simulation saw of one estimator at one parameter.

    Parameters
    ----------
    squares : array of shape (units,)
        ``|T - g|^2``, averaged over each antithetic pair.
    bias : array of shape (k,)
        Mean of ``T - g`` over all samples.
    bias_error : array of shape (k,)
        Its Monte-Carlo standard error.
    infinite : str
        Why the risk is infinite, whatever was seen; empty where that is not known.
    bounded : bool
        Whether squared errors are known to be bounded, so that samples need not tell of their tail.
    """

    squares: Floats
    bias: Floats
    bias_error: Floats
    infinite: str = ""
    bounded: bool = False

    @property
    def risk(self) -> float:
        """The mean squared error over the simulated samples, or infinity where it is known to be."""
        return math.inf if self.infinite else float(self.squares.mean())

    @property
    def squared_bias(self) -> float:
        """``|mean of T - g|^2``: the part of the risk that more samples would not change."""
        return float(self.bias @ self.bias)

    @property
    def variance(self) -> float:
        """``mean |T - mean T|^2``, which is the risk less the squared bias."""
        return math.inf if self.infinite else max(self.risk - self.squared_bias, 0.0)

    @cached_property
    def heavy(self) -> str:
        """Why no interval of the risk can be made from squares with such a tail; empty where it can."""
        return "" if self.bounded else heavy(self.squares)

    def knowing(self, infinite: str, unbiased: bool, bounded: bool) -> Errors:
        """Return the same with why the risk is infinite, and without the bias where T has no mean."""
        if not infinite:
            return replace(self, bounded=bounded)
        none = np.full_like(self.bias, np.nan)
        return replace(self, infinite=infinite, bias=self.bias if unbiased else none, bias_error=none)


def simulate(
    estimators: Mapping[str, Callable[..., Any]],
    transform: Transform,
    parameters: list[Any],
    targets: list[Floats],
    n: int,
    n_samples: int,
    antithetic: bool,
    vectorized: bool,
    rng: np.random.Generator,
) -> dict[str, list[Errors]]:
    """Simulate in blocks of bounded memory; every estimator and every parameter sees the same uniforms."""
    inner = np.shape(parameters[0])
    units = n_samples // 2 if antithetic else n_samples
    step = max(1, BLOCK // (n * max(1, int(np.prod(inner)))))
    parts: dict[tuple[str, int], list[Floats]] = {
        (e, j): [] for e in estimators for j in range(len(parameters))
    }
    for first in range(0, units, step):
        u = uniforms(rng, (min(step, units - first), n, *inner))
        for j, theta in enumerate(parameters):
            draws = [_samples(transform, theta, v) for v in ((u, 1.0 - u) if antithetic else (u,))]
            for name, estimator in estimators.items():
                errors = [_errors(name, estimator, x, theta, targets[j], vectorized) for x in draws]
                parts[name, j].append(np.stack(errors))
    return {
        name: [_summary(np.concatenate(parts[name, j], axis=1)) for j in range(len(parameters))]
        for name in estimators
    }


def _samples(transform: Transform, theta: Any, u: Floats) -> Floats:
    # Copies: the next parameter sees the same numbers, whatever the model does to its own.
    own = np.array(theta) if np.ndim(theta) else theta
    x = np.asarray(transform(own, u.copy()), dtype=np.float64)
    if x.shape[:2] != u.shape[:2]:
        raise ValueError(f"model returned shape {x.shape} for uniforms of shape {u.shape}.")
    if not np.isfinite(x).all():
        raise ValueError(
            f"model gives values that are not finite at parameter {theta!r}; is it allowed there?"
        )
    return x


def _errors(
    name: str, estimator: Callable[..., Any], x: Floats, theta: Any, target: Floats, vectorized: bool
) -> Floats:
    """Return the errors ``T - g`` of an estimator, shape (samples, k), or say which answer was wrong."""
    many = vectorized or isinstance(estimator, Many)
    x = x.copy()  # the next estimator sees the same samples, whatever this one does to its own
    found = _numbers(name, estimator(x) if many else [estimator(row) for row in x], theta)
    if found.shape != (len(x), *target.shape):
        raise ValueError(
            f"estimator {name!r} returned shape {found.shape[1:]} for each sample, but the target has "
            f"{target.shape} at parameter {theta!r}."
        )
    if not np.isfinite(found).all():
        raise ValueError(f"estimator {name!r} returned NaN or infinity at parameter {theta!r}.")
    return (found - target).reshape(len(x), -1)


def _numbers(name: str, found: Any, theta: Any) -> Floats:
    """Return the answers of an estimator as floats, or refuse what are no real numbers, as many each time."""
    values = floats_of(found)
    if values is None:
        raise ValueError(
            f"estimator {name!r} must return a real number for each sample, or as many for each as the "
            f"target has, got {found!r:.60} at parameter {theta!r}."
        )
    return values


def floats_of(values: Any) -> Floats | None:
    """Return real numbers as an array of floats, and None for text, complex numbers and ragged lists.

    Examples
    --------
    >>> floats_of([1, 2]), floats_of([1, 2j]), floats_of([[1], [1, 2]])
    (array([1., 2.]), None, None)
    """
    try:
        found = np.asarray(values)
        return found.astype(np.float64) if found.dtype.kind in "biufO" else None
    except (TypeError, ValueError):
        return None


def _summary(errors: Floats) -> Errors:
    """Summarise the errors, shape (1 or 2, units, k): the members of a pair are averaged."""
    signed = errors.mean(axis=0)
    spread = signed.std(axis=0, ddof=1) / np.sqrt(len(signed))
    return Errors(np.sum(errors**2, axis=2).mean(axis=0), signed.mean(axis=0), spread)
