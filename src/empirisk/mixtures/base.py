"""The contract of mixture families: the parts of a mixture, and how they are learnt from expected sums.

A row comes from part k with chance ``pi_k``, and has the density ``f(x; theta_k)`` there.  EM (Dempster,
Laird and Rubin, Journal of the Royal Statistical Society B 39, 1977) needs two things of f: sums over the
rows, weighted with the chances of the parts, and the parameters that make the expected log-likelihood of
such sums largest.  A family has no weights ``pi`` and knows no loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.typing import Array

__all__ = ["EMPTY", "DegenerateError", "Family", "Parts", "Sums", "TableFacts", "log_sum", "refuse_empty"]

Parts: TypeAlias = dict[str, Array]
# Expected numbers of rows first, (K,), then what the family adds up.
Sums: TypeAlias = tuple[Array, ...]

# What is said of a part that no rows belong to.
EMPTY = "has no rows left"


class DegenerateError(ValueError):
    """A part has no maximum of the likelihood any more: it is empty, or its density grows without limit.

    Parameters
    ----------
    part : int or None
        Its number; None for what all parts share.
    why : str
        What happened, in words that continue a sentence.
    """

    def __init__(self, part: int | None, why: str) -> None:
        super().__init__(f"{'the common part' if part is None else f'component {part}'} {why}")
        self.part, self.why = part, why

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.part, self.why)


@dataclass(frozen=True)
class TableFacts:
    """What all rows together say, as units for the parts.

    Parameters
    ----------
    total : float
        Sum of the weights.
    mean, variance : array, shape (p,)
        Moments of the columns.
    eps : float
        Spacing of the numbers in which rows are stored.
    ridge : float
        Share of all rows as which the variances of the columns count in the scatter of each part.
    names : sequence of str or None
        Of the columns.
    """

    total: float
    mean: Array
    variance: Array
    eps: float = 2.0**-52
    ridge: float = 0.0
    names: Any = None

    @property
    def deviations(self) -> Array:
        """Standard deviations of the columns, 1 where a column does not vary."""
        return np.sqrt(np.where(self.variance > 0.0, self.variance, 1.0))

    def column(self, j: int) -> str:
        """Return how a message names a column."""
        return f"column {j}" if self.names is None else f"column {str(self.names[j])!r}"


class Family(Protocol):
    """Densities of the parts of a mixture.

    ``name`` is the key of the registry; ``letters`` the name that mclust gives to a model of covariances, and
    the same word elsewhere.  ``targets`` says whether a row is a pair (x, y).
    """

    name: str
    letters: str
    targets: bool
    # Whether any numbers near the best ones are parameters of the family, so that steps can be extrapolated.
    extrapolates: bool = False
    # Whether NaN stands for a cell that is missing.
    missing: bool = False
    # Whether the rows of a block may be a sparse matrix.
    sparse: bool = False
    # Whether a ridge bounds the likelihood.
    takes_ridge: bool = False

    def units(self, facts: TableFacts) -> Parts:
        """Return what changes of each block are measured in, in shapes that broadcast to theirs."""
        ...

    def inside(self, parts: Parts) -> bool:
        """Return whether these numbers are parameters of the family."""
        ...

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse cells outside the domain of the density, by column and row."""
        ...

    def check_table(self, low: Array, top: Array, n: int, names: Any = None) -> None:
        """Refuse tables without a fit, by the ends of their columns and, last, of y; n rows count."""
        return

    def shapes(self, n_parts: int, n_columns: int) -> dict[str, tuple[int, ...]]:
        """Return the names and shapes of the blocks of parameters."""
        ...

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return how many free numbers these blocks have, the weights of the parts not counted."""
        ...

    def about(self, centres: Array, facts: TableFacts) -> Parts:
        """Return parts around given centres (K, p), about which sums can be taken; no likelihood is meant."""
        ...

    def expect(
        self, parts: Parts, log_weights: Array, block: Block, given: Array | None = None
    ) -> tuple[float, Sums]:
        """Return ``sum_i s_i log f(x_i)`` and the expected sums of a block, in one pass.

        With `given` chances (n, K) these are taken in the place of the computed ones, and the first is 0.
        """
        ...

    def rows(self, parts: Parts, log_weights: Array, block: Block) -> tuple[Array, Array]:
        """Return ``log f(x_i)``, (n,), and the chances of the parts, (n, K)."""
        ...

    def maximise(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return the parts of the largest expected log-likelihood; `sums` were taken about `parts`."""
        ...

    def expected(self, at: Parts, about: Parts, sums: Sums, facts: TableFacts) -> float:
        """Return the expected log-likelihood of the parts `at`, without weights, penalty included."""
        ...

    def penalty(self, parts: Parts, facts: TableFacts) -> float:
        """Return what the objective adds to the negative log-likelihood of all rows; 0 for most."""
        ...

    def gradient(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return the derivatives of `expected` at `parts` themselves, block by block."""
        ...

    def draw(self, parts: Parts, part: int, count: int, rng: np.random.Generator) -> Array:
        """Return rows drawn from one part, (count, p)."""
        ...


def log_sum(log_density: Array) -> tuple[Array, Array]:
    """Return ``log sum_k exp(l_ik)`` and the chances ``exp(l_ik - that)``; equal ones where all are -inf.

    Examples
    --------
    >>> total, chance = log_sum(np.log([[0.1, 0.3]]))
    >>> float(np.exp(total[0]).round(12)), chance.round(12).tolist()
    (0.4, [[0.25, 0.75]])
    """
    top = log_density.max(axis=1)
    with np.errstate(invalid="ignore"):
        density = np.exp(log_density - top[:, None])
        total = density.sum(axis=1)
        chance = density / total[:, None]
        log = top + np.log(total)
    far = ~(top > -np.inf)
    log[far], chance[far] = -np.inf, 1.0 / log_density.shape[1]
    return log, chance


def refuse_empty(mass: Array, facts: TableFacts) -> None:
    """Refuse parts in which next to nothing of the rows is left."""
    low = np.flatnonzero(~(mass > 1e-12 * facts.total))
    if len(low):
        raise DegenerateError(int(low[0]), EMPTY)
