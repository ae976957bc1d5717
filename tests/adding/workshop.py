"""A temporary copy of the project in which a noun is added step by step, as a contributor would do it.

A step is an edit and the test that asks for it.  `Workshop.build` runs, before each edit, the test of the
step, which must fail with the step's sentence, and after the last edit the tests of the noun, which must
pass.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.oracles.structure import PACKAGE, ROOT

__all__ = ["Step", "Workshop"]

COPIED = (
    "src",
    "tests",
    "docs",
    "examples",
    "bench",
    "pyproject.toml",
    "conftest.py",
    "CONTRIBUTING.md",
    "README.md",
)
# Compiled modules are copied, too: they are as new as their sources.
LEFT_OUT = ("*.so", "*.gz", "images")
# An editable install finds the package by a hook or a path file; the copy comes before either, and the loops,
# which are not copied, are found where they are.
PLUGIN = """
import importlib.util, sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__.lower()]
sys.path.insert(0, {source!r})
import empirisk
assert empirisk.__file__.startswith({source!r}), empirisk.__file__
spec = importlib.util.spec_from_file_location("empirisk._loops", {loops!r})
module = importlib.util.module_from_spec(spec)
sys.modules["empirisk._loops"] = module
spec.loader.exec_module(module)
empirisk._loops = module
"""


@dataclass(frozen=True)
class Step:
    """One edit, and the sentence with which its test asks for it.

    Parameters
    ----------
    test : str
        Test file, or one test of it, that fails before the edit.
    says : str
        What the failure says: a regular expression.
    edit : callable
        Makes the edit in a :class:`Workshop`.
    """

    test: str
    says: str
    edit: Callable[[Workshop], None]


class Workshop:
    """The copy, and how files are changed in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        ignore = shutil.ignore_patterns(*LEFT_OUT)
        for name in COPIED:
            whole = ROOT / name
            if whole.is_dir():
                shutil.copytree(whole, folder / name, ignore=ignore)
            elif whole.exists():
                shutil.copy2(whole, folder / name)
        from empirisk import _loops

        source = str(folder / PACKAGE.parent.relative_to(ROOT))
        plugin = PLUGIN.format(source=source, loops=str(_loops.__file__))
        (folder / "the_copy.py").write_text(plugin, encoding="utf-8")

    def copy(self, skeleton: str, to: str, **names: str) -> None:
        """Copy a file of docs/skeletons under a new name, with other names for its objects."""
        text = (self.root / "docs" / "skeletons" / skeleton).read_text(encoding="utf-8")
        for old, new in names.items():
            text = re.sub(rf"\b{old}\b", new, text)
        self.write(to, text)

    def write(self, to: str, text: str, *, more: bool = False) -> None:
        """A new file, or more text at the end of one."""
        file = self.root / to
        assert file.exists() == more, f"{to} is {'not there yet' if more else 'there already'}"
        file.write_text((file.read_text(encoding="utf-8") if more else "") + text, encoding="utf-8")

    def after(self, file: str, line: str, *new: str) -> None:
        """Put lines after the first one that reads so."""
        path = self.root / file
        lines = path.read_text(encoding="utf-8").splitlines()
        at = lines.index(line) + 1
        path.write_text("\n".join([*lines[:at], *new, *lines[at:]]) + "\n", encoding="utf-8")

    def pytest(self, *tests: str) -> tuple[int, str]:
        """Run tests in the copy: exit status, and what was printed."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "the_copy", "-p", "no:cacheprovider"]
        run = subprocess.run(
            [*command, *tests],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(self.root)},
            capture_output=True,
            text=True,
        )
        return run.returncode, run.stdout + run.stderr

    def build(self, steps: list[Step], *whole: str) -> None:
        """Take the steps; each is asked for by its sentence, and at the end the tests of the noun pass."""
        for step in steps:
            status, said = self.pytest(step.test)
            assert status, f"{step.test} passes before the step that it should ask for"
            failure = " ".join(line[1:].strip() for line in said.splitlines() if line.startswith("E "))
            assert re.search(step.says, failure), f"{step.test} does not say {step.says!r}:\n{said[-2000:]}"
            step.edit(self)
        status, said = self.pytest(*whole)
        assert status == 0, said[-3000:]
        assert " passed" in said
