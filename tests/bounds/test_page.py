"""The page of bounds lists every theorem, and its worked numbers are the ones that the functions return."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

import empirisk as er
from bench.looseness import factor_of
from tests.bounds.cases import CASES
from tests.oracles.complete import complete

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROWS = {
    m.group(1): line
    for line in (DOCS / "maths" / "bounds.md").read_text(encoding="utf-8").splitlines()
    if (m := re.match(r"\| `(\w+)` \|", line))
}
NUMBER = r"[-+]?[\d,]*\.?\d+(?:e[-+]?\d+)?"
WORKED = [
    (name, expression, printed)
    for name, line in ROWS.items()
    for expression, printed in re.findall(rf"`([^`]+)` = ({NUMBER})", line)
]


def test_every_theorem_has_a_row_with_a_worked_number() -> None:
    complete(ROWS, er.bounds.REGISTRY, "a row", "docs/maths/bounds.md")
    complete(
        {name for name, _, _ in WORKED},
        ROWS,
        "a worked number, `call(...)` = number,",
        "docs/maths/bounds.md",
    )
    for name, line in ROWS.items():
        cells = len([c for c in line.split(" | ") if c.strip(" |")])
        assert cells == 5, f"add cells to the row of {name!r} in docs/maths/bounds.md: it has {cells} of five"


@pytest.mark.parametrize(("name", "expression", "printed"), WORKED)
def test_worked_number(name: str, expression: str, printed: str) -> None:
    assert expression.startswith(f"{name}(")
    found = float(eval(expression, {**vars(er.bounds), "math": math, "er": er}))
    digits = printed.replace(",", "")
    decimals = len(digits.split("e")[0].partition(".")[2])
    exponent = int(digits.split("e")[1]) if "e" in digits else 0
    assert abs(found - float(digits)) <= 0.5000001 * 10.0 ** (exponent - decimals) * (decimals > 0)


def test_the_page_on_looseness_is_of_these_theorems() -> None:
    """`python -m bench.looseness` writes it; one cell is computed again here."""
    page = (DOCS / "maths" / "bound-looseness.md").read_text(encoding="utf-8")
    factors = dict(re.findall(r"^\| `(\w+)` \|.* \| ([\d.e+]+) \|$", page, flags=re.MULTILINE))
    complete(factors, CASES, "a row", "docs/maths/bound-looseness.md (run python -m bench.looseness)")
    assert list(factors) == list(CASES), "run python -m bench.looseness: the order of the rows changed"
    assert f"{factor_of('hoeffding', CASES['hoeffding']):.2g}" == factors["hoeffding"]
