"""Which route finds the leading eigenpairs: chosen by the shape, and again where digits are lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.reduction.centred import CentredRows
from empirisk.reduction.exact import by_covariance, by_gram, by_svd
from empirisk.reduction.lanczos import by_lanczos
from empirisk.reduction.power import by_power
from empirisk.reduction.randomised import by_random
from empirisk.reduction.spectrum import Spectrum

__all__ = ["METHODS", "Settings", "leading"]

METHODS = ("auto", "covariance", "gram", "svd", "lanczos", "randomized", "power")
DENSE, SPARSE = 3000, 1000  # shorter sides up to which a matrix of products is made
FEW = 0.05  # share of the shorter side that counts as few components
LOST = 1e-9  # share of the largest variance below which its square root has lost half of its digits


@dataclass(frozen=True)
class Settings:
    """How eigenpairs are searched for.

    Parameters
    ----------
    method : str
        One of :data:`METHODS`.
    tol : float
        Residual over the largest eigenvalue at which iterations end.
    max_iter : int
        Products with the covariance, at most.
    n_iter : int
        Power iterations of the random space.
    seed : int
    """

    method: str = "auto"
    tol: float = 1e-8
    max_iter: int = 10_000
    n_iter: int = 4
    seed: int = 0


def leading(data: CentredRows, k: int, settings: Settings, every: bool = False) -> Spectrum:
    """Return the k leading eigenpairs of the covariance, and all eigenvalues with `every`.

    Notes
    -----
    ``"auto"``: inner products of rows where n < p, else the covariance, where the shorter side is at most
    3,000 (sparse 1,000), or so many components are wanted; else Lanczos' method.  Where the last variance
    wanted is below 1e-9 of the first, dense rows are decomposed again by singular values: a covariance has
    half of their digits.  float32 rows are summed in float64 where it is below 1e-3 of the first.
    """
    rng = np.random.default_rng(settings.seed)
    iterate: dict[str, Any] = {
        "lanczos": lambda: by_lanczos(data, k, settings.tol, settings.max_iter, rng),
        "randomized": lambda: by_random(data, k, settings.n_iter, rng),
        "power": lambda: by_power(data, k, settings.tol, settings.max_iter, rng),
    }
    method = settings.method
    if method == "auto":
        method = _by_shape(data, k, every)
    if method in iterate:
        return iterate[method]()  # type: ignore[no-any-return]
    if method == "svd":
        return by_svd(data, k)
    route = by_gram if method == "gram" else by_covariance
    found = route(data, k, every)
    if settings.method == "auto" and not data.sparse:
        if data.dtype == np.float32 and _small(found, k, 1e-3):
            found = route(data, k, every, wide=True)
        if _small(found, k, LOST):
            return by_svd(data, k)
    return found


def _by_shape(data: CentredRows, k: int, every: bool) -> str:
    n, p = data.shape
    short = min(n, p)
    if not every and short > (SPARSE if data.sparse else DENSE) and k < FEW * short:
        return "lanczos"
    return "gram" if n < p else "covariance"


def _small(found: Spectrum, k: int, share: float) -> bool:
    """Return whether the last variance wanted is small, or was lost."""
    values = found.values
    return len(values) > 0 and (len(values) < k or float(values[-1]) < share * float(values[0]))
