"""The form of a result for readers: one sentence, a table and notes, as text, HTML, LaTeX and Markdown."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Bar", "Form", "Formed"]

TEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
NUMBER = re.compile(r"-|[<>]? ?[-−+]?(\d[\d.,]*|inf)(e[-+]?\d+)?( ?%)?")
WIDE, HIGH = 120, 14  # pixels of the bar of an interval
BLUE = "#3f7fc1"  # 3.0 times as light or dark as white and as black paper: one colour for both


@dataclass(frozen=True)
class Bar:
    """A cell that is drawn and not written: an interval whose numbers stand in other columns."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Form:
    """A sentence, a table and notes.

    Parameters
    ----------
    sentence : str
        What the result says; it stands first.
    columns : dict of str to list
        The table: estimates, numbers and words, by the name of the column.
    notes : sequence of str
        Sentences below the table.
    facts : sequence of (str, str, str)
        Numbers about the whole: name, value, meaning.

    Examples
    --------
    >>> form = Form("Two models.", {"model": ["a", "b_1"], "loss": [0.25, 1.5]}, ["Smaller is better."])
    >>> print(form.text())
    Two models.
      model  loss
      a      0.25
      b_1    1.5
      Smaller is better.
    >>> print(form.markdown())
    **Two models.**
    <BLANKLINE>
    | model | loss |
    | :-- | --: |
    | a | 0.25 |
    | b_1 | 1.5 |
    <BLANKLINE>
    Smaller is better.
    """

    sentence: str
    columns: dict[str, list[Any]]
    notes: Sequence[str] = ()
    facts: Sequence[tuple[str, str, str]] = ()

    @property
    def written(self) -> dict[str, list[Any]]:
        """The columns that have words: all but the bars."""
        return {k: v for k, v in self.columns.items() if not any(isinstance(x, Bar) for x in v)}

    def text(self) -> str:
        """Return the form in a fixed width, for terminals."""
        shown = {name: [cell(v) for v in values] for name, values in self.written.items()}
        widths = {name: max(map(len, [name, *cells])) for name, cells in shown.items()}
        lines = [self.sentence]
        if shown:
            lines.append("  " + "  ".join(name.ljust(widths[name]) for name in shown).rstrip())
        for row in zip(*shown.values(), strict=True):
            cells = zip(row, widths.values(), strict=True)
            lines.append("  " + "  ".join(said.ljust(width) for said, width in cells).rstrip())
        lines += [f"  {name}: {value} ({meaning})" for name, value, meaning in self.facts]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def html(self) -> str:
        """Return the form as HTML, an interval with its bar; it needs no style sheet and no script."""
        parts = [f"<p><strong>{html.escape(self.sentence)}</strong></p>"]
        if self.columns:
            head = "".join(
                f"<th scope='col' style='text-align:{'right' if _numeric(values) else 'left'}'>"
                f"{html.escape(name)}</th>"
                for name, values in self.columns.items()
            )
            cells = [_html_cells(values, first=k == 0) for k, values in enumerate(self.columns.values())]
            rows = "".join(f"<tr>{''.join(row)}</tr>" for row in zip(*cells, strict=True))
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        if self.facts:
            rows = "".join(
                f"<tr><th scope='row' style='text-align:left'>{html.escape(name)}</th>"
                f"<td style='white-space:nowrap'>{html.escape(value)}</td>"
                f"<td style='text-align:left'>{html.escape(meaning)}</td></tr>"
                for name, value, meaning in self.facts
            )
            parts.append(f"<table><tbody>{rows}</tbody></table>")
        parts += [f"<p>{html.escape(note)}</p>" for note in self.notes]
        return f"<div class='empirisk'>{''.join(parts)}</div>"

    def latex(self, caption: str | None = None, label: str = "") -> str:
        """Return a table in LaTeX, with the rules of the package ``booktabs``.

        Parameters
        ----------
        caption : str, optional
            By default the sentence of the result; ``""`` gives the bare ``tabular``, without its float.
        label : str
            Name to refer to.
        """
        columns = self.written
        kinds = "".join("r" if _numeric(values) else "l" for values in columns.values())
        shown = [[_tex(cell(v)) for v in values] for values in columns.values()]
        lines = [f"\\begin{{tabular}}{{{kinds}}}", "\\toprule"]
        lines += [" & ".join(map(_tex, columns)) + " \\\\", "\\midrule"]
        lines += [" & ".join(row) + " \\\\" for row in zip(*shown, strict=True)]
        lines += ["\\bottomrule", "\\end{tabular}"]
        caption = self.sentence if caption is None else caption
        if not caption:
            return "\n".join(lines)
        below = [f"\\par\\footnotesize {_tex(note)}" for note in self.notes]
        named = [f"\\label{{{label}}}"] if label else []
        head = ["\\begin{table}", "\\centering", f"\\caption{{{_tex(caption)}}}", *named]
        return "\n".join([*head, *lines, *below, "\\end{table}"])

    def markdown(self) -> str:
        """Return the form in Markdown, the table in pipes."""
        lines = [f"**{_md(self.sentence)}**"]
        if columns := self.written:
            rule = ["--:" if _numeric(values) else ":--" for values in columns.values()]
            shown = [[_md(cell(v)) for v in values] for values in columns.values()]
            lines += ["", _piped([_md(name) for name in columns]), _piped(rule)]
            lines += [_piped(row) for row in zip(*shown, strict=True)]
        if self.facts:
            lines += ["", "| | | |", "| :-- | --: | :-- |"]
            lines += [_piped([_md(part) for part in fact]) for fact in self.facts]
        for note in self.notes:
            lines += ["", _md(note)]
        return "\n".join(lines)


class Formed:
    """A result with a form; a subclass gives it by :meth:`_form`."""

    # The kind of frame that the rows came in, as :func:`empirisk.data.frames.frame_kind` says.
    _like: str = ""

    def _form(self) -> Form:
        """Return the sentence, the table and the notes."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return self._form().html()

    def to_latex(self, *, caption: str | None = None, label: str = "") -> str:
        """Return the table in LaTeX, for the package ``booktabs``.

        Parameters
        ----------
        caption : str, optional
            By default the sentence of the result; ``""`` gives the bare ``tabular``, without its float.
        label : str
            Name to refer to.
        """
        return self._form().latex(caption, label)

    def to_markdown(self) -> str:
        """Return the sentence, the table and the notes in Markdown."""
        return self._form().markdown()


def cell(value: Any) -> str:
    """Return one cell as text: numbers by four digits, an interval behind its value, NaN as nothing."""
    if value is None or isinstance(value, Bar):
        return ""
    if _is_estimate(value):
        return str(value) if value.low is not None else f"{value.value:.4g} [cannot tell]"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _is_estimate(value: Any) -> bool:
    """Return whether a value has an interval; estimates are built on this file and not known here."""
    return isinstance(value, Formed) and hasattr(value, "low") and hasattr(value, "level")


def _is_drawn(value: Any) -> bool:
    """Return whether a bar is drawn for a value: an interval, written or not."""
    return isinstance(value, Bar) or _is_estimate(value)


def _numeric(values: Sequence[Any]) -> bool:
    """Return whether a column holds numbers, which stand at the right."""
    said = [cell(v) for v in values if not _is_estimate(v)]
    return len(said) == len(values) and any(said) and all(NUMBER.fullmatch(s) for s in said if s)


def _html_cells(values: Sequence[Any], first: bool) -> list[str]:
    """Return the cells of a column, with a bar for each interval on the scale of the column; words in the
    first one are the heads of their rows.
    """
    head = first and not _numeric(values) and not any(map(_is_estimate, values))
    opened, closed = ("th scope='row'", "th") if head else ("td", "td")
    side = "right" if _numeric(values) else "left"
    ends = [e for v in values if _is_drawn(v) for e in (v.value, v.low, v.high)]
    known = [float(e) for e in ends if e is not None and math.isfinite(e)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    cells = []
    for v in values:
        bar = _bar(v, low, high) if _is_drawn(v) else ""
        kept = ";white-space:nowrap" if bar or side == "right" else ""
        cells.append(f"<{opened} style='text-align:{side}{kept}'>{html.escape(cell(v))}{bar}</{closed}>")
    return cells


def _bar(e: Any, low: float, high: float) -> str:
    """Return the interval of an estimate as a line with a dot, 0 as a thin line where it lies inside."""
    if e.low is None or e.high is None or not (high > low) or math.isnan(e.value + e.low + e.high):
        return ""

    def at(x: float) -> float:
        return round(4.0 + (WIDE - 8.0) * (min(max(x, low), high) - low) / (high - low), 1)

    middle = HIGH / 2
    zero = (
        f"<line x1='{at(0.0)}' x2='{at(0.0)}' y1='0' y2='{HIGH}' stroke='currentColor' opacity='.4'/>"
        if low < 0.0 < high
        else ""
    )
    return (
        f" <svg width='{WIDE}' height='{HIGH}' style='vertical-align:middle' aria-hidden='true'>{zero}"
        f"<line x1='{at(e.low)}' x2='{at(e.high)}' y1='{middle}' y2='{middle}' stroke='{BLUE}' "
        f"stroke-width='2'/><circle cx='{at(e.value)}' cy='{middle}' r='3.5' fill='{BLUE}'/></svg>"
    )


def _tex(said: str) -> str:
    """Return words with the signs of LaTeX escaped."""
    return re.sub(r"[\\&%$#_{}~^<>|]", lambda sign: TEX[sign.group()], said)


def _md(said: str) -> str:
    """Return words with the signs of Markdown and of HTML escaped, on one line."""
    return re.sub(r"([\\`*|<>\[\]])", r"\\\1", said).replace("\n", " ")


def _piped(cells: Sequence[str]) -> str:
    """Return one line of a table in Markdown."""
    return f"| {' | '.join(cells)} |"
