"""The page of the documentation with the measured table."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from bench.coverage.harness import Case

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "interval-coverage.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "coverage.json"

HEAD = """# Measured coverage of the intervals

Made by `python -m bench.coverage` with seed 0: samples are drawn, the public function is asked for its 95 %
interval, and the known truth is looked up in it. Target: 93 to 97 %. "MC s.e." is the Monte-Carlo standard
error of the coverage in percentage points; differences below twice that are not findings. "Refused" counts
samples for which the answer was "cannot tell"; coverage is over the others. "n rows" are the rows of the
sample: a cross-validated score, difference or choice is about the models that were scored, each trained on
n(K-1)/K rows. Its truth is the mean of their own risks (models that still learn, long tails, metrics that the
fit does not minimise), or the expected score at that size (stable models of few columns).

| case | samples | coverage % | MC s.e. | refused % | median width | remark |
|---|---|---|---|---|---|---|
"""

TAIL = """
## How to read it

- A row outside 93 to 97 % is published, with the reason in the last column where one is known. Squared errors
  with heavy tails cannot be rescued by a cleverer interval: the rows that carry the risk are not in the
  sample. Report the absolute error beside it.
- The limits for "cannot tell" depend on counts of rows, classes and groups only. A gate on how well-behaved
  the observed losses look would select the samples that happened to miss the tail.
- Where the losses have long tails, or may have them and fewer than 250 rows cannot show it, the interval of a
  squared or absolute error says so. The note depends on the family of the loss, on n, and on the L-kurtosis
  of the losses, which one row moves little: from 250 to 4000 rows it stands on the squared
  errors of 98 to 100 % of the samples with t3 or lognormal noise, 75 to 98 % with t5 noise, and 0 to 3 % with
  normal noise. It also stands on most samples with exponential noise and, below some thousand rows, Laplace
  noise, where the interval holds. A note by whether a few rows dominate
  the sample stood on the intervals that hold (96 to 98 %) and was silent on those that miss (15 to 70 %).
- Differences of two cross-validated models are often covered too well. The noise of a row
  enters twice, in its own test loss and in the fits of the other folds; for a strongly shrunk model the
  two nearly cancel, and the row variance knows only the first.
- Repeated cross-validation keeps the row variance of *one* repeat, times K/(K-1). The variance of the row
  averages over repeats looks plausible and covered only 62 to 92 % in the study
  that chose these intervals.
"""


def row(c: Case, r: dict[str, float]) -> str:
    """Return one row of the table: the coverage of one case."""
    mark = "" if 93.0 <= round(r["coverage"], 1) <= 97.0 else " (outside)"
    return (
        f"| {c.what} | {r['samples']} | {r['coverage']:.1f}{mark} | {r['error']:.1f} | {r['refused']:.1f} "
        f"| {r['width']:.3g} | {c.remark} |"
    )


def stored() -> dict[str, dict[str, float]]:
    """The last full-size result of every case."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def store(name: str, result: dict[str, float]) -> None:
    """Keep a result, so that a few cases can be measured anew without the others."""
    write(json.dumps({**stored(), name: result}, indent=1, sort_keys=True) + "\n", STORE)


def page(cases: dict[str, Case]) -> str:
    """The whole page, from the stored results."""
    results = stored()
    return (
        HEAD + "\n".join(row(c, results[name]) for name, c in cases.items() if name in results) + "\n" + TAIL
    )


def write(text: str, path: Path) -> None:
    """Write beside the target, then rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)
