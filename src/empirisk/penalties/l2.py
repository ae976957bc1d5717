"""The squared L2 penalty: it shrinks all coefficients and makes the minimiser unique (ridge regression).

Hoerl and Kennard, Technometrics 12 (1970).
"""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.penalties.elastic_net import ElasticNetPenalty

__all__ = ["L2"]


@dataclass(frozen=True)
class L2(ElasticNetPenalty):
    """``P(w) = alpha ||w||^2 / 2``; its conjugate is ``||u||^2 / (2 alpha)``.

    Examples
    --------
    >>> L2(4.0).value(np.array([1.0, 1.0]))
    4.0
    """

    l1_ratio: float = 0.0

    name = "l2"
