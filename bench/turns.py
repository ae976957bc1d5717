"""One side of a comparison of two checkouts: it holds the data of a row and fits when it is told to.

The parent runs this text with the interpreter and in the folder of either checkout, so that ``bench`` and
``empirisk`` are those of that checkout.  A line on standard input is the name of a solver; the answer is one
JSON line with the seconds of the clock and of the processors.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings

from bench.datasets import REGISTRY as DATASETS
from bench.objectives import REGISTRY as OBJECTIVES
from bench.solvers import solvers_for


def main(objective: str, dataset: str, quick: bool) -> None:
    """Answer one request a line until the input ends."""
    warnings.simplefilter("ignore")
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever a solver prints does not mix with the answers
    X, y = DATASETS[dataset][int(quick)]()
    strength = OBJECTIVES[objective].strength(X, y)
    ours = {s.name: s for s in solvers_for(objective, X.shape[1]) if s.library == "empirisk"}
    answers.write(json.dumps(sorted(ours)) + "\n")
    for line in sys.stdin:
        cpu, start = time.process_time(), time.perf_counter()
        try:
            ours[line.strip()].fit(X, y, strength)
        except Exception as error:  # the parent lists what failed
            answers.write(json.dumps({"why": f"{type(error).__name__}: {error}"[:300]}) + "\n")
            continue
        seconds = time.perf_counter() - start
        answers.write(json.dumps({"seconds": seconds, "cpu": time.process_time() - cpu}) + "\n")


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
