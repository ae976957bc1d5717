"""Command line of the table of tuned boosters: `python -m bench.tuning`."""

from __future__ import annotations

import argparse
import time
import warnings
from importlib.metadata import version
from typing import Any

from sklearn.model_selection import ShuffleSplit

import bench.tuning as study
from bench.coverage.page import write
from bench.tuning.data import TABLES, Table
from bench.tuning.models import light, ours
from bench.tuning.page import PAGE, page, row, store
from empirisk.evaluation.compare import compare_cross
from empirisk.selection import cross_evaluate


def measure(table: Table) -> dict[str, Any]:
    """Tune both on the same rows, and compare them on those that were held out."""
    X, y = table.load()
    split = list(ShuffleSplit(1, test_size=1 / 3, random_state=0).split(X))
    found, seconds = {}, {}
    for name, make in (("ours", ours), ("light", light)):
        began = time.process_time()
        model = make(table.loss, table.metric)
        found[name] = cross_evaluate(model, X, y, cv=split, metrics=table.metric, random_state=0)
        seconds[name] = time.process_time() - began
    d = compare_cross(found["ours"], found["light"], table.metric).difference
    return {
        "rows": len(y),
        "columns": X.shape[1],
        "held_out": int(split[0][1].size),
        "ours": str(found["ours"][table.metric]),
        "difference": {"low": d.low, "high": d.high, "value": d.value, "text": str(d)},
        "seconds": seconds,
        "versions": f"lightgbm {version('lightgbm')}",
    }


def main() -> None:
    """Run the tables; the page is written anew from all results."""
    parser = argparse.ArgumentParser(description=study.__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="run the tables whose name holds this")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, table in TABLES.items():
        if args.only in name:
            found = measure(table)
            spent = ", ".join(f"{who} {seconds:.0f} s" for who, seconds in found["seconds"].items())
            print(row(name, found), spent, flush=True)
            store(name, found)
    write(page(), PAGE)
    print(f"Wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
