"""Reading files: what is found, what is told, and one sentence for everything that cannot be read."""

from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from empirisk.report.errors import DataError
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from tests.report.data.make_messy import rows as messy_rows

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples" / "data"
MESSY = HERE / "data" / "messy.csv"


def write(folder: Path, content: str | bytes, name: str = "a.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path, content: str | bytes, name: str = "a.csv", **options: object) -> Table:
    return read_table(write(folder, content, name), **{"target": "y", **options})  # type: ignore[arg-type]


TEN = "".join(f"{i},{'ab'[i % 2]},{i * 1.5}\n" for i in range(10))


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {}, r"a.csv is empty \(0 bytes\)"),
        ("\n\n", {}, "blank lines only"),
        ("x,y\n", {}, "has no rows below its header"),
        ("x,y\n1,a\n", {}, "has one value only"),
        ("x,y\n1,a\n2,a\n", {}, r"has one value only \('a'\)"),
        ("x,y\n1,\n2,?\n", {}, "has no value in any row"),
        ("x,incme\n1,2\n2,3\n", {"target": "income"}, "no column 'income' .* did you mean 'incme'"),
        ("x,y\n1,2\n2,3\n", {"target": None}, "give --target COLUMN"),
        ("age,y\n1,2\n2,3\n", {"types": {"agee": "number"}}, r"\(given by --types\): did you mean 'age'"),
        ("age,y\n1,2\n2,3\n", {"types": {"age": "float"}}, "is no kind of column: use one of number"),
        ("age,y\na,2\nb,3\n", {"types": {"age": "number"}}, "holds no number"),
        ("age,y\na,2\nb,3\n", {"types": {"age": "date"}}, "no known date format reads, such as 'a'"),
        ("age,y\n1,2\nb,3\n", {"drop": ["ag"]}, r"\(given by --drop\): did you mean 'age'"),
        ("x,y\n1,2\n2,3\n", {"drop": ["y"]}, "is the target and cannot be dropped"),
        ("x,y\n1,2\n2,3\n", {"drop": ["x"]}, "no usable column besides the target"),
        ("y\n1\n2\n", {}, "has one column only"),
        ("x,y\n1,2\n2,3\n", {"group": "z"}, r"\(given by --group\)"),
        ("x,y\n1,2\n2,3\n", {"group": "y"}, "cannot be given by --group too"),
        ("x,t,y\n1,a,2\n2,b,3\n3,c,4\n", {"time": "t"}, "neither numbers nor dates of one known format"),
        ("x,y\n1,a\n2,b\n", {"task": "regression"}, "needs numbers, but 'y' holds words such as 'a'"),
        ("x,y\n1,a\n2,b\n3,c\n", {"task": "binary"}, "needs two classes, but 'y' has 3"),
        ("x,y\n1,a\n2,b\n", {"task": "foo"}, "--task 'foo' is no task"),
        ("x,y\n1,yes\n2,no\n", {"positive": "yess"}, "is no class of 'y': did you mean 'yes'"),
        ("x,y\n1,a\n2,b\n3,c\n", {"positive": "a"}, "--positive needs two classes"),
        ("x,y\n1,1.5\n2,2.5\n", {"positive": "a", "task": "regression"}, "needs classes"),
        ("x,y\n" + "".join(f"{i},name{i}\n" for i in range(50)), {}, "50 different texts in 50 rows"),
        ("x,y\n1,2020-01-01\n2,2020-01-02\n", {}, "is a date: turn it into a number"),
        ("x,y\n1,2\n2,3\n", {"header": False}, "no column 'y'"),
        ("x,y\n1,2\n2,3\n", {"decimal": ";"}, "--decimal ';' is no decimal mark"),
        ("x,y\n1,2\n2,3\n", {"delimiter": "ab"}, "--delimiter 'ab' is not one character"),
        (
            "x,y\nä,2\nb,3\n".encode("latin-1"),
            {"encoding": "utf-8"},
            "cannot be read as utf-8: byte 0xe4 in line 2",
        ),
        (b"\x1f\x8b\x08\x00garbage", {}, "damaged gzip file"),
        (gzip.compress(b"x,y\n1,2\n" * 1000, mtime=0)[:-20], {}, "damaged gzip file"),
        (bytes(range(256)) * 9, {}, "holds no text"),
        (b"PK\x03\x04" + bytes(100), {}, "a zip archive or a spreadsheet"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    tmp_path: Path, content: str | bytes, options: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, content, **options)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_missing_file_folder_and_damaged_formats(tmp_path: Path) -> None:
    write(tmp_path, "x,y\n1,2\n", "income.csv")
    with pytest.raises(DataError, match=r"incme.csv does not exist: did you mean income.csv\?"):
        read_table(tmp_path / "incme.csv", target="y")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path, target="y")
    with pytest.raises(DataError, match="no readable Parquet file"):
        read(tmp_path, b"PAR1 and then nothing", "a.parquet")
    with pytest.raises(DataError, match="line 2 is no JSON"):
        read(tmp_path, '{"a":1,"y":2.5}\n{"a":2,"y"\n', "a.jsonl")
    with pytest.raises(DataError, match="line 1 is no JSON object"):
        read(tmp_path, "[1,2]\n", "b.jsonl")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_blank_lines_and_trailing_delimiters(tmp_path: Path, end: str) -> None:
    text = end.join(["x,y,", "1,2,", "", "3,4,", "5,7,", ""])
    table = read(tmp_path, text)
    assert table.frame.to_dict(as_series=False) == {"x": [1.0, 3.0, 5.0], "y": [2.0, 4.0, 7.0]}
    assert any("ends with a separator" in note for note in table.source.notes)


def test_header_is_one_short_as_r_writes_it(tmp_path: Path) -> None:
    table = read(tmp_path, 'x,y\n"a",1,2\n"b",4,5\n"c",7,8\n')
    assert [c.name for c in table.columns] == ["row_name", "x", "y"]
    assert table.column("row_name").role == "dropped"
    assert any("one name short" in note for note in table.source.notes)


def test_file_without_header(tmp_path: Path) -> None:
    rows = "3.62,8.66,-2.80,0\r\n4.54,8.16,-2.45,0\r\n3.86,-2.63,1.92,1\r\n3.45,9.52,-4.01,1\r\n"
    table = read(tmp_path, rows, target="column_4")
    assert table.n_rows == 4
    assert table.classes == ("0", "1")
    assert any("column_1 to column_4" in note for note in table.source.notes)
    assert read(tmp_path, rows, target="0", header=True).n_rows == 3


def test_duplicate_names_and_missing_targets_are_told(tmp_path: Path) -> None:
    table = read(tmp_path, "x,x,y\n1,2,3.5\n2,3,NA\n5,3,9\n")
    assert table.source.renamed == (("x", "x_2"),)
    assert (table.n_rows, table.n_left_out) == (2, 1)
    told = "\n".join(table.lines())
    assert "column 2 is called 'x_2'" in told
    assert "1 row without a value left out" in told


def test_every_column_has_a_line_with_its_option() -> None:
    table = read_table(MESSY, target="Klasse")
    lines = table.lines()
    for column in table.columns:
        line = next(text for text in lines[1:] if text.strip().startswith(column.name))
        assert column.kind in ("empty", "categorical") or "--" in line
    assert (
        lines[0] == "Reading messy.csv  240 rows, 14 columns (semicolon, cp1252, decimal comma, header found)"
    )


def test_messy_file_is_understood() -> None:
    table = read_table(MESSY, target="Klasse")
    kinds = {c.name: c.kind for c in table.columns}
    assert kinds == {
        "Kunde-ID": "id",
        "PLZ": "categorical",
        "Größe (cm)": "number",
        "Umsatz": "number",
        "Rabatt": "number",
        "Eintritt": "date",
        "Ort": "categorical",
        "leer": "empty",
        "Land": "constant",
        "Messung": "number",
        "Wert": "number",
        "Wert_2": "number",
        "Notiz": "text",
        "Klasse": "categorical",
    }
    raw = [row[3] for row in messy_rows()[1:]]
    expected = [float(text.replace(".", "").replace(",", ".")) for text in raw]
    np.testing.assert_array_equal(table.frame["Umsatz"].to_numpy(), expected)
    assert table.column("Rabatt").unit == "%"
    assert table.column("PLZ").levels[0].startswith("01")
    assert table.column("Messung").unreadable == ("<0,1",)
    assert dict(table.column("Messung").markers).keys() == {"?", "NA", "n/a", ""}
    assert "Zürich" in table.column("Ort").levels
    assert table.class_counts()["selten"] == 3


@pytest.mark.full  # the files of the examples are large
def test_adult_and_wine_examples() -> None:
    adult = read_table(EXAMPLES / "adult.csv.gz", target="income")
    assert adult.n_rows == 32_561
    assert adult.class_counts() == {"<=50K": 24_720, ">50K": 7_841}
    assert adult.positive == ">50K"
    missing = {c.name: c.n_missing for c in adult.columns if c.n_missing}
    assert missing == {"workclass": 1_836, "occupation": 1_843, "native-country": 583}  # as adult.names says
    wine = read_table(EXAMPLES / "winequality-red.csv", target="quality")
    assert (wine.task, wine.n_rows, len(wine.features)) == ("regression", 1_599, 11)


def frames() -> st.SearchStrategy[pl.DataFrame]:
    """Small tables with numbers, words, truths and dates, all with gaps."""
    number = st.floats(-1e6, 1e6, allow_subnormal=False).map(lambda v: round(v, 3)) | st.none()
    word = st.sampled_from(["ä", "Oslo", "b c", "x;y", 'say "so"', "a,b", None])
    truth = st.sampled_from([True, False, None])
    date = st.dates(min_value=datetime.date(1970, 1, 1)) | st.none()

    def build(rows: list[tuple[object, ...]]) -> pl.DataFrame:
        schema = {"n": pl.Float64, "w": pl.String, "t": pl.Boolean, "d": pl.Date, "y": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    # A target that varies, and first rows that hold one value of each kind.
    fixed = [(0.5, "Oslo", True, datetime.date(2020, 1, 31), 1.25)]
    fixed += [(-1.5, "ä", False, datetime.date(2021, 12, 1), 2.5)] * 2
    row = st.tuples(number, word, truth, date, st.floats(-9, 9).map(lambda v: round(v, 2)))
    return st.lists(row, max_size=12).map(lambda rows: build(fixed + rows))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    frame=frames(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_written_text_reads_back(
    tmp_path: Path, frame: pl.DataFrame, delimiter: str, decimal: str, encoding: str, end: str
) -> None:
    text = frame.write_csv(
        separator=delimiter, decimal_comma=decimal == ",", line_terminator=end, quote_style="necessary"
    )
    assert text is not None
    path = write(tmp_path, text.encode(encoding))
    types = {"n": "number", "w": "categorical", "t": "boolean", "d": "date", "y": "number"}
    table = read_table(path, target="y", task="regression", types=types)
    assert table.source.delimiter == {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[delimiter]
    expected = frame.with_columns(pl.col("d").cast(pl.Datetime("us")))
    assert table.frame.equals(expected)


@pytest.mark.full  # drawn many times, five files each
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=frames())
def test_fingerprint_is_the_same_for_every_format(tmp_path: Path, frame: pl.DataFrame) -> None:
    frame.write_csv(tmp_path / "a.csv")
    frame.write_csv(tmp_path / "b.csv", separator=";", decimal_comma=True)
    frame.write_parquet(tmp_path / "c.parquet")
    frame.write_ndjson(tmp_path / "d.jsonl")
    with gzip.open(tmp_path / "e.csv.gz", "wb") as file:
        file.write((tmp_path / "a.csv").read_bytes())
    names = ["a.csv", "b.csv", "c.parquet", "d.jsonl", "e.csv.gz"]
    prints = {read_table(tmp_path / n, target="y", task="regression").fingerprint for n in names}
    assert len(prints) == 1


def test_fingerprint_sees_every_change(tmp_path: Path) -> None:
    base = "x,w,y\n1,a,2.5\n2,b,3.5\n,a,4.5\n4,,9\n"
    changed = [base.replace("a,2.5", "b,2.5"), base.replace(",,9", ",a,9"), base.replace("\n,a", "\n0,a")]
    changed += [base.replace("x,w", "z,w"), base + "4,a,9\n", base.replace("9", "9.0000000001")]
    prints = {read(tmp_path, text).fingerprint for text in [base, *changed]}
    assert len(prints) == 1 + len(changed)


# -- reading a second file under the decisions of a first one ------------------------------------

HEADER = "age;city;member;since;zip;label\n"
FIRST = HEADER + "".join(
    f"{20 + i},5;{'Oslo' if i % 2 else 'Bergen'};{'ja' if i % 3 else 'nein'};{i % 27 + 1:02d}.03.2020;"
    f"0{100 + i % 5};{'<=50K' if i % 2 else '>50K'}\n"
    for i in range(30)
)


@pytest.fixture
def first(tmp_path: Path) -> Table:
    return read(tmp_path, FIRST, "first.csv", target="label")


def test_second_file_without_target_in_another_order_and_format(tmp_path: Path, first: Table) -> None:
    row = {"zip": "0103", "since": "2020-03-05", "member": "ja", "city": "Oslo", "age": 41.5, "extra": 1}
    second = read_table(write(tmp_path, json.dumps(row) + "\n", "rows.jsonl"), like=first)
    assert second.target is None
    assert second.frame.columns == ["age", "city", "member", "since", "zip"]
    assert any("left out: 'extra'" in note for note in second.source.notes)
    assert second.frame["member"].to_list() == [True]


def test_decisions_survive_json_and_read_alike(tmp_path: Path, first: Table) -> None:
    again = Table.from_decisions(json.loads(json.dumps(first.decisions())))
    path = tmp_path / "first.csv"
    assert (
        read_table(path, like=again).fingerprint
        == first.fingerprint
        == read_table(path, like=first).fingerprint
    )


def test_labels_with_points_are_matched_and_told(tmp_path: Path, first: Table) -> None:
    text = FIRST.replace("50K\n", "50K.\n")
    second = read(tmp_path, text, "second.csv", like=first)
    assert second.classes == first.classes
    assert second.class_counts() == first.class_counts()
    assert "'<=50K.' as '<=50K'" in "\n".join(second.lines())


def test_file_without_header_is_taken_by_position(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b,y\n1,u,0\n2,v,1\n4,u,1\n7,v,0\n", "train.csv")
    second = read(tmp_path, "1,u,0\n5,v,1\n9,u,1\n", "test.csv", like=table)
    assert second.frame.to_dict(as_series=False) == {
        "a": [1.0, 5.0, 9.0],
        "b": ["u", "v", "u"],
        "y": ["0", "1", "1"],
    }
    assert "by position" in second.source.header
    alone = read(tmp_path, "1,u\n5,v\n9,u\n", "rows.csv", like=table)
    assert alone.frame.columns == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace("age;", "aeg;", 1), "lacks the column 'age': did you mean 'aeg'"),
        (lambda t: t.replace("25,5;", "many;"), "row 6, column 'age': 'many' is no number"),
        (
            lambda t: t.replace("nein;04", "vielleicht;04"),
            "row 4, column 'member': 'vielleicht' is no nein or ja",
        ),
        (lambda t: t.replace("04.03.2020", "gestern"), "row 4, column 'since': 'gestern' is no date"),
        (lambda t: t.replace("<=50K", "unknown"), "holds 'unknown', but the classes are '<=50K', '>50K'"),
        (lambda t: t.split("\n")[0] + "\n", "has no rows below its header"),
    ],
)
def test_what_does_not_fit_the_first_file_is_refused(
    tmp_path: Path, first: Table, change: object, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, change(FIRST), "second.csv", like=first)  # type: ignore[operator]


def test_new_levels_are_told_not_refused(tmp_path: Path, first: Table) -> None:
    second = read(tmp_path, FIRST.replace("Bergen", "Narvik"), "second.csv", like=first)
    assert any("levels that the first table does not have ('Narvik')" in line for line in second.lines())


@pytest.mark.full  # thousands of columns
def test_wide_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 200)).round(4)
    pl.DataFrame(values, schema=[f"x{j}" for j in range(199)] + ["y"]).write_csv(tmp_path / "wide.csv")
    table = read_table(tmp_path / "wide.csv", target="y")
    assert len(table.features) == 199
    lines = table.lines()
    assert len(lines) == 1 + 1 + 40 + 1  # the file, the target, columns, and how many more there are
    assert "159" in lines[-1]


def test_a_file_that_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "x,y\n1,2\n2,3\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"a.csv cannot be read \(Permission denied\)"):
        read_table(path, target="y")


@pytest.mark.parametrize("option", ["delimiter", "decimal", "encoding", "header"])
@pytest.mark.parametrize("kind", ["parquet", "jsonl", "frame"])
def test_options_of_text_files_are_refused_for_others(tmp_path: Path, option: str, kind: str) -> None:
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.5, 2.5, 2.0, 4.0]})
    data = tmp_path / f"a.{kind}"
    frame.write_parquet(data) if kind == "parquet" else frame.write_ndjson(data)
    given = {"delimiter": ";", "decimal": ",", "encoding": "latin-1", "header": True}[option]
    with pytest.raises(DataError, match=f"--{option}: only text files"):
        read_table(frame if kind == "frame" else data, target="y", **{option: given})


def test_a_wide_table_is_told_in_two_screens(tmp_path: Path) -> None:
    """Columns with a warning or a role have their lines, and the rest is counted by kind."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": [f"{v:.3f}" for v in rng.normal(size=30)] for i in range(200)}
    columns["x150"][3] = "unknown"
    columns |= {"since": [f"{d:02d}.01.2020" for d in range(1, 31)], "y": [str(float(v)) for v in range(30)]}
    pl.DataFrame(columns).write_csv(tmp_path / "a.csv")
    lines = read_table(tmp_path / "a.csv", target="y", time="since").lines()
    assert len(lines) <= 45
    told = "\n".join(lines)
    assert "x150 " in told
    assert "since " in told
    assert "and 161 more columns (161 number): report.json has them all" in told


def test_what_cannot_be_read_is_counted_over_the_rows_that_are_named(tmp_path: Path) -> None:
    """Three cells of the file are no number, and the row of one has no target."""
    rows = [f"{i}.5,{i}" for i in range(40)]
    rows[3], rows[7], rows[9] = "bad,3", "bad,7", "bad,"
    table = read(tmp_path, "x,y\n" + "\n".join(rows) + "\n", target="y")
    column = table.column("x")
    assert (column.n_missing, column.n_unreadable) == (2, 3)
    assert "2 missing; in the whole file 3 values are no number and count as missing" in column.line()


def test_formats_that_hold_commas_are_told_apart(tmp_path: Path) -> None:
    days = [f"2020-12-{d:02d}" for d in range(1, 16)] + [f"Dec {d}, 2020" for d in range(16, 31)]
    rows = "\n".join(f'"{day}",{i % 7},{i}' for i, day in enumerate(days))
    table = read(tmp_path, f"day,x,y\n{rows}\n", target="y")
    assert "'%Y-%m-%d' and '%b %d, %Y'" in table.column("day").reason
