"""The first fit of a new Python process: import, fit iris, leave."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from typing import Any

NAME = "cold start"

# Module and class; each is a multinomial logistic regression of the 150 rows of iris.
LIBRARIES = {
    "empirisk": "empirisk",
    "scikit-learn": "sklearn.linear_model",
    "scikit-learn-intelex": "sklearnex.linear_model",
}

PROGRAM = """
import json, sys, time
X, y = json.load(sys.stdin)
import numpy as np
X, y = np.array(X), np.array(y)
start = time.perf_counter()
from {module} import LogisticRegression
imported = time.perf_counter()
LogisticRegression().fit(X, y)
print(json.dumps([imported - start, time.perf_counter() - imported]))
"""


def measure(runs: int) -> dict[str, Any]:
    """Median seconds of the import (NumPy is there already) and of the first fit, libraries taking turns."""
    from bench.datasets.small import standardised

    X, y = standardised("iris")
    given = json.dumps([X.tolist(), y.tolist()])
    times: dict[str, list[list[float]]] = {name: [] for name in LIBRARIES}
    for _ in range(runs):
        for name, module in LIBRARIES.items():
            command = [sys.executable, "-W", "ignore", "-c", PROGRAM.format(module=module)]
            run = subprocess.run(command, input=given, capture_output=True, text=True)
            if run.returncode == 0:
                times[name].append(json.loads(run.stdout.strip().splitlines()[-1]))
    return {
        name: {"import_s": statistics.median(t[0] for t in ts), "fit_s": statistics.median(t[1] for t in ts)}
        for name, ts in times.items()
        if ts
    }


def markdown(found: dict[str, Any]) -> str:
    """Return the table of import times and first fits as Markdown."""
    lines = [f"\n## {NAME}, iris", "", "| library | import s | first fit s |", "|---|---|---|"]
    lines += [f"| {name} | {t['import_s']:.3f} | {t['fit_s']:.4f} |" for name, t in found.items()]
    return "\n".join(lines) + "\n"
