"""The expected risk of nearest neighbours, for a smooth regression function."""

from __future__ import annotations

import math

from empirisk.bounds.base import IID, Guarantee, Theorem, check_count, check_real, solve_expectation

__all__ = ["nearest_neighbors"]


def nearest_neighbors(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    k: int = 1,
    dimension: int,
    lipschitz: float,
    bayes_risk: float = 0.0,
) -> Guarantee:
    """1-NN: ``E L <= 2 L* + 4 c sqrt(d) n^(-1/(d+1))``.

    With k >= 10 neighbours, ``E L <= (1 + sqrt(8/k)) L* + (6 c sqrt(d) + k) n^(-1/(d+1))``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        Bound on the expected rate of errors. One of the two is given.
    k : int, default 1
        Number of neighbours: 1, or at least 10 (the theorem for k does not cover 2 to 9).
    dimension : int
        d; the features lie in [0, 1]^d, scaled so without looking at the rows.
    lipschitz : float >= 0
        c: ``|eta(x) - eta(x')| <= c ||x - x'||`` for the probability eta of class 1. Nobody can compute it
        from rows.
    bayes_risk : float in [0, 1/2], default 0
        L*, the smallest possible rate of errors.

    Returns
    -------
    Guarantee
        In expectation over the rows (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, a number is out of range, or no n reaches epsilon.

    Notes
    -----
    The curse of dimension: to halve the second term takes ``2^(d+1)`` times as many rows. Two classes. Cost
    O(1). Source: Shalev-Shwartz and Ben-David (2014), theorems 19.3 and 19.5.

    Examples
    --------
    >>> round(nearest_neighbors(n=10_000, dimension=1, lipschitz=1.0).epsilon, 6)
    0.04
    >>> nearest_neighbors(epsilon=0.1, dimension=5, lipschitz=1.0).n > 10**11
    True
    """
    k, d = check_count(k, "k"), check_count(dimension, "dimension")
    if 1 < k < 10:
        raise ValueError(
            f"k must be 1 or at least 10, got {k}: the theorem does not cover 2 to 9 neighbours."
        )
    c = check_real(lipschitz, "lipschitz", 0.0, closed=True)
    noise = check_real(bayes_risk, "bayes_risk", 0.0, 0.5, closed=True)
    factor = 2.0 if k == 1 else 1.0 + math.sqrt(8.0 / k)
    scale = 4.0 * c * math.sqrt(d) if k == 1 else 6.0 * c * math.sqrt(d) + k
    theorem = Theorem(
        "nearest_neighbors",
        f"the rate of errors of {k}-nearest-neighbours among {{n}} rows is at most {{epsilon}}",
        (
            IID,
            "two classes",
            f"the features lie in [0, 1]^{d}",
            f"the probability of class 1 is {c:g}-Lipschitz in the features",
            f"the Bayes risk is at most {noise:g}",
        ),
        "Shalev-Shwartz and Ben-David (2014), theorems 19.3 and 19.5",
    )
    return solve_expectation(
        theorem,
        n=n,
        epsilon=epsilon,
        epsilon_of=lambda m: factor * noise + scale * m ** (-1.0 / (d + 1.0)),
        lead="In expectation over the rows",
        trivial=1.0,
    )
