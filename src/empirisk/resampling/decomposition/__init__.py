"""Where the expected loss of an algorithm comes from: noise, bias, variance."""

from __future__ import annotations

from empirisk.resampling.decomposition.decompose import bias_variance
from empirisk.resampling.decomposition.result import BiasVariance, BiasVarianceCurve

__all__ = ["BiasVariance", "BiasVarianceCurve", "bias_variance"]
