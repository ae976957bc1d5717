"""Adding a chart as CONTRIBUTING says: one file, one row, one example."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adding.workshop import Step, Workshop

EXAMPLE = """    plots.MissesDisplay({"x": [0.0, 1.0], "n": 99, **line(0.4, 0.9)}, "years"),"""


def row(w: Workshop) -> None:
    w.after("src/empirisk/plots/__init__.py", "DISPLAYS = {", '    "MissesDisplay": "misses",')


def example(w: Workshop) -> None:
    w.after("tests/plots/test_displays.py", "DISPLAYS: list[Display] = [", EXAMPLE)


@pytest.mark.full
def test_a_chart_is_added_by_a_file_a_row_and_an_example(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    w = Workshop(tmp_path)
    w.copy("plot.py", "src/empirisk/plots/misses.py", ErrorsDisplay="MissesDisplay")
    registered = "tests/test_structure.py::test_registries_are_complete[plots.DISPLAYS]"
    drawn = "tests/plots/test_displays.py"
    w.build(
        [
            Step(registered, r"add a row to DISPLAYS of src/empirisk/plots/__init__.py: .*misses", row),
            Step(
                f"{drawn}::test_every_registered_chart_is_tested",
                r"add an example of 'MissesDisplay' to DISPLAYS in tests/plots/test_displays.py",
                example,
            ),
        ],
        *(registered, drawn, "-k", "MissesDisplay or registered_chart or registries_are_complete"),
    )
