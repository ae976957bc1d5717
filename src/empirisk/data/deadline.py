"""A limit of time that cuts work short, compiled loops included."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Deadline", "OutOfTime", "stopped_here"]

_AGAIN = 0.25  # seconds until the alarm is raised again, in case that the first one fell where none can pass


_ENDS: list[float] = []  # of the blocks that run now, the outermost first: there is one alarm for all


class OutOfTime(BaseException):
    """Raised inside work whose time is up; no ``except Exception`` takes it for a failure of the work."""


class Deadline:
    """The end of the time that a whole run may take, and shorter limits for its parts.

    Parameters
    ----------
    seconds : float or None
        None for no end.
    since : float, optional
        When the time began, by ``time.perf_counter``; now by default.

    Attributes
    ----------
    limit : float or None
        The seconds.
    began : float
        When the time began.

    Notes
    -----
    Work inside :meth:`within` ends by an alarm of the system (SIGALRM), which reaches Python between two of
    its steps and compiled loops wherever they look for Ctrl-C.  Where there are no alarms (on Windows, and in
    threads other than the main one) the limit is looked at when the work begins and not while it runs.

    Examples
    --------
    >>> deadline = Deadline(60.0)
    >>> try:
    ...     with deadline.within(0.05):
    ...         while True:
    ...             pass
    ... except OutOfTime:
    ...     print("cut")
    cut
    >>> Deadline(None).left()
    inf
    """

    def __init__(self, seconds: float | None, since: float | None = None) -> None:
        self.limit = seconds
        start = time.perf_counter() if since is None else since
        self.began = start
        self._end = math.inf if seconds is None else start + seconds
        self._since = _now()

    def left(self, reserve: float = 0.0) -> float:
        """Return the seconds until the end, less those that must be kept for later; infinite without an
        end.
        """
        return max(0.0, self._end - time.perf_counter() - reserve)

    @property
    def slowness(self) -> float:
        """Seconds that pass for each second of computing, from 1 (alone on the machine) to 20."""
        wall, cpu = (now - then for now, then in zip(_now(), self._since, strict=True))
        return min(20.0, max(1.0, wall / max(cpu, 1e-3))) if wall > 0.5 else 1.0

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Let the block run for so many seconds at most; limits may stand inside each other.

        Raises
        ------
        OutOfTime
            At once when there is no time at all, else when the time of this block or of one around it is up.
        """
        if seconds <= 0.0:
            raise OutOfTime
        alarms = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if math.isinf(seconds) or not alarms:
            yield
            return
        before = signal.signal(signal.SIGALRM, _ring) if not _ENDS else None
        _ENDS.append(time.perf_counter() + seconds)
        try:
            _set()
            yield
        except Exception as error:
            # Compiled code that was reading something when the alarm rang may say that it is unreadable.
            if isinstance(error.__cause__, OutOfTime):
                raise OutOfTime from error
            raise
        finally:
            _ENDS.pop()
            _set()
            if before is not None:
                signal.signal(signal.SIGALRM, before)


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def stopped_here() -> bool:
    """Return whether the time of the innermost block alone is up; it is then left in peace to tidy up and
    return.

    To be asked where :class:`OutOfTime` was caught inside the block; when this is False, raise it again.
    """
    now = time.perf_counter()
    if not _ENDS or any(end <= now for end in _ENDS[:-1]):
        return False
    _ENDS[-1] = math.inf
    _set()
    return True


def _set() -> None:
    """Ring at the first of the ends, and again until it is heard."""
    if _ENDS and math.isfinite(min(_ENDS)):
        signal.setitimer(signal.ITIMER_REAL, max(1e-3, min(_ENDS) - time.perf_counter()), _AGAIN)
    else:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _ring(*_: Any) -> None:
    if _ENDS and time.perf_counter() >= min(_ENDS):
        raise OutOfTime
