"""What methods of laws do with odd arguments: one rule for all laws, whatever their formulas would give.

NaN in, NaN out, as in NumPy; an infinite row has no density, and all chances lie below it.  A derivative
exists inside of the support alone.  Draws are numbers of the support: where one is nearer to an end that the
support leaves out than floats can tell, it is the float next to that end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["GUARDED", "chances", "check_held", "check_size", "guard", "numbers"]


def numbers(x: Any, dimension: int = 0) -> Array:
    """Return rows as floats, (n,) for laws of one number and (n, d) for laws of d.

    Examples
    --------
    >>> numbers(3).shape, numbers([[1, 2]], 2).shape
    ((1,), (1, 2))
    """
    if x is None or np.asarray(x).dtype.kind not in "biuf":
        x = _plain(x)
    out = np.asarray(x, dtype=np.float64)
    if dimension == 0:
        if out.ndim > 1 and not (out.ndim == 2 and out.shape[1] == 1):
            raise ValueError(f"x has shape {out.shape}; give one number for each row, of shape (n,)")
        return out.reshape(-1)
    out = np.atleast_2d(out)
    if out.ndim != 2 or out.shape[1] != dimension:
        raise ValueError(
            f"x has shape {np.shape(x)}; give rows of {dimension} numbers, of shape (n, {dimension})"
        )
    return out


def chances(u: Any) -> Array:
    """Return what quantiles are asked for as floats, or refuse in words what is no array of real numbers.

    Examples
    --------
    >>> chances([0.25, 2]).tolist()
    [0.25, 2.0]
    """
    try:
        out = np.asarray(u)
        return np.asarray(out if out.dtype.kind in "biuf" else _plain(u), dtype=np.float64)
    except ValueError:
        raise ValueError(f"u must be real numbers, chances from 0 to 1, got {u!r:.60}") from None


def check_size(size: Any) -> None:
    """Refuse what is no number of draws.

    Examples
    --------
    >>> check_size(-1)
    Traceback (most recent call last):
    ...
    ValueError: size must be a whole number >= 0 of draws, got -1
    """
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise ValueError(f"size must be a whole number >= 0 of draws, got {size!r}")


def check_held(sums: Any) -> None:
    """Refuse sums over rows that are beyond what floats hold.

    Examples
    --------
    >>> check_held([1.0, np.inf])
    Traceback (most recent call last):
    ...
    ValueError: sums of x or of its squares are beyond what floats hold (1e308); change the unit of x
    """
    if not np.isfinite(sums).all():
        raise ValueError(
            "sums of x or of its squares are beyond what floats hold (1e308); change the unit of x"
        )


def _plain(x: Any) -> Array:
    """Return what is no array of numbers as one, or refuse it in words: None, text and complex numbers."""
    try:
        values = np.asarray(x, dtype=object)
        if any(v is None or isinstance(v, str | complex | np.complexfloating) for v in values.ravel()):
            raise TypeError
        return np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"x must be real numbers, one row each, got {x!r:.60}; take out or recode what is none"
        ) from None


def _rows(x: Any, dimension: int) -> tuple[Array, Any, Any]:
    """Return rows without odd ones, and which hold NaN or an infinite number."""
    rows = numbers(x, dimension)
    missing: Any = np.isnan(rows)
    wide: Any = np.isinf(rows)
    if dimension:
        missing, wide = missing.any(axis=1), wide.any(axis=1)
    odd = missing | wide
    if odd.any():
        rows = np.where(odd[:, None] if dimension else odd, 0.5, rows)
    return rows, missing, wide & ~missing


def _log_prob(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that gives rows with NaN a NaN, and infinite ones -inf."""

    @wraps(f)
    def of_rows(self: Any, x: Any) -> Array:
        rows, missing, wide = _rows(x, self.dimension)
        with np.errstate(all="ignore"):
            out = f(self, rows)
        return _put(out, missing, np.nan, wide, -np.inf)

    return of_rows


def _cdf(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is 0 at -inf, 1 at inf, and NaN at NaN."""

    @wraps(f)
    def of_rows(self: Any, x: Any) -> Array:
        if self.dimension:
            return np.asarray(f(self, x))
        rows, missing, wide = _rows(x, 0)
        with np.errstate(all="ignore"):
            out = f(self, rows)
        if not (missing.any() or wide.any()):
            return np.asarray(out)
        return _put(out, missing, np.nan, wide, np.where(numbers(x) > 0.0, 1.0, 0.0)[wide])

    return of_rows


def _score(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose derivatives are NaN where there is no density."""

    @wraps(f)
    def of_rows(self: Any, x: Any) -> Array:
        rows, missing, wide = _rows(x, self.dimension)
        outside: Any
        if self.dimension:
            outside = np.isneginf(self.log_prob(rows))
        else:
            outside = ~self.support.contains(rows) | (self.discrete & (np.floor(rows) != rows))
        with np.errstate(all="ignore"):
            out = np.asarray(f(self, rows), dtype=np.float64)
        bad = missing | wide | outside
        return _put(out, bad, np.nan, bad, np.nan)

    return of_rows


def _quantile(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that gives NaN for what is no chance."""

    @wraps(f)
    def of_chances(self: Any, u: Any) -> Array:
        chance = chances(u)
        inside = (chance >= 0.0) & (chance <= 1.0)
        if inside.all():
            return np.asarray(f(self, chance))
        return np.where(inside, f(self, np.where(inside, chance, 0.5)), np.nan)

    return of_chances


def _number(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method whose numbers beyond floats are infinite or 0, or are refused in words."""

    @wraps(f)
    def of_law(self: Any, *args: Any) -> Any:
        if f.__name__ == "kl" and args and type(args[0]) is not type(self):
            raise TypeError(
                f"kl of a law compares members of its family, got {args[0]!r:.80}; er.kl(p, q) compares any "
                "two"
            )
        try:
            with np.errstate(all="ignore"):
                out = f(self, *args)
            if f.__name__ == "moments" or not np.isnan(out).any():
                return out
        except (OverflowError, ZeroDivisionError):
            pass
        what = f.__name__.replace("_", " ")
        raise ValueError(
            f"the {what} of {self!r:.200} needs numbers beyond those that floats hold (1e-308 to 1e308); "
            "change the unit of the rows"
        )

    return of_law


def _intervals(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that refuses a level that is no chance, and fewer rows than 0."""

    @wraps(f)
    def of_fit(self: Any, n: float, level: float) -> Any:
        check_level(level)
        if not n > 0.0:
            raise ValueError(f"n must be a number of rows above 0, got {n!r}")
        return f(self, n, level)

    return of_fit


def _credible(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that refuses a level that is no chance: 0, 1, and NaN."""

    @wraps(f)
    def of_level(self: Any, level: float) -> Array:
        check_level(level)
        return np.asarray(f(self, float(level)))

    return of_level


def _sample(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that refuses odd sizes, and whose draws lie inside of the support."""

    @wraps(f)
    def of_size(self: Any, size: Any, random_state: Any = None) -> Array:
        check_size(size)
        try:
            with np.errstate(all="ignore"):
                draws = np.asarray(f(self, int(size), random_state))
        except (OverflowError, ValueError) as error:
            if not self.discrete:
                raise
            raise ValueError(
                f"{self!r:.200} has draws beyond the whole numbers of 64 bits that generators give "
                f"({error}); choose parameters with smaller counts"
            ) from None
        ends = self.support
        if not ends.low_closed and np.isfinite(ends.low):
            draws = np.maximum(draws, np.nextafter(ends.low, np.inf))
        if not ends.high_closed and np.isfinite(ends.high):
            draws = np.minimum(draws, np.nextafter(ends.high, -np.inf))
        return np.asarray(draws)

    return of_size


def _put(out: Any, first: Any, value: Any, second: Any, other: Any) -> Array:
    """Return an array with other values in two sets of rows."""
    out = np.asarray(out)
    if first.any() or second.any():
        out = np.array(out)
        out[second] = other
        out[first] = value
    return np.asarray(out)


# The guard of each method, by its name.
GUARDED: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    "log_prob": _log_prob,
    "cdf": _cdf,
    "score": _score,
    "quantile": _quantile,
    "sample": _sample,
    "exact_intervals": _intervals,
    "credible": _credible,
    **dict.fromkeys(
        ("moments", "entropy", "fisher_information", "inverse_information", "estimate_covariance", "kl"),
        _number,
    ),
}


def guard(cls: Any) -> None:
    """Put the rules of this file around the methods that a class defines."""
    for name, around in GUARDED.items():
        if name in cls.__dict__:
            setattr(cls, name, around(cls.__dict__[name]))
