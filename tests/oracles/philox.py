"""The random numbers of the samplers again, in whole numbers of Python.

Philox 4x32-10 of Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011.
"""

from __future__ import annotations

import math

_WORD = 0xFFFFFFFF


class Stream:
    """The stream of a seed, a chain and a step: words, uniform and normal numbers, in their order."""

    def __init__(self, seed: int, chain: int, step: int) -> None:
        step %= 2**64
        self.key = (seed & _WORD, seed >> 32)
        self.rest = (step & _WORD, step >> 32, chain)
        self.block = 0
        self.words: list[int] = []
        self.kept: float | None = None

    def word(self) -> int:
        """Return the next word of 32 bits."""
        if not self.words:
            a, b, c, d = self.block, *self.rest
            k, m = self.key
            for _ in range(10):
                p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
                a, b, c, d = (q >> 32) ^ b ^ k, q & _WORD, (p >> 32) ^ d ^ m, p & _WORD
                k, m = (k + 0x9E3779B9) & _WORD, (m + 0xBB67AE85) & _WORD
            self.words = [a, b, c, d]
            self.block += 1
        return self.words.pop(0)

    def uniform(self) -> float:
        """Return a number strictly between 0 and 1, of 53 bits."""
        high, low = self.word(), self.word()
        return ((high << 21 ^ low >> 11) + 0.5) * 2.0**-53

    def normal(self) -> float:
        """Return a standard normal number; two come from one pair of uniform numbers."""
        if self.kept is not None:
            out, self.kept = self.kept, None
            return out
        radius = math.sqrt(-2.0 * math.log(self.uniform()))
        angle = 2.0 * math.pi * self.uniform()
        self.kept = radius * math.sin(angle)
        return radius * math.cos(angle)

    def normals(self, count: int) -> list[float]:
        """Return so many standard normal numbers."""
        return [self.normal() for _ in range(count)]

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1: words whose share of the range is not whole are left out."""
        product = self.word() * n
        while product & _WORD < (2**32 - n) % n:
            product = self.word() * n
        return product >> 32
