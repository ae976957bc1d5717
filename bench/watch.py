"""The parent's side of a row: start the worker, watch its memory, end fits that take too long."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
SAMPLE_SECONDS = 0.005
# A reference is solved once and far beyond the accuracy; it may take this many times the cap of a run.
REFERENCE_CAPS = 10.0


@dataclass
class Timing:
    """What is known about one solver on one row."""

    first: float | None = None
    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_extra_bytes: int = 0
    value: float | None = None
    problem: str = ""


@dataclass
class Measured:
    """What is known about a row."""

    shape: list[int] = field(default_factory=list)
    input_bytes: int = 0
    timings: dict[str, Timing] = field(default_factory=dict)
    reference: float | None = None
    null: float | None = None
    problem: str = ""


def resident_bytes(pid: str = "self") -> int:
    """Resident memory of a process now; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError, ValueError):
        return 0


class _Memory(threading.Thread):
    """Peak resident memory of a process since the last reset, by sampling from outside."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = str(pid)
        self.base = self.peak = 0
        self.stopped = threading.Event()

    def reset(self, resident: int) -> None:
        """Start a new peak from what the process says that it had before the fit."""
        self.base = self.peak = resident

    def run(self) -> None:
        """Sample the memory of the process until the thread is stopped."""
        while not self.stopped.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, resident_bytes(self.pid))


def measure(objective: str, dataset: str, quick: bool, runs: int, cap: float) -> Measured:
    """All runs of a row; a solver over the cap is given up, and the others start again without it."""
    skip: dict[str, str] = {}
    while True:
        measured = Measured()
        slow = _attempt(measured, objective, dataset, quick, runs, cap, skip)
        for name, why in skip.items():
            measured.timings[name] = Timing(problem=why)
        if slow is None:
            return measured
        skip[slow[0]] = slow[1]


def _attempt(
    measured: Measured, objective: str, dataset: str, quick: bool, runs: int, cap: float, skip: dict[str, str]
) -> tuple[str, str] | None:
    """One worker process; returns the solver that broke it and why, or None."""
    read, write = os.pipe()
    given = {"descriptor": write, "objective": objective, "dataset": dataset, "quick": quick, "runs": runs}
    command = [sys.executable, "-m", "bench.worker", json.dumps({**given, "skip": list(skip)})]
    process = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.close(write)
    errors: list[bytes] = []
    drain = threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True)  # type: ignore[union-attr]
    drain.start()
    memory = _Memory(process.pid)
    memory.start()
    running, finished = "", False
    try:
        for event in _events(read, cap):
            if event is None and finished:
                measured.problem = f"The reference took over {REFERENCE_CAPS * cap:g} s and was given up."
                process.kill()
                return None
            if event is None:
                return running, f"over {cap:g} s"
            running = event["solver"] if event["event"] == "start" else ""
            finished |= event["event"] == "values"
            _note(measured, event, memory)
    finally:
        os.close(read)
        if not finished:
            process.kill()
        process.wait()
        memory.stopped.set()
    if finished:
        if measured.reference is None:
            measured.problem = f"The reference failed (status {process.returncode})."
        return None
    if running:
        return running, f"the process died (status {process.returncode})"
    drain.join(1.0)
    tail = (errors[0] if errors else b"").decode(errors="replace").strip().splitlines()
    measured.problem = tail[-1] if tail else f"the worker ended with status {process.returncode}"
    return None


def _events(descriptor: int, cap: float) -> Iterator[dict[str, Any] | None]:
    """The worker's events; None, as the last one, when a fit or the reference runs for too long."""
    buffer, deadline = b"", None
    while True:
        rest = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], rest)[0]:
            yield None
            return
        chunk = os.read(descriptor, 65536)
        if not chunk:
            return
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            event = json.loads(line)
            caps = {"start": 1.0, "reference": REFERENCE_CAPS}.get(event["event"])
            deadline = None if caps is None else time.monotonic() + caps * cap
            yield event


def _note(measured: Measured, event: dict[str, Any], memory: _Memory) -> None:
    kind = event["event"]
    if kind == "data":
        measured.shape, measured.input_bytes = event["shape"], event["bytes"]
        return
    if kind == "values":
        measured.null = event["null"]
        for name, value in event["values"].items():
            measured.timings[name].value = value
        return
    if kind == "reference":
        return
    if kind == "best":
        measured.reference = event["value"]
        return
    timing = measured.timings.setdefault(event["solver"], Timing())
    if kind == "start":
        memory.reset(event["resident"])
    elif kind == "first":
        timing.first = event["seconds"]
    elif kind == "failed":
        timing.problem = event["why"]
    elif kind == "end":
        timing.seconds.append(event["seconds"])
        timing.cpu.append(event["cpu"])
        timing.peak_extra_bytes = max(timing.peak_extra_bytes, memory.peak - memory.base)
