"""A few odd cells change neither the kind of a column nor its other values, and are told with their rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from empirisk.report.audit.audit import audit
from empirisk.report.errors import DataError
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table

N, AT = 120, 5

# What a column holds otherwise, and what each odd cell is read as (None: missing).
ORDINARY = {
    "decimals": [f"{7 * i % 113 + 0.5}" for i in range(N)],
    "whole": [str(100 + 7 * i % 113) for i in range(N)],
    "signed": [str(7 * i % 113 - 50) for i in range(N)],
    "thousands": [f"{1000 + 37 * i:,}" for i in range(N)],
    "percent": [f"{7 * i % 97} %" for i in range(N)],
    "dollars": [f"${7 * i % 97}.25" for i in range(N)],
    "ledger": [f"({7 * i % 97}.00)" if i % 3 else f"{7 * i % 97}.00" for i in range(N)],
}
ODD = {
    "007": 7.0,
    "00.5": 0.5,
    "01 !": None,
    "12345678901234567": None,
    "n.d.": None,
    "<5": None,
    "1.2.3": None,
    "1e400": None,
    "-1e400": None,
}


def write(folder: Path, x: list[str]) -> Path:
    path = folder / "t.csv"
    rows = "".join(f'"{v}",{i * 37 % 101 / 7:.3f}\n' for i, v in enumerate(x))
    path.write_text("x,y\n" + rows)
    return path


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kind", ORDINARY)
def test_one_odd_cell_leaves_a_column_of_numbers(tmp_path: Path, kind: str, odd: str) -> None:
    values = ORDINARY[kind]
    plain = read_table(write(tmp_path, values), target="y").frame["x"].to_list()
    assert None not in plain
    table = read_table(write(tmp_path, [*values[:AT], odd, *values[AT + 1 :]]), target="y")
    column = table.column("x")
    assert (column.kind, column.role) == ("number", "feature")
    assert table.frame["x"].to_list() == [*plain[:AT], ODD[odd], *plain[AT + 1 :]]
    assert repr(odd) in column.warning
    if ODD[odd] is None:
        assert f"in row {AT + 1}" in column.warning
        found = [f for f in audit(table, split_rows(table)).findings if f.code == "ER109"]
        assert f"in row {AT + 1}" in found[0].evidence
    again = read_table(tmp_path / "t.csv", like=Table.from_decisions(table.decisions()))
    assert again.fingerprint == table.fingerprint


@pytest.mark.parametrize("odd", ODD)
def test_one_odd_cell_leaves_a_target_of_numbers(tmp_path: Path, odd: str) -> None:
    rows = "".join(f"{i % 17},{odd if i == AT else i * 1.37:}\n" for i in range(N))
    (tmp_path / "t.csv").write_text("x,y\n" + rows)
    table = read_table(tmp_path / "t.csv", target="y")
    assert table.task == "regression"
    assert table.n_left_out == (ODD[odd] is None)


def test_odd_cells_of_typed_files_and_of_times(tmp_path: Path) -> None:
    long = 12345678901234567
    frame = pl.DataFrame(
        {"x": [*range(99), long], "ids": [long + i for i in range(100)], "y": np.arange(100) / 7}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", target="y")
    assert table.column("x").kind == "number"
    assert table.frame["x"][99] is None
    assert table.column("ids").base == "string"
    clock = [f"{i % 24:02d}.00.00" for i in range(N)]
    table = read_table(write(tmp_path, ["24:61", *clock[1:]]), target="y")
    assert table.frame["x"].to_list()[:3] == [None, 1.0, 2.0]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("(1,234.00)", -1234.0), ("($5)", -5.0), ("$(5)", -5.0), ("(12 %)", -12.0), ("( 7 )", -7.0)],
)
def test_amounts_in_brackets_are_negative(tmp_path: Path, cell: str, value: float) -> None:
    unit = "$" if "$" in cell else " %" if "%" in cell else ""
    other = [f"$1{i}" if unit == "$" else f"1{i}{unit}" for i in range(10)]
    table = read_table(write(tmp_path, [*other, cell] * 4), target="y")
    assert table.frame["x"][10] == value
    assert "brackets" in table.column("x").reason


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([f"call 0800298690{i % 9} now or text {i % 7}" for i in range(N)], "distinct texts"),
        ([f"{7 * i % 40:05d}" for i in range(N)], "digits of one width with leading zeros are codes"),
        (
            [str(12345678901234567 + i % 9) for i in range(N)],
            "whole numbers of more than 15 digits are codes",
        ),
    ],
)
def test_reasons_are_true(tmp_path: Path, values: list[str], reason: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,z,y\n" + "".join(f"{v},{i % 7},{i / 7}\n" for i, v in enumerate(values)))
    said = read_table(path, target="y").column("x").reason
    assert reason in said
    assert ("zero" in said) == ("zero" in reason)


# -- the lines of a file ---------------------------------------------------------------------------

ROWS = "".join(f"{i % 7},{i * 37 % 11},{i * 1.5}\n" for i in range(30))


@pytest.mark.parametrize(
    ("head", "tail", "names", "told"),
    [
        ("a,b,y,z\n", "", ["a", "b", "y"], "4 names for 3 columns: 'z' is left out"),
        ("a,b,y,,\n", "", ["a", "b", "y"], ""),
        ("a,b,y\n", ",,", ["a", "b", "y"], "the 2 empty last columns are left out"),
        ("a,b,y\n", ",5,x", ["a", "b", "y", "column_4", "column_5"], "3 names for 5 columns: the last 2"),
        ("Medals of 2020\n\na,b,y\n", "", ["a", "b", "y"], "1 line is left out above the header"),
        ("0,1,2\na,b,y\n", "", ["a", "b", "y"], "1 line is left out above the header"),
        ('"Medals, 2020",,\nby me,,\na,b,y\n', "", ["a", "b", "y"], "2 lines are left out above the header"),
    ],
)
def test_header_that_does_not_fit_the_rows(
    tmp_path: Path, head: str, tail: str, names: list[str], told: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(head + ROWS.replace("\n", f"{tail}\n"))
    table = read_table(path, target="y")
    assert [c.name for c in table.columns] == names
    assert table.frame["y"].to_list() == [i * 1.5 for i in range(30)]
    assert told in "\n".join(table.lines())


def test_a_value_that_is_spelled_like_the_target_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,answer\n" + "".join(f"{i},{i % 5},{'yes' if i % 2 else 'no'}\n" for i in range(1, 31))
    )
    with pytest.raises(DataError, match=r"no column 'yes'.*'a', 'b', 'answer'"):
        read_table(path, target="yes")


@pytest.mark.parametrize("head", ["# one\n# two\na,b,y\n", "Title\n\na,b,y\n"])
def test_lines_are_counted_from_the_top_of_the_file(tmp_path: Path, head: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(head + ROWS + "1,2\n")
    with pytest.raises(DataError, match=r"t\.csv line 34 has 2 fields"):
        read_table(path, target="y")


def test_nul_bytes_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b,y\n" + ROWS.encode() + b"1,\x002,3\n4,\x00\x00,5\n")
    with pytest.raises(DataError, match=r"t\.csv line 32 holds a NUL byte \(3 in the file\)"):
        read_table(path, target="y")


@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize("cell", ["1e308", "-2e150"])
def test_a_number_that_cannot_be_squared_is_refused_with_its_row(
    tmp_path: Path, name: str, cell: str
) -> None:
    """In the first table, in a test file and in rows to predict; up to 1e150 it is read."""

    def table(odd: str) -> Path:
        rows = [[f"{i * 37 % 101 / 7:.3f}", f"{i * 41 % 103 / 9:.3f}"] for i in range(N)]
        rows[AT]["xy".index(name)] = odd
        path = tmp_path / f"{odd}.csv"
        path.write_text("x,y\n" + "".join(",".join(row) + "\n" for row in rows))
        return path

    like = read_table(table("1e149"), target="y")
    said = rf"row {AT + 1}, column '{name}': .* is too large"
    with pytest.raises(DataError, match=said):
        read_table(table(cell), target="y")
    with pytest.raises(DataError, match=said):
        read_table(table(cell), like=like)


def test_a_column_of_numbers_whose_squares_all_vanish_is_refused(tmp_path: Path) -> None:
    """With a target and without one; new rows may hold such numbers, which are as good as 0."""

    def table(name: str, size: float, first: int = 0) -> Path:
        path = tmp_path / f"{name}.csv"
        cells = [(i * 37 % 101 / 7 * size, i * 41 % 103 / 9, i % 13 * size) for i in range(first, N)]
        path.write_text("x,z,y\n" + "".join(f"{x!r},{z!r},{y!r}\n" for x, z, y in cells))
        return path

    tiny = table("tiny", 1e-200)
    said = r"tiny\.csv row 2, column '{}': .*e-2\d\d is too small, its square vanishes"
    with pytest.raises(DataError, match=said.format("x")):
        read_table(tiny, target="z")
    with pytest.raises(DataError, match=said.format("x") + r".* leave it out with --drop x"):
        read_table(tiny, task="clusters")
    with pytest.raises(DataError, match=said.format("y")):
        read_table(tiny, target="y", drop=["x"])
    like = read_table(table("small", 1e-100), target="z")
    assert read_table(tiny, like=like).n_rows == N
