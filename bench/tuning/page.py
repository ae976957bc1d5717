"""The page of the documentation with the measured differences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.coverage.page import write
from bench.tuning.data import MOST, TABLES
from bench.tuning.models import FOLDS, TRIALS
from empirisk.results import Estimate

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "boosting-tuned.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "boosting-tuned.json"

HEAD = f"""# How accurate is the boosting when it is tuned?

Made by `python -m bench.tuning`: our boosting tuned by [`er.tune`](../how-to/tune.md) with
{TRIALS * FOLDS} fits on a fold, and LightGBM with the best of {TRIALS} random settings, each with early
stopping on {FOLDS} folds, the same number of fits. Both see the same rows (two thirds of at most {MOST:,} of
a table) and are scored on the others. A difference is ours minus LightGBM's on the same rows, with its 95 %
interval: **below 0 ours is the better one**. The interval knows the noise of the held-out rows, not that of
the search.

| data | rows | columns | held out | metric | empirisk | minus LightGBM |
|---|---|---|---|---|---|---|
"""

TAIL = """
A bold difference has an interval that excludes 0; of {count} at 95 % about {expected:.1f} would do so if both
were equally good. How accurate the libraries are at equal settings: [the other page](boosting-accuracy.md).
Versions: {versions}.
"""


def row(name: str, found: dict[str, Any]) -> str:
    """Return one line of the table: the data, our score, and the difference."""
    table, d = TABLES[name], found["difference"]
    text = str(d["text"])
    if d["low"] is not None:
        text = str(Estimate(d["value"], d["low"], d["high"], 0.95, 0, "paired"))
        text = f"**{text}**" if d["low"] > 0.0 or d["high"] < 0.0 else text
    told = f"{found['rows']:,} | {found['columns']} | {found['held_out']:,}"
    return f"| {table.what} | {told} | {table.metric} | {found['ours']} | {text} |"


def stored() -> dict[str, Any]:
    """Return the results of the last run, or nothing when there was none."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def store(name: str, found: dict[str, Any]) -> None:
    """Keep a result, so that a few tables can be measured anew without the others."""
    kept = {key: value for key, value in found.items() if key != "seconds"}
    write(json.dumps({**stored(), name: kept}, indent=1, sort_keys=True) + "\n", STORE)


def page() -> str:
    """The whole page, from the stored results."""
    found = stored()
    versions = ", ".join(sorted({found[name]["versions"] for name in found}))
    lines = [row(name, found[name]) for name in TABLES if name in found]
    count = len(lines)
    return HEAD + "\n".join(lines) + "\n" + TAIL.format(count=count, expected=0.05 * count, versions=versions)
