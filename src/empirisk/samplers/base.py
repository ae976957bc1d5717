"""The contract of samplers, and of what they sample from.

A target is a potential U with its gradient: the density that is sampled is proportional to ``exp(-U)``.  A
sampler is a frozen object that names a compiled transition and says how its step is tuned; the transitions
are in ``cpp/samplers/``, one file each, and ask any target the same two numbers, so that a function of
Python can be sampled by all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from empirisk.typing import Array

__all__ = ["Guess", "Sampler", "Target"]


@dataclass(frozen=True)
class Guess:
    """Where the mass of a target lies, as far as that can be told before a chain has run.

    Parameters
    ----------
    place : array, shape (d,)
        The mode, or a point near it.
    factor : array, shape (d, d), or None
        Lower factor L of a covariance ``L L'``; None where nothing is known of the shape.
    places : array, shape (k, d), or None
        Where chains start, in turn; None lets them start about `place`.
    """

    place: Array
    factor: Array | None = None
    places: Array | None = None


class Target(Protocol):
    """What samplers ask of a distribution."""

    @property
    def size(self) -> int:
        """The number of parameters that each draw has, in their order."""
        ...

    @property
    def names(self) -> list[str]:
        """The names of the parameters, in their order."""
        ...

    @property
    def title(self) -> str:
        """How a sentence names the target."""
        ...

    @property
    def call(self) -> Any:
        """What the loops take: a tuple of arrays, or a function of w that returns U and its gradient."""
        ...

    def inside(self, w: Array) -> Array:
        """Return a point of the support near w, as far as the support is known."""
        ...

    def guess(self) -> Guess:
        """Return where to start, and in which shape steps are made."""
        ...


@dataclass(frozen=True)
class Sampler:
    """A transition and how its step is tuned.

    ``name`` is the key of the registry, `move` the compiled transition.  ``exact`` says whether the law that
    the chain settles to is the target itself, ``proximal`` whether a penalty may have kinks, ``draws_rows``
    whether gradients are estimated from few rows, ``gradient`` whether gradients are used at all,
    ``by_blocks`` whether the target draws its parameters itself, block by block.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = True
    proximal: ClassVar[bool] = False
    draws_rows: ClassVar[bool] = False
    gradient: ClassVar[bool] = True
    by_blocks: ClassVar[bool] = False
    # What a user can do about steps that diverge.
    remedy: ClassVar[str] = "raise target_acceptance, or write the model in other parameters"

    @property
    def move(self) -> str:
        """The name of the compiled transition."""
        return self.name

    @property
    def wanted(self) -> float:
        """The mean chance of acceptance that the warm-up aims at."""
        raise NotImplementedError

    @property
    def given_step(self) -> float | None:
        """The step, where it is given; None lets the warm-up find it."""
        return None

    def default_thin(self, d: int) -> int:
        """Return of how many transitions one is kept by default, where there are d parameters."""
        return 1

    @property
    def limits(self) -> tuple[int, float]:
        """The largest number of steps (of doublings for nuts) of a path, and its length."""
        return 1, 0.0
