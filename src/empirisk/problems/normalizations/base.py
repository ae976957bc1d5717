"""The contract of a normalization: how a layer brings its sums to mean 0 and variance 1.

``u = (a - m) / sqrt(v + 1e-5)``

with m and v the mean and variance of a group of sums.  The layer goes on with ``gain u + bias``, both learned
for each unit.  A normalization is a frozen dataclass without state; it says which sums make a group, and how
slopes go back through m and v.  Its compiled form is a case of ``cpp/network/normalise.hpp``.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

from empirisk.typing import Array

__all__ = ["LEAST_VARIANCE", "Moments", "Normalization"]

# Keeps u finite where a group does not vary; the value of all libraries that we know.
LEAST_VARIANCE = 1e-5

# Means and variances of the units of a layer, each of shape (units,).
Moments: TypeAlias = tuple[Array, Array]


@runtime_checkable
class Normalization(Protocol):
    """``u = (a - m) / sqrt(v + 1e-5)``, applied to the sums of a layer.

    Attributes
    ----------
    name : str
        Registry name, and the name of the compiled form.
    over_rows : bool
        Whether m and v are those of a unit over rows, so that they must be known before a row has an answer;
        else a row has its own.
    """

    @property
    def name(self) -> str: ...
    @property
    def over_rows(self) -> bool: ...

    def standardise(self, a: Array, moments: Moments | None = None) -> tuple[Array, Array]:
        """Return u in the shape (n, units) of the sums a, and ``1 / sqrt(v + 1e-5)``, which broadcasts to it.

        `moments` are those of all rows, for a normalization over rows; others take none.
        """
        ...

    def slopes(
        self, d: Array, u: Array, inverse: Array, share: Array | None = None, totals: Moments | None = None
    ) -> Array:
        """Return the slopes in the sums a from the slopes d in u, both of shape (n, units).

        `u` and `inverse` are what :meth:`standardise` returned.  A normalization over rows is given the share
        of each row in the weight of all rows, and the sums of d and of ``d u`` over all of them.
        """
        ...
