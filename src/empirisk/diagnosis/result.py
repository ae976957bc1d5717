"""What a diagnosis returns: findings, all answers, where the loss comes from, and the next step."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from empirisk.data.frames import as_frame
from empirisk.diagnosis.answer import Answer, Outcome
from empirisk.diagnosis.decomposition import Decomposition
from empirisk.diagnosis.family import comes_first, ranked
from empirisk.results import Finding
from empirisk.results.form import Form, Formed
from empirisk.wording import percent

__all__ = ["SHOWN", "Diagnosis"]

SHOWN = 3  # findings that are told in full
REST = (Outcome.CANNOT_TELL, Outcome.INTERVAL, Outcome.CLEAR, Outcome.NOT_RUN)


class Diagnosis(Formed):
    """Findings about one model, at most three of them shown first.

    Parameters
    ----------
    title : str
        First line.
    answers : sequence of Answer
        Of every finding, after Holm's correction.
    adjusted : mapping of str to float
        Holm's adjusted p-values, by code.
    decomposition : Decomposition
        Where the loss comes from.
    n_fits : int
        Models fitted beyond the folds.
    seconds : float
        Time beyond the fold fits.
    fit_seconds : float
        Mean time of one fold fit.

    Attributes
    ----------
    answers : tuple of Answer
        As given.
    findings : list of Finding
        Those that fire, and facts: causes before symptoms, doubts about the score first, then by gain.
    checks : dict of str to Answer
        All answers by code.
    next_step : str
        What to do.

    Notes
    -----
    The family of tests is that of one diagnosis.  After a change of the model it is tested anew, and looking
    again and again is not covered by the error rate.
    """

    def __init__(
        self,
        title: str,
        answers: Sequence[Answer],
        adjusted: Mapping[str, float],
        decomposition: Decomposition,
        *,
        n_fits: int = 0,
        seconds: float = 0.0,
        fit_seconds: float = 0.0,
    ) -> None:
        self.title = title
        self.answers = tuple(answers)
        self.adjusted = dict(adjusted)
        self.decomposition = decomposition
        self.n_fits = n_fits
        self.seconds = seconds
        self.fit_seconds = fit_seconds
        self._ranked = ranked(self.answers)

    @property
    def checks(self) -> dict[str, Answer]:
        """All answers by their code, those of clear findings included."""
        return {a.code: a for a in self.answers}

    @property
    def findings(self) -> list[Finding]:
        """Findings that fire and facts, in the order of importance."""
        return [Finding(a.code, _level(a), a.sentence, a.evidence, a.advice, a.where) for a in self._ranked]

    @property
    def fit_equivalents(self) -> float:
        """Time beyond the folds in units of one fold fit."""
        return self.seconds / self.fit_seconds if self.fit_seconds > 0.0 else 0.0

    @property
    def next_step(self) -> str:
        """The advice of the first finding with what it is expected to gain, or why there is none."""
        for a in self._ranked:
            if a.advice:
                return a.advice + _expected(a)
        open_ones = [a for a in self.answers if a.outcome is Outcome.CANNOT_TELL]
        if open_ones:
            names = ", ".join(a.name for a in open_ones)
            rows = [a.rows_needed for a in open_ones if a.rows_needed]
            more = f"; about {min(rows):,} rows would begin to answer" if rows else ""
            return f"Nothing is shown to be wrong, but these rows cannot answer everything ({names}){more}."
        return "Stop here: nothing that was tried is worth the margin."

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnosis as a dictionary of plain values, with keys that stay the same between
        versions.
        """
        return {
            "title": self.title,
            "findings": [a.code for a in self._ranked],
            "next_step": self.next_step,
            "answers": [{**a.to_dict(), "p_adjusted": self.adjusted.get(a.code)} for a in self.answers],
            "decomposition": self.decomposition.to_dict(),
            "n_fits": self.n_fits,
            "seconds": self.seconds,
            "fit_seconds": self.fit_seconds,
        }

    def to_frame(self) -> Any:
        """Return one row for each finding that was looked for (pandas, else polars, else a dict of lists)."""
        rows = self.answers
        return as_frame(
            {
                "code": [a.code for a in rows],
                "name": [a.name for a in rows],
                "outcome": [a.outcome.value for a in rows],
                "p": [a.p for a in rows],
                "p_adjusted": [self.adjusted.get(a.code) for a in rows],
                "gain": [None if a.gain is None else a.gain.value for a in rows],
                "gain_low": [None if a.gain is None else a.gain.low for a in rows],
                "gain_high": [None if a.gain is None else a.gain.high for a in rows],
                "rows_needed": [a.rows_needed for a in rows],
                "sentence": [a.sentence for a in rows],
                "advice": [a.advice for a in rows],
                "seconds": [a.seconds for a in rows],
                "n_fits": [a.n_fits for a in rows],
            },
            self._like,
        )

    def __repr__(self) -> str:
        lines = [self.title]
        for rank, a in enumerate(self._ranked[:SHOWN], 1):
            lines.append(f"  {rank}. {a.code} {a.name}: {a.sentence}")
            if a.advice:
                lines.append(f"     -> {a.advice}{_expected(a)}")
        if not self._ranked:
            lines.append("  Nothing was found.")
        if len(self._ranked) > SHOWN:
            others = ", ".join(f"{a.code} {a.name}" for a in self._ranked[SHOWN:])
            lines.append(f"  Also: {others} (all are in .findings)")
        for outcome, told in self._rest():
            lines.append(f"  {outcome}:")
            lines += [f"    {line}" for line in told]
        if self.decomposition.parts:
            lines += ["  " + line for line in repr(self.decomposition).splitlines()]
        lines.append(f"  Next: {self.next_step}")
        lines.append(f"  {self._cost()}")
        return "\n".join(lines)

    def _rest(self) -> list[tuple[str, list[str]]]:
        """Return the answers that are no findings, by outcome; what is clear or not run needs no sentence."""
        out = []
        for outcome in REST:
            some = [a for a in self.answers if a.outcome is outcome]
            if not some:
                continue
            if outcome in (Outcome.CLEAR, Outcome.NOT_RUN):
                told = [", ".join(f"{a.code} {a.name}" for a in some)]
            else:
                told = [f"{a.code} {a.name}: {a.sentence}" for a in some]
            out.append((outcome.value.capitalize(), told))
        return out

    def _cost(self) -> str:
        equivalents = (
            f", as long as {self.fit_equivalents:.1f} fits of a fold" if self.fit_seconds > 0.005 else ""
        )
        return f"Cost beyond the folds: {self.n_fits} fits, {self.seconds:.2f} s{equivalents}."

    def _form(self) -> Form:
        rows = self.answers
        columns: dict[str, list[Any]] = {
            "code": [a.code for a in rows],
            "looked for": [a.name for a in rows],
            "answer": [a.outcome.value for a in rows],
            "in words": [a.sentence for a in rows],
        }
        return Form(self.title, columns, [f"Next: {self.next_step}", self._cost()])

    def _repr_html_(self) -> str:
        def e(text: str) -> str:
            return html.escape(text)

        items = "".join(
            f"<li><strong>{e(a.code)} {e(a.name)}.</strong> {e(a.sentence)}"
            + (f"<br><em>{e(a.advice + _expected(a))}</em>" if a.advice else "")
            + f"<br><small>{e(a.evidence)}</small></li>"
            for a in self._ranked
        )
        rows = "".join(
            f"<tr><th scope='row'>{e(a.code)}</th><td>{e(a.name)}</td><td>{e(a.outcome.value)}</td>"
            f"<td>{e(a.sentence)}</td></tr>"
            for a in self.answers
        )
        head = "".join(f"<th scope='col'>{c}</th>" for c in ("code", "looked for", "answer", "in words"))
        top = f"<caption>All findings</caption><thead><tr>{head}</tr></thead>"
        table = f"<table>{top}<tbody>{rows}</tbody></table>"
        parts = self.decomposition._repr_html_() if self.decomposition.parts else ""
        found = f"<ol>{items}</ol>" if items else "<p>Nothing was found.</p>"
        next_step = (
            f"<p><strong>Next:</strong> {e(self.next_step)}</p><p><small>{e(self._cost())}</small></p>"
        )
        return f"<div><p><strong>{e(self.title)}</strong></p>{found}{table}{parts}{next_step}</div>"


def _expected(a: Answer) -> str:
    if a.outcome is not Outcome.FIRES or comes_first(a) or a.gain is None:
        return ""
    if a.gain.low is None or a.gain.high is None:
        return ""
    return f" Expected gain: {percent(a.gain.low)} to {percent(a.gain.high)} of the baseline's loss."


def _level(a: Answer) -> str:
    if a.outcome is Outcome.FACT:
        return "note"
    return "serious" if comes_first(a) else "warning"
