"""Parametric models as transformations of uniform numbers: the same randomness for every parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from empirisk.evaluation.intervals.base import Floats

__all__ = ["MODELS", "Transform", "check_parameters", "draws_itself", "transform_of", "uniforms"]

Transform = Callable[[Any, Floats], Floats]


def _laplace(theta: Any, u: Floats) -> Floats:
    away = u - 0.5
    out: Floats = theta - np.sign(away) * np.log1p(-2.0 * np.abs(away))
    return out


# From a parameter and uniform numbers (samples, n[, d]) to samples of that shape.
MODELS: dict[str, Transform] = {
    "bernoulli": lambda theta, u: (u > 1.0 - theta).astype(np.float64),
    "gaussian": lambda theta, u: theta + special.ndtri(u),
    "uniform": lambda theta, u: theta * u,
    "exponential": lambda theta, u: -theta * np.log1p(-u),
    "laplace": _laplace,
    "cauchy": lambda theta, u: theta + np.tan(np.pi * (u - 0.5)),
}


# Which parameters a named model has, in words and as a test; the others take every number.
RANGES: dict[str, tuple[str, Callable[[Floats], Any]]] = {
    "bernoulli": ("lie in [0, 1]", lambda t: (t >= 0.0) & (t <= 1.0)),
    "uniform": ("be positive", lambda t: t > 0.0),
    "exponential": ("be positive", lambda t: t > 0.0),
}


def check_parameters(model: str | Callable[..., Any], parameters: list[Any]) -> None:
    """Refuse parameters at which a named model is no distribution."""
    if not isinstance(model, str) or model not in RANGES:
        return
    words, valid = RANGES[model]
    for theta in parameters:
        if not np.all(valid(np.asarray(theta, dtype=np.float64))):
            raise ValueError(f"parameters of {model!r} must {words}, got {theta!r}.")


def uniforms(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return uniform numbers strictly between 0 and 1, of which ``1 - u`` is too."""
    return np.clip(rng.random(shape), 2.0**-53, 1.0 - 2.0**-53)


def transform_of(model: str | Callable[..., Any]) -> Transform:
    """Return the transformation of a named model, of a family of frozen distributions, or the callable
    itself.
    """
    if isinstance(model, str):
        if model not in MODELS:
            names = ", ".join(MODELS).replace("gaussian", "gaussian (normal)")
            raise ValueError(f"model must be callable or one of {names}; got {model!r}.")
        return MODELS[model]
    if not callable(model):
        raise TypeError(
            "model must be a name or a callable: theta -> a law or a frozen scipy.stats distribution, "
            "or (theta, uniforms) -> samples."
        )
    if draws_itself(model):
        return model

    def invert(theta: Any, u: Floats) -> Floats:
        law = model(theta)
        inverse = getattr(law, "ppf", None) or getattr(law, "quantile", None)
        if inverse is None:
            raise TypeError(
                f"model({theta!r}) must return a frozen scipy.stats distribution (with ppf) or a law of "
                f"er.distributions, got {type(law).__name__}."
            )
        if getattr(law, "dimension", 0):
            raise TypeError(
                f"model({theta!r}) must be a law of one number, and the {law.title} is one of "
                f"{law.dimension}; give (theta, uniforms) -> samples."
            )
        return np.asarray(inverse(u), dtype=np.float64)

    return invert


def draws_itself(model: Any) -> bool:
    """Return whether a model is a function of parameters and uniform numbers, which gives samples."""
    try:
        parameters = inspect.signature(model).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [
        p
        for p in parameters
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed) == 2
