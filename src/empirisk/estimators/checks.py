"""Checks of what users pass, with the parameter, column and row in the message."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np

from empirisk.data.finite import check_finite
from empirisk.data.masked import refuse_masked
from empirisk.data.odd_targets import refuse_odd_targets
from empirisk.typing import Array

__all__ = [
    "check_alpha",
    "check_choice",
    "check_columns",
    "check_count",
    "check_finite",
    "check_flag",
    "check_number",
    "check_numeric_targets",
    "check_rule",
    "check_small",
    "check_targets_finite",
    "check_weights",
    "given_numbers",
    "naming_lone_weight",
    "pair_noun",
]


# Squares of larger numbers overflow float64 when summed; dual values are divided by strengths.
LARGEST = 1e150
SMALLEST = 1e-100  # smaller strengths are lost in double precision
FLAGS = (bool, np.bool_)
LONE = 1e-9  # share of the largest weight below which all the others together leave no trace


def check_targets_finite(y: Array) -> None:
    """Refuse NaN and infinity in y by row number."""
    if not y.size or (float(y.max()) <= LARGEST and float(y.min()) >= -LARGEST):
        return
    if float(np.abs(y).max()) > LARGEST:
        row = int(np.argmax(np.abs(y).reshape(len(y), -1).max(axis=1)))
        if np.isfinite(y[row]).all():
            raise ValueError(
                f"y holds {np.max(np.abs(y[row])):.3g} in row {row}: its square overflows; rescale y"
            )
    if not np.isfinite(y).all():
        row = int(np.argwhere(~np.isfinite(y))[0][0])
        word = "NaN" if np.isnan(y[row]).any() else "infinity (inf)"
        raise ValueError(f"y contains {word} in row {row}; drop the rows without a finite target")


def check_numeric_targets(y: Any) -> None:
    """Refuse dates and times, NaN and infinity in the targets of a regression, in words.

    Comes before scikit-learn's check, which names no row, and before dates become nanoseconds since 1970.
    """
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    refuse_odd_targets(y)
    values = np.asarray(y)
    if values.dtype.kind in "mM":
        kind, where = str(values.dtype), ""
    elif values.dtype == object and (found := _first_time(values.ravel())) is not None:
        kind, where = type(values.ravel()[found]).__name__, f" in row {found}"
    else:
        with suppress(TypeError, ValueError):  # text is refused in other words
            values = values.astype(np.float64) if values.dtype == object else values
        if values.dtype.kind == "f":
            check_targets_finite(values)
        return
    raise ValueError(
        f"y holds dates or times ({kind}){where}, and a regression needs numbers; turn them into numbers "
        "with a unit (days since a date, say)"
    )


def _first_time(values: Any) -> int | None:
    """Position of the first date, time or duration."""
    kinds = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
    return next((row for row, value in enumerate(values) if isinstance(value, kinds)), None)


# Smaller squares have lost digits, and their inverses overflow.
LEAST_SQUARE = 1e-301


def check_small(X: Any, mean_square: Array, names: Any = None) -> None:
    """Refuse columns whose numbers are not 0 and so small that their squares vanish, by name."""
    if not len(mean_square) or mean_square.min() >= LEAST_SQUARE or not X.shape[0]:
        return
    at = np.flatnonzero(mean_square < LEAST_SQUARE)
    sizes = abs(X[:, at]).max(axis=0)
    sizes = np.asarray(sizes.toarray() if hasattr(sizes, "toarray") else sizes, dtype=np.float64).ravel()
    bad = (sizes > 0.0) & (sizes < math.sqrt(LEAST_SQUARE))
    if bad.any():
        j, size = at[bad][0], sizes[bad][0]
        label = repr(str(names[j])) if names is not None else str(j)
        raise ValueError(
            f"column {label} of X holds numbers up to {size:.3g} in size, whose squares vanish; rescale it"
        )


def check_columns(mean_square: Array, names: Any = None) -> None:
    """Refuse columns whose sums of squares overflow, by name."""
    finite = np.isfinite(mean_square)
    if not finite.all():
        bad = np.flatnonzero(~finite)
        label = repr(str(names[bad[0]])) if names is not None else str(bad[0])
        raise ValueError(f"column {label} of X holds numbers whose squares overflow; rescale it")


def check_weights(sample_weight: Any, n: int) -> Array:
    """Return the weights as float64, ones by default; refuses wrong shapes, negatives, NaN, and all zeros."""
    if sample_weight is None:
        return np.ones(n)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, float(sample_weight))
    refuse_masked("sample_weight", sample_weight)
    if getattr(getattr(sample_weight, "dtype", None), "kind", "") == "c":
        raise ValueError("sample_weight holds complex numbers; a weight is a real number >= 0")
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must hold numbers, one for each row of X") from None
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D with shape {weight.shape}"
        )
    if len(weight) != n:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n,)}: one weight for each row of X"
        )
    bad = ~np.isfinite(weight) | (weight < 0.0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight must be finite and >= 0, got {weight[row]:g} in row {row}")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: nothing is left to fit")
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    if math.isinf(total):
        raise ValueError("the sum of sample_weight overflows float64: divide all weights by one number")
    return weight


def given_numbers(name: str, given: Any, words: str) -> Array:
    """Return a parameter as a float64 array; what holds no numbers is refused by the parameter's name.

    Examples
    --------
    >>> given_numbers("init", max, "'random', or an array of lines")
    Traceback (most recent call last):
    ...
    ValueError: init must be 'random', or an array of lines, got <built-in function max>
    """
    try:
        if getattr(getattr(given, "dtype", None), "kind", "") == "c":
            raise TypeError("complex numbers would lose their imaginary parts")
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {words}, got {given!r}") from None


def pair_noun(est: Any) -> str:
    """Return what the X of an estimator holds of pairs of rows ("weight", "distance", "kernel value").

    Empty where its rows are rows.
    """
    for name, noun in (("affinity", "weight"), ("metric", "distance"), ("kernel", "kernel value")):
        given = getattr(est, name, None)
        if given == "precomputed" if isinstance(given, str) else getattr(given, "precomputed", False):
            return noun
    return ""


@contextmanager
def naming_lone_weight(sample_weight: Any) -> Iterator[None]:
    """Return a context in which a fit that fails beside one huge weight says that, and which row has it.

    Rows of other weights vanish beside such a weight, and what is left is one row, about which other
    messages puzzle.

    Parameters
    ----------
    sample_weight : array, shape (n,), or None
        Weights as they were given.

    Examples
    --------
    >>> with naming_lone_weight([1.0, 1e300]):  # doctest: +ELLIPSIS
    ...     raise ValueError("no column of X varies")
    Traceback (most recent call last):
    ...
    ValueError: sample_weight is 1e+300 in row 1, and the other rows vanish beside it: lower it (no column ...
    """
    try:
        yield
    except ValueError as e:
        if (row := _lone(sample_weight)) is None:
            raise
        size = f"{float(np.asarray(sample_weight)[row]):.3g}"
        said = f"sample_weight is {size} in row {row}, and the other rows vanish beside it: lower it ({e})"
        raise ValueError(said) from e


def _lone(sample_weight: Any) -> int | None:
    """Return the row whose weight drowns the sum of all others, which is not 0; None without one."""
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if weight.ndim != 1 or len(weight) < 2 or not np.isfinite(weight).all():
        return None
    row = int(np.argmax(weight))
    return row if 0.0 < float(np.delete(weight, row).sum()) < LONE * weight[row] else None


def is_flag(value: Any) -> bool:
    """Return whether value is a boolean, which Python also counts among the integers."""
    return isinstance(value, FLAGS)


def is_number(value: Any, low: float, high: float = math.inf, closed: bool = True) -> bool:
    """Return whether a value is a finite real number in the range, and no flag."""
    if type(value) is not float and (is_flag(value) or not isinstance(value, Real)):
        return False
    if not math.isfinite(value):
        return False
    return low <= float(value) <= high if closed else low < float(value) <= high


def is_count(value: Any, low: int) -> bool:
    """Return whether a value is an integer >= low, and no flag."""
    return (type(value) is int or (not is_flag(value) and isinstance(value, Integral))) and int(value) >= low


def check_number(name: str, value: Any, low: float, high: float = math.inf, closed: bool = True) -> float:
    """Return a finite real number in the range, by parameter name."""
    if is_number(value, low, high, closed):
        return float(value)
    if low == -math.inf and high == math.inf:
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    sign = ">=" if closed else ">"
    top = f" and <= {high:g}" if math.isfinite(high) else ""
    raise ValueError(f"{name} must be a finite number {sign} {low:g}{top}, got {value!r}")


def check_count(name: str, value: Any, low: int) -> int:
    """Return an integer >= low, by parameter name."""
    if is_count(value, low):
        return int(value)
    raise ValueError(f"{name} must be an integer >= {low}, got {value!r}")


def check_flag(name: str, value: Any) -> bool:
    """Return a flag as a bool; anything but True or False is refused by the name of the parameter."""
    if is_flag(value):
        return bool(value)
    raise ValueError(f"{name} must be True or False, got {value!r}")


def check_alpha(alpha: Any, words: tuple[str, ...] = ("1/n", "cv")) -> float | str:
    """Return a strength >= 0 or one of the words."""
    if isinstance(alpha, str) and alpha in words:
        return alpha
    if isinstance(alpha, str) or alpha is None:
        listed = " or ".join(repr(w) for w in words)
        raise ValueError(f"alpha must be a number >= 0, or {listed}, got {alpha!r}")
    strength = check_number("alpha", alpha, 0.0)
    if 0.0 < strength < SMALLEST:
        raise ValueError(
            f"alpha = {strength:g} is too small for double precision: give 0 or at least {SMALLEST:g}"
        )
    return strength


def check_choice(name: str, given: Any, among: dict[str, Any]) -> Any:
    """Return what one of a few words stands for."""
    if isinstance(given, str) and given in among:
        return among[given]
    listed = " or ".join(repr(word) for word in among)
    near = get_close_matches(given, among, n=1) if isinstance(given, str) else []
    meant = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{name} must be {listed}, got {given!r}{meant}")


def check_rule(rule: Any) -> str:
    """Return the rule, which must be ``"min"`` or ``"one_se"`` (one standard error)."""
    if rule not in ("min", "one_se"):
        raise ValueError(f'rule must be "min" or "one_se", got {rule!r}')
    return str(rule)
