"""Targets that say how each block of their parameters is drawn given all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["BlockTarget"]

State = Mapping[str, Array]
Draw = Callable[[State, np.random.Generator], Any]


@dataclass(frozen=True, eq=False)
class BlockTarget:
    """A density of blocks of parameters, each with a function that draws it given all others.

    Parameters
    ----------
    blocks : mapping of str to callable(state, rng) -> number or array of shape (d,)
        By the name of a block, in the order of a sweep: the function is given the blocks as they stand, a
        mapping of names to arrays that cannot be written to, and a NumPy Generator, and returns a draw of its
        block from its law given the others.
    start : mapping of str to number or array, or callable(rng) -> mapping
        Where chains begin, a value for each block; a function that draws starts lets R-hat tell whether
        chains forget them.
    names : mapping of str to sequence of str, optional
        Names of the numbers of a block; by default the name of the block, with ``[i]`` where it has several.
    title : str, optional
        How a sentence names the target.
    hidden : sequence of str, optional
        Blocks that are drawn and not kept, such as labels of rows.
    report : callable(array of shape (..., size)) -> array of the same shape, optional
        What is told of the draws that are kept, such as parts in an order of their own.

    Raises
    ------
    TypeError, ValueError
        Blocks that are no functions, starts that lack a block or are not finite; while a chain runs, draws of
        another shape, or that are not finite.

    Examples
    --------
    >>> pair = BlockTarget(  # a Gaussian of variances 1 and correlation 0.6
    ...     {
    ...         "a": lambda s, rng: rng.normal(0.6 * s["b"], 0.8),
    ...         "b": lambda s, rng: rng.normal(0.6 * s["a"], 0.8),
    ...     },
    ...     start={"a": 0.0, "b": 0.0},
    ... )
    >>> from empirisk.samplers import sample
    >>> sample(pair, method="gibbs", draws=50).draws.shape
    (4, 50, 2)
    """

    blocks: Mapping[str, Draw]
    start: Any
    names: Any = None
    title: str = "a density given by its blocks"
    hidden: Any = ()
    report: Callable[[Array], Array] | None = None
    # The shape of the start of each block, which draws must have.
    _shapes: dict[str, tuple[int, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.blocks, Mapping) or not self.blocks:
            raise TypeError(
                "blocks must be a mapping from names to functions of (state, rng), with at least one, got "
                f"{self.blocks!r:.80}"
            )
        for name, draw in self.blocks.items():
            if not callable(draw):
                raise TypeError(f"block {name!r} must be a function of (state, rng), got {draw!r:.80}")
        object.__setattr__(self, "blocks", dict(self.blocks))
        if isinstance(self.hidden, str) or not set(self.hidden) < set(self.blocks):
            raise ValueError(
                f"hidden must name blocks ({', '.join(self.blocks)}), and not all of them, got "
                f"{self.hidden!r:.80}"
            )
        first = self.started(np.random.default_rng(0))
        sizes = {name: value.size for name, value in first.items() if name not in self.hidden}
        object.__setattr__(self, "_shapes", {name: value.shape for name, value in first.items()})
        object.__setattr__(self, "names", self._named(sizes))

    def _named(self, sizes: dict[str, int]) -> list[str]:
        """Names of all numbers, block by block; given ones that do not fit are refused."""
        out: list[str] = []
        for block, size in sizes.items():
            own = None if self.names is None else self.names.get(block)
            if own is None:
                own = [block] if size == 1 else [f"{block}[{i}]" for i in range(size)]
            if len(own) != size:
                raise ValueError(
                    f"names of block {block!r} has {len(own)} entries, and the block {size}; give one for "
                    "each"
                )
            out.extend(str(name) for name in own)
        if len(set(out)) < len(out):
            raise ValueError(f"names must differ from each other, got {out!r}")
        return out

    @property
    def size(self) -> int:
        """The number of parameters that each draw has, in the order of the blocks."""
        return len(self.names)

    def kept(self, state: State) -> Array:
        """Return the numbers of a state that are kept, block by block."""
        return np.concatenate([np.ravel(v) for name, v in state.items() if name not in self.hidden])

    def reported(self, draws: Array) -> Array:
        """Return what is told of draws (..., size): themselves, where nothing else was asked for."""
        return draws if self.report is None else np.asarray(self.report(draws))

    def started(self, rng: np.random.Generator) -> dict[str, Array]:
        """Return a start: an array for each block, in their order."""
        given = self.start(rng) if callable(self.start) else self.start
        if not isinstance(given, Mapping) or set(given) != set(self.blocks):
            raise ValueError(
                f"start must be a mapping with a value for each block ({', '.join(self.blocks)}), got "
                f"{given!r:.80}"
            )
        return {name: self._value(name, given[name], "the start") for name in self.blocks}

    def drawn(self, name: str, state: dict[str, Array], rng: np.random.Generator) -> Array:
        """Return a draw of one block, looked at: its shape is that of the start, and it is finite."""
        value = self._value(name, self.blocks[name](MappingProxyType(state), rng), "the draw")
        wanted = self._shapes[name]
        if value.shape != wanted:
            raise ValueError(
                f"the draw of block {name!r} has shape {value.shape}, and the start shape {wanted}: return "
                "as many numbers as the start has"
            )
        return value

    def _value(self, name: str, value: Any, what: str) -> Array:
        """A value of a block as an array that cannot be written to; what is no finite number is refused."""
        try:
            out = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(
                f"{what} of block {name!r} must be a number or an array of numbers, got {value!r:.80}"
            ) from None
        if out.ndim > 1 or not out.size:
            raise ValueError(
                f"{what} of block {name!r} must be a number or an array of one dimension, got shape "
                f"{out.shape}"
            )
        if not np.isfinite(out).all():
            raise ValueError(
                f"{what} of block {name!r} holds NaN or infinity: check its law given the other blocks"
            )
        out.flags.writeable = False
        return out
