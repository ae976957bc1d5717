"""One colour for one thing: the roles that charts draw with, in a light and a dark scheme.

A chart always draws with the light colours; the report replaces each of them by the CSS variable of its role,
so that one picture serves both schemes. Tests check the values: contrast with the paper of at least 4.5, and
pairs that share a chart stay apart for red-green colour-blind readers.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PALETTE", "Role"]


@dataclass(frozen=True)
class Role:
    """A colour role: its value on white paper and on dark paper."""

    light: str
    dark: str
    meaning: str


PALETTE: dict[str, Role] = {
    "paper": Role("#fdfdfb", "#16181c", "the page"),
    "ink": Role("#1c1e21", "#e7e6e3", "text"),
    "muted": Role("#5b5f66", "#a3a8b0", "axes, secondary text"),
    "rule": Role("#d9dadd", "#34383f", "grid lines, table rules"),
    "validation": Role("#1b5e9f", "#7fb6f0", "cross-validation and chosen from it"),
    "train": Role("#a8540a", "#f0a765", "training rows"),
    "test": Role("#6a3da6", "#bfa1f5", "test rows"),
    "baseline": Role("#6a6d72", "#a9adb3", "the baseline and other reference lines"),
    "reference": Role("#8f2d2d", "#f29b90", "models of other libraries"),
    "positive": Role("#0a6873", "#5fc9d2", "the positive class"),
    "negative": Role("#7d6a12", "#d3bd62", "the negative class"),
}
