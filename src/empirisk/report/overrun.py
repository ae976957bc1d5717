"""How far a run went beyond its limit of time, and which of its steps took most."""

from __future__ import annotations

import time

from empirisk.data.deadline import Deadline
from empirisk.wording import number

__all__ = ["Steps"]

# A run that is late by less than this share of its limit has kept it.
UNFELT = 0.001


class Steps:
    """The seconds of the steps of a run, one after the other.

    Parameters
    ----------
    deadline : Deadline
        When the first step began, and the limit.

    Examples
    --------
    >>> steps = Steps(Deadline(10.0, time.perf_counter() - 14.0))
    >>> steps.done("starting and reading")
    >>> steps.overrun()
    'The time limit of 10 s was overrun by 4 s: starting and reading took 14 s of 14 s.'
    >>> Steps(Deadline(None)).overrun()
    ''
    """

    def __init__(self, deadline: Deadline) -> None:
        self.deadline, self.at = deadline, deadline.began
        self.seconds: dict[str, float] = {}

    def done(self, name: str) -> None:
        """Say that a step has ended, in words that can begin a sentence."""
        now = time.perf_counter()
        self.seconds[name], self.at = now - self.at, now

    def overrun(self) -> str:
        """Return by how much the limit was overrun and what took longest; empty where it was kept."""
        whole, limit = sum(self.seconds.values()), self.deadline.limit
        if limit is None or whole <= (1.0 + UNFELT) * limit:
            return ""
        longest = max(self.seconds, key=lambda name: self.seconds[name])
        return (
            f"The time limit of {limit:g} s was overrun by {number(whole - limit, 2)} s: {longest} took "
            f"{number(self.seconds[longest])} s of {number(whole)} s."
        )
