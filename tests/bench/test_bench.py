"""The benchmarks still run, and their tables say what was measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from bench import table
from bench.datasets import REGISTRY as DATASETS
from bench.objectives import REGISTRY as OBJECTIVES
from bench.objectives import ROWS
from bench.objectives.base import Fit
from bench.solvers import solvers_for
from bench.watch import Measured, Timing, _events, measure

ROOT = Path(__file__).parents[2]


@pytest.mark.full  # seconds: it runs the benchmark's program
def test_a_quick_row_end_to_end(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "bench.run",
        "--quick",
        "--only",
        "ridge_loo",
        "--runs",
        "2",
        "--out",
        str(tmp_path),
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (file,) = tmp_path.glob("ridge*.json")
    assert json.loads((tmp_path / "machine.json").read_text())["rates"]["bytes"] > 1e8
    row = json.loads(file.read_text())
    assert row["problem"] == ""
    for name in ("empirisk", "scikit-learn RidgeCV auto"):
        solver = row["solvers"][name]
        assert solver["problem"] == ""
        assert solver["runs"] == 2
        assert solver["suboptimality"] <= table.ACCURACY
        assert 0.0 < solver["min_s"] <= solver["median_s"] <= solver["max_s"]
    text = (tmp_path / "table.md").read_text()
    assert "| ridge_loo, dense 2e4x200 |" in text
    assert not list(tmp_path.glob("*.part"))


def test_unknown_row_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "bench.run", "--quick", "--only", "no such row"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 2
    assert "fits no row of: ols, dense 1e6x50" in run.stderr


def test_rows_name_what_there_is() -> None:
    for row in ROWS:
        assert row.objective in OBJECTIVES
        assert row.dataset in DATASETS
        names = [s.name for s in solvers_for(row.objective, 10)]
        assert names[0].split()[0] == "empirisk"
        assert len(names) == len(set(names)) >= 2, "ours and at least one peer"


def test_rows_in_both_precisions_stand_side_by_side() -> None:
    def row(ours: float, peer: float) -> dict[str, object]:
        solvers = {
            name: {
                "runs": 1, "median_s": s, "min_s": s, "max_s": s, "cpu_per_wall": 1.0, "first_call_s": s,
                "peak_extra_mb": 0.0, "suboptimality": 0.0, "accuracy": 1e-6,
            }
            for name, s in (("empirisk", ours), ("peer", peer))
        }  # fmt: skip
        return {"shape": [1, 1], "input_mb": 1.0, "problem": "", "solvers": solvers}

    rows = {
        "trees, rows 1x1": row(1.0, 3.0),
        "trees, rows float32 1x1": row(2.0, 5.0),
        "alone, rows 1x1": row(1.0, 4.0),
    }
    text = table.summary(rows, {})
    assert "| trees, rows 1x1 | 1 | peer | 3.00 |  | 2 | peer | 2.50 |  |" in text
    assert "| alone, rows 1x1 | 1 | peer | 4 | 4.00 | -- |  |  |" in text
    assert "Median ratio to the fastest peer: 3.00 over 3 rows." in text


def test_a_reference_has_ten_caps_and_a_fit_has_one() -> None:
    for event in ("reference", "start"):
        read, write = os.pipe()
        os.write(write, f'{{"event": "{event}"}}\n'.encode())
        began = time.monotonic()
        assert list(_events(read, 0.02)) == [{"event": event}, None]
        assert time.monotonic() - began >= (0.19 if event == "reference" else 0.019)
        os.close(write)
        os.close(read)


@pytest.mark.full  # seconds: it times every solver of a row
def test_slow_fits_are_given_up() -> None:
    # No fit takes less than a microsecond: every solver is given up, by name, and the row still ends.
    measured = measure("ridge_loo", "dense 2e4x200", quick=True, runs=1, cap=1e-6)
    assert {t.problem for t in measured.timings.values()} == {"over 1e-06 s"}
    # Where the machine is busy, the reference may be there before anybody looks at the clock.
    late = "The reference took over 1e-05 s and was given up."
    assert measured.problem == (late if measured.reference is None else "")
    whole = measure("ridge_loo", "dense 2e4x200", quick=True, runs=1, cap=60.0)
    assert whole.reference is not None
    assert not whole.problem


def test_ratios_count_only_who_reached_the_accuracy() -> None:
    measured = Measured([10, 2], 160, reference=1.0, null=2.0)
    measured.timings = {
        "empirisk": Timing(seconds=[0.2, 0.1, 0.3], cpu=[0.1] * 3, value=1.0),
        "scikit-learn fast": Timing(seconds=[0.01], cpu=[0.01], value=1.1),  # stops short
        "scikit-learn slow": Timing(seconds=[0.8], cpu=[0.8], value=1.0 + 1e-6),
        "celer": Timing(seconds=[0.4], cpu=[0.4], value=1.0),
        "liblinear": Timing(problem="over 60 s"),
    }
    row = table.facts(measured)
    assert row["solvers"]["scikit-learn fast"]["suboptimality"] == pytest.approx(0.05)
    assert table.ratios(row) == {
        "ours_s": 0.2,
        "peer": "celer",
        "peer_s": 0.4,
        "peer_ratio": pytest.approx(2.0),
        "sklearn_ratio": pytest.approx(4.0),
    }
    text = table.summary({"a row": row}, {"cores": "2"})
    assert "(not reached)" in text
    assert "over 60 s" in text
    assert "Median ratio to scikit-learn: 4.00 over 1 rows." in text


@pytest.mark.parametrize("name", ["ols", "ridge", "logistic"])
def test_reference_is_a_minimum(name: str) -> None:
    dataset = {row.objective: row.dataset for row in ROWS}[name]
    goal, (X, y) = OBJECTIVES[name], DATASETS[dataset][1]()
    strength = goal.strength(X, y)
    best = goal.reference(X, y, strength)
    value = goal.value(X, y, strength, best)
    assert value < goal.null(X, y)
    for step in np.eye(X.shape[1])[:3] * 1e-3:
        for sign in (-1.0, 1.0):
            moved = Fit(best.coef + sign * step, best.intercept)
            assert goal.value(X, y, strength, moved) > value
