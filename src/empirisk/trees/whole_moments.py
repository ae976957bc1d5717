"""Derivatives as whole numbers, so that sums over rows are exact in any order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["WholeMoments"]

# Of a derivative, as many as float32 has; with weights that are not whole 6 more, of the largest w g or w h.
BITS = 24


@dataclass(frozen=True)
class WholeMoments:
    """How many bits the sums of g, h and of the rows may take, for given weights.

    A row adds ``w g`` to one integer of 64 bits, and ``w h`` above `shift` bits of a row count to another.
    Small whole weights multiply the rounded derivative, so that a row of weight 2 is exactly two rows.

    Attributes
    ----------
    shift : int
        Bits of the row count.
    g_bits, h_bits : int
        Bits of the largest derivative.
    whole : bool
        Whether the weights are small whole numbers.

    Examples
    --------
    >>> WholeMoments.of(1_000_000, None)
    WholeMoments(shift=20, g_bits=24, h_bits=24, whole=True)
    """

    shift: int
    g_bits: int
    h_bits: int
    whole: bool

    @classmethod
    def of(cls, n: int, weight: Array | None) -> WholeMoments:
        """Return the numbers of bits for n rows with these weights (None: ones)."""
        whole = weight is None or (weight.max() < 64.0 and bool(np.all(weight == np.floor(weight))))
        total = n if weight is None or not whole else int(weight.sum())
        shift = max(n, total).bit_length()
        bits = BITS if whole else 30
        return cls(shift, bits, min(bits, 64 - shift - total.bit_length()), whole)

    def scales(self, largest_g: float, largest_h: float) -> tuple[float, float]:
        """Return the powers of two that bring the largest derivatives (times the weights, unless whole) to
        their bits.
        """

        def scale(largest: float, bits: int) -> float:
            return math.ldexp(1.0, min(bits - math.frexp(largest)[1], 1000)) if largest > 0.0 else 1.0

        return scale(largest_g, self.g_bits), scale(largest_h, self.h_bits)
