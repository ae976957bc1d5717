"""No penalty: coefficients are free, or free among the non-negative ones."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.penalties.elastic_net import ElasticNetPenalty

__all__ = ["Zero"]


@dataclass(frozen=True)
class Zero(ElasticNetPenalty):
    """``P(w) = 0`` (or the indicator of ``w >= 0``); conjugate the indicator of ``u = 0``.

    Examples
    --------
    >>> Zero().value(np.array([3.0]))
    0.0
    """

    alpha: float = 0.0
    l1_ratio: float = 0.0

    name = "zero"
    has_strength = False

    def __post_init__(self) -> None:
        if self.alpha != 0.0:
            raise ValueError(f"the zero penalty has alpha = 0, got {self.alpha!r}")
