"""The plan of a warm-up: when the shape of the steps is learnt, and when their length.

As in Stan (Carpenter et al., Journal of Statistical Software 76, 2017): a first stretch to reach the mass,
windows that double in which variances are gathered, and a last stretch for the step alone.  Where the shape
is known before, from the mode and its Hessian, the step is all that is left to learn.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Window", "default_length", "windows"]

_FIRST, _WINDOW, _LAST = 75, 25, 50


@dataclass(frozen=True)
class Window:
    """A stretch of the warm-up, after which the shape is taken from its draws, or not.

    Parameters
    ----------
    count : int
        Transitions.
    shape : bool
        Whether the shape is learnt from these draws.
    """

    count: int
    shape: bool


def default_length(shaped: bool, gradient: bool) -> int:
    """Return how many transitions a warm-up has by default: fewer where the shape is known."""
    return (250 if shaped else 1000) if gradient else (500 if shaped else 3000)


def windows(n: int, shaped: bool) -> list[Window]:
    """Return the stretches of a warm-up of n transitions.

    Examples
    --------
    >>> [w.count for w in windows(1000, False)]
    [75, 25, 50, 100, 200, 500, 50]
    """
    if n == 0:
        return []
    if shaped or n < 20:
        return [Window(n, False)]
    first, last, size = _FIRST, _LAST, _WINDOW
    if n < first + size + last:
        first, last = int(0.15 * n), int(0.1 * n)
        size = n - first - last
    out, left = [Window(first, False)], n - first - last
    while left:
        # A window takes what is left where the next one, of twice its size, would not fit.
        take = size if left >= 3 * size else left
        out.append(Window(take, True))
        left -= take
        size *= 2
    return [*out, Window(last, False)]
