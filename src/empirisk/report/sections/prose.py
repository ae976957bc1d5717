"""Pieces of prose that sections share: sentences, settings in words, and the parts of a page of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from empirisk import wording
from empirisk.report.sections.methods import Pairs, methods
from empirisk.wording import brief, plain, share

__all__ = [
    "Lines",
    "absent",
    "block",
    "bullets",
    "code",
    "difference",
    "esc",
    "first_sentence",
    "first_step",
    "first_words",
    "how",
    "in_units",
    "more_in_json",
    "per_cent",
    "sentence",
    "setting",
    "spent",
    "table",
    "told",
]

Json = dict[str, Any]
Lines = list[str]
SHARES = frozenset({"accuracy", "balanced accuracy"})  # labels of scores that are shares of rows: in per cent
_LONG = 110  # characters that stand in one or two lines of a page
_STOP = re.compile(r"(?<!e\.g)(?<!i\.e)[.?](?=\s+[A-Z'\"(])")


def sentence(text: str, *, stop: bool = True) -> str:
    """Return a text with a capital at its beginning and, unless told otherwise, a full stop at its end."""
    text = text if text.startswith("p = ") else text[:1].upper() + text[1:]
    return text if not stop or text.endswith((".", "?")) else f"{text}."


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, with its stop.

    Examples
    --------
    >>> first_sentence("Accuracy 0.87 hides class 'b'. So it is with 'c'.")
    "Accuracy 0.87 hides class 'b'."
    """
    found = _STOP.search(text)
    return text if found is None else text[: found.end()]


def first_step(advice: str) -> str:
    """Return what an advice says to do first, in one sentence: a longer one ends at its first semicolon.

    Examples
    --------
    >>> first_step("Check its label and its values. It may be a slip.")
    'Check its label and its values.'
    """
    said = first_sentence(advice)
    head, semicolon, _ = said.partition(";")
    return f"{head}." if semicolon and len(said) > _LONG else said


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


def first_words(said: str) -> str:
    """Return a long reason up to its first comma or semicolon; the whole of it stands in ``report.json``."""
    return said if len(said.split()) <= 20 else re.split(r"[,;] ", said)[0]


def told(e: Json | None, most: int | None = None) -> str:
    """Return an estimate as the report prints it: value, interval, or that it cannot be told; with at most so
    many decimals.
    """
    if e is not None and _known(e):
        return wording.text(e, most)
    return brief(e, most=most)


def difference(e: Json | None, most: int | None = None) -> str:
    """Return a difference as the report prints it, with its sign."""
    return brief(e, sign=True, most=most)


def per_cent(e: Json | None) -> Json | None:
    """Return an estimate of a share as one in per cent."""
    if e is None:
        return None
    return e | {key: None if e[key] is None else 100.0 * e[key] for key in ("value", "low", "high")}


def in_units(made: Json) -> Json:
    """Return a score or a table of scores in the unit that readers see: shares of rows in per cent.

    Parameters
    ----------
    made : dict
        With a `label`, a `unit` and estimates, alone (as those of a metric) or in the rows of `groups`.
    """
    if made["label"] not in SHARES:
        return made
    groups = [g | {"score": per_cent(g["score"])} for g in made.get("groups", [])]
    alone = {
        key: per_cent(made[key]) for key in ("model", "baseline", "difference", "overall") if key in made
    }
    return made | alone | {"unit": "%"} | ({"groups": groups} if groups else {})


def how(pairs: Pairs) -> Lines:
    """Return a list of how these estimates were made: level, number of rows, method and reason.

    What most of them share is said once; what is known by definition has no interval to explain.
    """
    made = methods([(label, e and {**e, "target": ""}) for label, e in pairs if e and not _known(e)])
    levels = {m.level for m in made if m.level is not None}
    shared = share(levels.pop()) if len(levels) == 1 else ""
    rows, times = Counter(m.n for m in made).most_common(1)[0] if made else ("", 0)
    usual = rows if times > 2 else ""
    lines = bullets(
        f"{esc(m.labels)}: {esc(m.method)}"
        + ("" if m.n == usual else f", n = {m.n}")
        + (", no level: it rests on that" if m.level is None else "" if shared else f", {share(m.level)}")
        + (f" ({esc(m.reason)})" if m.reason else "")
        for m in made
    )
    said = [f"all at {shared}"] if shared else []
    said += [f"n = {usual} where nothing else is said"] if usual else []
    return [*([sentence("; ".join(said)), ""] if said else []), *lines]


def _known(e: Json) -> bool:
    """Return whether a value is known, and no estimate: its interval is a point."""
    return e["low"] is not None and e["low"] == e["high"]


def more_in_json(n: int, what: str, key: str) -> Lines:
    """Return the line that says where the rest of a table stands; none where nothing was left out."""
    said = wording.singular(what) if n == 1 else what
    return [f"{n:,} {esc(said)}: {code(key)} of report.json.", ""] if n > 0 else []


def absent(report: Json, *keys: str) -> Lines:
    """Return the sentences that say why parts of a report are absent; one that several share stands once."""
    said = dict.fromkeys(report["absent"][key] for key in keys if key in report["absent"])
    return [line for one in said for line in (esc(one), "")]


def spent(p: Json) -> str:
    """Return the time and the memory that a report took before its pictures were drawn, and their forecasts.

    The memory is that of the process, which may have held other things before.

    Examples
    --------
    >>> told = {"forecast_seconds": 48, "forecast_gigabytes": 0.5}
    >>> spent({"seconds": 34.0, "peak_gigabytes": 0.52, "settings": told})
    '34 seconds (forecast: 48), with 0.52 GB of memory at the peak (forecast: 0.5)'
    """
    told, peak = p["settings"], p["peak_gigabytes"]

    def beside(key: str) -> str:
        return f" (forecast: {told[key]:g})" if told.get(key) is not None else ""

    held = "" if peak is None else f", with {peak:.2f} GB of memory at the peak{beside('forecast_gigabytes')}"
    return f"{plain(p['seconds'], 2)} seconds{beside('forecast_seconds')}{held}"
