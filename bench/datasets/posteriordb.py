"""Rows of two models of posteriordb, whose reference draws stand with the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[2] / "tests" / "data" / "posteriordb"


def told(name: str) -> dict[str, Any]:
    """Return the contents of a file of the folder."""
    return dict(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def kidiq() -> tuple[np.ndarray, np.ndarray]:
    """Return ones, whether the mother finished high school, and her IQ; the scores of the children."""
    d = told("kidiq")
    X = np.column_stack([np.ones(len(d["kid_score"])), d["mom_hs"], d["mom_iq"]])
    return X, np.array(d["kid_score"], dtype=float)


def kilpisjarvi() -> tuple[np.ndarray, np.ndarray]:
    """Return ones and years, and the mean temperatures of the summers."""
    d = told("kilpisjarvi")
    return np.column_stack([np.ones(len(d["x"])), d["x"]]), np.array(d["y"])
