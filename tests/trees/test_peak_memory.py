"""What fits take beside their rows: resident memory at its peak, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import empirisk as er
from empirisk.estimators.agreement import agreeing
from empirisk.trees.unknown_categories import with_unknown

PROGRAM = """
import numpy as np
import empirisk as er

def resident(key):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(key))

rng = np.random.default_rng(0)
X = rng.standard_normal(({n}, {p}))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.logistic(size={n}) > 0.0).astype(int)
make = lambda: {make}
make().fit(X[:5000], y[:5000])
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = resident("VmRSS")
model = make().fit(X, y)
print(resident("VmHWM") - before, len(model.trees_.feature))
"""

LINUX = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="asks the files of Linux")
HEAP = 12e6  # what the allocator keeps back, and pages of code that are read for the first time


def peak(make: str, n: int, p: int) -> tuple[float, int]:
    program = PROGRAM.format(make=make, n=n, p=p)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    extra, nodes = run.stdout.split()
    return float(extra), int(nodes)


@pytest.mark.full  # seconds: it starts a process and fits many rows
@LINUX
def test_boosting_takes_two_bytes_a_cell_and_52_a_row() -> None:
    """Codes by row and by column; scores, two derivatives, their integers, two orders, the label, the
    number of the row.
    """
    n, p = 400_000, 20
    extra, _ = peak("er.GradientBoostingClassifier(n_estimators=3, early_stopping=False)", n, p)
    histograms = 31 * 256 * 16.0 * p
    assert extra < n * (2.0 * p + 8 + 16 + 8 + 8 + 8 + 4) + histograms + HEAP


@pytest.mark.full  # seconds: it starts a process and grows a forest
@LINUX
def test_a_forest_takes_the_memory_of_its_nodes_once() -> None:
    """A node of two classes has 65 bytes; X is kept, sums out-of-bag are those of ten groups."""
    n, p, threads = 60_000, 6, 2
    extra, nodes = peak(f"er.RandomForestClassifier(60, random_state=0, n_jobs={threads})", n, p)
    assert nodes > 1_000_000, "the trees are what takes the memory"
    rows = n * (8.0 * p + 10 * 2 * 8 + 10 * 4 + p) + threads * n * 120.0
    joined_twice = 2.0 * 65.0 * nodes
    assert extra < 1.15 * 65.0 * nodes + rows + 2.0 * HEAP < joined_twice + rows


def test_a_fitted_forest_has_its_nodes_once(rng: np.random.Generator) -> None:
    """The loops that predict pack all nodes, which is for the first prediction and not for the fit."""
    X = rng.standard_normal((200, 3))
    model = er.RandomForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0.0)
    assert "loop" not in vars(model.trees_)
    assert with_unknown(model.trees_)[0] is None, "no node asks for categories"
    rows, leaves = model._probe
    assert np.array_equal(leaves, model.trees_.apply(X[rows]))


def test_probabilities_are_settled_some_rows_at_a_time(rng: np.random.Generator) -> None:
    score = 1e-20 * rng.standard_normal(500_000)
    proba = np.full((len(score), 2), 0.5)
    tracemalloc.start()
    agreeing(proba, score)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8.0 * len(score), "less than one number a row"
    assert np.array_equal(proba.argmax(axis=1), score > 0.0)
