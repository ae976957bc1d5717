"""What trees of merged clusters cost: `python -m bench.linkage` prints the tables of docs/maths/linkage.md.

Standard normal rows with seed 0.  CPU seconds of one thread, the least of three fits in processes of their
own, ours and fastcluster's in turns; memory is the peak resident size above that before the call.
`--quick` takes a tenth of the rows.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk import _loops
from empirisk.linkage.merging import WORK

RUNS = 3
ROWS, COLUMNS, MANY = 20_000, 16, 100_000
# fastcluster's road from rows where it has one, which takes little memory.
FROM_ROWS = {"single": True, "ward": True, "centroid": True, "complete": False, "average": False}
# Columns of the table of boxes.
NARROW = (2, 4, 6, 8, 10)
BOXES = {"single": NARROW, "ward": NARROW[:4]}


def rows(n: int, p: int) -> np.ndarray:
    """Return rows of independent standard normal numbers."""
    return np.random.default_rng(0).normal(size=(n, p))


def ours(X: np.ndarray, link: str) -> np.ndarray:
    """Return the heights of our tree."""
    return np.asarray(er.AgglomerativeClustering(2, linkage=link).fit(X).distances_)


def theirs(X: np.ndarray, link: str) -> np.ndarray:
    """Return the heights of fastcluster's tree."""
    import fastcluster

    call = fastcluster.linkage_vector if FROM_ROWS[link] else fastcluster.linkage
    return np.asarray(call(X, link)[:, 2])


def boxes(X: np.ndarray, link: str, kind: int) -> float:
    """Return the seconds of the compiled loop with boxes (1) or over all rows (0)."""
    linker = _loops.Linker(X, link, "euclidean", np.ones(len(X)), kind)
    start = time.process_time()
    while linker.step(WORK):
        pass
    return time.process_time() - start


def peak() -> int:
    """Return the largest resident size since the last reset, in bytes; 0 where the system does not tell."""
    try:
        said = Path("/proc/self/status").read_text()
    except OSError:
        return 0
    return 1024 * int(said.split("VmHWM:")[1].split()[0])


def child(who: str, link: str, n: int, p: int, where: str) -> None:
    """Fit once, after a small fit; print seconds and memory, and keep the heights."""
    X = rows(n, p)
    call = ours if who == "ours" else theirs
    call(X[:300].copy(), link)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # peaks before the call do not count
    before, start = peak(), time.process_time()
    heights = call(X, link)
    spent, after = time.process_time() - start, peak()
    np.save(where, np.sort(heights))
    print(json.dumps({"seconds": spent, "extra": after - before, "whole": after}))


def measured(who: str, link: str, n: int, p: int, where: Path) -> dict[str, Any]:
    """Return what a process of its own says of one fit."""
    given = ["--child", who, link, str(n), str(p), str(where)]
    one = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "bench.linkage", *given],
        env=one,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return dict(json.loads(done.stdout))


def pair(link: str, n: int, where: Path) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Return the least of several runs of both sides in turns, and how far their heights are apart."""
    mine, other = [], []
    for _ in range(RUNS):
        mine.append(measured("ours", link, n, COLUMNS, where / "ours.npy"))
        other.append(measured("theirs", link, n, COLUMNS, where / "theirs.npy"))
    a, b = np.load(where / "ours.npy"), np.load(where / "theirs.npy")
    least = [min(found, key=lambda one: float(one["seconds"])) for found in (mine, other)]
    return least[0], least[1], float(np.abs(a - b).max() / b.max())


def against(n: int, where: Path) -> None:
    """Print the table beside fastcluster, how the heights agree, and what many rows take."""
    print("| linkage | ours | fastcluster | memory, ours | fastcluster |\n|---|---|---|---|---|")
    apart = 0.0
    for link, vector in FROM_ROWS.items():
        mine, other, off = pair(link, n, where)
        apart = max(apart, off)
        name, road = "Ward" if link == "ward" else link, " (from rows)" if vector else ""
        print(
            f"| {name} | {mine['seconds']:.1f} s | {other['seconds']:.1f} s{road} "
            f"| {mine['extra'] / 1e6:.0f} MB | {other['extra'] / 1e6:.0f} MB |",
            flush=True,
        )
    many = n * MANY // ROWS
    found = measured("ours", "ward", many, COLUMNS, where / "many.npy")
    print(
        f"\nThe heights agree to {apart:.0e}. Ward's linkage of {many:,} such rows took "
        f"{found['seconds']:.0f} CPU seconds, and the whole process {found['whole'] / 1e6:.0f} MB.\n"
    )


def of_boxes(n: int) -> None:
    """Print what trees of boxes save in few columns."""
    print("| columns |" + "".join(f" {p} |" for p in NARROW) + "\n|" + "---|" * (1 + len(NARROW)))
    for link, columns in BOXES.items():
        tables = [rows(n, p) for p in columns]
        turns = np.array([[[boxes(X, link, kind) for kind in (1, 0)] for X in tables] for _ in range(RUNS)])
        for seconds, way in zip(turns.min(axis=0).T, ("boxes", "all rows"), strict=True):
            said = [f"{s:.2f}" for s in seconds] + [""] * (len(NARROW) - len(columns))
            print(f"| {'Ward' if link == 'ward' else link}, {way} | " + " | ".join(said) + " |", flush=True)
    X = rows(n * MANY // ROWS, 2)
    single, ward = (min(boxes(X, link, 1) for _ in range(RUNS)) for link in ("single", "ward"))
    print(f"\nIn two columns {len(X):,} rows took {single:.2f} CPU seconds (single) and {ward:.1f} (Ward).")


def main() -> None:
    """Print all tables, one after the other."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    n = ROWS // (10 if parser.parse_args().quick else 1)
    print(f"{n:,} standard normal rows; {COLUMNS} columns in the first table.\n")
    with tempfile.TemporaryDirectory() as folder:
        against(n, Path(folder))
    with threadpool_limits(1):
        of_boxes(n)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6])
    else:
        main()
