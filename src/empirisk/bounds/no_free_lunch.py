"""No free lunch: what every learner suffers on some labelling of a large domain.

Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), theorem 5.1.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import ZERO_ONE, Guarantee, Theorem, check_count, solve_for

__all__ = ["no_free_lunch"]


def no_free_lunch(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    domain_size: int,
) -> Guarantee:
    """``P(risk >= epsilon) >= (E - epsilon) / (1 - epsilon)``, ``E = (1 - 1/N)^n / 2``, for some labelling.

    E is the risk of any learner from n rows, averaged over all labellings of N equally likely points: it
    errs on half of those that it has not seen.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The risk.
    delta : float in (0, 1), optional
        Probability with which the risk is at least epsilon. Two of the three are given.
    domain_size : int >= 2
        Number N of points of the domain.

    Returns
    -------
    Guarantee
        Its `n` is the smallest that the theorem does not exclude.

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    With ``N = 2 n``: ``E >= 1/4``, so that a risk of 1/8 has probability 1/7, the numbers of the textbook.
    Cost O(1). Source: Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), theorem 5.1.

    Examples
    --------
    >>> no_free_lunch(n=1000, delta=1 / 7, domain_size=2000).epsilon > 1 / 8
    True
    """
    size = check_count(domain_size, "domain_size", 2)
    theorem = Theorem(
        "no_free_lunch",
        "whatever the learner, with fewer than {n} rows some labelling of "
        f"{size:,} equally likely points makes its risk {{epsilon}} or more with probability {{delta}} "
        "or more",
        (ZERO_ONE, "nothing is known about the labelling"),
        "Shalev-Shwartz and Ben-David (2014), theorem 5.1",
        necessary=True,
    )

    def mean_risk(m: int) -> float:
        return 0.5 * math.exp(m * math.log1p(-1.0 / size))

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=lambda m, d: max(0.0, (mean_risk(m) - d) / (1.0 - d)),
        delta_of=lambda m, e: max(0.0, (mean_risk(m) - e) / (1.0 - e)),
    )
