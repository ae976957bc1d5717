"""What a text table is written in: delimiter, quote mark and header, found from its first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from empirisk.report.errors import DataError
from empirisk.report.read.markers import MARKERS

__all__ = [
    "BLANKS",
    "DELIMITERS",
    "Dialect",
    "delimiter_name",
    "has_header",
    "lines_above_header",
    "sniff",
    "split_blanks",
    "without_comments",
]

BLANKS = "blanks"
DELIMITERS = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "bar",
    ":": "colon",
    BLANKS: "blanks",
    "": "one column",
}
_CANDIDATES = (",", ";", "\t", "|")
_SPOKEN = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "colon": ":"}
_SPOKEN |= {
    "blank": BLANKS,
    "blanks": BLANKS,
    "space": BLANKS,
    "spaces": BLANKS,
    " ": BLANKS,
    "whitespace": BLANKS,
}
_NUMBER = re.compile(r"^\(?[$€£]?[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?\s?[%€]?\)?$")
_DATE = re.compile(r"^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([T ].*)?$")
_MAX_ABOVE = 10  # records among which the header is looked for
_FIELD = re.compile(r'"(?:[^"]|"")*"|\S+')


@dataclass(frozen=True)
class Dialect:
    """Delimiter (one character, :data:`BLANKS` for runs of blanks, "" for one column) and quote mark."""

    delimiter: str
    quote: str = '"'

    def split(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the fields of the records in `lines`; a quoted field may run over several lines."""
        if self.delimiter == BLANKS:
            return [split_blanks(line) for line in lines if line.strip()]
        reader = csv.reader(
            lines, delimiter=self.delimiter or "\x1f", quotechar=self.quote, skipinitialspace=True
        )
        return [row for row in reader if row]


def split_blanks(line: str) -> list[str]:
    """Return the fields of a line separated by runs of blanks or tabs.

    Examples
    --------
    >>> split_blanks('18.0   8  307.\\t"chevrolet malibu"')
    ['18.0', '8', '307.', 'chevrolet malibu']
    """
    fields = _FIELD.findall(line)
    return [f[1:-1].replace('""', '"') if len(f) > 1 and f[0] == f[-1] == '"' else f for f in fields]


def delimiter_name(delimiter: str) -> str:
    """Return what messages call the delimiter, such as "comma" or "tab"."""
    return DELIMITERS.get(delimiter, repr(delimiter))


def spoken_delimiter(option: str) -> str:
    """Return the delimiter that the user named: a character or a word such as ``tab``."""
    found = _SPOKEN.get(option.lower(), option)
    if found != BLANKS and len(found) != 1:
        raise DataError(
            f"--delimiter {option!r} is not one character: give a character, or comma, semicolon, tab, "
            "bar or blanks"
        )
    return found


def _score(rows: list[list[str]], delimiter: str) -> tuple[float, int]:
    """Return how much the lines look like a table, and its width.

    A true delimiter gives every record the same number of fields and leaves no other delimiter inside them.
    """
    lengths = Counter(len(row) for row in rows)
    width, hits = max(lengths.items(), key=lambda item: (item[1], item[0]))
    if width < 2:
        return 0.0, width
    others = re.compile(f"[{re.escape(''.join(c for c in _CANDIDATES if c not in (delimiter, ',')))}]|  +\\S")
    cells = [cell for row in rows for cell in row]
    clean = sum(1 for cell in cells if not others.search(cell.strip())) / len(cells)
    # A comma inside a cell is a decimal comma or a sentence: only a row of several numbers counts against it.
    lists = sum(1 for cell in cells if delimiter != "," and len(re.findall(r"\S,\S", cell)) > 1) / len(cells)
    return hits / len(rows) * clean * (1.0 - lists), width


def sniff(text: str, delimiter: str | None = None) -> Dialect:
    """Find the dialect of a text table from its first lines.

    Parameters
    ----------
    text : str
        The file, or its beginning.
    delimiter : str, optional
        Given by the user (a character or a word such as ``tab``); found when None.

    Examples
    --------
    >>> sniff("a;b\\n1,5;2\\n2,5;3\\n").delimiter
    ';'
    >>> sniff("x  y\\n1  2\\n30 4\\n").delimiter
    'blanks'
    """
    lines = _sample(text)
    quote = _quote(lines)
    if delimiter is not None:
        return Dialect(spoken_delimiter(delimiter), quote)
    best, best_score, best_width = "", 0.0, 1
    for candidate in (*_CANDIDATES, BLANKS):
        # Blanks separate words too, so they count only when nothing else makes a table.
        if candidate == BLANKS and best_score > 0.8:
            break
        rows = Dialect(candidate, quote).split(lines)
        score, width = _score(rows, candidate) if rows else (0.0, 1)
        if candidate == BLANKS and score < 0.99:
            continue
        if (score, width) > (best_score, best_width):
            best, best_score, best_width = candidate, score, width
    return Dialect(best, quote)


def without_comments(text: str) -> tuple[str, list[str]]:
    """Leave out comment lines at the top (and the line ``sep=;`` that spreadsheets write), and say so.

    A line that starts with # or | is a comment unless it is split like the line after the comments:
    ``#id,x,y`` is a header.

    Examples
    --------
    >>> without_comments("# made in May\\nx,y\\n1,2\\n")
    ('x,y\\n1,2\\n', ['1 comment line at the top is left out'])
    >>> without_comments("#id,y\\n1,2\\n")[1]
    []
    """
    if stated := re.match(r'^"?sep=(.)"?\r?\n', text):
        return text[stated.end() :], [f"the first line ({stated.group().strip()}) is left out"]
    lines = text[:20_000].split("\n")
    k = next((i for i, line in enumerate(lines) if not line.startswith(("#", "|"))), len(lines))
    if k == 0 or k >= len(lines) or not lines[k].strip():
        return text, []
    mark = max(_CANDIDATES, key=lines[k].count)
    count = lines[k].count(mark)
    while k > 0 and count and lines[k - 1].count(mark) == count:
        k -= 1
    if k == 0:
        return text, []
    told = f"{k} comment line{' at the top is' if k == 1 else 's at the top are'} left out"
    return text[sum(len(line) + 1 for line in lines[:k]) :], [told]


def _sample(text: str, n_chars: int = 60_000) -> list[str]:
    """Return the first lines, without a last one that was cut."""
    head = text[:n_chars]
    if len(text) > n_chars and "\n" in head:
        head = head[: head.rindex("\n")]
    return [
        line + "\n" for line in head.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()
    ]


def _quote(lines: Sequence[str]) -> str:
    text = "".join(lines)
    single = len(re.findall(r"(?:^|[,;\t|])\s*'[^'\n]*'\s*(?=[,;\t|\n])", text, flags=re.MULTILINE))
    return "'" if '"' not in text and single >= max(1, len(lines) // 2) else '"'


def _typed(cell: str) -> bool:
    return bool(_NUMBER.match(cell) or _DATE.match(cell))


def has_header(rows: Sequence[Sequence[str]], expected: Sequence[str] = ()) -> tuple[bool, str]:
    """Decide whether the first record holds names.

    Parameters
    ----------
    rows : sequence of records
        The first records of the file.
    expected : sequence of str
        Names that the user gave (target, dropped columns); one of them in the first record decides.

    Returns
    -------
    (bool, str)
        The decision and the reason.

    Examples
    --------
    >>> has_header([["a", "b"], ["1", "x"], ["2", "y"]])
    (True, 'the first line holds words above numbers')
    >>> has_header([["3.6", "8.7", "0"], ["4.5", "8.2", "0"]])
    (False, 'the first line holds values like the lines below it')
    """
    first = [cell.strip() for cell in rows[0]]
    if any(name in first for name in expected):
        return True, "the first line holds the names that were given"
    filled = [cell for cell in first if cell]
    if len(rows) == 1:
        return not any(_typed(c) for c in filled), "the file has one line"
    votes = [
        _vote(cell, [row[j].strip() for row in rows[1:] if j < len(row)]) for j, cell in enumerate(first)
    ]
    balance = sum(votes)
    if balance > 0:
        return True, "the first line holds words above numbers"
    if balance < 0:
        return False, "the first line holds values like the lines below it"
    names = (
        len(set(filled)) == len(filled)
        and not any(_typed(c) for c in filled)
        and len(filled) >= len(first) / 2
    )
    return (
        names,
        "nothing tells the first line from the others" if not names else "the first line holds words",
    )


def lines_above_header(rows: Sequence[Sequence[str]], expected: Sequence[str]) -> int:
    """Return how many records stand above the one that holds the names that were given (titles, numbers).

    Parameters
    ----------
    rows : sequence of records
        The first records of the file.
    expected : sequence of str
        Names that the header holds: the first one, or most of them.

    Examples
    --------
    >>> lines_above_header([["Medals of 2020", ""], ["land", "gold"], ["NO", "3"], ["SE", "2"]], ["gold"])
    1
    >>> lines_above_header([["land", "gold"], ["NO", "3"]], ["gold"])
    0
    """
    tidy = [[" ".join(cell.split()) for cell in row] for row in rows]
    if not expected or any(name in tidy[0] for name in expected):
        return 0
    for i, row in enumerate(tidy[1:_MAX_ABOVE], 1):
        if expected[0] not in row and 2 * sum(name in row for name in expected) <= len(expected):
            continue
        columns = [[r[j] for r in tidy[i + 1 :] if j < len(r)] for j in range(len(row))]
        # A value of the data may be spelled like a name: a header is unlike the cells below it.
        votes = [_vote(cell, below) for cell, below in zip(row, columns, strict=True)]
        named = [j for j, cell in enumerate(row) if cell in expected]
        unlike = sum(votes) >= 0 and not any(row[j] in columns[j] for j in named)
        if unlike and sum(map(bool, row)) > len(row) / 2:
            return i
    return 0


def _vote(cell: str, below: Sequence[str]) -> int:
    """Return +1 when the cell is unlike the cells below it, -1 when it is like them, 0 when one cannot
    tell."""
    values = [v for v in below if v.lower() not in MARKERS]
    if not values:
        return 0
    if sum(_typed(v) for v in values) > 0.8 * len(values):
        return -1 if _typed(cell) else (1 if cell.lower() not in MARKERS else 0)
    if cell in values:
        return -1
    return 1 if len(values) > 10 and len(set(values)) <= len(values) / 5 and not _typed(cell) else 0
