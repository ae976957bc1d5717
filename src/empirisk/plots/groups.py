"""One colour and one mark for one group, in every chart, so that a map explains its silhouettes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from empirisk.plots.style import colour

__all__ = ["hue_of", "mark_of", "numbers_of", "sign_of"]

ROLES = ("positive", "train", "test", "negative", "reference", "validation")
MARKS = ("o", "^", "s", "D", "v", "P")
SIGNS = ("\u25cf", "\u25b2", "\u25a0", "\u25c6", "\u25bc", "\u271a")


def hue_of(k: int) -> str:
    """Return the colour of group k; a number below 0 is no group, and grey.

    Examples
    --------
    >>> hue_of(1), hue_of(7), hue_of(-1)
    ('#a8540a', '#a8540a', '#5b5f66')
    """
    return colour("muted" if k < 0 else ROLES[k % len(ROLES)])


def mark_of(k: int) -> str:
    """Return the mark of group k: after all colours are used once, each comes with another mark."""
    return "x" if k < 0 else MARKS[(k + k // len(ROLES)) % len(MARKS)]


def sign_of(k: int) -> str:
    """Return the mark of group k as a character, for words beside a chart."""
    return "\u00d7" if k < 0 else SIGNS[MARKS.index(mark_of(k))]


def numbers_of(labels: Sequence[Any]) -> list[int]:
    """Return the number of each of some distinct labels: whole numbers are their own, names are counted.

    Examples
    --------
    >>> numbers_of([-1, 0, 3]), numbers_of(["north", "south"])
    ([-1, 0, 3], [0, 1])
    """
    whole = all(isinstance(label, (int, np.integer)) for label in labels)
    return [int(label) for label in labels] if whole else list(range(len(labels)))
