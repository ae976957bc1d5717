"""The contract of an activation: the function that a layer of a network applies to each of its sums.

An activation is a frozen dataclass without state.  It answers for its value and its slope at an array of
sums, and names the functor of ``cpp/network/activations.hpp`` that the compiled training loop calls.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from empirisk.typing import Array

__all__ = ["Activation"]


@runtime_checkable
class Activation(Protocol):
    """``h = f(a)``, applied to each sum a of a layer.

    Attributes
    ----------
    name : str
        Registry name, and the name of the compiled functor.
    differentiable : bool
        Whether gradients can be taken through it; else a network with it only predicts.
    gain : float
        The factor on ``sqrt(2 / (fan_in + fan_out))``, or on ``sqrt(1 / fan_in)`` where `rectifies`, at which
        random weights keep the spread of the sums from layer to layer.
    rectifies : bool
        Whether it sends negative sums to 0 or near it, so that weights start as He et al. (ICCV 2015) say.
    dies : bool
        Whether its slope is exactly 0 on a half-line: a unit whose sums all lie there learns nothing more.
    """

    @property
    def name(self) -> str: ...
    @property
    def differentiable(self) -> bool: ...
    @property
    def gain(self) -> float: ...
    @property
    def rectifies(self) -> bool: ...
    @property
    def dies(self) -> bool: ...

    def value(self, a: Array) -> Array:
        """Return f at each sum, in the shape of a."""
        ...

    def slope(self, a: Array) -> Array:
        """Return the derivative of f at each sum, at a kink the one from the left."""
        ...
