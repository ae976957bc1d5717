"""Run the command ``empirisk report`` in a process of its own, and read what it cost and what it said."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.report.tables import TARGET, Halves

# The child tells its own peak: what the system counts of a child begins with the memory of its parent.
CHILD = """
from empirisk.cli import main
from empirisk.data.memory import peak_memory
try:
    main()
finally:
    open("peak.txt", "w").write(str(peak_memory() or 0.0))
"""


def reported(parts: Halves, folder: Path) -> dict[str, Any]:
    """Make the report of the training rows in `folder`/out, and return its costs, promises and lengths."""
    for part in ("train", "test"):
        parts.with_target(part).to_parquet(folder / f"{part}.parquet", index=False)
    words = ["report", "train.parquet", "--target", TARGET, "--test", "test.parquet", "--task", parts.task]
    # A column that is 0 or 1 in the rows of the report need not be so in the others.
    for name in parts.train.select_dtypes("number"):
        if parts.train[name].isin([0, 1]).all() and not parts.test[name].isin([0, 1]).all():
            words += ["--types", f"{name}=number"]
    lines = folder / "lines.txt"
    began = time.perf_counter()
    with lines.open("w") as out:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, *words, "--out", "out"],
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        _, status, spent = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"The report ended with {child.returncode}: {lines.read_text()[-2000:]}")
    report = json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))
    return {
        "seconds": seconds,
        "cpu": spent.ru_utime + spent.ru_stime,
        "peak_bytes": 1e9 * float((folder / "peak.txt").read_text(encoding="utf-8")),
        **forecast(lines.read_text(encoding="utf-8")),
        "model": report["model"]["label"],
        "metric": report["selection"]["metric"],
        "promised": promised(report),
        "words": len((folder / "out" / "report.md").read_text(encoding="utf-8").split()),
        "page_bytes": (folder / "out" / "report.html").stat().st_size,
    }


def forecast(told: str) -> dict[str, float]:
    """Return the seconds and the bytes that the plan of a report forecasts, from its lines."""
    found = re.search(r"about ([\d,]+) s, ([\d.]+) GB", told)
    if found is None:
        raise ValueError(f"The lines of the report hold no forecast of seconds and memory: {told!r}")
    return {"forecast_seconds": float(found[1].replace(",", "")), "forecast_bytes": 1e9 * float(found[2])}


def promised(report: dict[str, Any]) -> dict[str, Any]:
    """Return the score that the report had for its model before the test part: the corrected one where it
    chose among several.
    """
    winner = report["selection"]["winner"]
    chosen = next(c for c in report["candidates"] if c["chosen"])
    score = winner["corrected"] if winner else chosen["score"]
    return {key: score[key] for key in ("value", "low", "high", "n", "method")}
