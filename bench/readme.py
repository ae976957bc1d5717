"""The command ``python -m bench.readme``: the tables of bench/results in the README, without limits.

The text between them stays as it is.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
BEGIN, END = "<!-- ratios:begin -->", "<!-- ratios:end -->"
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_MEDIAN = re.compile(r"^(?:Bootstrap rows: m|M)edian ratio to .*\.$", re.MULTILINE)


def without_limits(table: str) -> str:
    """Return a table in Markdown without the columns on the limit of the machine.

    Examples
    --------
    >>> print(without_limits("| row | ours | limit | ours / limit |\\n|---|---|---|---|\\n| a | 1 | 2 | 3 |"))
    | row | ours |
    |---|---|
    | a | 1 |
    """
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]
    kept = [i for i, name in enumerate(rows[0]) if "limit" not in name]
    lines = [[row[i] for i in kept] for row in rows]
    return "\n".join(f"|{'|'.join(r)}|" if set(r) == {"---"} else f"| {' | '.join(r)} |" for r in lines)


def renewed(readme: str, results: str) -> str:
    """Return the text of the README with the tables and medians of the text of the results.

    Raises
    ------
    ValueError
        The README lacks the marks, or has another number of tables or medians between them.
    """
    head = results.partition("\n## ")[0]
    before, begin, rest = readme.partition(BEGIN)
    inside, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"The README must hold {BEGIN} and {END}.")
    for pattern, change in ((_TABLE, lambda t: without_limits(t) + "\n"), (_MEDIAN, str)):
        new, old = [change(found) for found in pattern.findall(head)], pattern.findall(inside)
        if len(new) != len(old):
            raise ValueError(
                f"The README has {len(old)} tables or medians of a kind, and the results {len(new)}."
            )
        parts = iter(new)
        inside = pattern.sub(lambda _, parts=parts: next(parts), inside)  # type: ignore[misc]
    return before + begin + inside + end + after


def main() -> None:
    """Write the README anew, with the tables of the results that are kept."""
    path = HERE.parent / "README.md"
    text = renewed(
        path.read_text(encoding="utf-8"), (HERE / "results" / "table.md").read_text(encoding="utf-8")
    )
    temporary = path.with_suffix(".md.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    main()
