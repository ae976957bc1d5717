"""Adding a bound as CONTRIBUTING says: one file, one row, a worked number, a simulation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adding.workshop import Step, Workshop

FOLDER = "src/empirisk/bounds"
ROW = (
    "| `one_sided_cantelli` | `R <= R_n + M/2 sqrt((1-delta)/(n delta))` | test rows, losses in a range "
    "| `one_sided_cantelli([0.0] * 475).value` = 0.1 | Cantelli 1928 |"
)
NEIGHBOUR = "held_out_hoeffding"


def row(w: Workshop) -> None:
    file = f"{FOLDER}/__init__.py"
    w.after(
        file,
        "from empirisk.bounds.occam import occam",
        "from empirisk.bounds.one_sided_cantelli import one_sided_cantelli",
    )
    w.after(file, '    "occam": occam,', '    "one_sided_cantelli": one_sided_cantelli,')


def exported(w: Workshop) -> None:
    w.after(f"{FOLDER}/__init__.py", "__all__ = [", '    "one_sided_cantelli",')


def page(w: Workshop) -> None:
    text = (w.root / "docs/maths/bounds.md").read_text(encoding="utf-8").splitlines()
    w.after("docs/maths/bounds.md", next(t for t in text if t.startswith(f"| `{NEIGHBOUR}` |")), ROW)


def simulation(w: Workshop) -> None:
    w.after(
        "tests/bounds/test_from_rows.py",
        "DRAWS: dict[str, Draw] = {",
        '    "one_sided_cantelli": coin(b.one_sided_cantelli, 40, 0.5),',
    )


@pytest.mark.full
def test_a_bound_is_added_by_a_file_a_row_a_number_and_a_simulation(tmp_path: Path) -> None:
    w = Workshop(tmp_path)
    w.copy("bound.py", f"{FOLDER}/one_sided_cantelli.py", held_out_cantelli="one_sided_cantelli")
    registered = "tests/test_structure.py::test_registries_are_complete[bounds.REGISTRY]"
    reached = "tests/conformance/test_reach.py::test_every_bound_is_listed_and_exported[one_sided_cantelli]"
    paged = "tests/bounds/test_page.py::test_every_theorem_has_a_row_with_a_worked_number"
    simulated = "tests/conformance/test_bounds.py::test_every_other_theorem_is_tried_by_name"
    w.build(
        [
            Step(registered, r"add a row to REGISTRY of src/empirisk/bounds/__init__.py: .*cantelli", row),
            Step(reached, r"add 'one_sided_cantelli' to __all__", exported),
            Step(paged, r"add a row of 'one_sided_cantelli' to docs/maths/bounds.md", page),
            Step(
                simulated,
                r"add a simulation of each by name to tests/bounds/test_from_rows.py: .*cantelli",
                simulation,
            ),
        ],
        *(registered, "tests/conformance/test_reach.py", paged, simulated),
        *("tests/bounds/test_page.py", "tests/bounds/test_from_rows.py", "tests/bounds/test_base.py"),
        *("-k", "cantelli or registries_are_complete or by_name or test_every_theorem or heads"),
    )
