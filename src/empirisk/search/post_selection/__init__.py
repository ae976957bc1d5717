"""Inference after selection: the debiased lasso, and choosing on some rows to test on others."""

from __future__ import annotations

from empirisk.search.post_selection.debiased_lasso import DebiasedLasso, debiased_lasso
from empirisk.search.post_selection.likelihood_ratio import likelihood_ratio
from empirisk.search.post_selection.split_sample import SplitSampleInference, split_sample_inference

__all__ = [
    "DebiasedLasso",
    "SplitSampleInference",
    "debiased_lasso",
    "likelihood_ratio",
    "split_sample_inference",
]
