"""How a cost grows with the size of its data: CPU seconds at a few sizes, and the slope on logarithms.

Each task names its sizes; one of them grows while the others stay, and the exponent is the slope of least
squares of the logarithm of the seconds on that of the size.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits


@dataclass(frozen=True)
class Task:
    """Something that costs time, and the sizes from which it grows.

    Parameters
    ----------
    name : str
        What is done.
    make : callable
        From the sizes, by name, to the data.
    run : callable
        What is timed: a function of the data and of the sizes.
    base : dict
        The sizes at their smallest.
    times : dict
        By which factors a size grows; a size that is not named stays.
    """

    name: str
    make: Callable[..., Any]
    run: Callable[..., Any]
    base: dict[str, int]
    times: dict[str, tuple[int, ...]] = field(default_factory=dict)


def cost(task: Task, sizes: dict[str, int], runs: int) -> float:
    """Return the least CPU time of some runs."""
    data, took = task.make(**sizes), []
    for _ in range(runs):
        began = time.process_time()
        task.run(data, **sizes)
        took.append(time.process_time() - began)
    return min(took)


def report(tasks: list[Task], runs: int = 3) -> None:
    """Print the seconds of one thread and the exponents, a line for each size of each task."""
    print("| work | changed | CPU seconds | exponent |\n|---|---|---|---|")
    with threadpool_limits(1):
        for task in tasks:
            cost(task, task.base, 1)  # imports and first calls
            for which, times in task.times.items():
                sizes = [task.base[which] * t for t in times]
                found = [cost(task, {**task.base, which: size}, runs) for size in sizes]
                slope = np.polyfit(np.log(times), np.log(found), 1)[0]
                shown = ", ".join(f"{seconds:.3g}" for seconds in found)
                ends = f"{which} from {sizes[0]} to {sizes[-1]}"
                print(f"| {task.name} | {ends} | {shown} | {slope:.2f} |", flush=True)
