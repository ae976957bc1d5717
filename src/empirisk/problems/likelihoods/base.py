"""What a likelihood says of its parameters, so that one problem and one table serve all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from empirisk.data.brief import Brief
from empirisk.problems.base import Layout
from empirisk.typing import Array

__all__ = ["Likelihood", "Sums"]


@dataclass(frozen=True, eq=False, repr=False)
class Sums(Brief):
    """What one pass over the rows finds at one point, all per unit of weight.

    Parameters
    ----------
    loss : float
        Mean negative log-likelihood; infinite outside of the parameters that are allowed.
    grad : array, shape (q,)
        Its gradient.
    hess : array, shape (q, q) or None
        Its Hessian, where it was asked for.
    """

    loss: float
    grad: Array
    hess: Array | None = None


class Likelihood(Protocol):
    """The likelihood of independent units (rows, or sets of rows) in q parameters."""

    @property
    def name(self) -> str:
        """The key of the likelihood in the registry."""
        ...

    @property
    def convex(self) -> bool:
        """Whether the negative log-likelihood is convex."""
        ...

    @property
    def layout(self) -> Layout:
        """Names of the blocks of parameters; the penalty looks at those that say so."""
        ...

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        ...

    @property
    def weight(self) -> Array:
        """The weight of each unit; 2 is the unit twice."""
        ...

    def start(self) -> Array:
        """Return the parameters of the model without columns, or near them."""
        ...

    def sums(self, w: Array, hessian: bool) -> Sums:
        """Return value and derivatives in one pass."""
        ...

    def slopes(self, w: Array) -> Array:
        """Return the gradient of the loss of each unit, of weight 1, shape (units, q)."""
        ...

    def sizes(self, w: Array) -> Array:
        """Return the mean size of the terms whose sums are the gradient, before any of them cancel."""
        ...

    def moves(self, w: Array, directions: Array) -> Sequence[Array]:
        """Return how far each term of the loss is moved by each direction (a column of `directions`).

        The loss is constant along directions that move nothing.
        """
        ...

    def shrinkage(self, w: Array, reach: Sequence[Array]) -> float:
        """Return a proved c: the Hessian is at least c times that at w where no term moves beyond `reach`.

        0 where nothing is known.
        """
        ...
