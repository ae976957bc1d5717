"""The sentences themselves, without a copy of the project: a copied skeleton without its row is seen."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.oracles import skeletons
from tests.oracles.complete import complete, page_of
from tests.test_structure import NOUNS, members, where

COPIED = [
    ("losses", "loss", "copied.LogCosh"),
    ("trees.criteria", "criterion", "copied.Information"),
    ("bounds", "bound", "copied"),
    ("diagnosis", "finding", "copied"),
    ("plots", "plot", "copied.ErrorsDisplay"),
]


@pytest.mark.parametrize(("folder", "skeleton", "found"), COPIED)
def test_a_copied_file_without_its_row_is_seen(
    folder: str, skeleton: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = ModuleType(f"copied_{skeleton}")
    room.__path__ = [str(tmp_path)]
    shutil.copy(skeletons.FOLDER / f"{skeleton}.py", tmp_path / "copied.py")
    monkeypatch.setitem(sys.modules, room.__name__, room)
    belongs, registry = next((b, r) for name, r, b in NOUNS if name == folder)
    assert list(members(room, belongs)) == [found]
    assert where(folder, registry) == f"src/empirisk/{folder.replace('.', '/')}/__init__.py"


def test_what_is_missing_and_what_is_left_over_is_said() -> None:
    complete(["a", "b"], {"b": 1, "a": 2}, "a sample", "SAMPLES")
    with pytest.raises(AssertionError, match="add a sample of 'c' to SAMPLES"):
        complete(["a"], ["a", "c"], "a sample", "SAMPLES")
    with pytest.raises(AssertionError, match="take a sample of 'a' out of SAMPLES: no registry has it"):
        complete(["a"], [], "a sample", "SAMPLES")


def test_a_missing_page_is_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "maths"
    folder.mkdir(parents=True)
    with pytest.raises(AssertionError, match=r"add the page new.md to docs/maths/ \(copy old.md\)"):
        page_of(folder, "new", "old.md")
    (folder / "new.md").write_text("# New\n", encoding="utf-8")
    assert page_of(folder, "new") == "# New\n"
