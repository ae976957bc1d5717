"""er.estimators_risk: which estimator of a parameter errs least, and where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.evaluation.intervals.base import Floats, check_whole
from empirisk.resampling.parametric.estimators import ESTIMATORS, Many
from empirisk.resampling.parametric.existence import lacking, tails_of
from empirisk.resampling.parametric.models import check_parameters, draws_itself, transform_of
from empirisk.resampling.parametric.result import EstimatorsRisk
from empirisk.resampling.parametric.simulate import floats_of, simulate
from empirisk.results.estimate import check_level

__all__ = ["estimators_risk"]

MIN_SAMPLES = 1000  # so that normal intervals of the risks hold


def estimators_risk(
    estimators: Sequence[str | Callable[..., Any]] | Mapping[str, str | Callable[..., Any]],
    model: str | Callable[..., Any],
    parameters: Sequence[Any],
    n: int,
    *,
    target: Callable[[Any], Any] | None = None,
    n_samples: int = 10_000,
    level: float = 0.95,
    antithetic: bool = False,
    vectorized: bool = False,
    random_state: Seed = None,
) -> EstimatorsRisk:
    """``R(T, theta) = E|T - g(theta)|^2 = |E T - g|^2 + E|T - E T|^2``, and its maximum over theta.

    Parameters
    ----------
    estimators : sequence or mapping
        Names of :data:`empirisk.resampling.parametric.ESTIMATORS` or callables from a sample, (n,) or
        (n, d), to an estimate; a mapping gives them names.
    model : str or callable
        ``"bernoulli"``, ``"gaussian"`` (unit variance), ``"uniform"`` on (0, theta), ``"exponential"`` (mean
        theta), ``"laplace"``, ``"cauchy"``; or ``theta -> law`` of one number (of
        :mod:`empirisk.distributions`, or frozen by scipy.stats); or ``(theta, uniforms) -> samples`` of the
        same leading shape (samples, n).
    parameters : sequence
        Values of theta: numbers, or vectors of d coordinates (samples are then (n, d)).
    n : int
        Rows of a sample.
    target : callable, optional
        ``g(theta)``; theta itself by default.
    n_samples : int, default 10000
        Simulated samples at each parameter, at least 1000.
    level : float, default 0.95
        Of the Monte-Carlo intervals.
    antithetic : bool, default False
        Samples come in pairs from u and 1 - u; the intervals are made from the pairs. This removes the
        noise of the bias where the errors of a pair cancel, but then their squares are the same twice, and
        the risk has the noise of half as many samples.
    vectorized : bool, default False
        Callables take many samples (b, n[, d]) and return (b,) or (b, d).
    random_state : int, Generator, RandomState or None
        Seed.

    Returns
    -------
    EstimatorsRisk
        ``.risk(name)``, ``.bias(name)``, ``.variance(name)``, ``.maximal_risk(name)``,
        ``.worst_parameter(name)``, ``.compare(a, b)``, ``.to_frame()``.

    Raises
    ------
    ValueError
        Unknown names, estimates of the wrong shape or not finite, parameters that the model refuses.

    Notes
    -----
    All estimators see the same samples, and all parameters the same uniform numbers, so differences are
    sharper than the risks themselves. The supremum over theta is seen at the given parameters only. Squared
    bias and variance add up to the risk exactly; the squared bias is too large by about the variance over
    n_samples. Where the law is known to have no moments for an estimator (the mean of Cauchy's rows), the
    risk is infinite and said to be; where the largest squared errors have so heavy a tail that no Monte-Carlo
    error is believed, there is no interval, with the reason (errors that are bounded are not asked).
    James-Stein in 3 or 4 coordinates has squared errors without a variance at 0: its intervals are not to be
    trusted there. Cost: estimators times parameters times n_samples times n.

    Examples
    --------
    >>> import empirisk as er
    >>> names = ["mean", "bernoulli_minimax"]
    >>> r = er.estimators_risk(names, "bernoulli", [0.1, 0.3, 0.5], n=25, random_state=0)
    >>> r.worst_parameter("mean"), r.compare("mean", "bernoulli_minimax").worse
    (0.5, 2)
    """
    check_level(level)
    n, n_samples = check_whole(n, "n"), check_whole(n_samples, "n_samples")
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}.")
    if n_samples < MIN_SAMPLES:
        raise ValueError(f"n_samples must be at least {MIN_SAMPLES}, got {n_samples}.")
    grid = _grid(parameters)
    check_parameters(model, grid)
    aims = [_aim(target, theta) for theta in grid]
    named = _named(estimators)
    errors = simulate(
        named,
        transform_of(model),
        grid,
        aims,
        n,
        n_samples,
        antithetic,
        vectorized,
        generator_of(random_state),
    )
    tails = [tails_of(model, theta, draws_itself(model)) for theta in grid]
    for name, estimator in named.items():
        errors[name] = [
            e.knowing(
                lacking(estimator, t, n, 2), not lacking(estimator, t, n, 1), _bounded(estimator, model)
            )
            for e, t in zip(errors[name], tails, strict=True)
        ]
    return EstimatorsRisk(errors, grid, n, n_samples - n_samples % 2 if antithetic else n_samples, level)


def _bounded(estimator: Any, model: Any) -> bool:
    """Return whether squared errors are bounded: those of bounded rows, whose few values show no tail."""
    return isinstance(estimator, Many) and estimator.bounded and model in ("bernoulli", "uniform")


def _aim(target: Any, theta: Any) -> Floats:
    """Return what is estimated at a parameter, a finite number or a vector, or say that it is none."""
    if not (target is None or callable(target)):
        raise TypeError(
            f"target must be a function of a parameter, or None for the parameter, got {target!r}."
        )
    found = theta if target is None else target(np.array(theta) if np.ndim(theta) else theta)
    aim = floats_of(found)
    if aim is None or aim.ndim > 1 or not np.isfinite(aim).all():
        raise ValueError(
            f"target must be a finite number or vector, got {found!r:.60} at parameter {theta!r}."
        )
    return aim


def _grid(parameters: Sequence[Any]) -> list[Any]:
    values = floats_of(parameters)
    if values is None:
        raise ValueError(
            f"parameters must be numbers (m,) or vectors (m, d) of one length, got {parameters!r:.60}."
        )
    if values.ndim not in (1, 2) or 0 in values.shape:
        raise ValueError(f"parameters must be numbers (m,) or vectors (m, d), got shape {values.shape}.")
    if not np.isfinite(values).all():
        raise ValueError("parameters must be finite: they hold NaN or infinity.")
    return values.tolist() if values.ndim == 1 else list(values)


def _named(estimators: Any) -> dict[str, Callable[..., Any]]:
    if isinstance(estimators, str) or callable(estimators):
        estimators = [estimators]
    if not isinstance(estimators, Sequence | Mapping):
        raise TypeError(f"estimators must be a sequence or a mapping, got {type(estimators).__name__}.")
    if not isinstance(estimators, Mapping):
        names = [e if isinstance(e, str) else getattr(e, "__name__", repr(e)) for e in estimators]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two estimators are called {twice[0]!r}; name them with a mapping.")
        estimators = dict(zip(names, estimators, strict=True))
    if not estimators:
        raise ValueError("estimators is empty: name at least one estimator.")
    out = {}
    for name, estimator in estimators.items():
        if isinstance(estimator, str):
            if estimator not in ESTIMATORS:
                raise ValueError(
                    f"estimator must be callable or one of {', '.join(ESTIMATORS)}; got {estimator!r}."
                )
            estimator = ESTIMATORS[estimator]
        if not callable(estimator):
            raise TypeError(f"estimator {name!r} must be callable, got {type(estimator).__name__}.")
        out[name] = estimator
    return out
