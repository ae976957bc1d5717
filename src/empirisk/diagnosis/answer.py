"""What a finding answers: it fires, it is clear, or the rows cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from empirisk.data.brief import Brief
from empirisk.results import Estimate
from empirisk.results.named import NamedEnum

__all__ = ["Answer", "NotRun", "Outcome"]


class Outcome(NamedEnum):
    """How a finding ended; the value is the word that the user reads."""

    FIRES = "fires"
    CLEAR = "clear"
    CANNOT_TELL = "cannot tell"
    FACT = "fact"
    INTERVAL = "interval"
    NOT_RUN = "not run"


class NotRun(Exception):  # noqa: N818  (a way to answer, not a failure)
    """Raised inside a finding that does not apply; the message is the sentence that the user reads."""


@dataclass(frozen=True, repr=False)
class Answer(Brief):
    """What one finding says about one model.

    Parameters
    ----------
    code : str
        Stable code, ``ER201`` and so on.
    outcome : Outcome
        FIRES and CLEAR claim something (each wrong in at most 5 % of the samples), CANNOT_TELL does not; FACT
        is an observation that needs no test and deserves a word; INTERVAL only measures.
    sentence : str
        The message, one sentence.
    p : float or None
        p-value of "fires". With a p the finding belongs to the family that Holm's correction is made over;
        without one (facts, intervals) it stands outside.
    gain : Estimate or None
        What the next step is expected to gain, as a share of the baseline's risk (0.1 = 10 %).
    evidence : str
        What was compared, on how many rows, with which interval or p-value.
    advice : str
        The next step.
    where : tuple of str
        Columns, classes, folds or rows concerned.
    rows_needed : int or None
        About how many rows would settle the question (one significant figure).
    name : str
        What is looked for, for example "overfitting"; filled in by the engine.
    seconds, n_fits
        What the finding cost; filled in by the engine.
    keeps : float or None
        Share of the model's skill that one column keeps (ER206 alone).
    fact : str
        What stays true whatever the test says, one sentence; a finding whose test is withdrawn is then a fact
        and no suspicion.
    slight : bool
        Whether what fired is too small to put the score in doubt: such a finding comes after those with a
        gain.

    Examples
    --------
    >>> Answer("ER204", Outcome.CLEAR, "Better than the mean.").outcome.value
    'clear'
    """

    code: str
    outcome: Outcome
    sentence: str
    p: float | None = None
    gain: Estimate | None = None
    evidence: str = ""
    advice: str = ""
    where: tuple[str, ...] = ()
    rows_needed: int | None = None
    name: str = ""
    seconds: float = 0.0
    n_fits: int = 0
    keeps: float | None = None
    fact: str = ""
    slight: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as a dictionary of plain values, with keys that stay the same between
        versions.
        """
        return {
            "code": self.code,
            "name": self.name,
            "outcome": self.outcome.value,
            "p": self.p,
            "gain": None if self.gain is None else self.gain.to_dict(),
            "sentence": self.sentence,
            "evidence": self.evidence,
            "advice": self.advice,
            "where": list(self.where),
            "rows_needed": self.rows_needed,
            "seconds": self.seconds,
            "n_fits": self.n_fits,
        }
