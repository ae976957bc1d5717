"""Command line of the accuracy tables: `python -m bench.accuracy`."""

from __future__ import annotations

import argparse
import time
import warnings
from importlib.metadata import version
from typing import Any

import bench.accuracy as study
from bench.accuracy.data import TASKS, Task
from bench.accuracy.models import MODELS
from bench.accuracy.page import PAGE, page, row, store
from bench.coverage.page import write
from empirisk.evaluation.compare import compare_cross
from empirisk.results import Estimate
from empirisk.selection import cross_evaluate


def measure(task: Task, repeats: int) -> dict[str, Any]:
    """Cross-validate every library on the same folds."""
    X, y = task.load()
    found = {
        name: cross_evaluate(
            make(task.loss), X, y, cv=5, repeats=repeats, metrics=task.metric, random_state=0
        )
        for name, make in MODELS.items()
    }
    out: dict[str, Any] = {
        "rows": len(y),
        "columns": X.shape[1],
        "ours": str(found["empirisk"][task.metric]),
        "seconds": {name: float(f.fit_seconds.mean()) for name, f in found.items()},
        "versions": f"lightgbm {version('lightgbm')}, scikit-learn {version('scikit-learn')}",
    }
    for peer in ("LightGBM", "scikit-learn"):
        out[peer] = told(compare_cross(found["empirisk"], found[peer], task.metric).difference)
    return out


def told(d: Estimate) -> dict[str, Any]:
    """A difference with its interval, or why there is none."""
    return {"low": d.low, "high": d.high, "value": d.value, "text": str(d)}


def main() -> None:
    """Run the tasks; the page is written anew from all results."""
    parser = argparse.ArgumentParser(description=study.__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="run the tasks whose name holds this")
    parser.add_argument("--repeats", type=int, default=0, help="repeats of the folds (0: as the tasks say)")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, task in TASKS.items():
        if args.only in name:
            start = time.perf_counter()
            found = measure(task, args.repeats or task.repeats)
            print(row(name, found), f"{time.perf_counter() - start:.1f} s", flush=True)
            if not args.repeats:
                store(name, found)
    if not args.repeats:
        write(page(), PAGE)
        print(f"Wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
