"""Parts that are linear regressions: each row (x, y) belongs to one of K lines.

``f(y | x) = N(y; (1, x).b_k, s_k^2)``: the columns x are given, and only y has a density (Quandt and Ramsey,
Journal of the American Statistical Association 73, 1978; DeSarbo and Cron, Journal of Classification 5,
1988).  Coefficients may be those of ``z = (x - centre) / unit`` and ``(y - middle) / spread``, so that a
distant origin or unlike units cost no digits; densities are those of y in either case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import DegenerateError, Family, Parts, Sums, TableFacts, log_sum, refuse_empty
from empirisk.mixtures.columns import refuse_large, refuse_without_spread
from empirisk.typing import Array

__all__ = ["LinearRegressions"]

STRETCH = 8192  # rows whose products are in memory at once
# A line from which its rows differ by less than this share of the deviation of y fits them exactly.
COLLAPSED = 1e-10


@dataclass(frozen=True, eq=False)
class LinearRegressions(Family):
    """``y = (1, x).b_k + s_k e`` in part k, with standard normal e.

    Parameters
    ----------
    centre, unit : array, shape (p,), or number
        Origin and unit of the columns, in which coefficients are laid out.
    middle, spread : float
        Origin and unit of y, in which coefficients and deviations are laid out.

    Examples
    --------
    >>> LinearRegressions().free(2, 3)
    10
    """

    centre: Any = 0.0
    unit: Any = 1.0
    middle: float = 0.0
    spread: float = 1.0

    name = "regression"
    letters = ""
    targets = True
    extrapolates = True

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse targets that are no finite numbers, and cells whose squares overflow."""
        if not np.isfinite(block.y).all():
            row = int(np.flatnonzero(~np.isfinite(block.y))[0])
            raise ValueError(f"y contains NaN or infinity in row {block.start + row}; drop such rows")
        refuse_large(block.design.X, names)

    def check_table(self, low: Array, top: Array, n: int, names: Any = None) -> None:
        """Refuse columns and targets without a spread, or whose squares leave the range of float64."""
        refuse_without_spread(low[:-1], top[:-1], n, names)
        refuse_without_spread(low[-1:], top[-1:], n, None, what="y")

    def shapes(self, n_parts: int, n_columns: int) -> dict[str, tuple[int, ...]]:
        """Return coefficients, the constant first, and deviations."""
        return {"coefficients": (n_parts, n_columns + 1), "deviations": (n_parts, 1)}

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the number of coefficients and deviations."""
        return n_parts * (n_columns + 2)

    def about(self, centres: Array, facts: TableFacts) -> Parts:
        """Return lines of no slope through 0, about which sums can be taken."""
        k, p = centres.shape
        return {"coefficients": np.zeros((k, p + 1)), "deviations": np.ones((k, 1))}

    def units(self, facts: TableFacts) -> Parts:
        """Return ones: coefficients have the unit of y, which the columns do not tell."""
        return {"coefficients": np.ones(1), "deviations": np.ones(1)}

    def inside(self, parts: Parts) -> bool:
        """Return whether all deviations are positive."""
        return bool((parts["deviations"] > 0.0).all())

    def of_rows(self, X: Any) -> Array:
        """Return rows in the units of the coefficients, with a leading 1."""
        Z = (np.asarray(X, dtype=np.float64) - self.centre) / self.unit
        return np.concatenate([np.ones((len(Z), 1)), Z], axis=1)

    def of_targets(self, y: Any) -> Array:
        """Return targets in the units of the coefficients."""
        return np.asarray((np.asarray(y, dtype=np.float64) - self.middle) / self.spread)

    def lines(self, parts: Parts) -> tuple[Array, Array, Array]:
        """Return slopes (K, p), constants (K,) and deviations (K,) in the units of x and y."""
        b = parts["coefficients"]
        slopes = self.spread * b[:, 1:] / self.unit
        constants = self.middle + self.spread * b[:, 0] - (slopes * self.centre).sum(axis=1)
        return slopes, constants, self.spread * parts["deviations"][:, 0]

    def heights(self, parts: Parts, X: Any) -> Array:
        """Return the value of each line at each row, (n, K), in the unit of y."""
        return np.asarray(self.middle + self.spread * (self.of_rows(X) @ parts["coefficients"].T))

    def _residuals(self, parts: Parts, block: Block, at: slice) -> tuple[Array, Array, Array]:
        """Return rows with a leading 1, targets, and their residuals from each line, (n, K)."""
        Z, y = self.of_rows(block.design.X[at]), self.of_targets(block.y[at])
        return Z, y, y[:, None] - Z @ parts["coefficients"].T

    def _logs(self, parts: Parts, log_weights: Array, e: Array) -> Array:
        s = parts["deviations"][:, 0]
        normal = 0.5 * math.log(2.0 * math.pi) + math.log(self.spread)
        return np.asarray(log_weights - normal - np.log(s) - 0.5 * (e / s) ** 2)

    def expect(
        self, parts: Parts, log_weights: Array, block: Block, given: Array | None = None
    ) -> tuple[float, Sums]:
        """Return the log-likelihood, and sums of products of rows and of residuals from each line."""
        k, q = parts["coefficients"].shape
        value, mass, square = 0.0, np.zeros(k), np.zeros((k, q, q))
        cross, rest = np.zeros((k, q)), np.zeros((k, 3))
        for a in range(0, len(block.weight), STRETCH):
            at = slice(a, a + STRETCH)
            s = np.asarray(block.weight[at])
            Z, y, e = self._residuals(parts, block, at)
            if given is None:
                log, chance = log_sum(self._logs(parts, log_weights, e))
                value += float(s[s > 0.0] @ log[s > 0.0])
            else:
                chance = given[at]
            r = chance * s[:, None]
            mass += r.sum(axis=0)
            square += np.stack([(r[:, j, None] * Z).T @ Z for j in range(k)])
            cross += (r * e).T @ Z
            rest += np.stack([(r * e**2).sum(axis=0), r.T @ y, r.T @ y**2], axis=1)
        return value, (mass, square, cross, rest)

    def rows(self, parts: Parts, log_weights: Array, block: Block) -> tuple[Array, Array]:
        """Return the logarithms of the densities of y given x, and the chances of the parts."""
        _, _, e = self._residuals(parts, block, slice(None))
        return log_sum(self._logs(parts, log_weights, e))

    def maximise(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return the weighted least-squares line of each part; one that fits its rows exactly is named."""
        mass, square, cross, rest = sums
        refuse_empty(mass, facts)
        moves, deviations = np.empty_like(cross), np.empty((len(mass), 1))
        middle = rest[:, 1].sum() / mass.sum()
        spread = rest[:, 2].sum() / mass.sum() - middle**2
        for k in range(len(mass)):
            unit = np.sqrt(np.diagonal(square[k]))
            scaled = square[k] / unit[:, None] / unit
            least = np.linalg.eigvalsh(scaled)[0] if np.isfinite(scaled).all() else 0.0
            if not least > 64.0 * len(unit) * 2.0**-52:
                raise DegenerateError(
                    k,
                    f"has rows that do not determine a line ({mass[k]:.3g} rows for {len(unit)} "
                    "coefficients, or columns that are collinear there): the likelihood grows without "
                    "limit there",
                )
            moves[k] = np.linalg.solve(scaled, cross[k] / unit) / unit
            variance = (rest[k, 0] - cross[k] @ moves[k]) / mass[k]
            if not variance > max(COLLAPSED**2 * spread, self._resolution(parts, k, facts) ** 2):
                raise DegenerateError(
                    k, f"fits its {mass[k]:.3g} rows exactly: the likelihood grows without limit there"
                )
            deviations[k] = math.sqrt(variance)
        return {"coefficients": parts["coefficients"] + moves, "deviations": deviations}

    def _resolution(self, parts: Parts, k: int, facts: TableFacts) -> float:
        """Return what the format of the rows leaves open of a residual, in the unit of deviations."""
        b = parts["coefficients"][k]
        far = np.abs(self.centre) / self.unit + 1.0
        return 4.0 * facts.eps * float(abs(self.middle) / self.spread + 1.0 + (np.abs(b[1:]) * far).sum())

    def expected(self, at: Parts, about: Parts, sums: Sums, facts: TableFacts) -> float:
        """Return the expected logarithms of the densities of y, without the weights."""
        mass, square, cross, rest = sums
        move = at["coefficients"] - about["coefficients"]
        left = rest[:, 0] - 2.0 * (cross * move).sum(axis=1) + np.einsum("ki,kij,kj->k", move, square, move)
        s = at["deviations"][:, 0]
        normal = 0.5 * math.log(2.0 * math.pi) + math.log(self.spread)
        return -float((mass * (normal + np.log(s)) + 0.5 * left / s**2).sum())

    def penalty(self, parts: Parts, facts: TableFacts) -> float:
        """Return 0: nothing is added to the likelihood of lines."""
        return 0.0

    def gradient(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return derivatives in the coefficients and the deviations."""
        mass, _, cross, rest = sums
        s = parts["deviations"]
        return {"coefficients": cross / s**2, "deviations": rest[:, :1] / s**3 - mass[:, None] / s}

    def draw(self, parts: Parts, part: int, count: int, rng: np.random.Generator) -> Array:
        """Refuse: rows x have no density here, so that none can be drawn."""
        raise ValueError("a mixture of regressions has no density of the columns: no rows can be drawn")
