"""The posterior of a Gaussian process at new rows: mean, variance and covariance.

Rasmussen and Williams 2006, equations 2.23 and 2.24; Titsias 2009 (AISTATS), equation 6, for inducing points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from empirisk.gaussian_processes.factor import Factor
from empirisk.kernels import Kernel
from empirisk.typing import Array

__all__ = ["ExactPosterior", "InducingPosterior", "Posterior"]

CELLS = 2**22  # of a block of kernel values between new rows and centres


class Posterior(Protocol):
    """A Gaussian process after it has seen data."""

    def variance(self, X: Any) -> Array: ...
    def covariance(self, X: Any) -> Array: ...


@dataclass(frozen=True, eq=False)
class _Centred:
    """What both posteriors are: ``mean = K_* a``, by ``kernel.product``, and ``covariance = K_** - lost``."""

    kernel: Kernel
    centres: Any
    a: Array

    def _lost(self, cross: Array) -> tuple[Array, Array | None]:
        """Return matrices whose products ``P'P`` are subtracted from, and added to, the prior covariance."""
        raise NotImplementedError

    def _cross(self, X: Any) -> Array:
        return np.asarray(self.kernel.block(X, self.centres), dtype=np.float64)

    def _parts(self, X: Any) -> Iterator[Any]:
        rows = max(1, CELLS // max(1, len(self.a)))
        for start in range(0, X.shape[0], rows):
            yield X[start : start + rows]

    def variance(self, X: Any) -> Array:
        """Return the posterior variance of each row, without noise; at least 0."""
        out = []
        for part in self._parts(X):
            minus, plus = self._lost(self._cross(part).T)
            v = np.asarray(self.kernel.diagonal(part), dtype=np.float64) - np.einsum("ij,ij->j", minus, minus)
            out.append(v if plus is None else v + np.einsum("ij,ij->j", plus, plus))
        return np.asarray(np.maximum(np.concatenate(out), 0.0))

    def covariance(self, X: Any) -> Array:
        """Return the posterior covariance of all pairs of rows, without noise."""
        minus, plus = self._lost(self._cross(X).T)
        out = np.array(self.kernel.block(X), dtype=np.float64) - minus.T @ minus
        return out if plus is None else np.asarray(out + plus.T @ plus)


@dataclass(frozen=True, eq=False)
class ExactPosterior(_Centred):
    """``mean = K_* a``, ``covariance = K_** - K_* (K + D)^-1 K_*'`` with ``a = (K + D)^-1 y``.

    Parameters
    ----------
    kernel : Kernel
    centres
        The training rows.
    a : array, shape (n,)
    factor : Factor
        Of ``K + D``.
    """

    factor: Factor

    def _lost(self, cross: Array) -> tuple[Array, Array | None]:
        return self.factor.half_solve(cross), None


@dataclass(frozen=True, eq=False)
class InducingPosterior(_Centred):
    """``covariance = K_** - U'U + U'B^-1 U`` with ``U = L^-1 K_m*``, ``L L' = K_mm`` and B of the rows.

    Parameters
    ----------
    kernel : Kernel
    centres
        The m inducing points.
    a : array, shape (m,)
    prior, seen : Factor
        Of ``K_mm`` and of ``B = I + L^-1 K_mn D^-1 K_nm L'^-1``.
    """

    prior: Factor
    seen: Factor

    def _lost(self, cross: Array) -> tuple[Array, Array | None]:
        half = self.prior.half_solve(cross)
        return half, self.seen.half_solve(half)
