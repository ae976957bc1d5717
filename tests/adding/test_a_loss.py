"""Adding a loss as CONTRIBUTING says: one file, one row, a sample with its formula, a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adding.workshop import Step, Workshop

FOLDER = "src/empirisk/losses"
SAMPLE = """    "smooth_absolute": Sample(
        lambda y, z: mp.log(mp.cosh(z - y)), NUMBERS, ((0.0, 1.01), (2.0, -1.01)), cancels=True
    ),"""
NAMES = {"LogCosh": "SmoothAbsolute", "log_cosh": "smooth_absolute"}


def row(w: Workshop) -> None:
    file = f"{FOLDER}/__init__.py"
    w.after(
        file,
        "from empirisk.losses.quantile import Quantile",
        "from empirisk.losses.smooth_absolute import SmoothAbsolute",
    )
    w.after(file, "REGISTRY: dict[str, type] = {", '    "smooth_absolute": SmoothAbsolute,')


def exported(w: Workshop) -> None:
    w.after(f"{FOLDER}/__init__.py", "__all__ = [", '    "SmoothAbsolute",')


def sample(w: Workshop) -> None:
    w.after("tests/conformance/loss_samples.py", "SAMPLES: dict[str, Sample] = {", SAMPLE)


def page(w: Workshop) -> None:
    w.copy("loss.md", "docs/maths/losses/smooth_absolute.md", **NAMES)


def link(w: Workshop) -> None:
    w.write("docs/maths/losses.md", "\n[smooth_absolute](losses/smooth_absolute.md)\n", more=True)


@pytest.mark.full
def test_a_loss_is_added_by_a_file_a_row_a_sample_and_a_page(tmp_path: Path) -> None:
    w = Workshop(tmp_path)
    w.copy("loss.py", f"{FOLDER}/smooth_absolute.py", **NAMES)
    registered = "tests/test_structure.py::test_registries_are_complete[losses.REGISTRY]"
    paged = (
        "tests/docs/test_nouns.py::test_every_row_has_a_page_and_the_index_knows_it[losses-smooth_absolute]"
    )
    w.build(
        [
            Step(registered, r"add a row to REGISTRY of src/empirisk/losses/__init__.py: .*SmoothAb", row),
            Step(
                registered, r"add to __all__ of src/empirisk/losses/__init__.py: .*SmoothAbsolute", exported
            ),
            Step(
                "tests/conformance/test_losses.py",
                r"add a sample of 'smooth_absolute' to SAMPLES in tests/conformance/loss_samples.py",
                sample,
            ),
            Step(
                paged, r"add the page smooth_absolute.md to docs/maths/losses/ \(copy docs/skeletons/", page
            ),
            Step(paged, r"add a row that links losses/smooth_absolute.md to docs/maths/losses.md", link),
        ],
        *(registered, "tests/test_structure.py::test_registry_keys_are_the_names"),
        *("tests/conformance/test_losses.py", "tests/conformance/test_loss_contract.py"),
        *("tests/losses", "tests/docs", "tests/conformance/test_reach.py"),
        *("-k", "smooth_absolute or registr or every_convex_loss or (left_over and losses)"),
    )
