"""Pieces of prose that sections share: sentences, settings in words, and the parts of a page of Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from empirisk import wording
from empirisk.report.sections.methods import methods
from empirisk.wording import brief, count, share

__all__ = [
    "Lines",
    "absent",
    "block",
    "bullets",
    "code",
    "difference",
    "esc",
    "how",
    "sentence",
    "setting",
    "table",
    "told",
]

Json = dict[str, Any]
Lines = list[str]


def sentence(text: str, *, stop: bool = True) -> str:
    """Return a text with a capital at its beginning and, unless told otherwise, a full stop at its end."""
    text = text if text.startswith("p = ") else text[:1].upper() + text[1:]
    return text if not stop or text.endswith((".", "?")) else f"{text}."


def setting(value: float | str | bool | None) -> str:
    """Return how the page shows the value of a setting: yes, no, none, text or a number."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    return value if isinstance(value, str) else wording.plain(value)


def esc(said: str) -> str:
    """Return the text that Markdown and HTML in Markdown leave alone: one line, every special character
    inert.
    """
    one_line = " ".join(said.split())
    safe = one_line.replace("&", "&amp;").replace("<", "&lt;")
    safe = re.sub(r"([\\`*_\[\]{}|~$#])", r"\\\1", safe)
    safe = re.sub(r"^(\d+)([.)])", r"\1\\\2", safe)
    return re.sub(r"^([-+>=])", r"\\\1", safe)


def code(said: str) -> str:
    """Return inline code with a fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", said)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{' '.join(said.split())}{pad}{fence}".replace("|", "\\|")


def block(said: str) -> Lines:
    """Return a text as a fenced block whose fence is longer than any run of backquotes in it."""
    longest = max((len(run) for run in re.findall(r"`+", said)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *said.splitlines(), fence, ""]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Lines:
    """Return a Markdown table with these headings and rows, whose cells are escaped already."""
    body = ["| " + " | ".join(row) + " |" for row in rows]
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head), *body, ""]


def bullets(sentences: Iterable[str]) -> Lines:
    """Return sentences as a list of points; no lines when there are none."""
    lines = [f"- {s}" for s in sentences]
    return [*lines, ""] if lines else []


def told(e: Json | None) -> str:
    """Return an estimate as the report prints it: value, interval, or that it cannot be told."""
    return brief(e)


def difference(e: Json | None) -> str:
    """Return a difference as the report prints it, with its sign."""
    return brief(e, sign=True)


def how(pairs: list[tuple[str, Json | None]]) -> Lines:
    """Return how each of these estimates was made: level, number of rows, method and reason."""
    return bullets(
        f"{esc(m.labels)}: {share(m.level)}, n = {count(m.n)}, {esc(m.method)}"
        + (f" ({esc(m.reason)})" if m.reason else "")
        for m in methods(pairs)
    )


def absent(report: Json, *keys: str) -> Lines:
    """Return the sentences that say why parts of a report are absent."""
    return [line for key in keys if key in report["absent"] for line in (esc(report["absent"][key]), "")]
