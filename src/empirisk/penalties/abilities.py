"""What a penalty or a set can be asked about itself, and what it answers when it has nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from empirisk.typing import Array, IndexArray

__all__ = ["Abilities", "Size"]


class Size(NamedTuple):
    """The one number that bounds the members of a set.

    Attributes
    ----------
    formula : str
        What is bounded, such as ``||w||_1``.
    bound : float
        By how much.
    euclidean : bool
        Whether the formula is the Euclidean norm, so that its square has a multiplier too.
    """

    formula: str
    bound: float
    euclidean: bool = False


class Abilities:
    """The answers of a penalty that has nothing special; a penalty overrides those that it knows better.

    Attributes
    ----------
    grouped : bool
        Whether ``P(w) = sum_g c_g ||w_g||`` over groups that do not overlap, which `blocks` tells.
    has_strength : bool
        Whether a strength alpha makes a penalty of its kind; sets and the zero penalty have none.
    formula : str
        Omega of ``P = alpha Omega``, as messages write it.
    """

    has_strength: ClassVar[bool] = True  # asked of the class, before there is an object

    if TYPE_CHECKING:  # a class attribute of every penalty, which this class has no answer for

        @property
        def name(self) -> str: ...

    @property
    def grouped(self) -> bool:
        return False

    @property
    def formula(self) -> str:
        return "Omega(w)"

    def blocks(self, p: int) -> tuple[IndexArray, Array]:
        """Return for each of p coefficients the number of its group, and ``c_g`` of each group."""
        raise TypeError(f"the penalty {self.name!r} is no sum over groups of coefficients")
