"""The command: ``python -m bench.against FOLDER [--only NAME] [--runs N] [--quick]``: what became slower?

FOLDER is a checkout of an earlier state with its own ``.venv`` (``git worktree add FOLDER REVISION``, then
``make test`` there).  Our solvers fit every row in turn here and there, each side in one process that keeps
the data; a row counts as slower when three quarters of its pairs of runs are slower by more than 5 per cent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.objectives import ROWS

HERE = Path(__file__).parent
MARGIN = 1.05


class Side:
    """A checkout that fits when it is told to."""

    def __init__(self, interpreter: str, folder: Path, given: dict[str, Any]) -> None:
        command = [interpreter, "-c", (HERE / "turns.py").read_text(), json.dumps(given)]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.names: list[str] = self._answer()

    def fit(self, name: str) -> dict[str, Any]:
        """Seconds of one fit, or why there are none."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """End the process and wait for it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process of a checkout ended with status {self.process.wait()}")
        return json.loads(line)


def compare(before: Side, after: Side, name: str, runs: int) -> str:
    """One line about one solver of a row: pairs of runs, the order changing from pair to pair."""
    wall, cpu = [], []
    for turn in range(-1, runs):  # the first pair is the warm-up
        order = (before, after) if turn % 2 else (after, before)
        found = {side: side.fit(name) for side in order}
        why = [f["why"] for f in found.values() if "why" in f]
        if why:
            return f"failed: {why[0]}"
        if turn >= 0:
            wall.append(found[after]["seconds"] / found[before]["seconds"])
            cpu.append(found[after]["cpu"] / max(found[before]["cpu"], 1e-9))
    verdict = "SLOWER" if _quartile(wall) > MARGIN and _quartile(cpu) > MARGIN else ""
    return f"clock {_spread(wall)}  processors {_spread(cpu)}  {verdict}"


def _quartile(ratios: list[float]) -> float:
    return statistics.quantiles(ratios, n=4)[0]


def _spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} [{min(ratios):.2f}, {max(ratios):.2f}]"


def main(arguments: list[str] | None = None) -> None:
    """Compare the chosen rows and print after / before."""
    parser = argparse.ArgumentParser(prog="python -m bench.against", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the checkout of the earlier state")
    parser.add_argument("--only", default="", metavar="NAME", help="rows whose name contains this")
    parser.add_argument(
        "--runs", type=int, default=7, help="pairs of runs of each solver (latency rows: 20 times as many)"
    )
    parser.add_argument("--quick", action="store_true", help="tiny data")
    given = parser.parse_args(arguments)
    for row in (row for row in ROWS if given.only in row.name):
        what = {"objective": row.objective, "dataset": row.dataset, "quick": given.quick}
        before = Side(str(given.folder.resolve() / ".venv" / "bin" / "python"), given.folder, what)
        after = Side(sys.executable, HERE.parent, what)
        runs = max(2, given.runs) * (20 if row.objective.startswith("latency") and not given.quick else 1)
        for name in sorted(set(before.names) & set(after.names)):
            print(f"{row.name}: {name}: {compare(before, after, name, runs)}", flush=True)
        before.close()
        after.close()


if __name__ == "__main__":
    main()
