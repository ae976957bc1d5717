"""The parameters of a Gaussian process as one vector of logarithms: those of the kernel, and the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels import Kernel
from empirisk.typing import Array

__all__ = ["Covariance"]


@dataclass(frozen=True, eq=False)
class Covariance:
    """``K + noise / s`` over rows of weight s, as a function of the logarithms of its parameters.

    Parameters
    ----------
    kernel : Kernel
        Its numbers are where a search begins.
    rows : array or CSR
        Rows, float64; with a precomputed kernel its matrix on them.
    weight : array, shape (n,)
        Positive; a weight of 2 is an observation made twice.
    noise : float or None
        Variance of the noise; None for a model without one.
    learn_noise : bool
        Whether the noise is the last of the parameters.
    """

    kernel: Kernel
    rows: Any
    weight: Array
    noise: float | None = None
    learn_noise: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters, numbered where the kernel has an array of them."""
        out: list[str] = []
        for name, value in self.kernel.parameters.items():
            size = np.size(value)
            out += [name] if np.ndim(value) == 0 else [f"{name}[{i}]" for i in range(size)]
        return (*out, "noise") if self.learn_noise else tuple(out)

    @property
    def start(self) -> Array:
        """The logarithms of the numbers that the kernel and the noise have now."""
        values = [np.ravel(np.asarray(v, dtype=np.float64)) for v in self.kernel.parameters.values()]
        noise = [np.array([self.noise])] if self.learn_noise else []
        return np.asarray(np.log(np.concatenate([*values, *noise, np.zeros(0)])))

    def at(self, theta: Array) -> tuple[Kernel, float]:
        """Return the kernel and the noise with these logarithms (noise 0 where there is none)."""
        values: dict[str, Any] = {}
        at = 0
        for name, old in self.kernel.parameters.items():
            part = np.exp(theta[at : at + np.size(old)]).reshape(np.shape(old))
            values[name] = part.tolist() if np.ndim(old) == 0 else like(old, part)
            at += np.size(old)
        kernel: Kernel = self.kernel.with_parameters(**values) if values else self.kernel
        noise = float(np.exp(theta[-1])) if self.learn_noise else float(self.noise or 0.0)
        return kernel, noise

    def block(self, kernel: Kernel) -> Array:
        """Return the matrix of the kernel on the rows, in an array of its own."""
        return np.array(kernel.block(self.rows), dtype=np.float64)

    def values(self, kernel: Kernel) -> Array:
        """Return the same matrix to be read alone: it may be one that was given."""
        return np.asarray(kernel.block(self.rows), dtype=np.float64)

    def slopes(self, kernel: Kernel, adjoint: Array, block: Array) -> list[float]:
        """Return ``sum_ij adjoint_ij dK_ij`` for each parameter of the kernel.

        `block` is the matrix of the kernel; of the adjoint the sums of entries (i, j) and (j, i) count.
        """
        return kernel.contracted(adjoint, block, self.rows)


def like(old: Any, numbers: Array) -> Any:
    """Return numbers in the form of the old ones: an array, or a tuple or list of floats."""
    return type(old)(numbers.tolist()) if isinstance(old, tuple | list) else numbers
