"""Load a skeleton; and, as a pytest plugin, put it into its registry before the tests are collected.

``EMPIRISK_SKELETON=losses/loss/LogCosh pytest -p tests.oracles.skeletons`` adds the class LogCosh of
docs/skeletons/loss.py to empirisk.losses.REGISTRY.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "skeletons"


def load(name: str) -> Any:
    """Return the module docs/skeletons/<name>.py, imported under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"skeleton_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that its objects can be pickled
    spec.loader.exec_module(module)
    return module


def register(folder: str, file: str, thing: str) -> None:
    """Add the row of a skeleton to the registry of its folder."""
    made = getattr(load(file), thing)
    importlib.import_module(f"empirisk.{folder}").REGISTRY[made.name] = made


def pytest_configure() -> None:
    """Called by pytest before it collects."""
    if row := os.environ.get("EMPIRISK_SKELETON"):
        register(*row.split("/"))
