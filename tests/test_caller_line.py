"""Warnings name the line of the user, however many of our functions stand between."""

from __future__ import annotations

import re
from pathlib import Path

import empirisk

SOURCE = Path(empirisk.__file__).parent
FIXED = re.compile(r"stacklevel\s*=\s*\d")


def test_no_warning_counts_the_functions_between() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if FIXED.search(line)
    ]
    assert found == [], (
        "a written number goes wrong as soon as one function more stands between: caller_level()"
    )
