"""The error of a maximum-likelihood fit that has no finite solution."""

from __future__ import annotations

__all__ = ["SeparationError"]


class SeparationError(ValueError):
    """No finite minimiser exists: without a penalty the classes are separable or zeros run off."""
