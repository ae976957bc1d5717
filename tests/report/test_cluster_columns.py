"""Which columns decide on clusters, what numbers they become, and how much each counts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from empirisk.report.clusters.columns import set_aside, take_part
from empirisk.report.clusters.matrix import column_shares, encode_rows, ranked_rows, raw_rows
from empirisk.report.clusters.options import ClusterOptions, numbers_of_clusters
from empirisk.report.errors import DataError
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from tests.report.groups import three_groups


def table_of(frame: pl.DataFrame, folder: Path, names: tuple[str, ...] = (), **options: object) -> Table:
    frame.write_csv(folder / "table.csv")
    return take_part(read_table(folder / "table.csv", task="clusters", **options), names)  # type: ignore[arg-type]


def test_names_dates_constants_and_copies_take_no_part(tmp_path: Path) -> None:
    frame = three_groups().with_columns(twin=pl.col("price"), gone=pl.lit(None, dtype=pl.Float64))
    table = table_of(frame, tmp_path, drop=("species",))
    assert table.features == ["size", "price", "noise", "town", "big"]
    reasons = {c.name: c.reason for c in table.columns if c.role == "dropped"}
    assert "names the rows" in reasons["row"]
    assert "date" in reasons["day"]
    assert "the same value" in reasons["same"]
    assert "a copy of price" in reasons["twin"]
    assert "no value" in reasons["gone"]
    assert [c.name for c in set_aside(table)] == ["species"]


def test_columns_that_are_mostly_missing_or_rare_leave_unless_asked_for(tmp_path: Path) -> None:
    n = 60
    frame = pl.DataFrame(
        {
            "x": np.arange(n) * 1.5,
            "half": [float(i) if i % 3 == 0 else None for i in range(n)],
            "code": [f"k{i // 2}" for i in range(n)],
        }
    )
    table = table_of(frame, tmp_path, types={"code": "categorical"})
    assert table.features == ["x", "code"]  # as asked
    assert "67 % of its values are missing" in table.column("half").reason
    assert table.column("half").override == "--types half=number"
    again = table_of(frame, tmp_path, types={"half": "number", "code": "categorical"})
    assert again.features == ["x", "half", "code"]


def test_a_name_of_the_rows_that_is_given_is_kept_as_a_name(tmp_path: Path) -> None:
    table = table_of(three_groups(), tmp_path, ("price",))
    assert table.column("price").kind == "id"
    assert "price" not in table.features
    with pytest.raises(DataError, match=r"no column 'prize'"):
        table_of(three_groups(), tmp_path, ("prize",))


def test_a_table_without_a_usable_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column to group rows by"):
        table_of(pl.DataFrame({"id": [f"r{i}" for i in range(30)]}), tmp_path)


def test_a_level_weighs_as_much_as_one_standard_deviation(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "x": [0.0, 2.0] * 20,
            "town": ["a"] * 20 + ["b"] * 10 + ["c"] * 10,
            "true": ["yes", "yes", "no", "no"] * 10,
        }
    )
    matrix = encode_rows(table_of(frame, tmp_path))

    def apart(i: int, j: int) -> float:
        return float(np.linalg.norm(matrix.X[i] - matrix.X[j]))

    # The standard deviation of x is 1: rows 0 and 1 differ by two of them, 0 and 2 in the truth value alone,
    # 0 and 20 and 20 and 32 in the level alone.
    assert apart(0, 1) == pytest.approx(2.0)
    assert apart(0, 2) == pytest.approx(1.0)
    assert apart(0, 20) == pytest.approx(1.0)
    assert apart(20, 32) == pytest.approx(1.0)
    shares = column_shares(matrix)
    assert sum(shares.values()) == pytest.approx(1.0)
    # Half of 1 - sum of squared shares, beside 1 of the number and 1/4 of the truth value.
    gini = 1.0 - (0.5**2 + 0.25**2 + 0.25**2)
    assert shares["town"] / shares["x"] == pytest.approx(0.5 * gini)
    assert shares["true"] / shares["x"] == pytest.approx(0.25)


def test_missing_values_become_the_median_without_a_mark(tmp_path: Path) -> None:
    values = [None, *map(float, range(1, 40))]
    matrix = encode_rows(table_of(pl.DataFrame({"x": values, "y": np.arange(40.0) ** 2}), tmp_path))
    assert matrix.X.shape == (40, 2)
    own = matrix.origins[0]
    assert matrix.X[0, 0] * own.scale + own.center == pytest.approx(20.0)


def test_other_scales_are_the_units_of_the_file_and_the_order_of_the_values(tmp_path: Path) -> None:
    frame = three_groups().drop("town", "big")
    matrix = encode_rows(table_of(frame, tmp_path, drop=("species",)))
    j = matrix.names.index("price")
    raw = raw_rows(matrix)
    assert np.ptp(raw[:, j]) == pytest.approx(np.ptp(frame["price"].to_numpy()))
    ranked = ranked_rows(matrix)
    assert np.array_equal(np.argsort(ranked[:, j]), np.argsort(matrix.X[:, j]))
    assert abs(float(np.median(ranked[:, j]))) < 0.02


def test_numbers_of_clusters_are_read_and_refused_in_a_sentence() -> None:
    assert numbers_of_clusters(" 5, 2-3 ") == (2, 3, 5)
    for wrong in ("1-3", "0", "a", "4-2", "", "2-99"):
        with pytest.raises(DataError, match="--ks"):
            numbers_of_clusters(wrong)


def test_the_command_can_be_given_again() -> None:
    options = ClusterOptions(
        Path("/home/me/a b.csv"), types={"x": "number"}, id=("row",), header=False, seed=3
    )
    assert options.command() == "empirisk cluster 'a b.csv' --types x=number --id row --no-header --seed 3"
    assert ClusterOptions(Path("x/adult.csv.gz")).folder == Path("adult-clusters")
