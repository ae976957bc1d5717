"""A finite mixture of Gaussians with unknown parts, as blocks that are drawn in turn.

Diebolt and Robert, Journal of the Royal Statistical Society B 56, 1994: labels of the rows given the parts,
and parts given the labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.linalg import solve_triangular

from empirisk.distributions.normal_inverse_wishart import NormalInverseWishart
from empirisk.samplers.block_target import BlockTarget, State
from empirisk.samplers.regression_blocks import columns_of
from empirisk.samplers.words import check_positive, check_steps, real_array
from empirisk.typing import Array

__all__ = ["mixture_blocks"]

# Rows that the default prior of a mean is worth.
_STRENGTH = 0.01


def mixture_blocks(
    X: Any, n_components: int, *, concentration: float = 1.0, prior: NormalInverseWishart | None = None
) -> BlockTarget:
    """Return the blocks of ``p(x) = sum_k w_k N(x | m_k, C_k)`` with conjugate priors.

    The weights w are Dirichlet a priori, and each pair (m_k, C_k) is normal-inverse-Wishart.

    Given the parts, the label of a row is k with a chance proportional to ``w_k N(x | m_k, C_k)``; given the
    labels, w has the law ``Dirichlet(a + n_1, ..., a + n_K)`` and each part the prior updated by its rows.
    Labels are not kept.

    The likelihood does not change when parts trade their names, and a chain may trade them at any sweep
    (label switching).  Therefore each draw is reported with its parts in the order of their means in the
    first column: part 0 is the one with the smallest mean there, whatever a chain called it.  These
    are statements about the mixture alone; where such means nearly agree, parts of the same number describe
    different groups from draw to draw, and sums over parts (a density, a mean of new rows) are what can
    be trusted.

    Parameters
    ----------
    X : array, shape (n, p) or (n,)
        Finite numbers, n at least 2.
    n_components : int
        K, at least 1.
    concentration : float > 0, default 1.0
        The number a of the symmetric Dirichlet prior: 1 makes all weights equally likely.
    prior : NormalInverseWishart, optional
        The same for every part; by default about the mean of the rows, worth a hundredth of a row, with ``p +
        2`` degrees of freedom and the scale ``Cov(X) / K^(2/p)``, so that it follows the units of X.

    Returns
    -------
    BlockTarget
        With ``weight[k]``, ``mean[k]`` and ``variance[k]`` for one column; for several columns
        ``mean[k].x0`` and, on and above the diagonal, ``covariance[k].x0.x1``.

    Raises
    ------
    ValueError
        Rows that are not finite, a column of one number (without `prior`), or a prior of another dimension.

    Notes
    -----
    A sweep costs O(n K p^2 + K p^3).

    Examples
    --------
    >>> from empirisk.samplers import sample
    >>> rng = np.random.default_rng(0)
    >>> x = np.concatenate([rng.normal(-3.0, 1.0, 40), rng.normal(3.0, 1.0, 60)])
    >>> found = sample(mixture_blocks(x, 2), method="gibbs", draws=100, random_state=1)
    >>> found.names
    ['weight[0]', 'weight[1]', 'mean[0]', 'mean[1]', 'variance[0]', 'variance[1]']
    >>> bool(found.mean[2] < -2.0 < 2.0 < found.mean[3])
    True
    """
    rows = _checked(X)
    n, p = rows.shape
    check_steps("n_components", n_components, n)
    check_positive("concentration", concentration)
    law = _default_prior(rows, n_components) if prior is None else prior
    if not isinstance(law, NormalInverseWishart) or law.dimension != p:
        raise ValueError(
            f"prior must be an er.distributions.NormalInverseWishart of {p} numbers, one for each column, "
            f"got {law!r:.80}"
        )
    form = _Form(int(n_components), p)

    def labels(state: State, rng: np.random.Generator) -> Array:
        log_chance = np.log(state["weights"]) + form.log_densities(rows, state["parts"])
        # The largest of independent Gumbel numbers, each raised by a log-chance, falls on k with its chance.
        return np.asarray((log_chance + rng.gumbel(size=log_chance.shape)).argmax(axis=1), dtype=np.float64)

    def weights(state: State, rng: np.random.Generator) -> Array:
        counts = np.bincount(state["labels"].astype(np.intp), minlength=form.k)
        # A weight of a part without rows may be too small for a number.
        return np.maximum(rng.dirichlet(concentration + counts), np.finfo(np.float64).tiny)

    def parts(state: State, rng: np.random.Generator) -> Array:
        groups = [rows[state["labels"] == k] for k in range(form.k)]
        laws = [law.updated(_Group(group)) if len(group) else law for group in groups]
        drawn = [one.sample(1, rng) for one in laws]
        return form.joined(np.concatenate([m for m, _ in drawn]), np.concatenate([C for _, C in drawn]))

    def start(rng: np.random.Generator) -> dict[str, Array]:
        share: Array = np.array(rng.integers(form.k, size=n), dtype=np.float64)
        even: Array = np.full(form.k, 1.0 / form.k)
        return {"labels": share, "weights": even, "parts": parts({"labels": share}, rng)}

    return BlockTarget(
        {"labels": labels, "weights": weights, "parts": parts},
        start,
        {"weights": [f"weight[{k}]" for k in range(form.k)], "parts": form.names(columns_of(X, p))},
        f"the posterior of a mixture of {form.k} Gaussians",
        hidden=("labels",),
        report=form.in_order,
    )


@dataclass(frozen=True)
class _Form:
    """How the means and covariances of K parts of p columns lie in one array."""

    k: int
    p: int

    def names(self, columns: list[str]) -> list[str]:
        """Names of the numbers of the parts, means first."""
        if self.p == 1:
            return [f"{what}[{k}]" for what in ("mean", "variance") for k in range(self.k)]
        pairs = [f"{columns[i]}.{columns[j]}" for i, j in zip(*np.triu_indices(self.p), strict=True)]
        means = [f"mean[{k}].{column}" for k in range(self.k) for column in columns]
        return means + [f"covariance[{k}].{pair}" for k in range(self.k) for pair in pairs]

    def joined(self, means: Array, covariances: Array) -> Array:
        """Means (K, p) and covariances (K, p, p) as one array, covariances on and above the diagonal."""
        i, j = np.triu_indices(self.p)
        return np.concatenate([means.ravel(), covariances[:, i, j].ravel()])

    def log_densities(self, rows: Array, parts: Array) -> Array:
        """Logarithms of the densities of all rows under all parts, (n, K), without a constant."""
        means, flat = parts[: self.k * self.p].reshape(self.k, self.p), parts[self.k * self.p :]
        out = np.empty((len(rows), self.k))
        C, at = np.empty((self.p, self.p)), np.triu_indices(self.p)
        for k, upper in enumerate(flat.reshape(self.k, -1)):
            C[at] = C.T[at] = upper
            L = np.linalg.cholesky(C)
            away = solve_triangular(L, (rows - means[k]).T, lower=True)
            out[:, k] = -0.5 * (away**2).sum(axis=0) - np.log(np.diag(L)).sum()
        return out

    def in_order(self, draws: Array) -> Array:
        """Draws (..., numbers) with the parts of each in the order of their means in the first column."""
        k, p = self.k, self.p
        ends = np.cumsum([0, k, k * p, k * p * (p + 1) // 2])
        shape = (*draws.shape[:-1], k, -1)
        blocks = [draws[..., a:b].reshape(shape) for a, b in pairwise(ends)]
        order = np.argsort(blocks[1][..., 0], axis=-1)[..., None]
        sorted_ = [np.take_along_axis(block, order, axis=-2) for block in blocks]
        return np.concatenate([block.reshape(*draws.shape[:-1], -1) for block in sorted_], axis=-1)


@dataclass(frozen=True, eq=False)
class _Group:
    """The rows of one part, as the update of its prior reads them."""

    rows: Array

    @property
    def total(self) -> float:
        """The number of rows, each of which counts as one."""
        return float(len(self.rows))

    def map_sum(self, f: Callable[[Array, Array], Any], quick: Any = None, /) -> Any:
        """Return f of all rows, each of weight 1; no compiled loop is asked for so few."""
        return f(self.rows, np.ones(len(self.rows)))

    def gathered(self) -> tuple[Array, Array]:
        """Return all rows and their weights, which are 1."""
        return self.rows, np.ones(len(self.rows))

    def centred(self) -> tuple[Self, Array]:
        """Return the rows less their mean, and the mean."""
        mean = self.rows.mean(axis=0)
        return type(self)(self.rows - mean), mean


def _checked(X: Any) -> Array:
    """The rows as an array (n, p); what is no table of finite numbers is refused."""
    rows = real_array("X", X)
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or len(rows) < 2 or not rows.shape[1]:
        raise ValueError(f"X must have shape (n, p) or (n,) with n at least 2, got {np.shape(X)}")
    if not np.isfinite(rows).all():
        row = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ValueError(f"X holds NaN or infinity in row {row}: impute it, or drop the row")
    return rows


def _default_prior(rows: Array, k: int) -> NormalInverseWishart:
    """The prior in the units of the rows; columns that have none are refused."""
    p = rows.shape[1]
    covariance = np.atleast_2d(np.cov(rows.T))
    scale = np.sqrt(np.diag(covariance))
    if not (scale > 0.0).all():
        raise ValueError(
            f"column {int(np.argmin(scale))} of X is one number in all rows, which gives no unit for the "
            "default prior: drop it, or give prior="
        )
    if np.linalg.eigvalsh(covariance / np.outer(scale, scale))[0] <= 1e-12 * p:
        covariance = np.diag(scale**2)  # collinear columns: their variances alone
    return NormalInverseWishart(rows.mean(axis=0), _STRENGTH, p + 2.0, covariance / k ** (2.0 / p))
