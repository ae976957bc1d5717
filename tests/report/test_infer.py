"""What a column is taken for, from its values alone, and how the options change it."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirisk.report.errors import DataError
from empirisk.report.read.dates import MIXED, find_date_format
from empirisk.report.read.infer import infer_column
from empirisk.report.read.numerals import code_reason, parse_numbers, take_off_unit
from empirisk.report.read.parse import Reading
from empirisk.report.read.summary import summarise
from empirisk.report.read.table import Column
from empirisk.report.read.target import decide_target


def infer(
    values: list[object], forced: str = "", decimal: str = ".", name: str = "x"
) -> tuple[Column, list[object]]:
    column, parsed = infer_column(pl.Series(name, values), Reading(decimal), forced)
    return column, parsed.to_list()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "-3e2"], "number"),
        (["00123", "00124", "00123"], "categorical"),
        (["4000123412341234", "4000123412341235", "4000123412341234"], "categorical"),
        (["0", "1", "0"], "boolean"),
        (["Yes", "no", "yes", "No", "YES"], "boolean"),
        (["Yes", "No", "Yes"], "boolean"),
        (["true", "false", ""], "boolean"),
        (["a", "b", "a"], "categorical"),
        (["a", "", "a"], "categorical"),
        (["a", "a", "a"], "constant"),
        (["", "NA", "?"], "empty"),
        (["2020-01-31", "2020-02-01", "2020-02-01"], "date"),
        (["31.01.2020", "1.2.2020", "1.2.2020"], "date"),
        (["20200131", "20200201", "20200201"], "date"),
        (["2020-01-31T10:00:00Z", "2020-01-31 11:30:00.5", "2020-01-31T10:00:00+02:00"], "date"),
        (["K1", "K2", "K3"], "id"),
        (["one text", "another text", "a third"], "text"),
        (["12:30", "13:45", "12:30"], "number"),
        (["12:30", "25:45", "12:30"], "categorical"),
        (["192.168.0.1", "192.168.0.2", "192.168.0.1"], "categorical"),
        ([str(i) for i in range(1, 40)], "id"),
        ([str(v) for v in np.random.default_rng(0).permutation(39)], "number"),
        (["1.5", "2.5", "3.5"], "number"),
    ],
)
def test_kind_from_values(values: list[object], kind: str) -> None:
    assert infer(values)[0].kind == kind


def test_whole_numbers_that_differ_are_ids_only_by_name() -> None:
    values = [str(v) for v in (17, 3, 99, 45)]
    assert infer(values, name="income")[0].kind == "number"
    for name in ("id", "PassengerId", "customer_id", "Kunde-ID", "Nr", "row_number"):
        assert infer(values, name=name)[0].kind == "id"
    for name in ("paid", "humid", "void", "idle"):
        assert infer(values, name=name)[0].kind == "number"


def test_words_are_categories_when_they_recur() -> None:
    many = [f"level {i % 40}" for i in range(100)]
    few = [f"level {i}" for i in range(60)] + ["level 0"] * 40
    assert infer(many)[0].kind == "categorical"
    assert infer(few)[0].kind == "text"


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1.234,5", ",", 1234.5),
        ("1,234.5", ".", 1234.5),
        ("1'234.5", ".", 1234.5),
        ("1\u00a0234,5", ",", 1234.5),
        ("1 234 567", ".", 1234567.0),
        (",5", ",", 0.5),
        ("-1,5e3", ",", -1500.0),
        ("\u22125", ".", -5.0),
        ("1,23", ".", None),
        ("0,123", ".", None),
        ("1.2.3", ".", None),
        ("12-", ".", None),
        ("1e5", ".", 1e5),
        ("0x10", ".", None),
        ("1_000", ".", None),
        ("inf", ".", None),
    ],
)
def test_numerals(text: str, decimal: str, value: float | None) -> None:
    assert parse_numbers(pl.Series([text]), decimal).to_list() == [value]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_every_float_reads_back_exactly(values: list[float]) -> None:
    parsed = parse_numbers(pl.Series([repr(v) for v in values]))
    assert parsed.to_list() == values
    comma = parse_numbers(pl.Series([repr(v).replace(".", ",") for v in values]), ",")
    assert comma.to_list() == values


def test_the_mark_that_explains_a_column_wins_unless_it_is_given() -> None:
    assert infer(["1,5", "2,25"])[1] == [1.5, 2.25]
    assert infer(["0.9978", "0.123"], decimal=",")[1] == [0.9978, 0.123]
    column, _ = infer_column(pl.Series("x", ["1,5", "2,25", "1,5", "2,25"]), Reading(".", decimal_fixed=True))
    assert column.kind == "categorical"


def test_thousands_that_could_be_decimals_are_told() -> None:
    column, values = infer(["1,200", "2,300", "12,000"])
    assert values == [1200.0, 2300.0, 12000.0]
    assert "--decimal ','" in column.warning
    assert infer(["1,200", "1,234,567"])[0].warning == ""


@pytest.mark.parametrize(
    ("values", "numbers", "unit"),
    [
        (["12 %", "7%", ""], [12.0, 7.0, None], "%"),
        (["$1,200.50", "-$30"], [1200.5, -30.0], "$"),
        (["1.200,50 €", "3 €"], [1200.5, 3.0], "€"),
        (["EUR 5", "EUR 6.5"], [5.0, 6.5], "EUR"),
    ],
)
def test_units_are_taken_off_when_every_value_has_the_same(
    values: list[object], numbers: list[float | None], unit: str
) -> None:
    column, parsed = infer(values)
    assert (parsed, column.unit) == (numbers, unit)


def test_mixed_units_are_no_numbers() -> None:
    assert take_off_unit(pl.Series(["5 %", "5 €"]))[1] == ""
    assert infer(["5 %", "5 €", "6 %", "5 €"])[0].kind == "categorical"
    assert infer(["5 %", "6", "7", "5"])[0].base == "string"


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (["01067", "80331"], True),
        (["01067"] * 99 + ["unknown"], True),
        (["12345678901234567", "12345678901234568"], True),
        (["1", "007"], False),
        (["012.50", "003.75"], False),
        (["0", "0.7", "-0.5", "10"], False),
        (["007", *(str(v) for v in range(100, 400))], False),
        (["free entry 08002986906", "ok lar"], False),
    ],
)
def test_codes(values: list[str], codes: bool) -> None:
    assert bool(code_reason(pl.Series(values))) is codes


def test_a_few_words_among_numbers_count_as_missing_and_are_told() -> None:
    column, values = infer([*(str(v) for v in np.arange(30) * 1.5), "n.d.", "<5"])
    assert column.kind == "number"
    assert values[-2:] == [None, None]
    assert (column.n_unreadable, column.unreadable, column.n_missing) == (2, ("n.d.", "<5"), 2)
    mixed, _ = infer(["1", "a", "2", "b", "1", "a"])
    assert mixed.kind == "categorical"
    assert "mixed" in mixed.warning


def test_markers_are_counted_and_a_minus_beside_a_plus_is_a_value() -> None:
    column, _ = infer(["1", "?", "NA", "?", "2"])
    assert column.markers == (("?", 2), ("NA", 1))
    assert infer(["+", "-", "-"])[0].levels == ("+", "-")
    assert infer(["5", "-", "6"])[1] == [5.0, None, 6.0]
    only, values = infer_column(pl.Series("x", ["1", "?", "-9", "2.5"]), Reading(codes=("-9",)))
    assert values.to_list() == [1.0, None, None, 2.5]
    assert only.markers == (("-9", 1), ("?", 1))


@pytest.mark.parametrize(
    ("values", "fmt", "exchangeable"),
    [
        (["01/02/2020", "03/04/2020"], "%d/%m/%Y", True),
        (["01/13/2020", "03/04/2020"], "%m/%d/%Y", False),
        (["13/01/2020", "03/04/2020"], "%d/%m/%Y", False),
        (["1.2.20", "31.12.19"], "%d.%m.%y", False),
        (["3 Jan 2020", "14 Feb 2021"], "%d %b %Y", False),
        (["Jan 3, 2020"], "%b %d, %Y", False),
        (["2020-02-30"], "", False),
        (["hello"], "", False),
    ],
)
def test_date_formats(values: list[str], fmt: str, exchangeable: bool) -> None:
    assert find_date_format(pl.Series(values)) == (fmt, exchangeable)


@pytest.mark.parametrize("distinct", [True, False])
def test_dates_in_several_formats_are_told_and_are_neither_texts_nor_names(distinct: bool) -> None:
    """Single tokens with a digit, all different, look like names of rows, and long ones like words."""
    days = [datetime.date(2021, 1, 1) + datetime.timedelta(days=9 * i) for i in range(40)]
    for forms in (["%Y-%m-%d", "%d/%m/%Y"], ["%B %d, %Y", "%d %B %Y", "%d.%m.%Y"]):
        texts = [day.strftime(forms[i % len(forms)]) for i, day in enumerate(days)]
        texts = texts if distinct else texts + texts[:9]
        column, _ = infer_column(pl.Series("bought", texts), Reading("."))
        assert (column.kind, column.role) == ("text", "dropped")
        assert column.reason.startswith(MIXED)
        assert all(form in column.reason for form in forms)
        with pytest.raises(DataError, match=r"holds dates in several formats .* write them alike"):
            infer_column(pl.Series("bought", texts), Reading("."), "date")
    mostly = [day.isoformat() for day in days[:38]] + ["31/12/2020", "30/12/2020"]
    assert infer_column(pl.Series("bought", mostly), Reading("."))[0].kind == "date"


def test_dates_with_zone_are_told_in_utc() -> None:
    _, values = infer(["2020-01-31T10:00:00Z", "2020-01-31T10:00:00+02:00", "2020-01-31T10:00:00-0130"])
    day = datetime.datetime(2020, 1, 31)
    assert values == [day.replace(hour=10), day.replace(hour=8), day.replace(hour=11, minute=30)]


def test_a_broken_date_counts_as_missing_and_is_told() -> None:
    values = [f"2020-01-{d:02d}" for d in range(1, 29)] + ["2020-02-30"]
    column, parsed = infer(list(values))
    assert column.kind == "date"
    assert parsed[-1] is None
    assert "'2020-02-30'" in column.warning


@pytest.mark.parametrize(
    ("values", "forced", "kind", "parsed"),
    [
        (["00123", "7"], "number", "number", [123.0, 7.0]),
        (["1", "2"], "categorical", "categorical", ["1", "2"]),
        (["1", "x"], "number", "number", [1.0, None]),
        (["0", "1"], "number", "number", [0.0, 1.0]),
        (["5/6/2020"], "date:%m/%d/%Y", "date", [datetime.datetime(2020, 5, 6)]),
        (["K1", "K2", "K3"], "categorical", "categorical", ["K1", "K2", "K3"]),
        (["a", "a"], "categorical", "categorical", ["a", "a"]),
        (["", "?"], "number", "empty", [None, None]),
    ],
)
def test_types_option(values: list[object], forced: str, kind: str, parsed: list[object]) -> None:
    column, got = infer(values, forced)
    assert (column.kind, got) == (kind, parsed)
    assert column.role == ("dropped" if kind == "empty" else "feature")


@pytest.mark.parametrize(
    ("values", "forced", "message"),
    [
        (["a", "b"], "number", "holds no number"),
        (["1", "2"], "boolean", "cannot be read as boolean"),
        (["a", "b"], "date:%Y", "does not read"),
        (["a", "b"], "constant", "is no kind of column"),
    ],
)
def test_types_option_refused(values: list[object], forced: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        infer(values, forced)


def test_times_of_day_are_hours() -> None:
    column, values = infer(["08:30", "23:45:00", "", "8:30"])
    assert (values, column.unit) == ([8.5, 23.75, None, 8.5], "hours after midnight")
    typed, hours = infer([datetime.time(8, 30), datetime.time(23, 45), None, datetime.time(8, 30)])
    assert (typed.kind, hours) == ("number", [8.5, 23.75, None, 8.5])


def test_an_unnamed_column_that_counts_is_an_index() -> None:
    assert infer(["0", "1", "2"], name="column_1")[0].kind == "id"
    assert infer(["0", "1", "2"], name="dose")[0].kind == "number"


def test_typed_columns_keep_their_meaning() -> None:
    assert infer([1, 2, 5])[0].kind == "number"
    assert infer([True, False, None])[0].kind == "boolean"
    assert infer([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)])[0].kind == "date"
    assert infer([float("nan"), 1.0, float("inf"), 2.0])[1] == [None, 1.0, None, 2.0]
    assert infer([[1, 2], [3]])[0].role == "dropped"
    timed, _ = infer([datetime.datetime(2020, 1, 1, 9, 30), datetime.datetime(2020, 1, 2)])
    assert timed.unit == "time of day"


@pytest.mark.parametrize(
    ("values", "task", "classes", "positive"),
    [
        (["a", "b", "b"], "binary", ("a", "b"), "a"),
        (["no", "yes", "yes"], "binary", ("no", "yes"), "yes"),
        (["Yes", "No", "Yes"], "binary", ("No", "Yes"), "Yes"),
        (["0", "1", "1"], "binary", ("0", "1"), "1"),
        (["1", "2", "2"], "binary", ("1", "2"), "2"),
        (["+", "-", "-"], "binary", ("+", "-"), "+"),
        (["1", "3", "2"], "multiclass", ("1", "2", "3"), ""),
        (["10", "9", "8", "7", "6", "5", "4", "3", "2", "1"], "multiclass", (*"123456789", "10"), ""),
        (["3", "4", "5", "8"], "regression", (), ""),
        (["1.5", "2.5", "3.5"], "regression", (), ""),
        (["1", "2", "4"], "regression", (), ""),
    ],
)
def test_task_from_the_target(values: list[str], task: str, classes: tuple[str, ...], positive: str) -> None:
    column, parsed = infer_column(pl.Series("y", values), Reading())
    decision = decide_target(column, parsed, task=None, positive=None, file="a.csv")
    assert (decision.task, decision.classes, decision.positive) == (task, classes, positive)
    assert task != "multiclass" or "--task regression" in decision.override


def test_summaries_are_counts() -> None:
    values = pl.Series(np.random.default_rng(0).normal(size=5_000))
    out = summarise(values, "number")
    assert len(out["counts"]) <= 40
    assert sum(out["counts"]) == 5_000
    expected, _ = np.histogram(values.to_numpy(), bins=out["edges"])
    assert out["counts"] == expected.tolist()
    levels = summarise(pl.Series([f"l{i % 30}" for i in range(300)]), "categorical")
    assert sum(k for _, k in levels["levels"]) + levels["other"] == 300
    assert summarise(pl.Series(["secret name 1", "x"]), "text") == {"type": "lengths", "min": 1, "max": 13}
    assert summarise(pl.Series([5.0, 5.0]), "number")["counts"] == [2]


@pytest.mark.full  # drawn many times
@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e307, 1e307), min_size=1, max_size=30))
def test_every_value_falls_into_a_bin(values: list[float]) -> None:
    out = summarise(pl.Series(values), "number")
    assert sum(out["counts"]) == len(values)
    assert np.isfinite([out["mean"], out["sd"], *out["edges"]]).all()
    assert all(b > a for a, b in zip(out["edges"], out["edges"][1:], strict=False))
