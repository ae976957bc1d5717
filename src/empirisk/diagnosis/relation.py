"""Whether a number is an exact formula of a few columns: a sum, a difference, a copy, a product, a ratio."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHANCE", "Relation", "exact_relation", "rounding"]

Floats = NDArray[np.float64]
MOST_TERMS = 8  # of a formula; longer ones nobody wrote into a table
CHANCE = 1e-3  # a relation that chance makes more often than this is not told
_ROWS = 2_000  # rows of the search; what it finds is checked on all
_COLUMNS = 600  # columns up to which all are solved for at once
_DIGITS = 12  # decimals beyond which a column counts as written in full
_SLACK = 1.25  # least squares is not the fit with the smallest largest error


@dataclass(frozen=True)
class Relation:
    """An exact formula.

    Parameters
    ----------
    kind : {"linear", "product"}
        ``y = constant + sum b_j x_j``, or ``y = constant * prod x_j^b_j``.
    columns : tuple of int
    coefs : tuple of float
        Coefficients, or exponents.
    constant : float
    error : float
        The largest deviation over all rows.
    tolerance : float
        The largest deviation that the rounding of the cells allows.
    log10_chance : float
        Upper bound on the decimal logarithm of the chance of such a formula when y has nothing to do with
        the columns.
    n : int
        Rows.
    """

    kind: str
    columns: tuple[int, ...]
    coefs: tuple[float, ...]
    constant: float
    error: float
    tolerance: float
    log10_chance: float
    n: int

    def formula(self, target: str, names: Sequence[str]) -> str:
        """Return the formula in words, such as ``total = price + 2 tax``.

        Examples
        --------
        >>> r = Relation("linear", (0, 2), (1.0, -2.0), 0.0, 0.0, 0.0, -9.0, 50)
        >>> r.formula("y", ["a", "b", "c"])
        'y = a - 2 c'
        >>> Relation("product", (0, 1), (1.0, -1.0), 100.0, 0.0, 0.0, -9.0, 50).formula("y", ["a", "b"])
        'y = 100 a / b'
        """
        used = [names[j] for j in self.columns]
        said = _product if self.kind == "product" else _sum
        return f"{target} = {said(self.coefs, used, self.constant)}"


def _plain(value: float) -> str:
    """Return a number without an exponent, as short as it is known."""
    said = np.format_float_positional(value, precision=10, trim="-", fractional=False)
    return said.rstrip(".")


def _sum(coefs: Sequence[float], names: Sequence[str], constant: float) -> str:
    out = ""
    for b, name in zip(coefs, names, strict=True):
        factor = "" if abs(b) == 1.0 else f"{_plain(abs(b))} "
        sign = ("-" if b < 0 else "") if not out else (" - " if b < 0 else " + ")
        out += f"{sign}{factor}{name}"
    if constant:
        out += f" {'-' if constant < 0 else '+'} {_plain(abs(constant))}"
    return out


def _product(exponents: Sequence[float], names: Sequence[str], constant: float) -> str:
    def power(name: str, e: float) -> str:
        return name if e == 1.0 else f"sqrt({name})" if e == 0.5 else f"{name}^{_plain(e)}"

    pairs = list(zip(exponents, names, strict=True))
    above = [power(name, e) for e, name in pairs if e > 0]
    below = [power(name, -e) for e, name in pairs if e < 0]
    head = " x ".join(above)
    if constant != 1.0 or not above:
        head = f"{_plain(constant)} {head}".rstrip()
    return head + "".join(f" / {name}" for name in below)


def rounding(x: Floats) -> float:
    """Return half a unit of the last decimal in which a column is written; 0 when it is written in full.

    Examples
    --------
    >>> rounding(np.array([1.25, 3.5])), rounding(np.array([3.0, 4.0])), rounding(np.array([1.0, np.pi]))
    (0.005, 0.5, 0.0)
    """
    known = x[np.isfinite(x)]
    size = float(np.abs(known).max(initial=0.0))
    for decimals in range(_DIGITS + 1):
        if size * 10.0**decimals > 1e15:
            break
        scaled = known * 10.0**decimals
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-6 + 4e-16 * np.abs(scaled)):
            return 0.5 * 10.0**-decimals
    return 0.0


def exact_relation(X: Floats, y: Floats, seed: int = 0) -> Relation | None:
    """Return the sparsest exact formula of y in the columns of X that is found, if chance does not make
    it.

    A formula of k columns with a constant fits n rows by chance with probability at most::

        families * C(p, k) * C(n, k + 1) * 2^(k + 1) * product of all but the k + 1 smallest q_i

    because it can be moved until it touches its limits in k + 1 rows, which determine it, and must then meet
    the others: ``q_i`` is the largest share of the values of y in a window as wide as the tolerance of row i,
    twice.  With as many columns as rows a formula of all of them proves nothing, and this bound is above 1.

    Parameters
    ----------
    X : array of shape (n, p)
        Numbers; rows with a missing value in a column of the formula are not checked against it.
    y : array of shape (n,)
    seed : int, default 0
        Of the rows that the search looks at when there are more than 2,000.

    Returns
    -------
    Relation or None
        None when no formula with at most 8 columns is found, or when it proves nothing.

    Notes
    -----
    The tolerance of a row is the rounding of its cells: half a unit of the last decimal of y, plus that of
    each column times its coefficient.  Found are sums, differences, copies, weighted means, products, ratios
    and powers; sums of products are not.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.gamma(2.0, 3.0, size=(100, 4)).round(2)
    >>> exact_relation(X, X[:, 0] + X[:, 2]).formula("y", ["a", "b", "c", "d"])
    'y = a + c'
    >>> exact_relation(X, rng.normal(size=100)) is None
    True
    """
    y = np.asarray(y, dtype=np.float64)
    if y.size < 4 or X.shape[1] == 0 or np.ptp(y) == 0.0:
        return None
    units, unit = np.array([_unit(c) for c in X.T]), _unit(y)
    for kind in ("linear", "product"):
        some = y if kind == "linear" else y[y != 0.0]
        if kind == "product" and (some.size < 0.5 * y.size or some.min() < 0.0 < some.max()):
            continue
        usable, rows = _usable(X, kind)
        rows = rows if kind == "linear" else rows[y[rows] != 0.0]
        if usable.size == 0 or rows.size < 4 or np.ptp(y[rows]) == 0.0:
            continue
        if rows.size > _ROWS:
            rows = np.sort(np.random.default_rng(seed).choice(rows, _ROWS, replace=False))
        for exact in (True, False):
            u, v = (0.0 * units, 0.0) if exact else (units, unit)
            if not exact and not (u.any() or v):
                continue
            near = _Near(X[np.ix_(rows, usable)], y[rows], u[usable], v, kind)
            for chosen in near.candidates():
                found = _settle(X, y, usable[chosen], u, v, kind, usable.size)
                if found is not None and found.log10_chance <= math.log10(CHANCE):
                    return found
    return None


def _unit(x: Floats) -> float:
    """Return the rounding of a column; 0 when it is so coarse that the column counts or marks something."""
    known, unit = x[np.isfinite(x)], rounding(x)
    return unit if known.size and unit < 0.15 * float(known.std()) else 0.0


def _usable(X: Floats, kind: str) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns that vary and are nearly complete (of products: not zero), and the rows complete in
    them.

    The fullest columns come first; those with which fewer than half of the rows would be complete stay out.
    """
    good = np.isfinite(X) & ((X != 0.0) if kind == "product" else True)
    complete = np.ones(X.shape[0], dtype=bool)
    chosen = []
    for j in np.argsort(-good.sum(axis=0), kind="stable"):
        both = complete & good[:, j]
        if both.mean() < 0.5:
            break
        if np.ptp(X[both, j]) > 0.0:
            chosen.append(int(j))
            complete = both
    return np.sort(np.array(chosen, dtype=np.intp)), np.flatnonzero(complete)


def _least_squares(A: Floats, b: Floats, reach: Floats, tiny: Floats, even: bool) -> Floats:
    """Solve least squares, each row weighted by the rounding of its cells when that differs between the
    rows.
    """
    coefs = np.linalg.lstsq(A, b, rcond=1e-12)[0]
    for _ in range(0 if even else 3):
        w = 1.0 / (tiny + reach @ np.abs(coefs))
        coefs = np.linalg.lstsq(A * w[:, None], b * w, rcond=1e-12)[0]
    return np.asarray(coefs)


class _Near:
    """Sets of columns whose least squares leave no more than the rounding of the cells explains."""

    def __init__(self, x: Floats, y: Floats, units: Floats, unit: float, kind: str) -> None:
        product = kind == "product"
        A, b = (np.log(np.abs(x)), np.log(np.abs(y))) if product else (x, y)
        spread = A.std(axis=0)
        self.varies = spread > 0.0
        spread[~self.varies] = 1.0
        self.Z, self.b = (A - A.mean(axis=0)) / spread, b - b.mean()
        size = np.abs(b).max() + np.abs(self.b).max()
        self.tiny = np.full(y.size, 1e-10 * size) + (unit / np.abs(y) if product else unit) * _SLACK
        self.even = not product
        self.reach = (units / np.abs(x) if product else np.broadcast_to(units, x.shape)) / spread

    def candidates(self) -> list[NDArray[np.intp]]:
        """Return the candidates of forward selection, and those of a solve for all columns with small terms
        left out.
        """
        return [self._thinned(s) for s in (self._forward(), self._backward()) if s is not None]

    def _solve(self, chosen: NDArray[np.intp]) -> tuple[Floats, bool]:
        """Return the residuals, and whether each is within the rounding."""
        part, reach = self.Z[:, chosen], self.reach[:, chosen]
        coefs = _least_squares(part, self.b, reach, self.tiny, self.even)
        rest = self.b - part @ coefs
        if not self.even:  # the standardised columns are centred without the weights
            rest = rest - np.median(rest)
        return rest, bool(np.all(np.abs(rest) <= self.tiny + _SLACK * (reach @ np.abs(coefs))))

    def _forward(self) -> NDArray[np.intp] | None:
        chosen: list[int] = []
        rest = self.b
        for _ in range(min(MOST_TERMS, int(self.varies.sum()))):
            match = np.where(self.varies, np.abs(self.Z.T @ rest), -1.0)
            match[chosen] = -1.0
            chosen.append(int(match.argmax()))
            rest, fits = self._solve(np.array(chosen))
            if fits:
                return np.array(chosen)
        return None

    def _backward(self) -> NDArray[np.intp] | None:
        n, p = self.Z.shape
        if p > _COLUMNS or n < p + 10 or not self._solve(np.arange(p))[1]:
            return None
        solved = np.linalg.lstsq(self.Z, self.b, rcond=1e-12)[0]
        order = np.argsort(-np.abs(solved))[:MOST_TERMS]
        for k in range(1, order.size + 1):
            if self._solve(order[:k])[1]:
                return np.asarray(order[:k])
        return None

    def _thinned(self, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the formula without the terms that it does not need."""
        for j in list(chosen):
            fewer = chosen[chosen != j]
            if fewer.size and self._solve(fewer)[1]:
                chosen = fewer
        return np.sort(chosen)


def _settle(
    X: Floats, y: Floats, columns: NDArray[np.intp], units: Floats, unit: float, kind: str, p: int
) -> Relation | None:
    """Solve for these columns on all rows, round the coefficients where that costs nothing, and judge."""
    rows = np.isfinite(X[:, columns]).all(axis=1)
    part, target = X[np.ix_(rows, columns)], y[rows]
    fit = np.ones(target.size, dtype=bool)
    if kind == "product":
        fit = np.all(part != 0.0, axis=1) & (target != 0.0)
    A, b = part[fit], target[fit]
    if kind == "product":
        A, b = np.log(np.abs(A)), np.log(np.abs(b))
    reach = (
        units[columns] / np.abs(part[fit]) if kind == "product" else np.broadcast_to(units[columns], A.shape)
    )
    tiny = 1e-10 + (unit / np.abs(target[fit]) if kind == "product" else np.full(b.size, unit))
    middle, level = A.mean(axis=0), float(b.mean())
    full = np.column_stack([A - middle, np.ones(b.size)])
    wide = np.column_stack([reach, np.zeros(b.size)])
    *found, shift = _least_squares(full, b - level, wide, tiny, kind == "linear")
    coefs = np.array(found)
    constant = level + float(shift - middle @ coefs)
    if kind == "product":
        constant = math.copysign(math.exp(constant), float(target[fit][0]))
    model = _Model(kind, part, target, units[columns], unit)
    coefs, constant = model.simplified(coefs, constant)
    error, tolerance = model.errors(coefs, constant)
    if not np.all(error <= tolerance) or not coefs.any():
        return None
    used = coefs != 0.0
    chance = _log10_chance(target, tolerance, p, columns.size)
    return Relation(
        kind, tuple(int(j) for j in columns[used]), tuple(float(c) for c in coefs[used]), float(constant),
        float(error.max()), float(tolerance.max()), chance, int(target.size),
    )  # fmt: skip


@dataclass(frozen=True)
class _Model:
    """The rows that a formula is held against."""

    kind: str
    x: Floats
    y: Floats
    units: Floats
    unit: float

    def errors(self, coefs: Floats, constant: float) -> tuple[Floats, Floats]:
        """Return the deviation and tolerance of each row."""
        if self.kind == "product":
            told = constant * self._powers(coefs)
            with np.errstate(all="ignore"):
                near = (self.units / np.abs(self.x)) @ np.abs(coefs)
            moved = np.abs(told) * np.where(np.isfinite(near), near, 0.0)
            size = np.abs(told)
        else:
            told = constant + self.x @ coefs
            moved = np.full(self.y.size, float(self.units @ np.abs(coefs)))
            size = np.abs(told) + abs(constant) + np.abs(self.x) @ np.abs(coefs)
        error = np.abs(self.y - told)
        return np.where(np.isfinite(error), error, np.inf), _SLACK * (self.unit + moved) + 1e-10 * size

    def _powers(self, exponents: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(np.prod(self.x**exponents, axis=1))

    def strict(self, coefs: Floats, constant: float) -> bool:
        """Return whether the formula holds in every row."""
        error, tolerance = self.errors(coefs, constant)
        return bool(np.all(error <= tolerance))

    def simplified(self, coefs: Floats, constant: float) -> tuple[Floats, float]:
        """Return the shortest decimals with which the formula still holds; the others stay."""
        coefs = coefs.copy()
        for decimals in range(7):
            short = np.round(coefs, decimals)
            for shift in (0.0 if self.kind == "linear" else 1.0, self._level(short)):
                for ends in (decimals, 4, 8, 14):
                    if short.any() and self.strict(short, round(shift, ends)):
                        return short, round(shift, ends)
        for j in range(coefs.size):
            for decimals in range(10):
                short = coefs.copy()
                short[j] = round(coefs[j], decimals)
                if self.strict(short, constant):
                    coefs = short
                    break
        levels = (round(constant, decimals) for decimals in range(12))
        return coefs, next((level for level in levels if self.strict(coefs, level)), constant)

    def _level(self, coefs: Floats) -> float:
        """Return the constant that suits these coefficients."""
        if self.kind == "product":
            with np.errstate(all="ignore"):
                ratio = self.y / self._powers(coefs)
            ratio = ratio[np.isfinite(ratio)]
            return float(np.median(ratio)) if ratio.size else 0.0
        return float(np.median(self.y - self.x @ coefs))


def _log10_chance(y: Floats, tolerance: Floats, p: int, k: int) -> float:
    """Return the bound of :func:`exact_relation` over all numbers of columns, both kinds and both
    tolerances.
    """
    n, ordered = y.size, np.sort(y)
    widths = 2.0 * tolerance
    levels = np.unique(np.quantile(widths, np.linspace(0.0, 1.0, 50), method="higher"))
    shares = np.array([_densest(ordered, float(w)) for w in levels])
    logs = np.sort(np.log10(shares)[np.searchsorted(levels, widths).clip(max=levels.size - 1)])
    met = float(logs[k + 1 :].sum()) if n > k + 1 else 0.0
    ways = math.log10(4.0 * MOST_TERMS) + (k + 1) * math.log10(2.0)
    return ways + _log10_choose(p, k) + _log10_choose(n, k + 1) + met


def _densest(ordered: Floats, width: float) -> float:
    """Return the largest share of the values within a window of this width."""
    ends = np.searchsorted(ordered, ordered + width * (1.0 + 1e-12), side="right")
    return float((ends - np.arange(ordered.size)).max() / ordered.size)


def _log10_choose(n: int, k: int) -> float:
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(10.0)
