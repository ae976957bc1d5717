"""A table of numbers of rows: each with what it is for, and by which argument."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from empirisk.data.frames import as_frame
from empirisk.results.form import Form, Formed

__all__ = ["Requirement", "SampleSizes"]


@dataclass(frozen=True)
class Requirement:
    """One row of the table.

    Parameters
    ----------
    goal : str
        What is to be at most epsilon.
    kind : str
        ``"enough"`` (by a theorem), ``"needed"`` (fewer are too few, by a theorem), ``"simulated"``, or
        ``"unknown"``.
    n : int or None
        Number of rows.
    by : str
        The theorem, or what was simulated.
    low, high : int or None
        Monte-Carlo limits of a simulated number.
    note : str
        What to know about it.

    Examples
    --------
    >>> Requirement("Check", "enough", 738, "hoeffding").n
    738
    """

    goal: str
    kind: str
    n: int | None
    by: str
    low: int | None = None
    high: int | None = None
    note: str = ""

    @property
    def rows(self) -> str:
        """The number with its Monte-Carlo limits."""
        if self.n is None:
            return "-"
        limits = f" [{self.low:,}, {self.high:,}]" if self.low is not None else ""
        return f"{self.n:,}{limits}"


@dataclass(frozen=True, repr=False)
class SampleSizes(Formed):
    """The answer of :func:`sample_sizes`; prints as one table.

    Parameters
    ----------
    title : str
        The class, epsilon and delta.
    requirements : tuple of Requirement
        The rows of the table.
    summary : str
        What they say together.

    Examples
    --------
    >>> print(SampleSizes("Rows", (Requirement("Check one model", "enough", 738, "hoeffding"),)))
    Rows
    <BLANKLINE>
    Check one model
      738  enough     hoeffding
    """

    title: str
    requirements: tuple[Requirement, ...]
    summary: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the table as a dictionary of plain values, with keys that stay the same between versions."""
        return {
            "title": self.title,
            "requirements": [asdict(r) for r in self.requirements],
            "summary": self.summary,
        }

    def to_frame(self) -> Any:
        """Return the columns goal, kind, n, by, low, high, note; a pandas or polars data frame, else a dict
        of lists.
        """
        columns = ("goal", "kind", "n", "by", "low", "high", "note")
        return as_frame({c: [getattr(r, c) for r in self.requirements] for c in columns}, self._like)

    def __str__(self) -> str:
        width = max(len(r.rows) for r in self.requirements)
        lines = [self.title]
        for goal in dict.fromkeys(r.goal for r in self.requirements):
            lines += ["", goal]
            for r in (r for r in self.requirements if r.goal == goal):
                note = f" ({r.note})" if r.note else ""
                lines += _wrapped(f"  {r.rows:>{width}}  {r.kind:<9}  ", f"{r.by}{note}")
        if self.summary:
            lines += ["", *_wrapped("", self.summary)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _form(self) -> Form:
        rows = self.requirements
        columns: dict[str, list[Any]] = {
            "at most epsilon": [r.goal for r in rows],
            "rows": [r.rows for r in rows],
            "kind": [r.kind for r in rows],
            "by": [r.by for r in rows],
            "note": [r.note for r in rows],
        }
        return Form(self.title, columns, [self.summary] if self.summary else [])


def _wrapped(head: str, text: str, width: int = 80) -> list[str]:
    """Return the text after a head, its further lines indented as far."""
    lines, line = [], head
    for word in text.split():
        if len(line) + len(word) > width and line.strip() and line != " " * len(head):
            lines.append(line.rstrip())
            line = " " * len(head)
        line += word + " "
    return [*lines, line.rstrip()]
