"""The page of the documentation with what reports cost and what their models were worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.coverage.page import write
from bench.report.tables import HELD_OUT
from bench.tuning.data import TABLES
from bench.tuning.models import FOLDS, TRIALS
from empirisk.evaluation.by_group import difference_of_independent
from empirisk.results import Estimate

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "report-measured.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "report.json"

HEAD = f"""# What a report costs, and what its model is worth

Made by `python -m bench.report`: a report with no options on ten tables, each in a process of its own on two
cores. One row in {1 / HELD_OUT:.0f} of each table was held out before the report began; the report got it as
its test part.

- *Seconds* and *memory* (the peak of the whole process, its libraries included) stand beside what the plan of
  the report forecast before it fitted anything.
- *Promised* is the cross-validated loss of the chosen model, corrected for having been chosen; *kept* is its
  loss on the rows held out. The difference of the two has an interval; where it excludes 0 it is bold, and
  above 0 the report promised too much. The promise is about models fitted on four fifths of the training
  rows, so that a difference a little below 0 is expected.
- *Minus LightGBM* is the loss of the report's model less that of LightGBM with the best of {TRIALS} random
  settings ({FOLDS} folds, early stopping) fitted on the same training rows for the same loss, on the rows
  held out: **below 0 the report's model is the better one**. The loss is the one that the report chose by,
  which on counts is the squared error.

"""

COLUMNS = (
    "data",
    "rows",
    "columns",
    "seconds (forecast)",
    "GB (forecast)",
    "model",
    "loss",
    "promised",
    "kept",
    "kept less promised",
    "minus LightGBM",
)

TAIL = """
Of {count} differences at 95 % about {expected:.1f} would be bold in each of the last two columns if nothing
was there. Versions: {versions}.
"""


def estimated(found: dict[str, Any]) -> Estimate:
    """Return a stored estimate as an object, for its words."""
    return Estimate(found["value"], found["low"], found["high"], 0.95, found["n"], found["method"])


def marked(e: Estimate) -> str:
    """Return an estimate in words, bold where its interval excludes 0."""
    excluded = e.low is not None and e.high is not None and (e.low > 0.0 or e.high < 0.0)
    return f"**{e}**" if excluded else str(e)


def row(name: str, found: dict[str, Any]) -> str:
    """Return one line of the table."""
    promised, kept = estimated(found["promised"]), estimated(found["kept"])
    cells = [
        TABLES[name].what.removesuffix(", Poisson loss"),
        f"{found['rows']:,}",
        str(found["columns"]),
        f"{found['seconds']:.0f} ({found['forecast_seconds']:.0f})",
        f"{found['peak_bytes'] / 1e9:.2f} ({found['forecast_bytes'] / 1e9:.2f})",
        found["model"],
        found["metric"],
        str(promised),
        str(kept),
        marked(difference_of_independent(kept, promised)),
        marked(estimated(found["difference"])) if "difference" in found else "",
    ]
    return f"| {' | '.join(cells)} |"


def stored() -> dict[str, Any]:
    """Return the results of the last run, or nothing when there was none."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def store(name: str, found: dict[str, Any]) -> None:
    """Keep a result, so that a few tables can be measured anew without the others."""
    write(json.dumps({**stored(), name: found}, indent=1, sort_keys=True) + "\n", STORE)


def page() -> str:
    """Return the whole page, from the stored results."""
    found = stored()
    versions = ", ".join(sorted({f["peer"]["version"] for f in found.values() if "peer" in f}))
    lines = [row(name, found[name]) for name in TABLES if name in found]
    told = {"count": len(lines), "expected": 0.05 * len(lines), "versions": versions}
    lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", *lines]
    return HEAD + "\n".join(lines) + "\n" + TAIL.format(**told)
