"""Checks of single columns: facts about what a column holds, each with the count behind it."""

from __future__ import annotations

import re
from collections import defaultdict

import polars as pl

from empirisk.report.audit.checks import Audited, Outcome
from empirisk.report.fit.encode import rare_below
from empirisk.report.read.dates import MIXED
from empirisk.report.read.table import Column
from empirisk.results import Finding
from empirisk.wording import counted, percent

__all__ = [
    "constant_columns",
    "duplicate_names",
    "empty_columns",
    "equal_columns",
    "id_columns",
    "lookalike_levels",
    "mixed_columns",
    "texts_and_rare_levels",
]


def quoted(names: list[str], most: int = 5) -> str:
    """Return names for a sentence: ``'a', 'b' and 3 more``."""
    shown = ", ".join(repr(n) for n in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def _of_kind(a: Audited, kind: str) -> list[Column]:
    return [c for c in a.table.columns if c.kind == kind and c.role in ("dropped", "feature")]


def _plural(names: list[str]) -> tuple[str, str]:
    return ("Column", "is") if len(names) == 1 else ("Columns", "are")


def empty_columns(a: Audited) -> Outcome:
    """Find the columns that hold no value in any row."""
    names = [c.name for c in _of_kind(a, "empty")]
    if not names:
        return Outcome(nothing="every column has values")
    noun, verb = _plural(names)
    sentence = f"{noun} {quoted(names)} {verb} empty and not used."
    evidence = f"no value in {a.table.n_rows:,} rows"
    return Outcome(
        [
            Finding(
                "ER101", "note", sentence, evidence, "Remove it, or find out why it is empty.", tuple(names)
            )
        ]
    )


def constant_columns(a: Audited) -> Outcome:
    """Find the columns that hold the same value in every row."""
    names = [c.name for c in _of_kind(a, "constant")]
    if not names:
        return Outcome(nothing="no column has the same value in every row")
    noun, verb = _plural(names)
    sentence = f"{noun} {quoted(names)} {verb} constant and not used."
    advice = (
        "Find out whether it varies where the model will be used: then these rows do not represent that "
        "place."
    )
    return Outcome(
        [Finding("ER102", "note", sentence, f"one value in {a.table.n_rows:,} rows", advice, tuple(names))]
    )


def id_columns(a: Audited) -> Outcome:
    """Find the columns that only name the rows, such as a running number."""
    columns = [c for c in _of_kind(a, "id") if "--drop" not in c.reason]
    if not columns:
        return Outcome(nothing="no column names the rows")
    names = [c.name for c in columns]
    noun, verb = _plural(names)
    sentence = f"{noun} {quoted(names)} {verb} taken for row names and not used."
    evidence = "; ".join(f"{c.name!r}: {c.reason}" for c in columns[:3])
    return Outcome(
        [
            Finding(
                "ER103", "note", sentence, evidence, f"To use it, give {columns[0].override}.", tuple(names)
            )
        ]
    )


def texts_and_rare_levels(a: Audited) -> Outcome:
    """Find texts that are left out, and categorical columns most of whose levels are rare."""
    out, few = [], rare_below(a.table.n_rows)
    texts = [
        c for c in a.table.columns if c.kind == "text" and c.role == "dropped" and "--drop" not in c.reason
    ]
    for c in texts:
        evidence = f"{c.n_distinct:,} distinct values in {a.table.n_rows - c.n_missing:,} rows"
        if c.reason.startswith(MIXED):
            sentence = f"Column {c.name!r} holds {c.reason} and is not used."
            advice = "Use one format for all, such as 2020-12-31: then the model reads their parts."
            out.append(Finding("ER104", "warning", sentence, evidence, advice, (c.name,)))
            continue
        sentence = (
            f"Column {c.name!r} holds too many levels to learn from, mostly of one word, and is not used."
        )
        out.append(Finding("ER104", "note", sentence, evidence, f"To use it, give {c.override}.", (c.name,)))
    for c in a.table.columns:
        if c.kind != "categorical" or c.role != "feature":
            continue
        counts = a.table.frame[c.name].drop_nulls().value_counts()["count"]
        rare, rows = int((counts < few).sum()), int(counts.filter(counts < few).sum())
        share = rows / max(1, a.table.n_rows - c.n_missing)
        if rare > 1 and share > 0.1:
            sentence = (
                f"{rare:,} of the {c.n_distinct:,} levels of {c.name!r} have fewer than {few} rows; "
                f"they hold {percent(share)} of the rows and are told apart no further."
            )
            advice = "Merge levels by meaning before the analysis if they matter."
            out.append(
                Finding(
                    "ER104", "note", sentence, f"{counted(rows, 'row')} in rare levels", advice, (c.name,)
                )
            )
    return Outcome(out, "no free text, and no column most of whose levels are rare")


def mixed_columns(a: Audited) -> Outcome:
    """Find the columns of numbers with words in between."""
    out = []
    for c in a.table.columns:
        if c.n_unreadable:
            cells = zip(c.unreadable, c.unreadable_rows, strict=True)
            shown = ", ".join(f"{cell[:40]!r} in row {row:,}" for cell, row in cells)
            sentence = (
                f"Column {c.name!r} holds numbers, but {counted(c.n_unreadable, 'value')} "
                f"{'is none and counts' if c.n_unreadable == 1 else 'are none and count'} as missing."
            )
            advice = f"Correct them, or read the column as words: --types {c.name}=categorical."
            out.append(Finding("ER109", "warning", sentence, f"values such as {shown}", advice, (c.name,)))
        elif "mixed" in c.warning and c.role != "target":
            sentence = f"Column {c.name!r} mixes numbers with words and is read as words."
            advice = f"Correct it, or count the words as missing: --types {c.name}=number."
            out.append(Finding("ER109", "warning", sentence, c.warning, advice, (c.name,)))
    return Outcome(out, "no column mixes numbers with words")


def duplicate_names(a: Audited) -> Outcome:
    """Find the names that the header gives to several columns."""
    renamed = a.table.source.renamed
    if not renamed:
        return Outcome(nothing="every column has a name of its own")
    told = ", ".join(f"the second {old!r} is called {new!r}" for old, new in renamed[:4])
    advice = "Give each column a name of its own; until then the option names above refer to the new names."
    where = tuple(new for _, new in renamed)
    return Outcome(
        [Finding("ER112", "warning", f"The header repeats names: {told}.", "the header line", advice, where)]
    )


def lookalike_levels(a: Audited) -> Outcome:
    """Find levels that differ only by case, blanks or punctuation."""
    out = []
    for c in a.table.columns:
        alike: dict[tuple[str, str], list[str]] = defaultdict(list)
        for level in c.levels:
            alike[_bare(level)].append(level)
        pairs = [v for v in alike.values() if len(v) > 1]
        if pairs and c.role in ("feature", "target"):
            shown = "; ".join(" and ".join(repr(x) for x in p[:3]) for p in pairs[:3])
            level = "serious" if c.role == "target" else "warning"
            sentence = (
                f"Column {c.name!r} has levels that differ only in case, blanks or punctuation: {shown}."
            )
            advice = "If they mean the same, write them alike; they are kept apart."
            evidence = f"{len(pairs)} group{'' if len(pairs) == 1 else 's'} of look-alike levels"
            out.append(Finding("ER114", level, sentence, evidence, advice, (c.name,)))
    return Outcome(out, "no two levels differ only in case, blanks or punctuation")


def _bare(level: str) -> tuple[str, str]:
    """Return a level without case, blanks and punctuation, and its signs: "<=50K" is not ">50K", "A+" is not
    "A-".
    """
    return re.sub(r"[\W_]+", "", level.casefold()) or level, re.sub(r"[^<>=+\-!%]", "", level)


def equal_columns(a: Audited) -> Outcome:
    """Find the columns that hold the same values in every row."""
    frame, names = a.table.frame, [*a.table.features, *a.table.names("target")]
    by_hash: dict[tuple[str, int], list[str]] = defaultdict(list)
    weights = pl.Series([*range(1, frame.height + 1)], dtype=pl.UInt64)
    for name in names:
        key = int((frame[name].hash(seed=0) // 2**33 * (weights % 2**20)).sum())
        by_hash[str(frame[name].dtype), key].append(name)
    out = []
    for same in by_hash.values():
        twins = [n for n in same[1:] if frame[n].equals(frame[same[0]], check_names=False)]
        if twins:
            pair = [same[0], *twins]
            target = str(a.table.target) in pair
            sentence = f"Columns {quoted(pair)} hold the same values in every row."
            advice = (
                "Drop the copy of the target."
                if target
                else "Keep one; a linear model cannot tell them apart."
            )
            level = "serious" if target else "warning"
            out.append(
                Finding("ER117", level, sentence, f"{frame.height:,} rows compared", advice, tuple(pair))
            )
    return Outcome(out, "no two columns hold the same values")
