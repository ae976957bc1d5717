"""Whose line a warning is about: that of the user, however many of our functions stand between."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["caller_level"]

PACKAGE = __name__.partition(".")[0]


def caller_level() -> int:
    """Return the `stacklevel` at which a warning of the caller points at the first line outside this package.

    A number that is written down goes wrong as soon as one function more stands between.

    Examples
    --------
    >>> caller_level() >= 1
    True
    """
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
