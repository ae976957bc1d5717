"""Small tables with and without groups, and reports on them that tests share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from sklearn.datasets import load_wine

from empirisk.data.deadline import Deadline
from empirisk.report.clusters.options import ClusterOptions
from empirisk.report.run import Outcome
from empirisk.report.run_clusters import run_clusters


def three_groups(n: int = 150, seed: int = 0) -> pl.DataFrame:
    """Three groups in two numbers of very different units and a level, one column of noise, and some mess."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 3
    size = rng.normal(size=n) + 6.0 * (group == 1)
    price = 1000.0 * (rng.normal(size=n) + 6.0 * (group == 2))
    town = np.where(rng.random(n) < 0.9, np.array(["Oslo", "Bergen", "Oslo"])[group], "Tromsø")
    holes = rng.random(n) < 0.05
    return pl.DataFrame(
        {
            "row": [f"r{i:03d}" for i in range(n)],
            "day": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
            "size": ["?" if h else f"{v:.3f}" for h, v in zip(holes, size, strict=True)],
            "price": price.round(1),
            "noise": rng.normal(size=n).round(4),
            "town": town,
            "big": np.where(size > 3.0, "yes", "no"),
            "same": ["x"] * n,
            "species": np.array(["a", "b", "c"])[group],
        }
    )


def noise(n: int = 150, seed: int = 0) -> pl.DataFrame:
    """Independent columns: three numbers and a level, and no groups."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.normal(size=n),
            "c": rng.normal(size=n),
            "town": rng.choice(["Bergen", "Oslo", "Tromsø"], n),
        }
    )


def wine() -> pl.DataFrame:
    """The wines of UCI by 13 measurements, with their cultivar."""
    data = load_wine()
    frame = pl.DataFrame({str(name): data.data[:, j] for j, name in enumerate(data.feature_names)})
    return frame.with_columns(cultivar=pl.Series([f"cultivar {t}" for t in data.target]))


def make_clusters(folder: Path, frame: pl.DataFrame, **options: object) -> Outcome:
    """Write a table and report on its clusters; nothing is cut by the clock, and every section is made."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "table.csv"
    frame.write_csv(data)
    given = {"quiet": True, "out": folder / "out", "ks": "2-4"} | options
    made = run_clusters(ClusterOptions(data, **given), lambda line: None, Deadline(None))  # type: ignore[arg-type]
    assert not made.errors, made.report["failed"]
    return made
