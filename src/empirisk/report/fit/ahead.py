"""Fits of several folds side by side, made ahead of the loop that reads them fold by fold."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from empirisk.data.side_by_side import Stop, side_by_side
from empirisk.evaluation.before import Before
from empirisk.report.fit.candidates import Candidate

__all__ = ["Made", "made_ahead"]

Found = TypeVar("Found")
Key = tuple[str, int]


@dataclass(frozen=True)
class Made(Generic[Found]):
    """What the models of a candidate on one fold left behind.

    Parameters
    ----------
    found : list
        One for each value of the parameter.
    error : ValueError or None
        What a fit raised.
    seconds : float
        Of computing.
    """

    found: list[Found]
    error: ValueError | None
    seconds: float


def made_ahead(
    candidates: Sequence[Candidate],
    numbers: Sequence[int],
    score: Callable[[Candidate, int, list[Found], Before], None],
) -> dict[Key, Made[Found]]:
    """Return what ``score(candidate, number, found, before)`` finds for each candidate on each fold.

    Parameters
    ----------
    candidates : sequence of Candidate
    numbers : sequence of int
        Numbers of the folds; each is one piece of :func:`empirisk.data.side_by_side.side_by_side`.
    score : callable
        Appends to `found`; `before` are the steps that the candidates share on a fold.
    """

    def piece(number: int, stop: Stop) -> dict[Key, Made[Found]]:
        before = Before(2)
        return {(c.name, number): fitted(c, number, before) for c in candidates if not stop()}

    def fitted(candidate: Candidate, number: int, before: Before) -> Made[Found]:
        began = time.thread_time()
        found: list[Found] = []
        try:
            score(candidate, number, found, before)
        except ValueError as error:  # the loop decides what it means
            return Made(found, error, time.thread_time() - began)
        return Made(found, None, time.thread_time() - began)

    out: dict[Key, Made[Found]] = {}
    with warnings.catch_warnings():  # what fits do to the filters, which all threads share, ends here
        for made in side_by_side(piece, numbers):
            out |= made
    return out
