"""A candidate that left a race on few rows: how many these were, and where it stood there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.estimates import maybe
from empirisk.report.fit.candidates import Candidate
from empirisk.results import Estimate
from empirisk.wording import number

__all__ = ["Left"]


@dataclass(frozen=True)
class Left:
    """A candidate that was not fitted on all rows, and where it stood.

    Parameters
    ----------
    candidate : Candidate
    rows : int
        Training rows of the fits of its last look.
    why : {"behind", "time"}
        What made it leave.
    said : str
        What the time would not have sufficed for, "" where that is not why it left.
    leader : str
        Label of the candidate that led there, "" where this one was not scored.
    score, gap : Estimate or None
        Its mean loss there, and the difference to the leader.
    losses, against : array of shape (n,) or None
        Losses of rows, NaN where none was scored, and those of the leader.
    """

    candidate: Candidate
    rows: int
    why: str = "behind"
    said: str = ""
    leader: str = ""
    score: Estimate | None = None
    gap: Estimate | None = None
    losses: NDArray[np.float64] | None = None
    against: NDArray[np.float64] | None = None

    @property
    def reason(self) -> str:
        """Why it left, in half a sentence."""
        if self.gap is None:
            return self.said
        low, high = (number(float(end or 0.0), 2) for end in (self.gap.low, self.gap.high))
        gap = f"{number(self.gap.value, 2)} [{low}, {high}]"
        stood = f"behind {self.leader} by {gap}, both fitted on {self.rows:,} rows"
        return f"{stood}; {self.said}" if self.said else stood

    @property
    def trailing(self) -> bool:
        """Whether it was seen to be behind the leader: the interval of the difference is above 0."""
        return self.gap is not None and self.gap.low is not None and self.gap.low > 0.0

    @property
    def json(self) -> dict[str, Any]:
        """The same for the file of numbers."""
        return {
            "name": self.candidate.name,
            "label": self.candidate.label,
            "why": self.why,
            "rows": self.rows,
            "leader": self.leader or None,
            "score": maybe(self.score),
            "versus_leader": maybe(self.gap),
            "reason": self.reason,
        }
