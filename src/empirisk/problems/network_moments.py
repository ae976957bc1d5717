"""Means and variances over all rows of the sums of layers that are normalised by them.

Batch normalization makes the answer of a row depend on others (Ioffe and Szegedy, ICML 2015).  With the
moments of *all* rows in place of those of a batch the objective is a function of the parameters alone.  They
are found layer by layer, since those of a layer rest on the ones before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.problems.network_layers import Layers
from empirisk.problems.normalizations.base import Moments
from empirisk.typing import Array

__all__ = ["Chunks", "moments_of_layers"]

# Inputs, targets and weights of some rows of a block after the other.
Chunks: TypeAlias = Callable[[Block], Iterator[tuple[Array, Array, Array]]]


def moments_of_layers(layers: Layers, w: Array, data: RowBlocks, chunks: Chunks) -> list[Moments | None]:
    """Return weighted means and variances over all rows, None for layers that do not need them."""
    found: list[Moments | None] = []
    for (weights, _), norm in zip(layers.split(w), layers.normalizations, strict=True):
        if norm is None or not norm.over_rows:
            found.append(None)
            continue

        def sums(x: Array, weights: Array = weights) -> Array:
            return layers.scores(w, x, found) @ weights

        found.append(_moments(sums, data, chunks))
    return found


def _moments(sums: Callable[[Array], Array], data: RowBlocks, chunks: Chunks) -> Moments:
    """Return the weighted mean and variance over all rows of each column of what `sums` makes of them."""
    # About the mean of the first rows, against cancellation.
    about = next((sums(x).mean(axis=0) for block in data for x, _, s in chunks(block) if len(s)))

    def part(block: Block) -> tuple[Any, ...]:
        total, mean, square = 0.0, np.zeros_like(about), np.zeros_like(about)
        for x, _, s in chunks(block):
            off = sums(x) - about
            total += float(s.sum())
            mean += s @ off
            square += s @ off**2
        return np.asarray(total), mean, square

    with np.errstate(over="ignore", invalid="ignore"):
        total, mean, square = data.map_sum(part)
        mean /= total
        return about + mean, np.maximum(square / total - mean**2, 0.0)
