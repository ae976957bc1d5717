"""How far long work is: a callable of the user, or one bar with the time left for who watches."""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from types import FrameType

__all__ = ["Bar", "Progress", "Steps", "blocks_of", "teller", "watched"]

Steps = Callable[[int, int], None]
# What users may pass besides None.
Progress = Steps | bool

PATIENCE = 2.0  # seconds of work that nobody needs to be told about
BEAT = 0.1  # seconds between two drawings of the bar
WIDE = 24  # characters of the bar


def teller(progress: Progress | None) -> Steps:
    """Return what to call with (done, all) after each step.

    Parameters
    ----------
    progress : callable, bool or None
        Called as it is.  None: a bar with the time left, in a terminal or a notebook, once the work has
        taken two seconds; True: at once.  Both are silent in pipes, in worker processes, in threads other
        than the main one, and inside work that has a bar already.  False is silent everywhere.

    Raises
    ------
    TypeError
        For anything else.

    Examples
    --------
    >>> teller(print)(2, 5)
    2 5
    >>> teller(False)(2, 5)
    """
    if progress is False:
        return _silent
    if progress is None or progress is True:
        return Bar(0.0 if progress else PATIENCE) if _watched() and not _inside_another() else _silent
    if not callable(progress):
        raise TypeError(f"progress must be True, False, None or a callable of (done, all), got {progress!r}")
    return progress


def watched(tell: Steps) -> bool:
    """Return whether anybody hears what a teller is told: work may then be cut into parts.

    Examples
    --------
    >>> watched(teller(False)), watched(print)
    (False, True)
    """
    return tell is not _silent


def blocks_of(total: int, step: int, tell: Steps) -> Iterator[tuple[int, int]]:
    """Yield (first, count) of blocks of at most `step`, and tell how many are done after each.

    Examples
    --------
    >>> list(blocks_of(5, 2, print))
    2 5
    4 5
    5 5
    [(0, 2), (2, 2), (4, 1)]
    """
    for first in range(0, total, step):
        count = min(step, total - first)
        yield first, count
        tell(first + count, total)


class Bar:
    """A bar on the error stream with the steps done and the time left; its line is wiped at the end.

    Parameters
    ----------
    patience : float
        Seconds of work before it appears.
    clock : callable, optional
        What tells the time, in seconds.

    Examples
    --------
    >>> Bar(0.0, clock=lambda: 0.0).line(1, 4, 30.0)
    '[######..................] 1 of 4, 1:30 left'
    """

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.patience, self.clock = patience, clock
        self.started = self.drawn = clock()
        self.width = 0
        _held[:] = [(weakref.ref(self), _outermost())]

    def __call__(self, done: int, total: int) -> None:
        now = self.clock()
        if done >= total:
            self._wipe()
        elif now - self.started >= self.patience and (now - self.drawn >= BEAT or not self.width):
            self.drawn = now
            self._write(self.line(done, total, now - self.started))

    def line(self, done: int, total: int, spent: float) -> str:
        """Return the bar after `spent` seconds: what is left takes as long a step as what is done.

        Parameters
        ----------
        done, total : int
            Steps.
        spent : float
            Seconds so far.
        """
        full = WIDE * done // max(total, 1)
        left = ""
        if done > 0:
            minutes, seconds = divmod(round(spent * (total - done) / done), 60)
            hours, minutes = divmod(minutes, 60)
            clock = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
            left = f", {clock} left"
        return f"[{'#' * full}{'.' * (WIDE - full)}] {done:,} of {total:,}{left}"

    def _write(self, said: str) -> None:
        print(f"\r{said.ljust(self.width)}", end="", file=sys.stderr, flush=True)
        self.width = max(self.width, len(said))

    def _wipe(self) -> None:
        if self.width and sys.stderr is not None:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
        self.width = 0

    def __del__(self) -> None:
        self._wipe()


def _silent(done: int, total: int) -> None:
    pass


def _watched() -> bool:
    """Return whether somebody looks at the error stream of this process: a terminal or a notebook."""
    if multiprocessing.current_process().name != "MainProcess":
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    if shell is not None and hasattr(shell, "kernel"):
        return True
    return bool(sys.stderr is not None and sys.stderr.isatty())


# The last bar and the call of the user that it belongs to, by number: so no rows stay alive.
_held: list[tuple[weakref.ref[Bar], int]] = []


def _outermost() -> int:
    """Return the number of the frame of the package that the user called, 0 where there is none."""
    frame: FrameType | None = sys._getframe(1)
    found = 0
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith("empirisk."):
            found = id(frame)
        frame = frame.f_back
    return found


def _inside_another() -> bool:
    """Return whether a call that has a bar is still running, so that this is work within it."""
    return any(bar() is not None and call == _outermost() for bar, call in _held)
