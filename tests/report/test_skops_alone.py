"""A model file is written without the array libraries that happen to be installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from empirisk.report.saved.skops_alone import ARRAYS, hidden

CODE = """
import sys
from empirisk.report.saved.skops_alone import skops_io
from sklearn.linear_model import LinearRegression
sio = skops_io()
made = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
print(sio.loads(sio.dumps(made)).coef_[0].round(6), "torch" in sys.modules)
import torch
print(torch.here)
"""


def test_an_array_library_is_not_imported_and_can_be_afterwards(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("here = 'imported'\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})" + CODE
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1.0", "False", "imported"]


def test_what_is_imported_already_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    there = type(sys)("cupy")
    monkeypatch.setitem(sys.modules, "cupy", there)
    with hidden(ARRAYS):
        assert sys.modules["cupy"] is there
    assert sys.modules["cupy"] is there
