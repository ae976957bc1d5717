"""Where the expected loss of an algorithm comes from: noise, bias, variance."""

from __future__ import annotations

from empirisk.selection.decomposition.decompose import bias_variance
from empirisk.selection.decomposition.result import BiasVariance, BiasVarianceCurve

__all__ = ["BiasVariance", "BiasVarianceCurve", "bias_variance"]
