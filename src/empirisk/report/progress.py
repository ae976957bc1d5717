"""How long work says what it is doing: stages with a number of steps and a share of the predicted time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from empirisk.data.progress import Steps

__all__ = ["LineProgress", "RichProgress", "Silent", "Stages", "Told", "progress_for"]


class Stages(Protocol):
    """The contract of a display of stages: what the code that fits tells it.

    What users watch a call by is :data:`empirisk.data.progress.Progress`; :class:`Told` passes stages on.
    """

    def stage(self, name: str, steps: int, seconds: float) -> None:
        """A stage begins: its steps and its predicted seconds."""

    def advance(self, note: str = "") -> None:
        """Say that one step of the stage is done."""

    def forecast(self, seconds: float) -> None:
        """The stage will take so many seconds more, as its first steps have shown."""


class Silent:
    """The progress display that shows nothing."""

    def stage(self, name: str, steps: int, seconds: float) -> None:
        """Do nothing: the beginning of a stage is not shown."""

    def advance(self, note: str = "") -> None:
        """Do nothing: a step that is done is not shown."""

    def forecast(self, seconds: float) -> None:
        """Do nothing: a forecast of the time is not shown."""


class _Clock:
    """Remaining time: predicted seconds of what is left, scaled by how right the prediction has been."""

    def __init__(self, total: float) -> None:
        self.total, self.started = max(total, 1e-3), time.perf_counter()
        self.done, self.current, self.steps, self.step = 0.0, 0.0, 1, 0

    def stage(self, steps: int, seconds: float) -> None:
        self.done += self.current
        self.current, self.steps, self.step = seconds, max(1, steps), 0

    def advance(self) -> None:
        self.step = min(self.steps, self.step + 1)

    def forecast(self, seconds: float) -> None:
        """What the stages after this one were expected to take stays."""
        spent = time.perf_counter() - self.started
        after = max(0.0, self.total - self.done - self.current)
        self.current = spent - self.done + seconds
        self.total = max(1e-3, self.done + self.current + after)

    @property
    def share(self) -> float:
        return min(1.0, (self.done + self.current * self.step / self.steps) / self.total)

    @property
    def left(self) -> float:
        spent, share = time.perf_counter() - self.started, self.share
        return self.total * (1.0 - share) if share < 0.05 else spent * (1.0 - share) / share


class LineProgress:
    """One plain line a stage, for logs."""

    def __init__(self, total: float) -> None:
        self.clock = _Clock(total)

    def stage(self, name: str, steps: int, seconds: float) -> None:
        """Print the stage and the time left."""
        self.clock.stage(steps, seconds)
        print(f"{name}  (about {self.clock.left:.0f} s left)", file=sys.stderr, flush=True)

    def advance(self, note: str = "") -> None:
        """Count the step, from which the time that is left is predicted."""
        self.clock.advance()

    def forecast(self, seconds: float) -> None:
        """Print what the first fold taught."""
        self.clock.forecast(seconds)
        left = self.clock.total - self.clock.done - self.clock.current + seconds
        print(f"The first fold is done  (about {left:.0f} s left)", file=sys.stderr, flush=True)


class RichProgress:
    """A bar with the stage, the step and the time left, for terminals."""

    def __init__(self, total: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self.clock = _Clock(total)
        columns = (
            TextColumn("{task.fields[stage]}"),
            BarColumn(bar_width=24),
            TextColumn("{task.description}"),
        )
        self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self.task = self.bar.add_task("", total=1.0, stage="")
        self.name = ""

    def stage(self, name: str, steps: int, seconds: float) -> None:
        """Show the name of the stage that begins, with an empty bar."""
        self.clock.stage(steps, seconds)
        self.name = name
        self._show("")

    def forecast(self, seconds: float) -> None:
        """Move the bar to where it should be."""
        self.clock.forecast(seconds)
        self._show("")

    def advance(self, note: str = "") -> None:
        """Count the step, and move the bar."""
        self.clock.advance()
        self._show(note)

    def _show(self, note: str) -> None:
        minutes, seconds = divmod(round(self.clock.left), 60)
        said = (
            f"{self.clock.step}/{self.clock.steps} {note}   {minutes // 60}:{minutes % 60:02d}:{seconds:02d}"
            " left"
        )
        self.bar.update(self.task, completed=self.clock.share, description=said, stage=self.name)


class Told:
    """The progress as a share of the predicted time, told to who watches a call in Python.

    Parameters
    ----------
    total : float
        Predicted seconds.
    steps : callable
        Called with (percent done, 100).
    """

    def __init__(self, total: float, steps: Steps) -> None:
        self.clock, self.steps, self.last = _Clock(total), steps, -1

    def stage(self, name: str, steps: int, seconds: float) -> None:
        """Begin a stage, and tell how far the whole is."""
        self.clock.stage(steps, seconds)
        self._tell()

    def advance(self, note: str = "") -> None:
        """Count the step, and tell how far the whole is."""
        self.clock.advance()
        self._tell()

    def forecast(self, seconds: float) -> None:
        """Take over what the first fold taught; the share told never falls."""
        self.clock.forecast(seconds)
        self._tell()

    def end(self) -> None:
        """Tell who watches that the whole of the work is done."""
        self.steps(100, 100)

    def _tell(self) -> None:
        now = max(self.last, min(99, round(100.0 * self.clock.share)))
        self.last = now
        self.steps(now, 100)


@contextmanager
def progress_for(total: float, *, quiet: bool = False) -> Iterator[Stages]:
    """Give a bar on a terminal, plain lines elsewhere, nothing when quiet.

    Parameters
    ----------
    total : float
        Predicted seconds of all stages together.
    quiet : bool, default False
    """
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        shown = RichProgress(total)
        with shown.bar:
            yield shown
    else:
        yield LineProgress(total)
