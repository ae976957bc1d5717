"""The L1 penalty: it sets coefficients exactly to 0 (the lasso).

Tibshirani, Journal of the Royal Statistical Society B 58 (1996).
"""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.penalties.elastic_net import ElasticNetPenalty

__all__ = ["L1"]


@dataclass(frozen=True)
class L1(ElasticNetPenalty):
    """``P(w) = alpha ||w||_1``; conjugate the indicator of ``max_j |u_j| <= alpha``.

    Examples
    --------
    >>> L1(0.5).critical_strength(np.array([0.3, -0.7]))
    0.7
    """

    l1_ratio: float = 1.0

    name = "l1"
