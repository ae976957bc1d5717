"""Codes for missing: found by their shape, taken out with --missing, and kept with the model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from empirisk.report.audit.audit import audit
from empirisk.report.audit.codes import spikes
from empirisk.report.errors import DataError
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.report.saved.model_file import load, read_metadata
from empirisk.results import Finding
from tests.report.reports import make_report, numbers
from tests.report.tables import table_of

N = 400


def found(table: Table) -> list[Finding]:
    return [f for f in audit(table, split_rows(table)).findings if f.code == "ER115"]


COLUMNS = {
    "ages": lambda g: g.integers(18, 90, N).astype(float),
    "sensor": lambda g: g.normal(1.0, 0.5, N).round(2),
    "counts": lambda g: g.poisson(6.0, N).astype(float),
    "share": lambda g: g.random(N).round(3),
    "skewed": lambda g: g.lognormal(3.0, 1.0, N).round(1),
}


# Nothing tells a code within the spread of its column, or below counts that begin at it.
PLANTED = [(name, code) for name in COLUMNS for code in (-9999.0, 9999.0, 99999.0)]
PLANTED += [
    ("ages", -1.0),
    ("ages", -9.0),
    ("ages", 99.0),
    ("counts", -1.0),
    ("counts", -9.0),
    ("share", -9.0),
]
PLANTED += [("sensor", -200.0), ("share", -200.0), ("counts", -200.0), ("sensor", -99.0), ("skewed", -1.0)]


@pytest.mark.parametrize(("name", "code"), PLANTED)
def test_planted_codes_are_found(name: str, code: float, rng: np.random.Generator) -> None:
    x = COLUMNS[name](rng)
    x[rng.random(N) < 0.08] = code
    hits = found(table_of({"x": x, "y": rng.normal(size=N)}))
    assert [f.where for f in hits] == [("x",)]
    assert f"--missing={code:.0f},x" in hits[0].advice or f"--missing='{code:.0f},x'" in hits[0].advice
    assert hits[0].level == "warning"


HONEST = {
    "normal": lambda g: g.normal(3.0, 1.5, N).round(1),
    "rounded": lambda g: g.normal(3.0, 1.5, N).round(0),
    "poisson": lambda g: g.poisson(1.0, N).astype(float),
    "geometric": lambda g: g.geometric(0.3, N) - 1.0,
    "lognormal": lambda g: g.lognormal(2.0, 1.5, N).round(0),
    "hundreds": lambda g: g.lognormal(5.0, 2.0, N).round(-2),
    "heavy": lambda g: g.standard_t(2, N).round(0),
    "zeros": lambda g: np.where(g.random(N) < 0.5, 0.0, g.gamma(2.0, 50.0, N).round(0)),
    "rating": lambda g: g.choice([1.0, 2.0, 3.0, 4.0, 5.0], N, p=[0.05, 0.1, 0.2, 0.3, 0.35]),
    "balance": lambda g: (g.poisson(2.0, N) - g.poisson(1.0, N)).astype(float),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_columns_raise_no_alarm(name: str, rng: np.random.Generator) -> None:
    alarms = sum(any(s.alone() for s in spikes(pl.Series(HONEST[name](rng)))) for _ in range(60))
    assert alarms <= 1


def test_a_code_of_several_columns_is_one_finding_and_never_denied(rng: np.random.Generator) -> None:
    columns = {name: COLUMNS[name](rng) for name in ("ages", "sensor", "counts")} | {
        "y": rng.normal(5.0, 1.0, N)
    }
    for x in columns.values():
        x[rng.random(N) < 0.1] = -200.0
    table = table_of(columns)
    (hit,) = found(table)
    assert set(hit.where) == set(columns)
    assert hit.level == "serious"  # the target is one of them
    assert "--missing=-200 " in hit.advice
    cleaned = table_of(columns, missing=["-200"])
    assert not found(cleaned)
    assert cleaned.n_left_out == int((columns["y"] == -200.0).sum())
    check = next(c for c in audit(cleaned, split_rows(cleaned)).checks if c.code == "ER115")
    assert check.sentence == "no repeated value stands apart from the others of its column"


def test_missing_values_by_column_and_notation(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "a;b;c;y\n"
        + "".join(f"{i},5;{i % 3};{'uvw'[i % 3]};{i * 0.7:.1f}\n" for i in range(20))
        + "-200,0;-200;-200;3.0\n"
    )
    table = read_table(path, target="y", missing=["-200,a", "u,c"])
    assert table.frame["a"].null_count() == 1
    assert table.frame["b"].null_count() == 0
    assert table.frame["c"].null_count() == 7
    assert "'-200'" in "\n".join(table.lines())
    again = read_table(path, like=Table.from_decisions(json.loads(json.dumps(table.decisions()))))
    assert again.fingerprint == table.fingerprint
    for wrong, told in (
        (",a", "must have the form"),
        ("-1,zz", "no column 'zz' .given by --missing"),
        ("3,", "the form"),
    ):
        with pytest.raises(DataError, match=told):
            read_table(path, target="y", missing=[wrong])


@pytest.mark.full  # a whole report
def test_codes_are_kept_with_the_report_and_the_model(tmp_path: Path) -> None:
    frame = numbers().with_columns(a=pl.when(pl.int_range(pl.len()) % 9 == 0).then(-200.0).otherwise("a"))
    outcome = make_report(tmp_path, frame, "y", missing=("-200,a",))
    assert "--missing=-200,a" in outcome.report["provenance"]["command"]
    assert outcome.report["provenance"]["settings"]["missing"] == "-200,a"
    assert any("-200" in text for text in outcome.report["data"]["handling"])
    model = tmp_path / "out" / "model.empirisk"
    codes = {c["name"]: c["missing_codes"] for c in read_metadata(model)["decisions"]["columns"]}
    assert codes == {"a": ["-200"], "b": [], "c": [], "y": []}
    frame.with_columns(a=pl.when(pl.col("a") == -200.0).then(None).otherwise("a")).write_csv(
        tmp_path / "blank.csv"
    )
    loaded = load(model)
    assert np.array_equal(loaded.predict(tmp_path / "blank.csv"), loaded.predict(tmp_path / "table.csv"))
