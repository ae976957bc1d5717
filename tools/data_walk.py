"""Which files of the package a call passes on its way, and how often it comes back to one that it had left.

    python tools/data_walk.py [--depth 3] [--paths] [name ...]

A walk is recorded by ``sys.setprofile``.  Its words:

* A *crossing* is a call from a function of one file of the package to a function of another; what lies
  between (NumPy, scikit-learn) is passed over.  A crossing of the same two functions counts once, when it is
  first made: a loop over the folds walks one way, not five.
* The *depth* of a file on the walk is the number of crossings between the entry and it.  Crossings deeper
  than ``--depth`` are not followed: a reader who wants to know how data travel does not follow the helpers
  of the helpers.  The ground that every file stands on (``results``, ``typing``, ``wording``) is no station.
* A *stay* is a maximal run of the walk in one file: the files that are entered, in the order of time, without
  repetitions side by side.  Coming home from a call is no station of its own.
* A *return* is a stay in a file that the walk had left before, so that returns = stays - files.

A walk with few returns can be read from top to bottom; each return is a place where a reader turns back.
The imports of the first use are no part of a walk: every call is made twice, and the second is recorded.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import empirisk as er

PACKAGE = str(Path(er.__file__).parent) + "/"
GROUND = ("typing.py", "wording.py", "__init__.py")


def _ground(file: str) -> bool:
    """Return whether a file holds words that every room uses, so that passing it is no way."""
    return file.rpartition("/")[2] in GROUND or file.startswith("results/")


@dataclass(frozen=True)
class Walk:
    """The files that a call entered, in the order of time, without repetitions side by side."""

    files: tuple[str, ...]

    @property
    def stays(self) -> int:
        """Number of maximal runs in one file."""
        return len(self.files)

    @property
    def returns(self) -> int:
        """Number of stays in a file that had been left before."""
        return self.stays - len(set(self.files))

    @property
    def rooms(self) -> list[str]:
        """The packages that were visited, in the order of the first visit."""
        return list(dict.fromkeys(f.split("/")[0] if "/" in f else f.removesuffix(".py") for f in self.files))


class ArrivedError(Exception):
    """The walk has reached the function at which it ends."""


class Recorder:
    """The profile function that writes a walk down.

    Parameters
    ----------
    depth : int
        Crossings that are followed from the entry downward.
    until : str
        A function at whose first call the walk ends; "" for none.
    """

    def __init__(self, depth: int, until: str = "") -> None:
        self.depth, self.until = depth, until
        self.files: list[str] = []
        self._stack: list[tuple[CodeType | None, str, int]] = [(None, "", 0)]
        self._seen: set[tuple[CodeType | None, CodeType]] = set()

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """Follow the calls and returns of functions of the package."""
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return
        if event == "return":
            if len(self._stack) > 1:
                self._stack.pop()
        elif event == "call":
            self._enter(code, code.co_filename.removeprefix(PACKAGE))

    def _enter(self, code: CodeType, file: str) -> None:
        caller, home, depth = self._stack[-1]
        at = depth + (file != home)
        self._stack.append((code, file, at))
        if code.co_name == self.until:
            raise ArrivedError
        if file == home or at > self.depth or (caller, code) in self._seen:
            return
        self._seen.add((caller, code))
        if not _ground(file) and (not self.files or self.files[-1] != file):
            self.files.append(file)


def walk(call: Callable[[], Any], depth: int = 3, until: str = "") -> Walk:
    """Make a call twice and record the second."""
    for _ in range(2):
        recorder = Recorder(depth, until)
        sys.setprofile(recorder)
        try:
            call()
        except ArrivedError:
            pass
        finally:
            sys.setprofile(None)
    return Walk(tuple(recorder.files))


def _table(n: int = 240) -> tuple[Any, Any]:
    import pandas as pd

    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    frame = pd.DataFrame({"x": x, "noise": rng.normal(size=n), "town": rng.choice(["Oslo", "Bergen"], n)})
    return frame, np.where(x + rng.normal(size=n) > 0.0, "yes", "no")


def a_frame_through_a_fit() -> Callable[[], Any]:
    """Walk a frame through ``LogisticRegression.fit`` on a few rows."""
    frame, y = _table()
    return lambda: er.LogisticRegression(alpha=0.1).fit(frame[["x", "noise"]], y)


def a_csv_through_a_report() -> Callable[[], Any]:
    """Walk a CSV file through ``empirisk report`` on a few rows."""
    from empirisk.data.deadline import Deadline
    from empirisk.report.options import Options
    from empirisk.report.run import run_report

    frame, y = _table()
    folder = Path(tempfile.mkdtemp())
    data = folder / "table.csv"
    frame.assign(answer=y).to_csv(data, index=False)
    options = Options(data, "answer", time_limit=4.5, quiet=True, out=folder / "out", models="linear")
    return lambda: run_report(options, lambda line: None, Deadline(None))


def a_model_through_cross_evaluate() -> Callable[[], Any]:
    """Walk a model through ``cross_evaluate`` on a few rows."""
    frame, y = _table()
    return lambda: er.cross_evaluate(er.LogisticRegression(alpha=0.1), frame[["x", "noise"]], y)


def a_forest_through_its_bounds() -> Callable[[], Any]:
    """Walk a forest through ``risk_bounds`` on a few rows."""
    frame, y = _table()
    X = frame[["x", "noise"]]
    forest = er.RandomForestClassifier(10, random_state=0).fit(X[:160], y[:160])
    return lambda: er.risk_bounds(forest, X[:160], y[:160], X[160:], y[160:])


def a_problem_through_solve() -> Callable[[], Any]:
    """Walk a problem through ``er.solve`` on a few rows."""
    frame, y = _table()
    problem = er.LogisticRegression(alpha=0.1).problem(frame[["x", "noise"]], y)
    return lambda: er.solve(problem)


# Name, what is called, the function at which it ends.
WALKS: dict[str, tuple[Callable[[], Callable[[], Any]], str]] = {
    "fit": (a_frame_through_a_fit, ""),
    "report": (a_csv_through_a_report, ""),
    "report, to its plan": (a_csv_through_a_report, "refuse_too_large"),
    "cross_evaluate": (a_model_through_cross_evaluate, ""),
    "risk_bounds": (a_forest_through_its_bounds, ""),
    "solve": (a_problem_through_solve, ""),
}


def main() -> None:
    """Print the table of the walks."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    arguments.add_argument("names", nargs="*", help=f"of {', '.join(WALKS)}; all by default")
    arguments.add_argument("--depth", type=int, default=3, help="crossings that are followed; 3 by default")
    arguments.add_argument("--paths", action="store_true", help="print every stay, returns with an arrow")
    asked = arguments.parse_args()
    print(f"{'walk':22} {'files':>5} {'stays':>5} {'returns':>7}  rooms")
    for name in asked.names or WALKS:
        make, until = WALKS[name]
        found = walk(make(), asked.depth, until)
        n_files = len(set(found.files))
        print(f"{name:22} {n_files:5} {found.stays:5} {found.returns:7}  {', '.join(found.rooms)}")
        seen: set[str] = set()
        for file in found.files if asked.paths else ():
            print(f"    {'<- ' if file in seen else '   '}{file}")
            seen.add(file)


if __name__ == "__main__":
    main()
