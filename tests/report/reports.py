"""Small reports that the tests of the engine share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from empirisk.data.deadline import Deadline
from empirisk.report.options import Options
from empirisk.report.run import Outcome, run_report


def two_classes(n: int = 240, seed: int = 0) -> pl.DataFrame:
    """Two informative columns (a number with holes and a level), one of noise, a class."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(50.0, 12.0, n), rng.normal(size=n)
    town = rng.choice(["Bergen", "Oslo", "Tromsø"], n, p=[0.5, 0.3, 0.2])
    odds = 0.15 * (x - 50.0) + np.where(town == "Oslo", 1.5, -0.5)
    label = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), "yes", "no")
    holes = [None if h else v for h, v in zip(rng.random(n) < 0.05, x.round(2), strict=True)]
    return pl.DataFrame({"age": holes, "noise": noise.round(4), "town": town, "answer": label})


def numbers(n: int = 240, seed: int = 0) -> pl.DataFrame:
    """A linear regression with known noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = 3.0 + 2.0 * X[:, 0] - X[:, 1] + rng.normal(size=n)
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})


def make_report(
    folder: Path,
    frame: pl.DataFrame,
    target: str,
    *,
    deadline: Deadline | None = None,
    whole: bool = True,
    **options: object,
) -> Outcome:
    """Write a table and report on it: linear models, without the slow reference, unless asked for.

    The time limit makes the plan small; it cuts nothing by the clock, so that a busy machine gives the same.
    Every section must be made, unless `whole` is false.
    """
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "table.csv"
    frame.write_csv(data)
    given = {"time_limit": 4.5, "quiet": True, "out": folder / "out", "models": "linear"} | options
    made = run_report(Options(data, target, **given), lambda line: None, deadline or Deadline(None))  # type: ignore[arg-type]
    assert not (whole and made.errors), made.report["failed"]
    return made
