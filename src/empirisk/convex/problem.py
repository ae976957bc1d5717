"""A constrained convex problem from functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.typing import Array

__all__ = ["ConvexProblem", "numerical_gradient"]

Function = Callable[[Array], Any]


@dataclass(frozen=True, eq=False, repr=False)
class ConvexProblem(Brief):
    """``min f(x)`` over x in a box D, such that ``g_j(x) <= 0`` and ``A x = b``.

    Parameters
    ----------
    objective : callable(x) -> float
        f, convex.
    n : int
        Number of variables.
    inequalities : sequence of callables
        The g_j, convex.
    equalities : (A, b), optional
        Matrix of shape (m, n) and vector of shape (m,).
    gradient : callable(x) -> array, optional
        Gradient (or a subgradient) of f; by central differences when it is left out.
    inequality_gradients : sequence of callables or None, optional
        The same for the g_j.
    lower, upper : float or array
        The box D, which no multiplier speaks of; by default all of R^n.
    strong_convexity : float, default 0.0
        A known m >= 0 for which ``f(x) - m ||x||^2 / 2`` is convex: with it dual values are proved without a
        bounded box.  The smallest eigenvalue of P for ``x.P x / 2``.

    Raises
    ------
    ValueError
        When a gradient contradicts differences of its function, or sampled chords the strong convexity: the
        message names the points.

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 2, [lambda x: 1.0 - x.sum()])
    >>> p.gradient_of(0, np.array([1.0, 2.0])).round(6), p.slacks(np.array([1.0, 2.0]))
    (array([2., 4.]), array([-2.]))
    """

    objective: Function
    n: int
    inequalities: Sequence[Function] = ()
    equalities: tuple[Any, Any] | None = None
    gradient: Function | None = None
    inequality_gradients: Sequence[Function | None] | None = None
    lower: Any = -np.inf
    upper: Any = np.inf
    strong_convexity: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.n, int | np.integer) or self.n < 1:
            raise ValueError(f"n must be a whole number >= 1, got {self.n!r}")
        self._check_callables()
        low, high = (np.broadcast_to(np.asarray(v, dtype=float), (self.n,)) for v in (self.lower, self.upper))
        if np.isnan(low).any() or np.isnan(high).any():
            raise ValueError("lower and upper must not hold NaN; leave out a bound that is not there")
        if np.any(low > high):
            j = int(np.argmax(low > high))
            raise ValueError(
                f"the domain is empty: lower {low[j]:g} exceeds upper {high[j]:g} at position {j}"
            )
        A, b = (np.zeros((0, self.n)), np.zeros(0)) if self.equalities is None else self.equalities
        A, b = np.atleast_2d(np.asarray(A, dtype=float)), np.atleast_1d(np.asarray(b, dtype=float))
        if A.shape != (len(b), self.n):
            raise ValueError(
                f"equalities must be a matrix of {self.n} columns and as many numbers as it has rows"
            )
        if not (np.isfinite(A).all() and np.isfinite(b).all()):
            raise ValueError("equalities hold NaN or infinity: A and b must be finite")
        given = self.inequality_gradients
        if given is not None and len(given) != len(self.inequalities):
            raise ValueError(
                f"inequality_gradients has {len(given)} entries, but there are {len(self.inequalities)} "
                "inequalities"
            )
        for name, value in (("lower", low), ("upper", high), ("equalities", (A, b))):
            object.__setattr__(self, name, value)
        for k in range(len(self.inequalities) + 1):
            self._compare(k)
        if not 0.0 <= self.strong_convexity < np.inf:
            raise ValueError(f"strong_convexity must be a finite number >= 0, got {self.strong_convexity!r}")
        if self.strong_convexity > 0.0:
            self._check_chords()

    def __repr__(self) -> str:
        told = [f"{self.n} variables", f"{len(self.inequalities)} inequalities"]
        A, _ = self.equalities or (np.zeros((0, self.n)), None)
        boxed = np.isfinite(self.lower).any() or np.isfinite(self.upper).any()
        told += [f"{len(A)} equalities"] + (["a box"] if boxed else [])
        return f"ConvexProblem({', '.join(told)})"

    def function(self, k: int) -> Function:
        """Return the objective for k = 0, else inequality k - 1."""
        return self.objective if k == 0 else self.inequalities[k - 1]

    def value_of(self, k: int, x: Array) -> float:
        """Return the value of function k at x as a float; 0 is the objective, k > 0 the inequality k - 1."""
        value = np.asarray(self.function(k)(np.array(x)), dtype=float)
        if value.size != 1:
            what = "the objective" if k == 0 else f"inequality {k - 1}"
            raise ValueError(f"{what} must return one number, got an array of shape {value.shape}")
        return float(value.reshape(()))

    def point(self, x: Any) -> Array:
        """Return x as an array of floats, after a check of its shape and entries."""
        x = np.asarray(x, dtype=float)
        if x.shape != (self.n,):
            raise ValueError(f"x must have shape ({self.n},), got {x.shape}")
        if not np.isfinite(x).all():
            raise ValueError("x holds NaN or infinity: give a finite point")
        return np.asarray(x)

    def gradient_of(self, k: int, x: Array) -> Array:
        """Return the gradient of function k at x, by differences where none was given."""
        given = self.gradient if k == 0 else (self.inequality_gradients or [None] * k)[k - 1]
        if given is not None:
            return np.asarray(given(np.array(x)), dtype=float).reshape(self.n)
        return numerical_gradient(lambda v: self.value_of(k, v), x, self.lower, self.upper)

    def slacks(self, x: Array) -> Array:
        """Return the values of all inequalities g_j at x; a point is feasible when none is above 0."""
        return np.array([self.value_of(k + 1, x) for k in range(len(self.inequalities))])

    def residual(self, x: Array) -> Array:
        """Return ``A x - b``, by how much x misses the equalities."""
        A, b = self.equalities  # type: ignore[misc]
        return np.asarray(A @ x - b)

    def inside(self) -> Array:
        """Return a point of the box: its centre, or one unit from its only border."""
        low, high = np.asarray(self.lower), np.asarray(self.upper)
        both = np.isfinite(low) & np.isfinite(high)
        centre = np.where(both, 0.5 * (np.where(both, low, 0.0) + np.where(both, high, 0.0)), 0.0)
        centre = np.where(np.isfinite(low) & ~both, low + 1.0, centre)
        return np.asarray(np.where(np.isfinite(high) & ~both, high - 1.0, centre))

    def _check_callables(self) -> None:
        if not callable(self.objective):
            raise TypeError(f"objective must be callable, got {self.objective!r}")
        if callable(self.inequalities):
            raise TypeError("inequalities must be a list of functions: write [g] for one")
        for k, g in enumerate(self.inequalities):
            if not callable(g):
                raise TypeError(f"inequality {k} must be callable, got {g!r}")

    def near(self, rng: np.random.Generator, size: float = 0.3) -> Array:
        """Return a random point of the box, about `size` from the inside."""
        return np.clip(self.inside() + size * rng.normal(size=self.n), self.lower, self.upper)

    def _check_chords(self) -> None:
        """Refuse a strong convexity that the middle of a chord contradicts."""
        rng = np.random.default_rng(1)
        for _ in range(20):
            x, y = self.near(rng, 1.0), self.near(rng, 1.0)
            ends = [self.value_of(0, v) for v in (x, y)]
            middle = self.value_of(0, 0.5 * (x + y))
            d = x - y
            most = 0.5 * sum(ends) - 0.125 * self.strong_convexity * float(d @ d)
            if middle > most + 1e-9 * max(1.0, *map(abs, ends)):
                raise ValueError(
                    f"strong_convexity={self.strong_convexity:g} contradicts the objective between "
                    f"{np.round(x, 4).tolist()} and {np.round(y, 4).tolist()}: it is {middle:.6g} in the "
                    f"middle, and should be at most {most:.6g}"
                )

    def _compare(self, k: int) -> None:
        """Refuse a gradient that its function contradicts."""
        given = self.gradient if k == 0 else (self.inequality_gradients or [None] * k)[k - 1]
        if given is None:
            return
        rng = np.random.default_rng(0)
        for _ in range(3):
            x = self.near(rng)
            told, seen = (
                self.gradient_of(k, x),
                numerical_gradient(lambda v: self.value_of(k, v), x, self.lower, self.upper),
            )
            if not np.isfinite(seen).all():
                continue
            if np.max(np.abs(told - seen)) > 1e-4 * max(1.0, float(np.max(np.abs(seen)))):
                what = "gradient" if k == 0 else f"gradient of inequality {k - 1}"
                raise ValueError(
                    f"the {what} contradicts its function at x = {np.round(x, 4).tolist()}: it says "
                    f"{np.round(told, 6).tolist()}, differences give {np.round(seen, 6).tolist()}"
                )


def numerical_gradient(f: Function, x: Array, lower: Any = -np.inf, upper: Any = np.inf) -> Array:
    """Central differences with a step of the cube root of the precision; one-sided at a border."""
    x = np.asarray(x, dtype=float)
    low, high = np.broadcast_to(lower, x.shape), np.broadcast_to(upper, x.shape)
    out = np.empty_like(x)
    for j in range(len(x)):
        h = 6e-6 * max(abs(x[j]), 1.0)
        a, b = x.copy(), x.copy()
        a[j], b[j] = max(x[j] - h, low[j]), min(x[j] + h, high[j])
        out[j] = (float(f(b)) - float(f(a))) / (b[j] - a[j]) if b[j] > a[j] else 0.0
    return out
