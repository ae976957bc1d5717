"""Leading eigenpairs from random directions, with a bound on what they miss."""

from __future__ import annotations

import math

import numpy as np

from empirisk.reduction.centred import CentredRows
from empirisk.reduction.spectrum import Spectrum, signed
from empirisk.typing import Array

__all__ = ["by_random"]

EXTRA = 10  # directions beyond those wanted
DRAWS = 10  # further directions that measure what is missed: the bound fails with probability 1e-10


def by_random(data: CentredRows, k: int, n_iter: int, rng: np.random.Generator) -> Spectrum:
    """Return the eigenpairs on a random space after so many power iterations, with an error that is measured.

    Parameters
    ----------
    data : CentredRows
    k : int
        Eigenpairs wanted; ten more directions are carried along.
    n_iter : int >= 0
        Power iterations, each of them one pass over the rows.
    rng : Generator

    Notes
    -----
    Halko, Martinsson and Tropp (2011, SIAM Review 53), algorithm 4.4 for the space Q.  With A the centred
    rows and ``E = ||A (I - Q Q')||``, ``A A' = A Q Q' A' + A (I - Q Q') A'``: eigenvalue j is at least the
    value found and at most ``E^2`` more.  Their lemma 4.1 bounds E by ``10 sqrt(2/pi)``
    times the largest ``||A (I - Q Q') g||`` of ten Gaussian g, and fails with probability ``10^-10``.  There
    are ``n_iter + 2`` passes.
    """
    n, p = data.shape
    m = min(k + EXTRA, n, p)
    Q = np.linalg.qr(data.apply(rng.standard_normal((p, m))))[0]
    for _ in range(n_iter):
        Q = np.linalg.qr(data.apply(Q))[0]
    draws = rng.standard_normal((p, DRAWS))
    draws -= Q @ (Q.T @ draws)
    draws -= Q @ (Q.T @ draws)
    image = data.apply(np.hstack([Q, draws]))
    inner = Q.T @ image[:, :m]
    values, Y = np.linalg.eigh(0.5 * (inner + inner.T))
    values, Y = values[::-1], Y[:, ::-1]
    lost = (200.0 / math.pi) * float(np.einsum("pd,pd->d", draws, image[:, m:]).max(initial=0.0))
    return _measured(data, Q @ Y, image[:, :m] @ Y, values, k, lost, n_iter + 2)


def _measured(
    data: CentredRows, V: Array, image: Array, values: Array, k: int, lost: float, passes: int
) -> Spectrum:
    floor = data.total * data.rounding
    level = np.finfo(float).eps * max(data.shape) * max(float(values[0]), 0.0)
    kept = min(k, int((values > level).sum()))
    ahead = max(0.0, data.total - float(values[:kept].sum()))
    lost = min(max(lost, floor), ahead + floor)  # nothing that is missed is more than the rest of the trace
    residual = float(np.linalg.norm(image[:, :kept] - V[:, :kept] * values[:kept]))
    axes = signed(V[:, :kept].T)
    following = float(values[kept]) if kept < len(values) else 0.0
    bound = f"each is at most {lost * data.unit**2:.2g} below its place, but for a chance of 1e-10"
    route = "a random space"
    rest = max(following, 0.0) + lost
    return Spectrum(values[:kept], axes, rest, residual, floor, route, None, bound, passes)
