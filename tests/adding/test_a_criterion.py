"""Adding a criterion of trees as CONTRIBUTING says: one file, one row, and a functor that the loops have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adding.workshop import Step, Workshop

FOLDER = "src/empirisk/trees/criteria"


def row(w: Workshop) -> None:
    file = f"{FOLDER}/__init__.py"
    w.after(
        file, "from empirisk.trees.criteria.gini import Gini", "from empirisk.trees.criteria.bits import Bits"
    )
    w.after(file, "REGISTRY: dict[str, Any] = {", '    "bits": Bits,')


def exported(w: Workshop) -> None:
    w.after(f"{FOLDER}/__init__.py", "__all__ = [", '    "Bits",')


def functor(w: Workshop) -> None:
    """A multiple of the entropy: its functor serves."""
    file = w.root / FOLDER / "bits.py"
    file.write_text(file.read_text(encoding="utf-8").replace('loop = "bits"', 'loop = "entropy"'))


def units(w: Workshop) -> None:
    """And the factor between the two costs."""
    file = w.root / FOLDER / "bits.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("    scale = 1.0\n", "    scale = 1.0 / math.log(2.0)\n"))


@pytest.mark.full
def test_a_criterion_is_added_by_a_file_a_row_and_a_functor(tmp_path: Path) -> None:
    w = Workshop(tmp_path)
    w.copy("criterion.py", f"{FOLDER}/bits.py", Information="Bits", information="bits")
    file = w.root / FOLDER / "bits.py"
    text = file.read_text(encoding="utf-8")
    # As somebody would begin who has not read about functors.
    text = text.replace('loop = "entropy"', 'loop = "bits"')
    file.write_text(text.replace("    scale = 1.0 / math.log(2.0)\n", "    scale = 1.0\n"))
    registered = "tests/test_structure.py::test_registries_are_complete[trees.criteria.REGISTRY]"
    reach = "tests/conformance/test_reach.py"
    taken = f"{reach}::test_every_tree_estimator_takes_every_criterion[DecisionTreeClassifier-bits]"
    gains = f"{reach}::test_gains_of_grown_trees_are_those_of_the_criterion"
    w.build(
        [
            Step(registered, r"add a row to REGISTRY of src/empirisk/trees/criteria/__init__.py: ", row),
            Step(registered, r"add to __all__ of src/empirisk/trees/criteria/__init__.py: ", exported),
            Step(taken, r"no loop for the criterion bits: add its functor to trees/criteria.hpp", functor),
            Step(gains, r"bits: .* change `loop` or `scale` of the criterion", units),
        ],
        *(registered, reach, "tests/trees/test_criteria.py", "tests/trees/test_exact.py"),
        *("tests/trees/test_forest.py", "tests/test_structure.py::test_registry_keys_are_the_names"),
        *("-k", "(bits or Bits or registr or gains_of_grown) and not threads"),
    )
