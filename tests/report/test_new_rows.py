"""What predict and verify say about rows: frames, names of rows, formulas, ranges, training rows."""

from __future__ import annotations

import datetime
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from empirisk.report.errors import DataError
from empirisk.report.read.frames import raw_frame
from empirisk.report.read.read import read_table
from empirisk.report.saved.cells import escape, unescape
from empirisk.report.saved.model_file import ModelFile, NewRowsWarning, load
from empirisk.report.saved.predict import predict_file, reading_lines
from empirisk.report.saved.row_marks import MOST, known_rows, mark_rows
from empirisk.report.saved.verify_file import verify_file, verify_lines
from tests.report.reports import make_report
from tests.report.tables import table_of

N = 240


def rows(n: int = N, seed: int = 0) -> pl.DataFrame:
    """A column of each kind, an id, and labels that a spreadsheet would run."""
    rng = np.random.default_rng(seed)
    x, day = rng.normal(50.0, 12.0, n).round(2), rng.integers(0, 300, n)
    zips = rng.choice(["01067", "02134", "80331"], n)
    odds = 0.15 * (x - 50.0) + np.where(zips == "80331", 1.0, -0.5)
    label = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), "=HYPERLINK(1)", "@no")
    start = datetime.date(2020, 1, 1)
    return pl.DataFrame(
        {
            "customer_id": np.arange(n) + 1000,
            "x": [None if i % 17 == 0 else v for i, v in enumerate(x)],
            "day": [(start + datetime.timedelta(days=int(d))).isoformat() for d in day],
            "zip": zips,
            "member": np.where(rng.random(n) < 0.5, "Yes", "No"),
            "answer": label,
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    make_report(folder, rows(), "answer")
    return folder


@pytest.fixture(scope="module")
def model(made: Path) -> ModelFile:
    return load(made / "out" / "model.empirisk")


@pytest.mark.full  # a report of its own
def test_frames_give_the_answers_of_the_file(made: Path, model: ModelFile) -> None:
    file = made / "table.csv"
    right = model.predict_proba(file)
    text = pd.read_csv(file, dtype=str, keep_default_na=False)
    guessed = pd.read_csv(file)  # zip becomes a whole number, x has NaN
    dated = guessed.assign(day=pd.to_datetime(guessed["day"]), zip=guessed["zip"].astype("category"))
    polars = pl.read_csv(file, try_parse_dates=True)
    shuffled = guessed[["zip", "day", "member", "x"]].assign(extra=1)
    for frame in (text, guessed, dated, polars, rows(), shuffled, guessed.set_index("customer_id")):
        np.testing.assert_array_equal(model.predict_proba(frame), right)
        assert list(model.predict(frame)) == list(model.predict(file))
    mixed = guessed.astype({"x": object})
    mixed.loc[0, "x"] = "?"
    np.testing.assert_array_equal(model.predict_proba(mixed), right)
    with pytest.raises(ValueError, match="lacks the column 'x'"):
        model.predict(guessed.drop(columns="x"))
    with pytest.raises(TypeError, match="in a data frame"):
        model.predict(guessed.to_numpy())  # type: ignore[arg-type]


@pytest.mark.full  # a report of its own
def test_loaded_models_answer_frames_as_the_command_answers_files(
    made: Path, model: ModelFile, tmp_path: Path
) -> None:
    table, right = predict_file(model, made / "table.csv", tmp_path / "p.parquet")
    guessed = pd.read_csv(made / "table.csv").set_index(np.arange(N)[::-1])
    lists = {name: guessed[name].tolist() for name in guessed}
    arrays = {name: guessed[name].to_numpy() for name in reversed(guessed.columns)}
    lazy = pl.scan_csv(made / "table.csv")
    nullable = guessed.convert_dtypes()
    for given in (guessed, lists, arrays, lazy, nullable, rows(), made / "table.csv"):
        found = model.predictions(given)
        same = pl.DataFrame({name: list(found[name]) for name in right.columns})
        assert same.equals(right)
    assert list(model.predictions(guessed).index) == list(guessed.index)
    assert isinstance(model.predictions(rows()), pl.DataFrame)
    assert isinstance(model.predictions(lists), dict)
    far = rows(4, seed=1).with_columns(x=pl.Series([50.0, 1e9, 40.0, 60.0]), zip=pl.Series(["9"] * 4))
    said = [line.strip() for line in reading_lines(model, model.read(far))[1:]]
    assert len(said) == 2
    with pytest.warns(NewRowsWarning) as told:
        model.predict(far)
    assert [str(w.message) for w in told] == [f"ER005: {said[0]}; {said[1]}"]
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(table)


def test_mappings_are_refused_by_column() -> None:
    assert raw_frame({"a": np.array([1, 2]), 3: ["x", float("nan")]}).frame.to_dict(as_series=False) == {
        "a": [1, 2],
        "3": ["x", None],
    }
    stamps = raw_frame({"d": np.array(["2020-01-02"], dtype="M8[ns]")}).frame["d"]
    assert stamps.dtype.is_temporal()
    with pytest.raises(DataError, match="column 'b' has 1 values and column 'a' has 2"):
        raw_frame({"a": [1, 2], "b": [1]})
    with pytest.raises(DataError, match="column 'b' is 5: give a list"):
        raw_frame({"b": 5})
    with pytest.raises(DataError, match="column 'b' has the shape"):
        raw_frame({"b": np.zeros((2, 2))})
    with pytest.raises(DataError, match="2 columns called 'a'"):
        raw_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


@pytest.mark.full  # a report of its own
def test_rows_are_named_and_formulas_are_text(made: Path, model: ModelFile, tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        out = tmp_path / f"p.{ending}"
        predict_file(model, made / "table.csv", out)
        found = pl.read_csv(out) if ending == "csv" else pl.read_parquet(out)
        assert found.columns[:2] == ["customer_id", "prediction"]
        assert found["customer_id"].to_list() == list(range(1000, 1000 + N))
        if ending == "csv":
            assert set(found["prediction"]) == {"'=HYPERLINK(1)", "'@no"}
            said = [unescape(v) for v in found["prediction"].to_list()]
            assert said == list(model.predict(made / "table.csv"))
        else:
            assert found["prediction"].to_list() == list(model.predict(made / "table.csv"))
    strange = rows().with_columns(customer_id=pl.Series([f"={i}" for i in range(N)]))
    strange.write_csv(tmp_path / "t.csv")
    predict_file(model, tmp_path / "t.csv", tmp_path / "q.csv")
    assert pl.read_csv(tmp_path / "q.csv")["customer_id"].to_list() == [f"'={i}" for i in range(N)]


@pytest.mark.parametrize(
    "text", ["=1+1", "+a", "-a", "@x", "\tx", "\rx", "'=1", "''-x", "'s", "", "plain", "-1.5", "+"]
)
def test_escaped_text_comes_back(text: str) -> None:
    assert unescape(escape(text)) == text
    assert escape(text) in (text, f"'{text}")
    assert escape(text)[:1] not in ("=", "@", "\t", "\r")


@pytest.mark.full  # a report of its own
def test_rows_far_outside_the_training_rows_are_told(made: Path, model: ModelFile, tmp_path: Path) -> None:
    assert not [t for t in reading_lines(model, model.read(made / "table.csv")) if "outside" in t]
    far = rows(6, seed=1).with_columns(
        x=pl.Series([50.0, 1e9, -1e8, None, 60.0, 40.0]), day=pl.Series(["2020-02-01"] * 5 + ["2031-05-06"])
    )
    far.write_csv(tmp_path / "far.csv")
    told = [t for t in reading_lines(model, model.read(tmp_path / "far.csv")) if "outside" in t]
    assert len(told) == 2
    assert "column 'x': 2 rows lie far outside" in told[0]
    assert "row 2: 1,000,000,000" in told[0]
    assert "2031-05-06" in told[1]
    assert "from 2020-01-0" in told[1]


@pytest.mark.full  # a report of its own
def test_verify_tells_rows_that_trained_the_model(made: Path, model: ModelFile, tmp_path: Path) -> None:
    def trained(frame: pl.DataFrame) -> str:
        frame.write_csv(tmp_path / "v.csv")
        return verify_file(model, model.read(tmp_path / "v.csv", labelled=True)).trained

    assert trained(rows()) == ""  # the data of the report: the scores are those of the held-out rows
    n_train = json.loads((made / "out" / "report.json").read_text())["split"]["parts"][0]["n_rows"]
    more = pl.concat([rows(), rows(1, seed=5)])
    assert trained(more).startswith(f"{n_train} of the {N + 1} rows (80 %) trained this model")
    moved = (
        rows()
        .select("answer", "zip", "x", "member", "day", "customer_id")
        .sample(fraction=1.0, shuffle=True, seed=1)
    )
    assert trained(moved).startswith(f"{n_train} of the {N} rows")
    assert trained(rows(seed=9)) == ""
    found = verify_file(model, model.read(tmp_path / "v.csv", labelled=True))
    assert not any("trained" in line for line in verify_lines(found))


@pytest.mark.parametrize("n", [50, MOST, 3 * MOST])
def test_marks_know_rows_again(n: int, rng: np.random.Generator) -> None:
    """Of many rows a sample: its share of known rows is near the true share, and its size is bounded."""
    columns = {"x": rng.normal(size=n), "w": rng.choice(["a", "b", None], n), "y": rng.normal(size=n)}
    table = table_of(columns)
    stored = json.loads(json.dumps(mark_rows(table, np.arange(n // 2))))
    assert len(stored["marks"]) < 11.0 * MOST * 1.2 + 20
    found = known_rows(table, stored)
    assert found.total == n
    assert abs(found.share - 0.5) < (0.03 if found.rows < n else 1e-9)
    fresh = known_rows(table_of({**columns, "x": rng.normal(size=n)}), stored)
    assert (fresh.known, fresh.sentence()) == (0, "")


def test_equal_rows_by_chance_are_said_to_be(rng: np.random.Generator) -> None:
    def draw() -> dict[str, object]:
        return {"x": rng.integers(0, 2, 300), "z": rng.integers(0, 3, 300), "y": rng.choice(["a", "b"], 300)}

    found = known_rows(table_of(draw()), mark_rows(table_of(draw()), np.arange(240)))
    assert found.share == 1.0
    assert "by chance" in found.sentence()
    assert "no evidence" not in found.sentence()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_that_was_0_and_1_by_chance_is_told_how_to_be_numbers(tmp_path: Path, kind: str) -> None:
    first, then = (tmp_path / f"{name}.{kind}" for name in ("first", "then"))
    for path, values in ((first, [0, 1] * 30), (then, [0, 2, 1])):
        frame = pl.DataFrame({"a": values, "y": list(range(len(values)))})
        frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    with pytest.raises(DataError, match=r"row 2, column 'a': '2' is no 0 or 1 .* --types a=number"):
        read_table(then, like=read_table(first, target="y"))
    assert read_table(then, like=read_table(first, target="y", types={"a": "number"})).n_rows == 3
