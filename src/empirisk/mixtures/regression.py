"""Parts that are linear regressions: each row (x, y) belongs to one of K lines.

``f(y | x) = N(y; (1, x).b_k, s_k^2)``: the columns x are given, and only y has a density (Quandt and Ramsey,
Journal of the American Statistical Association 73, 1978; DeSarbo and Cron, Journal of Classification 5,
1988).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import DegenerateError, Family, Parts, Sums, TableFacts, log_sum, refuse_empty
from empirisk.typing import Array

__all__ = ["LinearRegressions"]

STRETCH = 8192  # rows whose products are in memory at once


class LinearRegressions(Family):
    """``y = (1, x).b_k + s_k e`` in part k, with standard normal e.

    Examples
    --------
    >>> LinearRegressions().free(2, 3)
    10
    """

    name = "regression"
    letters = ""
    targets = True
    extrapolates = True

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse targets that are no finite numbers."""
        if not np.isfinite(block.y).all():
            row = int(np.flatnonzero(~np.isfinite(block.y))[0])
            raise ValueError(f"y contains NaN or infinity in row {block.start + row}; drop such rows")

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

    def _residuals(self, parts: Parts, block: Block, at: slice) -> tuple[Array, Array]:
        """Return rows with a leading 1, and their residuals from each line, (n, K)."""
        X = np.asarray(block.design.X[at], dtype=np.float64)
        Z = np.concatenate([np.ones((len(X), 1)), X], axis=1)
        return Z, np.asarray(block.y[at], dtype=np.float64)[:, None] - Z @ parts["coefficients"].T

    def _logs(self, parts: Parts, log_weights: Array, e: Array) -> Array:
        s = parts["deviations"][:, 0]
        return np.asarray(log_weights - 0.5 * math.log(2.0 * math.pi) - np.log(s) - 0.5 * (e / s) ** 2)

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
            Z, e = self._residuals(parts, block, at)
            if given is None:
                log, chance = log_sum(self._logs(parts, log_weights, e))
                value += float(s[s > 0.0] @ log[s > 0.0])
            else:
                chance = given[at]
            r = chance * s[:, None]
            mass += r.sum(axis=0)
            square += np.stack([(r[:, j, None] * Z).T @ Z for j in range(k)])
            cross += (r * e).T @ Z
            y = np.asarray(block.y[at], dtype=np.float64)
            rest += np.stack([(r * e**2).sum(axis=0), r.T @ y, r.T @ y**2], axis=1)
        return value, (mass, square, cross, rest)

    def rows(self, parts: Parts, log_weights: Array, block: Block) -> tuple[Array, Array]:
        """Return the logarithms of the densities of y given x, and the chances of the parts."""
        _, e = self._residuals(parts, block, slice(None))
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
                raise DegenerateError(k, "has rows that do not determine a line: its columns are collinear")
            moves[k] = np.linalg.solve(scaled, cross[k] / unit) / unit
            variance = (rest[k, 0] - cross[k] @ moves[k]) / mass[k]
            if not variance > 1e-20 * spread:
                raise DegenerateError(k, "fits its rows exactly: the likelihood grows without limit there")
            deviations[k] = math.sqrt(variance)
        return {"coefficients": parts["coefficients"] + moves, "deviations": deviations}

    def expected(self, at: Parts, about: Parts, sums: Sums, facts: TableFacts) -> float:
        """Return the expected logarithms of the densities of y, without the weights."""
        mass, square, cross, rest = sums
        move = at["coefficients"] - about["coefficients"]
        left = rest[:, 0] - 2.0 * (cross * move).sum(axis=1) + np.einsum("ki,kij,kj->k", move, square, move)
        s = at["deviations"][:, 0]
        return -float((mass * (0.5 * math.log(2.0 * math.pi) + np.log(s)) + 0.5 * left / s**2).sum())

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
