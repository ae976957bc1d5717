"""Which rows every resample draws: strata and cache-sized pieces, a random stream for each resample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk import _loops
from empirisk.data.progress import blocks_of, teller
from empirisk.evaluation.intervals.base import Floats

__all__ = ["Plan"]

# Rows that are summed while they lie in the cache next to the processor.
PIECE = 2048
# Numbers of draws that are held at once.
MAX_COUNTS = 1 << 20


@dataclass(frozen=True)
class Plan:
    """Draws with replacement of `sizes[s]` units from each stratum s; the units of a stratum are neighbours.

    Parameters
    ----------
    sizes : tuple of int
        Units (rows or groups) of the strata, in the order of the data.
    key : int
        Names the random streams: resample b of a plan is a function of (key, b) alone.
    """

    sizes: tuple[int, ...]
    key: int

    @property
    def n(self) -> int:
        """The number of units of all strata together."""
        return sum(self.sizes)

    def sums(self, table: Floats, n_resamples: int) -> Floats:
        """Column sums of `table` over the draws of each resample, (n_resamples, columns).

        Large strata are cut into pieces: how many draws fall on each is multinomial, and within a piece
        they are uniform. This is the same distribution, and the memory that is read at random stays small.
        """
        columns = table.shape[1]
        width = columns if columns <= 2 else 4 if columns <= 4 else -(-columns // 8) * 8
        padded = np.zeros((len(table), width))
        padded[:, :columns] = table
        starts, cuts = self._pieces()
        out = np.empty((n_resamples, columns))
        step = max(64, MAX_COUNTS // (len(starts) - 1))
        for first, count in blocks_of(n_resamples, step, teller(None)):
            draws = self._piece_draws(cuts, first, count)
            out[first : first + count] = _loops.resample_sums(padded, starts, draws, self.key, first, count)[
                :, :columns
            ]
        return out

    def rows(self, first: int, count: int) -> NDArray[np.int64]:
        """Return the unit numbers that resamples first .. first + count - 1 draw, (count, n)."""
        sizes = np.array(self.sizes, dtype=np.int64)
        out = np.empty((count, self.n), dtype=np.int64)
        _loops.resample_rows(np.r_[0, np.cumsum(sizes)], sizes, self.key, first, out)
        return out

    def _pieces(self) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
        """Return the starts of all pieces, and the sizes of the pieces of each stratum."""
        cuts = []
        for size in self.sizes:
            edges = np.linspace(0, size, -(-size // PIECE) + 1).astype(np.int64)
            cuts.append(np.diff(edges))
        return np.r_[0, np.cumsum(np.concatenate(cuts))], cuts

    def _piece_draws(self, cuts: list[NDArray[np.int64]], first: int, count: int) -> NDArray[np.int64]:
        if all(len(cut) == 1 for cut in cuts):
            return np.array(self.sizes, dtype=np.int64)
        rng = np.random.Generator(np.random.Philox(key=[self.key, first]))
        parts = [rng.multinomial(cut.sum(), cut / cut.sum(), size=count) for cut in cuts]
        return np.ascontiguousarray(np.concatenate(parts, axis=1), dtype=np.int64)
