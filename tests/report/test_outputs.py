"""Outputs on a full disk, and what killed runs leave behind."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from empirisk.report.atomic import report_folder, write_file
from empirisk.report.errors import DataError


@pytest.fixture(scope="module")
def made(numbers_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(numbers_made, tmp_path_factory.mktemp("outputs") / "made"))


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO])
def test_a_report_that_cannot_be_written_is_a_sentence_and_leaves_nothing(tmp_path: Path, code: int) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.md").write_text("the old one")

    def fail() -> None:
        with report_folder(tmp_path / "out") as fresh:
            (fresh / "report.md").write_text("half of")
            raise OSError(code, os.strerror(code))

    with pytest.raises(DataError, match=rf"the report out cannot be written \({os.strerror(code)}\): "):
        fail()
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "report.md").read_text() == "the old one"


def limited(folder: Path, size: int, *words: object) -> subprocess.CompletedProcess[str]:
    """Run the command line with a limit on the size of a file, which is how a full disk looks."""
    return subprocess.run(
        [sys.executable, "-m", "empirisk.cli", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        check=False,
    )


@pytest.mark.full  # another interpreter reads a report's model
def test_predictions_that_do_not_fit_are_a_sentence(made: Path) -> None:
    before = sorted(p.name for p in made.iterdir())
    found = limited(made, 500, "predict", "out/model.empirisk", "table.csv", "--out", "p.csv")
    assert found.returncode == 2
    assert "p.csv cannot be written (File too large): make room" in found.stderr
    assert sorted(p.name for p in made.iterdir()) == before


@pytest.mark.slow
def test_a_report_that_does_not_fit_is_a_sentence(made: Path) -> None:
    before = {p.name: p.stat().st_mtime_ns for p in (made / "out").iterdir()}
    words = ("report", "table.csv", "--target", "y", "--out", "out", "--models", "linear", "--time-limit", 1)
    found = limited(made, 20_000, *words)
    assert found.returncode == 2
    assert "cannot be written (File too large)" in found.stderr
    assert {p.name: p.stat().st_mtime_ns for p in (made / "out").iterdir()} == before
    assert not [p for p in made.iterdir() if p.name.endswith((".part", ".old"))]


HOLD = """
    import os, signal, sys, time
    from pathlib import Path
    from empirisk.report import atomic
    place = Path(sys.argv[1])
    def stop(*_):
        print("holding", flush=True)
        if sys.argv[3] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)
    if sys.argv[2] == "file":
        atomic.os.replace = stop
        atomic.write_file(place, b"data")
    else:
        with atomic.report_folder(place) as fresh:
            (fresh / "report.md").write_text("half")
            stop()
"""


def holder(place: Path, kind: str, how: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", textwrap.dedent(HOLD), str(place), kind, how]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    return process


def again(place: Path, kind: str) -> None:
    if kind == "file":
        write_file(place, b"data")
    else:
        with report_folder(place) as fresh:
            (fresh / "report.md").write_text("whole")


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "out"
    foreign = [tmp_path / ".out.abc.part", tmp_path / ".other.1-abc.part", tmp_path / ".out.1-abc.part.doc"]
    for path in foreign:
        path.write_text("not ours")
    assert holder(place, kind, "kill").wait() < 0
    assert len(list(tmp_path.glob(".out.*-*.part"))) == 1
    again(place, kind)
    assert sorted(tmp_path.iterdir()) == sorted([*foreign, place])


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_living_run_holds_is_left_alone(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "out"
    process = holder(place, kind, "sleep")
    try:
        again(place, kind)
        assert len(list(tmp_path.glob(".out.*-*.part"))) == 1
    finally:
        process.kill()
        process.wait()
    again(place, kind)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_locked_folder_of_an_unseen_process_is_left_alone(tmp_path: Path) -> None:
    """A process in another container has a number that means nothing here; its lock is seen."""
    process = holder(tmp_path / "out", "folder", "sleep")
    try:
        (held,) = tmp_path.glob(".out.*.part")
        gone = held.with_name(".out.4194399-abc.part")  # above the largest process number of Linux
        held.rename(gone)
        again(tmp_path / "out", "folder")
        assert gone.exists()
    finally:
        process.kill()
        process.wait()
    again(tmp_path / "out", "folder")
    assert not gone.exists()
