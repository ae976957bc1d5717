"""What fits take beside their rows: resident memory at its peak, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
def test_boosting_takes_two_bytes_a_cell_and_53_a_row() -> None:
    """Codes by row and by column; scores, two derivatives, their integers, two orders, a flag, the label, the
    number of the row.
    """
    n, p = 400_000, 20
    extra, _ = peak("er.GradientBoostingClassifier(n_estimators=3, early_stopping=False)", n, p)
    histograms = 31 * 256 * 16.0 * p
    assert extra < n * (2.0 * p + 8 + 16 + 8 + 8 + 1 + 8 + 4) + histograms + HEAP


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
