"""The limits of the machine: their arithmetic, and a reason for each large row that is far from its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import machine, table
from bench.limit import FAR, Rates, Work
from bench.objectives import ROWS
from bench.objectives.limits import WHY, WORK

RESULTS = Path(__file__).parents[2] / "bench" / "results"
RATES = Rates(bytes=2e10, flops64=1e11, flops32=2e11)


def test_a_limit_is_the_larger_of_reading_and_multiplying() -> None:
    assert Work().seconds([1000, 10], 4e8, False, RATES) == pytest.approx(0.02)
    assert Work(reads=3.0).seconds([1000, 10], 4e8, False, RATES) == pytest.approx(0.06)
    gram = Work(lambda n, p: float(n * p * p))
    assert gram.seconds([10_000, 1000], 8e7, False, RATES) == pytest.approx(0.1)
    assert gram.seconds([10_000, 1000], 4e7, True, RATES) == pytest.approx(0.05)
    assert gram.seconds([10_000_000, 2], 1.6e8, False, RATES) == pytest.approx(0.008)


def test_the_work_of_regressions_is_that_of_their_products() -> None:
    """Of n rows and p columns the Gram matrix has p (p + 1) / 2 entries of n products and sums each."""
    assert WORK["ols"].flops is not None
    assert WORK["ols"].flops(1000, 20) == 2 * 1000 * 20 * 21 / 2
    assert WORK["ridge"].flops is not None
    assert WORK["ridge"].flops(50, 300) == 2 * 300 * 50 * 51 / 2, "fewer rows than columns: products of rows"


def test_the_best_rates_of_a_processor_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "machine.json"
    measured = iter([Rates(2.0, 3.0, 4.0), Rates(1.0, 5.0, 4.0), Rates(1.0, 1.0, 1.0)])
    monkeypatch.setattr(machine.limit, "measure", lambda: next(measured))
    assert machine.rates(kept) == Rates(2.0, 3.0, 4.0)
    assert machine.rates(kept) == Rates(2.0, 5.0, 4.0)
    kept.write_text(kept.read_text().replace(machine._processor(), "another processor"))
    assert machine.rates(kept) == Rates(1.0, 1.0, 1.0), "those of another machine do not count"


def row_of(ours: float, megabytes: float) -> dict[str, Any]:
    solver = {"runs": 1, "median_s": ours, "min_s": ours, "max_s": ours, "cpu_per_wall": 1.0}
    solver |= {
        "first_call_s": ours,
        "peak_extra_mb": 0.0,
        "suboptimality": 0.0,
        "accuracy": 1e-6,
        "problem": "",
    }
    return {"shape": [9, 9], "input_mb": megabytes, "problem": "", "solvers": {"empirisk": solver}}


def test_the_table_shows_limits_of_large_rows_and_reasons_of_far_ones() -> None:
    rows = {
        "near, large": row_of(0.04, 400.0),
        "far, large": row_of(2.0, 400.0),
        "far, small": row_of(1.0, 1.0),
    }
    limits = {name: found for name, row in rows.items() if (found := table.limit(name, row, Work(), RATES))}
    assert set(limits) == {"near, large", "far, large"}
    text = table.summary(rows, machine.describe(RATES), limits, {"far, large": "it reads a hundred times"})
    assert "- rates: 20.0 GB/s read from memory, 100 Gflop/s of GEMM in 64 bits and 200 in 32" in text
    assert "| near, large | 0.04 | none reached it | -- | -- | -- | 0.02 | 2.0 |" in text
    assert "| far, large | 2 | none reached it | -- | -- | -- | 0.02 | 100 |" in text
    assert "| far, small | 1 | none reached it | -- | -- | -- |  |  |" in text
    assert "- far, large: it reads a hundred times." in text
    assert "near, large:" not in text


def test_large_rows_far_from_their_limit_say_why() -> None:
    """Over the results that are committed."""
    rates = Rates(**json.loads((RESULTS / "machine.json").read_text())["rates"])
    known = {f["row"]: f for p in RESULTS.glob("*.json") if "row" in (f := json.loads(p.read_text()))}
    seen = 0
    for row in ROWS:
        if (
            row.name not in known
            or (found := table.limit(row.name, known[row.name], row.work, rates)) is None
        ):
            continue
        least, ratio = found
        seen += 1
        assert ratio is None or ratio > 0.9, f"{row.name} is quicker than the limit that is declared for it"
        assert ratio is None or ratio <= FAR or row.why, (
            f"{row.name} takes {ratio:.1f} times {least:.2g} s: say why"
        )
        assert f"\n## {row.name}\n" in (RESULTS / "table.md").read_text()
    assert seen >= 50


def test_reasons_and_work_are_of_objectives_that_there_are() -> None:
    assert {*WORK, *WHY} <= {row.objective for row in ROWS}
