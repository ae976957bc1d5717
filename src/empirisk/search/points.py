"""Which settings a search tries: all of a grid, or draws from distributions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, generator_of

Params = dict[str, Any]
Grid = Mapping[str, Iterable[Any]]


@dataclass(frozen=True)
class LogUniform:
    """A number whose logarithm is uniform on ``[log low, log high]``; rounded when `integer`.

    Parameters
    ----------
    low, high : float
        Ends, ``0 < low < high``.
    integer : bool, default False
        Draw whole numbers.

    Examples
    --------
    >>> import numpy as np
    >>> draw = LogUniform(1e-4, 1.0).rvs(np.random.default_rng(0))
    >>> 1e-4 <= draw <= 1.0
    True
    """

    low: float
    high: float
    integer: bool = False

    def __post_init__(self) -> None:
        if not (0.0 < self.low < self.high < math.inf):
            raise ValueError(f"LogUniform needs 0 < low < high < inf, got {self.low!r} and {self.high!r}.")

    def rvs(self, random_state: Seed = None) -> float | int:
        """Return one draw, whose logarithm is uniform between the logarithms of both ends."""
        x = math.exp(generator_of(random_state).uniform(math.log(self.low), math.log(self.high)))
        x = min(max(x, self.low), self.high)
        return round(x) if self.integer else x


def grid_points(grid: Grid | Sequence[Grid]) -> list[Params]:
    """Return every combination of a grid, or of several grids one after the other.

    Raises
    ------
    TypeError, ValueError
        No mapping, a parameter without values, or text where a list is meant.

    Examples
    --------
    >>> grid_points({"a": [1, 2], "b": ["x"]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'x'}]
    """
    return [
        dict(zip(g, values, strict=True))
        for g in _mappings(grid, "param_grid")
        for values in product(*(_values(name, g[name]) for name in g))
    ]


def draw_points(distributions: Any, n_iter: int, rng: np.random.Generator) -> list[Params]:
    """`n_iter` draws: each value from a list, or from anything with ``rvs(random_state=...)``.

    When all parameters are lists, draws are without replacement and there are at most as many as
    combinations.
    """
    maps = _mappings(distributions, "param_distributions")
    if n_iter < 1:
        raise ValueError(f"n_iter must be at least 1, got {n_iter!r}.")
    if not any(hasattr(v, "rvs") for m in maps for v in m.values()):
        everything = grid_points(maps)
        chosen = rng.permutation(len(everything))[:n_iter]
        return [everything[i] for i in chosen]
    points = []
    for _ in range(n_iter):
        m = maps[int(rng.integers(len(maps)))]
        points.append({name: _draw(name, m[name], rng) for name in m})
    return points


def same(a: Any, b: Any) -> bool:
    """Return whether two parameter values are equal; values that cannot be compared are equal when
    identical.
    """
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):  # arrays, missing values
        return False


def _draw(name: str, source: Any, rng: np.random.Generator) -> Any:
    if hasattr(source, "rvs"):
        value = source.rvs(random_state=rng)
        return value.item() if isinstance(value, np.generic) else value
    values = _values(name, source)
    return values[int(rng.integers(len(values)))]


def _mappings(given: Any, parameter: str) -> list[Mapping[str, Any]]:
    maps = [given] if isinstance(given, Mapping) else list(given) if isinstance(given, Iterable) else []
    if not maps or not all(isinstance(m, Mapping) for m in maps):
        raise TypeError(
            f"{parameter} must be a mapping of parameter names to values, or a list of such mappings, "
            f"got {type(given).__name__}."
        )
    return maps


def _values(name: str, given: Any) -> list[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise TypeError(f"the values of {name!r} must be a list or an array, got {given!r}.")
    values = [v.item() if isinstance(v, np.generic) else v for v in given]
    if not values:
        raise ValueError(f"the list of values of {name!r} is empty; give at least one.")
    return values
