"""Functions of Python as targets that samplers draw from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from empirisk.samplers.base import Guess
from empirisk.samplers.slopes import refuse_other_gradient
from empirisk.samplers.words import check_positive, real_array
from empirisk.typing import Array
from empirisk.wording import a_thing, counted

__all__ = ["FunctionTarget"]

# Starts of chains at which the gradient is compared with differences: each takes at least 5 calls.
_LOOKED = 4


@dataclass(frozen=True, eq=False)
class FunctionTarget:
    """A density proportional to ``exp(-U(w))``, U a function of Python.

    Parameters
    ----------
    function : callable(w) -> (float, array of shape (d,))
        U and its gradient at w of shape (d,); U may be infinite outside of the support.  Samplers that use
        the gradient compare it with differences of U at the starts, and refuse one that is not that of U.
    start : array, shape (d,) or (k, d)
        Where chains begin: about a point of the support; or at k points, in turn, which lie apart where there
        may be several modes.
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
        start = real_array("start", self.start)
        if start.ndim not in (1, 2) or not start.size or not np.isfinite(start).all():
            raise ValueError(
                "start must be an array of d finite numbers, one for each parameter, or of k such rows, got "
                f"{self.start!r:.80}"
            )
        object.__setattr__(self, "start", start)
        names = [f"w{j}" for j in range(self.size)] if self.names is None else [str(n) for n in self.names]
        if len(names) != self.size:
            raise ValueError(
                f"names has {len(names)} entries, and there are {self.size} parameters; give one for each"
            )
        if len(set(names)) < len(names):
            raise ValueError(f"names must differ from each other, got {names!r}")
        object.__setattr__(self, "names", names)
        if self._factor is not None:  # what has none is refused here
            self._factor.flags.writeable = False

    @cached_property
    def _factor(self) -> Array | None:
        """The lower factor of the given covariance, None where none is given; what has none is refused."""
        if self.covariance is None:
            return None
        covariance, d = real_array("covariance", self.covariance), self.size
        if covariance.shape != (d, d):
            raise ValueError(
                f"covariance must be a symmetric array of shape ({d}, {d}), got shape {covariance.shape}"
            )
        if not np.isfinite(covariance).all():
            raise ValueError("covariance must hold finite numbers, and holds NaN or infinity")
        if not np.allclose(covariance, covariance.T, atol=1e-8 * np.abs(covariance).max()):
            raise ValueError("covariance must be symmetric, and is not")
        try:
            return np.asarray(np.linalg.cholesky(covariance))
        except np.linalg.LinAlgError:
            raise ValueError("covariance must be positive definite, and is not") from None

    @property
    def size(self) -> int:
        """The number of parameters that each draw has, in their order."""
        return int(np.shape(self.start)[-1])

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        return "a potential given as a function"

    @property
    def call(self) -> Callable[[Array], tuple[float, Array]]:
        """The function, whose answers are looked at: the loops get a number and d numbers."""
        return _Looked(self.function, self.size, self.temperature)

    def tempered(self, temperature: float) -> FunctionTarget:
        """Return the target with U divided by a further temperature, and a given covariance times it."""
        covariance = None if self.covariance is None else temperature * np.asarray(self.covariance)
        return replace(self, covariance=covariance, temperature=temperature * self.temperature)

    def inside(self, w: Array) -> Array:
        """Return the point itself: nothing is known of the support."""
        return w

    def look_at_gradient(self, places: Array) -> None:
        """Refuse a gradient that is not that of U, by differences at a few of the places (k, d)."""
        refuse_other_gradient(self.call, places[:_LOOKED])

    def guess(self) -> Guess:
        """Return the given start, and the shape of the given covariance."""
        places = np.atleast_2d(self.start)
        return Guess(places[0], self._factor, places if len(places) > 1 else None)


@dataclass(eq=False)
class _Looked:
    """A function whose answers are looked at, and which counts the places where it gave no number.

    Parameters
    ----------
    function : callable
    size : int
        d.
    temperature : float
        Which U is divided by.
    """

    function: Callable[[Array], tuple[float, Array]]
    size: int
    temperature: float
    without_number: int = 0
    zeros: Array = field(init=False)

    def __post_init__(self) -> None:
        self.zeros = np.zeros(self.size)

    def __call__(self, w: Array) -> tuple[float, Array]:
        answer = self.function(w)
        value, grad = answer if self._plain(answer) else self._read(answer)
        u = float(value)
        # Nothing but a finite number is 0 when it is multiplied by 0.
        if not (math.isfinite(u) and grad.dot(self.zeros) == 0.0):
            u = self._look(u, grad, w)
        return (u, grad) if self.temperature == 1.0 else (u / self.temperature, grad / self.temperature)

    def _plain(self, answer: Any) -> bool:
        """Whether an answer has the form that the loops read: the usual one is looked at quickly."""
        if type(answer) is not tuple or len(answer) != 2:
            return False
        value, grad = answer
        array = isinstance(grad, np.ndarray) and grad.dtype == np.float64
        return array and isinstance(value, float) and grad.shape == self.zeros.shape

    def _read(self, answer: Any) -> tuple[float, Array]:
        """Return U and the gradient from any form that they may have; what is none is refused."""
        if not (isinstance(answer, tuple) and len(answer) == 2 and _is_number(answer[0])):
            raise TypeError(
                "the function must return a tuple of U, a real number, and its gradient, an array of "
                f"{self.size} numbers, got {a_thing(type(answer).__name__)}: {answer!r:.80}"
            )
        value, grad = answer
        out = np.asarray(grad, dtype=np.float64)
        if out.shape != (self.size,):
            raise ValueError(
                f"the gradient of the potential has shape {out.shape}, and there are {self.size} parameters"
            )
        return float(np.asarray(value).reshape(())), out

    def _look(self, u: float, grad: Array, w: Array) -> float:
        """Return U where it is infinite, or NaN, which counts as outside; other answers are refused."""
        where = f"at w = {np.array2string(w, threshold=6, precision=4)}"
        if u == -math.inf:
            raise ValueError(f"the potential is -inf, a density without bound, {where}")
        if math.isfinite(u) and not np.isfinite(grad).all():
            raise ValueError(
                f"the gradient of the potential holds NaN or infinity where U = {u:.6g} is finite, {where}"
            )
        self.without_number += math.isnan(u)
        return math.inf if math.isnan(u) else u

    def notes(self) -> list[str]:
        """Return what a user should know of the answers: at how many places U was NaN."""
        if not self.without_number:
            return []
        return [
            f"U was NaN at {counted(self.without_number, 'place')} that steps tried, which count as outside "
            "of the support: let U be infinite there if that is meant."
        ]


def _is_number(value: Any) -> bool:
    """Whether a value is one real number, in any of the forms that NumPy has for it."""
    return np.size(value) == 1 and np.asarray(value).dtype.kind in "iufb"
