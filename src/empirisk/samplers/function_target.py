"""Functions of Python as targets that samplers draw from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.samplers.base import Guess
from empirisk.samplers.words import check_positive
from empirisk.typing import Array
from empirisk.wording import a_thing

__all__ = ["FunctionTarget"]


@dataclass(frozen=True, eq=False)
class FunctionTarget:
    """A density proportional to ``exp(-U(w))``, U a function of Python.

    Parameters
    ----------
    function : callable(w) -> (float, array of shape (d,))
        U and its gradient at w of shape (d,); U may be infinite outside of the support.
    start : array, shape (d,)
        Where chains begin: a point of the support.
    names : sequence of str, optional
        Of the parameters; ``w0, w1, ...`` by default.
    covariance : array, shape (d, d), optional
        About that of the density, which gives steps their shape; by default the warm-up finds one.
    temperature : float > 0, default 1.0
        T: the density is proportional to ``exp(-U(w) / T)``.

    Examples
    --------
    >>> FunctionTarget(lambda w: (0.5 * w @ w, w), np.zeros(2)).names
    ['w0', 'w1']
    """

    function: Callable[[Array], tuple[float, Array]]
    start: Array
    names: Any = None
    covariance: Any = None
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(
                f"function must be callable with an array w and return (U, gradient), got {self.function!r}"
            )
        check_positive("temperature", self.temperature)
        start = np.array(self.start, dtype=np.float64)
        if start.ndim != 1 or not len(start) or not np.isfinite(start).all():
            raise ValueError("start must be an array of d finite numbers, one for each parameter")
        object.__setattr__(self, "start", start)
        names = [f"w{j}" for j in range(len(start))] if self.names is None else [str(n) for n in self.names]
        if len(names) != len(start):
            raise ValueError(
                f"names has {len(names)} entries and start {len(start)}; give one for each parameter"
            )
        if len(set(names)) < len(names):
            raise ValueError(f"names must differ from each other, got {names!r}")
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_factor", None if self.covariance is None else self._root(len(start)))

    def _root(self, d: int) -> Array:
        """The lower factor of the given covariance; what has none is refused."""
        covariance = np.asarray(self.covariance, dtype=np.float64)
        if covariance.shape != (d, d) or not np.allclose(covariance, covariance.T):
            raise ValueError(
                f"covariance must be a symmetric array of shape ({d}, {d}), got shape {covariance.shape}"
            )
        try:
            return np.asarray(np.linalg.cholesky(covariance))
        except np.linalg.LinAlgError:
            raise ValueError("covariance must be positive definite, and is not") from None

    @property
    def size(self) -> int:
        """The number of parameters that each draw has, in their order."""
        return len(self.start)

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        return "a potential given as a function"

    @property
    def call(self) -> Callable[[Array], tuple[float, Array]]:
        """The function, whose answers are looked at: the loops get a number and d numbers."""

        def checked(w: Array) -> tuple[float, Array]:
            answer = self.function(w)
            if not (isinstance(answer, tuple) and len(answer) == 2 and _is_number(answer[0])):
                raise TypeError(
                    "the function must return a tuple of U, a real number, and its gradient, an array of "
                    f"{self.size} numbers, got {a_thing(type(answer).__name__)}: {answer!r:.80}"
                )
            value, grad = answer
            out = np.asarray(grad, dtype=np.float64)
            if out.shape != (self.size,):
                raise ValueError(
                    f"the gradient of the potential has shape {out.shape}, and there are {self.size} "
                    "parameters"
                )
            u = float(np.asarray(value).reshape(()))
            if u == -math.inf:
                raise ValueError(
                    "the potential is -inf, a density without bound, at w = "
                    f"{np.array2string(w, threshold=6, precision=4)}"
                )
            if math.isfinite(u) and not np.isfinite(out).all():
                raise ValueError(
                    f"the gradient of the potential holds NaN or infinity where U = {u:.6g} is finite, at w "
                    f"= {np.array2string(w, threshold=6, precision=4)}"
                )
            return (math.inf if math.isnan(u) else u / self.temperature), out / self.temperature

        return checked

    def tempered(self, temperature: float) -> FunctionTarget:
        """Return the target with U divided by a further temperature, and a given covariance times it."""
        covariance = None if self.covariance is None else temperature * np.asarray(self.covariance)
        return replace(self, covariance=covariance, temperature=temperature * self.temperature)

    def inside(self, w: Array) -> Array:
        """Return the point itself: nothing is known of the support."""
        return w

    def guess(self) -> Guess:
        """Return the given start, and the shape of the given covariance."""
        return Guess(self.start, self._factor)  # type: ignore[attr-defined]


def _is_number(value: Any) -> bool:
    """Whether a value is one real number, in any of the forms that NumPy has for it."""
    return np.size(value) == 1 and np.asarray(value).dtype.kind in "iufb"
