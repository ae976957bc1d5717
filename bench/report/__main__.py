"""Command line of the measured reports: `python -m bench.report`."""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import bench.report as study
import empirisk as er
from bench.coverage.page import write
from bench.report.command import reported
from bench.report.page import PAGE, page, row, store
from bench.report.tables import Halves, halves
from bench.tuning.data import TABLES
from bench.tuning.models import light
from empirisk.evaluation.metrics import METRICS, Predictions
from empirisk.results import Estimate

LEVEL = 0.95


def measure(name: str, peer: bool, seed: int = 0) -> dict[str, Any]:
    """Make the report on a table in a process of its own, and score its model on the rows held out."""
    parts = halves(name, seed)
    with tempfile.TemporaryDirectory() as place:
        found = reported(parts, Path(place))
        model = er.load(Path(place) / "out" / "model.empirisk")
        if parts.task == "regression":
            ours = predictions(parts, pred=model.predict(parts.with_target("test")))
        else:
            order = [list(model.classes).index(c) for c in np.unique(parts.y_train).astype(str)]
            ours = predictions(parts, proba=model.predict_proba(parts.with_target("test"))[:, order])
    told = METRICS[found["metric"]].interval(ours, LEVEL)
    found |= {"rows": len(parts.y_train), "columns": parts.train.shape[1], "held_out": len(parts.y_test)}
    found |= {"kept": as_json(told)}
    return found | (against_peer(name, parts, ours, found["metric"]) if peer else {})


def against_peer(name: str, parts: Halves, ours: Predictions, metric: str) -> dict[str, Any]:
    """Tune LightGBM on the training rows, and return our loss less its loss on the rows held out.

    Both minimise the loss by which the report chose, which on counts are squares.
    """
    loss = "half_squared" if metric == "mse" else TABLES[name].loss
    began = time.process_time()
    model = light(loss, metric).fit(parts.train, parts.y_train)
    seconds = time.process_time() - began
    regression = parts.task == "regression"
    theirs = (
        predictions(parts, pred=model.predict(parts.test))
        if regression
        else predictions(parts, proba=model.predict_proba(parts.test))
    )
    difference, _ = METRICS[metric].difference([ours], [theirs], None, LEVEL)
    peer = {"version": f"lightgbm {version('lightgbm')}", "cpu": seconds}
    return {"difference": as_json(difference), "peer": peer}


def predictions(parts: Halves, pred: Any = None, proba: Any = None) -> Predictions:
    """Return what a model says of the rows held out, as metrics take it."""
    if proba is None:
        return Predictions("regression", np.asarray(parts.y_test, dtype=np.float64), np.asarray(pred))
    classes = np.unique(parts.y_train)
    codes = np.searchsorted(classes, parts.y_test)
    return Predictions("classification", codes, proba.argmax(axis=1), proba, classes=classes)


def as_json(e: Estimate) -> dict[str, Any]:
    """Return an estimate as the store keeps it."""
    return {"value": e.value, "low": e.low, "high": e.high, "n": e.n, "method": e.method}


def main() -> None:
    """Run the tables; the page is written anew from all results."""
    parser = argparse.ArgumentParser(description=study.__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="run the tables whose name holds this")
    parser.add_argument("--without-lightgbm", action="store_true", help="measure the report alone")
    parser.add_argument("--seed", type=int, default=0, help="hold other rows out; these results are not kept")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in TABLES:
        if args.only in name:
            found = measure(name, not args.without_lightgbm, args.seed)
            print(row(name, found), flush=True)
            if args.seed == 0:
                store(name, found)
    if args.seed:
        return
    write(page(), PAGE)
    print(f"Wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
