"""Sine waves: one parameter, and no finite VC dimension."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, HypothesisClass
from empirisk.hypotheses.growth import Growth, power_of_two
from empirisk.hypotheses.points import Labelled, check_integer, ordered
from empirisk.typing import Array

__all__ = ["Sine", "Wave"]

_CELLS = 2_000_000


@dataclass(frozen=True)
class Wave:
    """``1[sin(pi f x) > 0]`` with a rational f, decided without rounding."""

    frequency: Fraction

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        x = np.asarray(points).reshape(len(points), -1)[:, 0]
        return np.array([0 < self.frequency * Fraction(float(v)) % 2 < 1 for v in x], dtype=bool)

    def __str__(self) -> str:
        return f"sin(pi {self.frequency} x) > 0"


class Sine(HypothesisClass):
    """``h(x) = 1[sin(pi f x) > 0]`` for real f: one parameter, infinite VC dimension.

    Notes
    -----
    VC dimension infinite, growth function ``2^n``.  Points whose exponents of two differ (such as 1/2, 1/4,
    1/8: ``textbook_points``) are shattered, and ``fit`` constructs the frequency of any labelling of them.
    For other points all frequencies are compared when the points are small multiples of a common unit (in
    ``O(M n)`` for multiples that sum to M, at most a million); otherwise ``fit`` keeps the best of some
    frequencies and its certificate has no argument.  Hypotheses are evaluated in exact rational arithmetic.

    References
    ----------
    Vapnik 1998, Statistical Learning Theory, section 4.11 (the sine example).

    Examples
    --------
    >>> points = Sine.textbook_points(5)
    >>> h = Sine().realise(points, [1, 0, 0, 1, 1])
    >>> print(h)
    sin(pi 13 x) > 0
    >>> h(points).astype(int)
    array([1, 0, 0, 1, 1])
    >>> Sine().shatters([1.0, 2.0, 3.0, 4.0]).witness.astype(int)
    array([0, 1, 1, 1])
    """

    name = "sine"
    words = "sine waves"

    @staticmethod
    def textbook_points(n: int) -> Array:
        """``1/2, 1/4, ..., 2^-n``: sine waves label them in all ways.

        Parameters
        ----------
        n : int
            How many, from 1 to 1000.

        Returns
        -------
        array, shape (n,)
        """
        if check_integer("n", n, 1) > 1000:
            raise ValueError(f"n must be at most 1000, the powers of two that numbers can hold, got {n}")
        return np.ldexp(1.0, -np.arange(1, n + 1))

    def vc_dimension(self) -> float:
        """Return infinity: a high enough frequency labels any number of well-chosen points in every way."""
        return math.inf

    def _growth(self, n: int) -> Growth:
        return Growth(power_of_two(n), True, "some n points are shattered for every n")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        integers, _ = _integers(ordered(points))
        n = len(integers)
        if _exponents_differ(integers):
            return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)
        if not _few_waves(integers):
            raise ValueError(
                "the frequencies that matter are too many to compare: these points are no small multiples of "
                "a common unit; round them, or take Sine.textbook_points(n)"
            )
        return np.unique(_waves(integers)[2], axis=0)

    def _best(self, data: Labelled) -> Best:
        integers, unit = _integers(ordered(data.points))
        if _exponents_differ(integers):
            return Best(
                Wave(_construct(integers, data.gain > 0.0) / unit), None, "its frequency is constructed"
            )
        if _few_waves(integers):
            top, bottom, labels = _waves(integers)
            i = int(np.argmax(labels @ data.gain))
            frequency = Fraction(int(top[i]), int(bottom[i])) / unit
            return Best(Wave(frequency), None, f"all {len(labels)} frequencies that matter were compared")
        return _tried(data)


def _integers(x: Array) -> tuple[list[int], Fraction]:
    """Return the points as integers times a common unit."""
    exact = [Fraction(float(v)) for v in x]
    unit = Fraction(1, math.lcm(*(v.denominator for v in exact)))
    integers = [int(v / unit) for v in exact]
    common = math.gcd(*integers) or 1
    return [i // common for i in integers], unit * common


def _exponents_differ(integers: list[int]) -> bool:
    """Return whether the largest power of two that divides is another for each of the points, all nonzero."""
    return 0 not in integers and len({i & -i for i in integers}) == len(integers)


def _construct(integers: list[int], wanted: NDArray[np.bool_]) -> Fraction:
    """Return the frequency that labels points whose exponents of two differ as wanted.

    A step of ``1 / 2^e`` moves ``f x`` by an odd number where x has exponent e, which turns the label, and by
    an even one where x has a larger exponent, which keeps it: settle the points from the largest exponent
    down.  The start keeps every ``f x`` off the integers.
    """
    powers = [i & -i for i in integers]
    frequency = Fraction(1, 2 * max(powers))
    for i in sorted(range(len(integers)), key=lambda i: -powers[i]):
        if (frequency * integers[i] % 2 < 1) != wanted[i]:
            frequency += Fraction(1, powers[i])
    return frequency


def _few_waves(integers: list[int]) -> bool:
    """Return whether comparing all frequencies is a matter of moments."""
    total = sum(abs(i) for i in integers)
    return total <= 1_000_000 and total * len(integers) <= _CELLS


def _waves(integers: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return all frequencies that matter, as numerators and denominators, with their labellings.

    The label of an integer m changes at the multiples of ``1 / m`` below 2: those, and a frequency between
    each two neighbours, are all.
    """
    marks = sorted(
        {Fraction(j, abs(m)) for m in set(integers) if m for j in range(2 * abs(m))} | {Fraction(0)}
    )
    middles = [(a + b) / 2 for a, b in zip(marks, [*marks[1:], Fraction(2)], strict=True)]
    top = np.array([f.numerator for f in marks + middles])
    bottom = np.array([f.denominator for f in marks + middles])
    phase = top[:, None] * np.array(integers) % (2 * bottom[:, None])
    return top, bottom, (phase > 0) & (phase < bottom[:, None])


def _tried(data: Labelled) -> Best:
    """Return the best of frequencies drawn at random, always the same ones."""
    rng = np.random.default_rng(0)
    x = ordered(data.points)
    scale = 1.0 / float(np.min(np.abs(x[x != 0.0])))
    frequencies = scale * rng.uniform(0.0, 1e4, size=20_000)
    labels = np.sin(np.pi * np.outer(frequencies, x)) > 0.0
    best = Fraction(float(frequencies[int(np.argmax(labels @ data.gain))]))
    return Best(Wave(best), math.inf, f"the best of {len(frequencies)} frequencies drawn at random")
