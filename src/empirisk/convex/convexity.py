"""Is a function convex?  A proof for what the library knows, a counterexample, or an honest "not refuted"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.seeds import Seed, generator_of
from empirisk.losses.base import Loss
from empirisk.penalties.base import Penalty
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["Convexity", "Witness", "check_convexity"]


@dataclass(frozen=True, eq=False, repr=False)
class Witness(Brief):
    """Two points and a place between them where the function lies above its chord.

    Parameters
    ----------
    x, y : arrays
        The ends.
    t : float
        Share of x.
    value : float
        ``f(t x + (1-t) y)``.
    chord : float
        ``t f(x) + (1-t) f(y)``, which is smaller by more than rounding.

    Examples
    --------
    >>> w = Witness(np.array([-1.0]), np.array([1.0]), 0.5, 0.0, -1.0)
    >>> w.value - w.chord
    1.0
    """

    x: Array
    y: Array
    t: float
    value: float
    chord: float


@dataclass(frozen=True, eq=False, repr=False)
class Convexity(Brief):
    """The answer to :func:`check_convexity`.

    Parameters
    ----------
    convex : bool or None
        True: proved.  False: refuted by `witness`.  None: not refuted, which is no proof.
    sentence : str
        In words.
    witness : Witness or None
        The counterexample.

    Examples
    --------
    >>> Convexity(None, "not refuted by 10 samples").convex is None
    True
    """

    convex: bool | None
    sentence: str
    witness: Witness | None = None

    def __str__(self) -> str:
        return self.sentence


def check_convexity(
    f: Callable[[Array], Any] | Loss | Penalty | LinearProblem,
    lower: Any = -1.0,
    upper: Any = 1.0,
    *,
    samples: int = 2000,
    random_state: Seed = 0,
) -> Convexity:
    """``f(t x + (1-t) y) <= t f(x) + (1-t) f(y)`` for all x, y in a box?

    Parameters
    ----------
    f : callable, or a loss, penalty or linear problem of the library
        A function of a vector; for objects of the library the answer is a proof from their structure, else
        sampling goes on as for a function: of the score at a target of 1 (a loss), of the coefficients, of
        the parameters.
    lower, upper : float or array, shape (n,)
        The box; numbers mean one variable, or the same for each parameter of a problem.
    samples : int, default 2000
        Pairs of points: half of them far apart, half of them close together.
    random_state : int, Generator, RandomState or None, default 0
        Seed.

    Returns
    -------
    Convexity
        Refuted with a witness, proved, or neither.

    Raises
    ------
    ValueError
        When the box is empty or not bounded, or f is NaN at a point, which is named.

    Notes
    -----
    A sum of convex functions of affine functions is convex (Boyd & Vandenberghe 2004, section 3.2): that is
    the proof for problems.  Values of +inf are allowed: the set where f is finite must be convex, too.

    Examples
    --------
    >>> print(check_convexity(lambda x: float(np.sin(x[0])), 0.0, 6.0).convex)
    False
    >>> check_convexity(lambda x: float(x @ x), [-1.0, -1.0], [1.0, 1.0]).sentence
    'not refuted: 2,000 sampled chords lie above the function, which is no proof'
    """
    known = _by_structure(f)
    if known is not None:
        return known
    n = f.n_params if isinstance(f, LinearProblem) else 1
    lower, upper, f = np.zeros(n) + lower, np.zeros(n) + upper, _as_function(f)
    if not callable(f):
        raise TypeError(f"f must be a function of a vector, or a loss, penalty or problem; got {f!r}")
    if samples < 1:
        raise ValueError(f"samples must be at least 1, got {samples!r}")
    low, high = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (lower, upper))
    low, high = np.broadcast_arrays(low, high)
    if not (np.isfinite(low).all() and np.isfinite(high).all() and np.all(low <= high)):
        raise ValueError("lower and upper must be finite with lower <= upper: the samples lie between them")
    rng, worst = generator_of(random_state), None
    for k in range(samples):
        x = rng.uniform(low, high)
        # Far pairs find a lack of convexity at large, close pairs a small dent that a long chord passes over.
        size = 1.0 if k % 2 == 0 else 10.0 ** rng.uniform(-3.0, -0.3)
        y = np.clip(x + size * (rng.uniform(low, high) - x), low, high)
        t = 0.5 if k % 4 < 2 else float(rng.uniform(0.02, 0.98))
        seen = _above(f, x, y, t)
        if seen is not None and (worst is None or seen.value - seen.chord > worst.value - worst.chord):
            worst = seen
    if worst is None:
        return Convexity(
            None, f"not refuted: {samples:,} sampled chords lie above the function, which is no proof"
        )
    at = worst.t * worst.x + (1.0 - worst.t) * worst.y
    return Convexity(
        False,
        f"not convex: f = {worst.value:.6g} at {_shown(at)}, above the chord between {_shown(worst.x)} and "
        f"{_shown(worst.y)}, which is {worst.chord:.6g} there",
        worst,
    )


def _by_structure(f: Any) -> Convexity | None:
    """Return a proof for objects of the library that have one."""
    if isinstance(f, LinearProblem) and f.loss.convex and f.penalty.convex:
        return Convexity(
            True,
            f"convex: a mean of the convex loss {f.loss.name!r} of affine scores, plus the convex penalty "
            f"{f.penalty.name!r}",
        )
    if isinstance(f, Loss) and f.convex:
        return Convexity(
            True,
            f"convex in the score: second derivatives are at least {f.curvature[0]:g}, slopes never fall",
        )
    if isinstance(f, Penalty) and f.convex:
        return Convexity(True, f"convex: penalty {f.name!r}")
    return None


def _as_function(f: Any) -> Callable[[Array], Any]:
    """Return the function that is sampled: that of a problem, of a loss at a target of 1, of a penalty, or f
    itself.
    """
    if isinstance(f, LinearProblem):
        if f.n_outputs:
            raise ValueError("only problems with one score a row are sampled")
        return f.value
    if isinstance(f, Loss):
        target, loss = np.array([1.0]), f
        if not loss.y_domain.contains(target).all():
            raise ValueError(
                f"the loss {loss.name!r} is sampled at a target of 1, which is not in its domain"
            )
        return lambda z: float(loss.value(target, z)[0])
    return f.value if isinstance(f, Penalty) else f


def _above(f: Callable[[Array], Any], x: Array, y: Array, t: float) -> Witness | None:
    z = t * x + (1.0 - t) * y
    values = [_number(f(v.copy())) for v in (x, y, z)]
    for v, at in zip(values, (x, y, z), strict=True):
        if np.isnan(v):
            raise ValueError(f"f is NaN at {_shown(at)}; restrict the box to where it is defined")
    if not np.isfinite(values[:2]).all():
        return None
    chord = t * values[0] + (1.0 - t) * values[1]
    rounding = 1e-13 * max(map(abs, values)) if np.isfinite(values[2]) else 0.0
    # Differences of the arguments by rounding move values by their slope: forgive that, too.
    rounding += 1e-15 * abs(values[0] - values[1]) / max(float(np.max(np.abs(x - y))), 1e-12)
    return Witness(x, y, t, values[2], chord) if values[2] > chord + rounding else None


def _number(value: Any) -> float:
    out = np.asarray(value, dtype=float)
    if out.size != 1:
        raise ValueError(f"f must return one number, got an array of shape {out.shape}")
    return float(out.reshape(()))


def _shown(x: Array) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in x) + ")"
