"""How the time for the cross-validation is spent: what each fit may take, and who must leave."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

__all__ = ["Allowance"]

_SLOWER = 3.0  # a fit may take so many times as long as in the first fold
_ROOM = 1.1  # forecasts are made with this much to spare


@dataclass
class Allowance:
    """Seconds for all fits of a cross-validation, and what the first fold taught about them.

    The cheapest model is fitted first, and stays whatever it costs.  Every other one is given what would let
    it finish one repeat; what it took in the first fold is the forecast for the others.

    Parameters
    ----------
    left : callable
        Seconds that remain for the cross-validation, infinite without a limit.
    folds : int
        Folds of one repeat.

    Attributes
    ----------
    took : dict of str to float
        Seconds of the first fit of each candidate.
    dropped : dict of str to str
        Candidates that had to leave, and why.
    """

    left: Callable[[], float]
    folds: int
    took: dict[str, float] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    kept: str = ""
    _whole: float = field(init=False)

    def __post_init__(self) -> None:
        self._whole = self.left()

    @property
    def round(self) -> float:
        """Seconds of one fold of all candidates that are still there."""
        return sum(self.took.values())

    def first(self, path: bool) -> float:
        """Seconds for the first fit of a candidate.

        Parameters
        ----------
        path : bool
            Whether a fit that is cut keeps its first penalties, so that it can be as short as it must.
        """
        if math.isinf(self._whole):
            return math.inf
        if not self.kept:  # until one model has been fitted
            return self.left() / (self.folds if path else 2.0)
        return min(self.left(), self._whole / self.folds - self.round)

    def later(self, name: str) -> float:
        """Return the seconds for a later fit of a candidate."""
        left = self.left()
        if name == self.kept or math.isinf(left):
            return left
        return min(left, max(1.0, _SLOWER * self.took[name]))

    def told(self, name: str, seconds: float, fitted: bool) -> None:
        """Remember how long the first fit of a candidate took."""
        self.took[name] = seconds
        if fitted and not self.kept:
            self.kept = name

    def again(self, name: str) -> None:
        """A candidate that had to leave has another try, because no model could be fitted."""
        self.dropped.pop(name, None)

    def drop(self, name: str, why: str) -> None:
        """Take a candidate out of the comparison, and remember why."""
        self.took.pop(name, None)
        self.dropped[name] = why

    def shorten(self, folds_left: int, costly: Iterable[str]) -> bool:
        """Let the most expensive candidates leave until the folds that are left of this repeat fit.

        Parameters
        ----------
        folds_left : int
        costly : iterable of str
            Candidates that may leave.

        Returns
        -------
        bool
            Whether what remains fits.
        """
        left = self.left()
        may = sorted((n for n in costly if n != self.kept and n in self.took), key=lambda n: -self.took[n])
        for name in may:
            if _ROOM * self.round * folds_left <= left:
                return True
            need = self.took[name] * folds_left
            self.drop(name, f"its fits would have taken about {max(1.0, need):.0f} s more")
        return _ROOM * self.round * folds_left <= left
