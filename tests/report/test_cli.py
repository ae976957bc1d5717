"""The command line: exit codes, sentences, files, interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from empirisk.cli import app
from empirisk.report.atomic import report_folder
from empirisk.report.errors import DataError
from tests.report.reports import make_report, numbers, two_classes

OUTPUTS = {"report.html", "report.json", "report.md", "model.empirisk"}


def call(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(w) for w in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module", autouse=True)
def unhurried() -> Iterator[None]:
    """The limit makes the plan small; it began so late that the clock cuts nothing on a busy machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("empirisk.cli.guard.started", lambda: time.perf_counter() + 1e6)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    two_classes().write_csv(folder / "table.csv")
    code, out, err = call(
        "report", folder / "table.csv", "--target", "answer", "--out", folder / "out", "--time-limit", 4.5
    )
    assert code == 0, err
    (folder / "said.txt").write_text(out)
    return folder


def test_report_prints_inferences_plan_and_result(made: Path) -> None:
    said = (made / "said.txt").read_text()
    for piece in (
        "Reading table.csv  240 rows, 4 columns (comma, utf-8, header found)",
        "target, 2 classes: no",
        "--types age=categorical or --drop age",
        "Plan: hold out 20 % of the rows",
        "to keep the time limit:",
        "Naive Bayes (columns of several kinds) is right on",
        " the baseline",
        "used once",
        "Fit certified:",
        "Next step:",
        "report.html",
    ):
        assert piece in said
    assert said.count("--drop") == 3  # one line for each feature


def test_report_writes_exactly_its_files(made: Path) -> None:
    assert {p.name for p in (made / "out").iterdir()} == OUTPUTS
    assert {p.name for p in made.iterdir()} == {"table.csv", "out", "said.txt"}
    text = "".join((made / "out" / n).read_text() for n in ("report.html", "report.json", "report.md"))
    assert str(made) not in text


def test_version_and_help() -> None:
    assert call("--version")[1].startswith("empirisk ")
    code, out, _ = call("report", "--help")
    assert code == 0
    assert "--time-limit" in out


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("a,b\n", ["--target", "b"], "has no rows below its header"),
        ("a,b\n1,x\n", ["--target", "b"], "has one value only"),
        ("a,b\n1,x\n2,y\n", ["--target", "b"], "at least 10 are needed"),
        ("a,b\n" + "1,x\n2,x\n" * 20, ["--target", "b"], "has one value only ('x')"),
        ("a,b\n" + "1,x\n2,y\n" * 20, ["--target", "c"], "has no column 'c'"),
        ("a,b\n" + "1,\n2,\n" * 20, ["--target", "b"], "has no value in any row"),
        ("a,b\n" + "1,x\n2,y\n" * 20, ["--target", "b", "--types", "a"], "must have the form COLUMN=KIND"),
        ("a,b\n" + "1,x\n2,y\n" * 20, ["--target", "b", "--types", "a=colour"], "is no kind of column"),
        ("a,b\n" + "1,x\n2,y\n" * 20, ["--target", "b", "--level", "1.5"], "--level 1.5"),
        ("a,b\n" + "1,x\n2,y\n" * 20, ["--target", "b", "--time-limit", "-1"], "--time-limit -1.0"),
        ("a,b\n" + "1,x\n2,y\n" * 20, ["--target", "b", "--positive", "z"], "is no class of 'b'"),
        ("", ["--target", "b"], "is empty"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_code_2(
    tmp_path: Path, content: str, options: list[str], sentence: str
) -> None:
    data = tmp_path / "bad.csv"
    data.write_text(content)
    code, out, err = call("report", data, *options, "--out", tmp_path / "out")
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in out + err
    assert [p.name for p in tmp_path.iterdir()] == ["bad.csv"]


def test_missing_file_and_debug(tmp_path: Path) -> None:
    code, _, err = call("report", tmp_path / "none.csv", "--target", "b")
    assert code == 2
    assert "none.csv does not exist" in err
    code, _, err = call("report", tmp_path / "none.csv", "--target", "b", "--debug")
    assert (code, "Traceback" in err) == (2, True)


def test_folder_with_other_things_is_left_alone(made: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("years of work")
    code, _, err = call("report", made / "table.csv", "--target", "answer", "--out", tmp_path)
    assert code == 2
    assert "holds 'thesis.doc', which no report wrote" in err
    assert (tmp_path / "thesis.doc").read_text() == "years of work"
    file = tmp_path / "file"
    file.write_text("x")
    code, _, err = call("report", made / "table.csv", "--target", "answer", "--out", file)
    assert (code, file.read_text()) == (2, "x")


def test_earlier_report_stays_after_an_error_and_goes_after_success(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with report_folder(out) as fresh:
        (fresh / "report.md").write_text("first")
    with pytest.raises(ZeroDivisionError):
        _half_written(out)
    assert (out / "report.md").read_text() == "first"
    with report_folder(out) as fresh:
        (fresh / "report.json").write_text("second")
    assert [p.name for p in out.iterdir()] == ["report.json"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def _half_written(out: Path) -> None:
    with report_folder(out) as fresh:
        (fresh / "report.md").write_text("half")
        _broken()


@pytest.mark.full
def test_strict_gives_3_after_a_serious_finding(tmp_path: Path) -> None:
    frame = two_classes().with_columns(
        pl.Series("copy", np.where(two_classes()["answer"] == "yes", 1.5, 2.5))
    )
    frame.write_csv(tmp_path / "leak.csv")
    words = [
        "report",
        tmp_path / "leak.csv",
        "--target",
        "answer",
        "--out",
        tmp_path / "out",
        "--time-limit",
        4.5,
    ]
    code, _, err = call(*words, "--strict", "--quiet")
    assert code == 3
    assert "Serious finding (--strict)" in err
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    leak = next(f for f in report["findings"] if f["code"] == "ER113")
    assert leak["where"] == ["copy"]
    assert "without it" in leak["evidence"]
    assert report["verdict"]["next_step"]["sentence"].startswith("Settle the serious finding first")


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="signals work otherwise on Windows")
def test_interrupt_leaves_nothing_and_gives_130(tmp_path: Path) -> None:
    two_classes(n=20_000).write_csv(tmp_path / "big.csv")
    old = tmp_path / "out"
    old.mkdir()
    (old / "report.md").write_text("an earlier report")
    words = [sys.executable, "-m", "empirisk.cli", "report", "big.csv", "--target", "answer", "--out", "out"]
    with subprocess.Popen(
        words, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stderr is not None
        lines = [run.stderr.readline()]
        assert lines[0].startswith("Racing")
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        lines += run.stderr.readlines()
        assert run.wait(timeout=60) == 130
    said = "".join(lines)
    assert "Interrupted: nothing was written." in said
    assert "Traceback" not in said
    assert {p.name for p in tmp_path.iterdir()} == {"big.csv", "out"}
    assert (old / "report.md").read_text() == "an earlier report"


def test_predict_writes_labels_and_probabilities(made: Path, tmp_path: Path) -> None:
    for ending, read in ((".csv", pl.read_csv), (".parquet", pl.read_parquet)):
        out = tmp_path / f"p{ending}"
        code, said, err = call("predict", made / "out" / "model.empirisk", made / "table.csv", "--out", out)
        assert code == 0, err
        frame = read(out)
        assert frame.columns == ["prediction", "probability_no", "probability_yes"]
        assert frame.height == 240
        assert np.allclose(frame["probability_no"] + frame["probability_yes"], 1.0)
        assert "240 rows" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.csv", "p.parquet"]


def test_predict_keeps_every_row_whatever_the_target_holds(made: Path, tmp_path: Path) -> None:
    frame = two_classes()
    odd = [None, "maybe", *frame["answer"].to_list()[2:]]
    frame.with_columns(pl.Series("answer", odd)).write_csv(tmp_path / "odd.csv")
    frame.drop("answer").write_csv(tmp_path / "without.csv")
    found = []
    for name in ("odd", "without"):
        out = tmp_path / f"{name}-p.csv"
        assert (
            call("predict", made / "out" / "model.empirisk", tmp_path / f"{name}.csv", "--out", out)[0] == 0
        )
        found.append(pl.read_csv(out))
    assert found[0].height == 240
    assert found[0].equals(found[1])


def test_predict_says_what_does_not_fit(made: Path, tmp_path: Path) -> None:
    model, frame, out = made / "out" / "model.empirisk", two_classes(), tmp_path / "p.csv"
    frame.drop("age").write_csv(tmp_path / "a.csv")
    code, _, err = call("predict", model, tmp_path / "a.csv", "--out", out)
    assert (code, "lacks the column 'age'" in err) == (2, True)
    frame.with_columns(age=pl.lit("old")).write_csv(tmp_path / "b.csv")
    code, _, err = call("predict", model, tmp_path / "b.csv", "--out", out)
    assert (code, "column 'age': 'old' is no number" in err) == (2, True)
    frame.with_columns(town=pl.lit("Narvik")).write_csv(tmp_path / "c.csv")
    code, said, _ = call("predict", model, tmp_path / "c.csv", "--out", out)
    assert (code, "Narvik" in said) == (0, True)
    code, _, err = call("predict", model, tmp_path / "c.csv", "--out", tmp_path / "p.xlsx")
    assert (code, "use .csv, .tsv or .parquet" in err) == (2, True)
    code, _, err = call("predict", model, tmp_path / "c.csv", "--out", tmp_path / "no" / "p.csv")
    assert (code, "does not exist" in err) == (2, True)
    code, _, err = call("predict", model, tmp_path / "c.csv", "--out", tmp_path / "c.csv")
    assert (code, "is the data file itself" in err) == (2, True)


def test_verify_proves_the_fit_on_its_data_only(made: Path, tmp_path: Path) -> None:
    model = made / "out" / "model.empirisk"
    code, said, err = call("verify", model, made / "table.csv")
    assert code == 0, err
    assert "same fingerprint" in said
    assert "Fit proved again" in said
    report = json.loads((made / "out" / "report.json").read_text())
    for line in (ln for ln in said.splitlines() if "(report:" in ln):
        now, then = line.split("(report: ")
        assert now.strip().endswith(then[:-1])  # the held-out rows give the numbers of the report again
    assert said.count("(report:") == len(report["test"]["metrics"])
    two_classes(seed=9).write_csv(tmp_path / "new.csv")
    code, said, _ = call("verify", model, tmp_path / "new.csv")
    assert code == 0
    assert "another fingerprint" in said
    assert "all rows, n = 240" in said
    two_classes().drop("answer").write_csv(tmp_path / "bare.csv")
    assert call("verify", model, tmp_path / "bare.csv")[0] == 2


def test_inspect(made: Path) -> None:
    code, said, _ = call("inspect", made / "out" / "model.empirisk")
    assert code == 0
    assert "predicts whether answer is yes from 3 columns" in said
    assert "test accuracy 0." in said
    code, said, _ = call("inspect", made / "out" / "model.empirisk", "--json")
    assert json.loads(said)["format"] == "empirisk-model/3"


WRITERS = [
    "inspect MODEL",
    "bound --list",
    "bound hoeffding --n=9 --delta=0.1",
    "samples --vc=3 --no-simulate",
    "--version",
    "report --help",
]


@pytest.mark.parametrize("line", WRITERS)
def test_a_reader_that_goes_away_is_no_error(made: Path, line: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)  # as `head` does after its lines
    model = str(made / "out" / "model.empirisk")
    command = [sys.executable, "-m", "empirisk.cli", *(model if w == "MODEL" else w for w in line.split())]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.full
def test_same_seed_same_report(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        report = make_report(tmp_path / name, numbers(n=120), "y", seed=5).report
        report["provenance"].update(created="", seconds=0.0, peak_gigabytes=0.0)
        for c in report["candidates"]:
            c["fit_seconds"] = None
        found.append(json.dumps(report))
    assert found[0] == found[1]


def test_errors_of_ours_are_told_as_such(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("empirisk.report.run.run_report", _broken)
    code, _, err = call("report", made / "table.csv", "--target", "answer")
    assert code == 70
    assert "Error inside empirisk (ZeroDivisionError" in err
    assert "Traceback" not in err
    code, _, err = call("report", made / "table.csv", "--target", "answer", "--debug")
    assert "Traceback" in err


def _broken(*_: object) -> None:
    raise ZeroDivisionError("by zero")


def test_python_callers_get_the_sentence_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no column 'z'"):
        make_report(tmp_path, numbers(), "z")


def test_the_help_names_kinds_that_exist() -> None:
    from empirisk.cli.options import KINDS
    from empirisk.report.read.table import KINDS as KNOWN

    assert set(KINDS.split(", ")) <= set(KNOWN)
