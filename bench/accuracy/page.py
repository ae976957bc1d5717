"""The page of the documentation with the measured differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.accuracy.data import TASKS
from bench.coverage.page import write
from empirisk.results import Estimate

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "boosting-accuracy.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "boosting-accuracy.json"

HEAD = """# How accurate is the boosting?

Made by `python -m bench.accuracy`: five folds, repeated, the same for all; every library grows 100 rounds
of at most 31 leaves at rate 0.1 with 20 rows a leaf, 255 bins, no penalty and no early stopping. A difference
is ours minus the peer's on the same rows, with its 95 % interval (row differences, variance of one repeat
times K/(K-1), t): **below 0 ours is the better one**.

| data | rows | columns | metric | empirisk | minus LightGBM | minus scikit-learn |
|---|---|---|---|---|---|---|
"""

TAIL = """
## How to read it

- A bold difference has an interval that excludes 0. With {count} differences at 95 % about {expected:.1f} of
  them would do so if all libraries were equally good.
- The intervals know the noise of the rows, not that of growth. LightGBM itself, with 127 bins instead of 255
  or 40 rows a leaf instead of 20, moves by 0.0002 to 0.001 in the log-loss of Adult.
- The libraries differ where the settings do not reach: in the cuts of the bins, in how categories are
  ordered, smoothed and penalised, in how rows of a leaf are counted (LightGBM estimates their number from
  second derivatives), in the length of a step of the Poisson loss (LightGBM shortens it), in the second
  derivative of softmax (ours and LightGBM's is K/(K-1) times scikit-learn's), and in rounding, after which
  trees go different ways.
- Versions: {versions}.
"""


def row(name: str, found: dict[str, Any]) -> str:
    """Return one line of the table: the task, and each peer against ours."""
    task = TASKS[name]
    cells = " | ".join(_cell(found[peer]) for peer in ("LightGBM", "scikit-learn"))
    table = f"{found['rows']:,} | {found['columns']}"
    return f"| {task.what} | {table} | {task.metric} | {found['ours']} | {cells} |"


def _cell(d: dict[str, Any]) -> str:
    if d["low"] is None:
        return str(d["text"])
    text = str(Estimate(d["value"], d["low"], d["high"], 0.95, 0, "paired"))
    return f"**{text}**" if d["low"] > 0.0 or d["high"] < 0.0 else text


def stored() -> dict[str, Any]:
    """Return the results of the last run, or nothing when there was none."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def store(name: str, found: dict[str, Any]) -> None:
    """Keep a result, so that a few tasks can be measured anew without the others."""
    write(json.dumps({**stored(), name: found}, indent=1, sort_keys=True) + "\n", STORE)


def page() -> str:
    """The whole page, from the stored results."""
    found = stored()
    count = 2 * len(found)
    versions = ", ".join(sorted({found[name]["versions"] for name in found}))
    lines = [row(name, found[name]) for name in TASKS if name in found]
    return HEAD + "\n".join(lines) + "\n" + TAIL.format(count=count, expected=0.05 * count, versions=versions)
