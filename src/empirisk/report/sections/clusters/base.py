"""What the sections of the report on clusters are collected from, and words that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.report.clusters.engine import Clustered
from empirisk.report.clusters.profile import Line, lines_of
from empirisk.report.sections.base import Collected
from empirisk.wording import listed, number, percent

__all__ = ["ClusterMaterial", "cluster_name", "shares_said"]

Json = dict[str, Any]


@dataclass(frozen=True)
class ClusterMaterial(Collected):
    """What a section about groups is collected from: its `analysis` is a :class:`Clustered`."""

    analysis: Clustered

    def lines(self) -> list[Line]:
        """Return the profile of the clusters, line by line."""
        return lines_of(self.analysis)


def cluster_name(c: int) -> str:
    """Return what readers call cluster number c of Python: they count from 1."""
    return str(c + 1)


def shares_said(shares: Sequence[float], most: int = 5) -> str:
    """Return shares as a list in a sentence.

    Examples
    --------
    >>> shares_said([0.5, 0.3, 0.2])
    '50 %, 30 % and 20 %'
    """
    said = [percent(s) for s in shares[:most]]
    if len(shares) > most:
        said[-1:] = [f"{number(len(shares) - most + 1)} smaller ones"]
    return listed(said)
