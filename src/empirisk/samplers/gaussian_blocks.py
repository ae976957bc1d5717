"""A Gaussian law as blocks of coordinates that are drawn in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.samplers.block_target import BlockTarget, Draw, State
from empirisk.samplers.words import real_array
from empirisk.typing import Array

__all__ = ["gaussian_blocks"]


def gaussian_blocks(mean: Any, covariance: Any, sizes: Any = None) -> BlockTarget:
    """Return the law ``N(m, C)`` by blocks of coordinates: ``x_B ~ N(m_B + A (x_R - m_R), C_BB - A C_RB)``.

    R are the coordinates outside of the block B, and ``A = C_BR C_RR^-1``.  It shows what a sweep costs where
    coordinates depend on each other: of two with correlation r, draws have the autocorrelation r^2.

    Parameters
    ----------
    mean : array, shape (d,)
    covariance : array, shape (d, d)
        Symmetric and positive definite.
    sizes : sequence of int, optional
        Numbers of coordinates of the blocks, in their order; by default each coordinate is one.

    Examples
    --------
    >>> from empirisk.samplers import sample
    >>> pair = gaussian_blocks([0.0, 1.0], [[1.0, 0.9], [0.9, 1.0]])
    >>> found = sample(pair, method="gibbs", draws=500)
    >>> bool(abs(found.mean[1] - 1.0) < 5.0 * found.mcse[1])
    True
    """
    m, C = real_array("mean", mean), real_array("covariance", covariance)
    d = m.size
    if m.shape != (d,) or not d or C.shape != (d, d) or not (np.isfinite(m).all() and np.isfinite(C).all()):
        raise ValueError(
            f"mean must have shape (d,) and covariance (d, d), of finite numbers, got {m.shape} and {C.shape}"
        )
    sizes = [1] * d if sizes is None else list(sizes)
    if not all(isinstance(size, int | np.integer) and size > 0 for size in sizes) or sum(sizes) != d:
        raise ValueError(f"sizes must be whole numbers above 0 whose sum is {d}, got {sizes!r}")
    try:
        root = np.linalg.cholesky(C)
    except np.linalg.LinAlgError:
        raise ValueError("covariance must be positive definite, and is not") from None
    if not np.allclose(C, C.T):
        raise ValueError("covariance must be symmetric, and is not")
    ends = np.cumsum(sizes)
    parts = {
        f"x{i}": np.arange(end - size, end) for i, (size, end) in enumerate(zip(sizes, ends, strict=True))
    }

    def start(rng: np.random.Generator) -> dict[str, Array]:
        x = m + 1.5 * (root @ rng.standard_normal(d))
        return {name: x[part] for name, part in parts.items()}

    return BlockTarget({name: _given(m, C, parts, name) for name in parts}, start, None, "a Gaussian law")


def _given(m: Array, C: Array, parts: dict[str, Array], name: str) -> Draw:
    """The function that draws one block given the others."""
    own = parts[name]
    rest = np.setdiff1d(np.arange(len(m)), own)
    try:
        A = np.linalg.solve(C[np.ix_(rest, rest)], C[np.ix_(rest, own)]).T
        root = np.linalg.cholesky(C[np.ix_(own, own)] - A @ C[np.ix_(rest, own)])
    except np.linalg.LinAlgError:
        raise ValueError(
            f"covariance must be positive definite, and given the others block {name!r} has no variance but "
            "rounding"
        ) from None

    def draw(state: State, rng: np.random.Generator) -> Array:
        x = np.concatenate([np.ravel(state[other]) for other in parts])
        return np.asarray(m[own] + A @ (x[rest] - m[rest]) + root @ rng.standard_normal(len(own)))

    return draw
