"""A finding: what a diagnosis has seen, with a stable code, the evidence and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.results.form import Form, Formed

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding(Formed):
    """One diagnosis with its evidence.

    Parameters
    ----------
    code : str
        Stable code, ``ER101`` and so on.
    level : str
        ``"note"``, ``"warning"`` or ``"serious"``.
    sentence : str
        What was found, in one sentence.
    evidence : str
        What was tested, on how many rows, and the statistic, interval or p-value.
    advice : str
        What to do about it.
    where : tuple of str
        Columns, classes or rows concerned.

    Examples
    --------
    >>> Finding("ER101", "note", "column 'site' is constant").level
    'note'
    """

    code: str
    level: str
    sentence: str
    evidence: str = ""
    advice: str = ""
    where: tuple[str, ...] = ()

    def _form(self) -> Form:
        columns = {"code": [self.code], "level": [self.level], "where": [", ".join(self.where)]}
        told = {"Evidence": self.evidence, "What to do": self.advice}
        return Form(self.sentence, columns, [f"{head}: {said}" for head, said in told.items() if said])
