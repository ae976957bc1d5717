"""Adding a finding as CONTRIBUTING says: one file, one row, scenarios, a page, the measured alarms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adding.workshop import Step, Workshop

FOLDER = "src/empirisk/diagnosis"
SCENARIOS = '''"""ER298: a column of the test rows is shifted."""

from __future__ import annotations

from typing import Any

from sklearn.dummy import DummyRegressor

from bench.alarms.given import add
from bench.alarms.harness import FAULT, NULL, Rng


def draw(rng: Rng, n: int, shift: float) -> dict[str, Any]:
    """Normal columns, one of them moved in the test rows."""
    X, later = rng.normal(size=(n, 3)), rng.normal(loc=[0.0, shift, 0.0], size=(n, 3))
    return {"est": DummyRegressor(), "X": X, "y": X[:, 0], "X_test": later}


add("ER298", "nothing moved", draw, {"shift": 0.0}, truth=NULL, n=80, runs=40)
add("ER298", "a column moved by 1.5", draw, {"shift": 1.5}, truth=FAULT, n=80, runs=40, least=80)
'''


def row(w: Workshop) -> None:
    file = f"{FOLDER}/__init__.py"
    w.after(
        file,
        "from empirisk.diagnosis.separated import separation",
        "from empirisk.diagnosis.moved_columns import moved_columns",
    )
    w.after(file, "REGISTRY: dict[str, Finder] = {", '    "ER298": moved_columns,')


def scenarios(w: Workshop) -> None:
    w.write("bench/alarms/cases_moved.py", SCENARIOS)


def page(w: Workshop) -> None:
    w.copy("finding.md", "docs/findings/ER298.md", ER299="ER298")


def index(w: Workshop) -> None:
    w.write("docs/findings/README.md", "\n[ER298](ER298.md)\n", more=True)


def measured(w: Workshop) -> None:
    """Run the command that the sentence names, in the copy."""
    code = "import the_copy, runpy; runpy.run_module('bench.alarms', run_name='__main__')"
    run = subprocess.run(
        [sys.executable, "-c", code, "--only", "ER298"],
        cwd=w.root,
        env={**os.environ, "PYTHONPATH": str(w.root)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[-2000:]


@pytest.mark.full
def test_a_finding_is_added_by_a_file_a_row_scenarios_and_a_page(tmp_path: Path) -> None:
    w = Workshop(tmp_path)
    w.copy("finding.py", f"{FOLDER}/moved_columns.py", ER299="ER298", shifted_columns="moved_columns")
    registered = "tests/test_structure.py::test_registries_are_complete[diagnosis.REGISTRY]"
    alarms = "tests/diagnosis/test_alarms.py"
    tried = f"{alarms}::test_every_finding_has_scenarios_with_and_without_its_fault"
    shown = f"{alarms}::test_the_pages_show_the_stored_numbers"
    w.build(
        [
            Step(registered, r"add a row to REGISTRY of src/empirisk/diagnosis/__init__.py: .*moved", row),
            Step(
                tried,
                r"add scenarios of 'ER298' without and with its fault to bench/alarms/",
                scenarios,
            ),
            Step(shown, r"add the page ER298.md to docs/findings/ \(copy docs/skeletons/finding.md\)", page),
            Step(shown, r"add a row for 'ER298' to docs/findings/README.md", index),
            Step(shown, r"add alarms of 'ER298' to bench/results: run python -m bench.alarms", measured),
        ],
        *(registered, tried, shown, alarms, "tests/conformance/test_reach.py"),
        *("-k", "ER298 or registries_are_complete or every_finding or the_pages_show"),
    )
