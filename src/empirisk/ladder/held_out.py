"""Rungs: the theorems about losses on rows that the fit never saw, one row each.

Langford 2005, Journal of Machine Learning Research 6, 273-306: from test rows the exact binomial tail is the
shortest for counts of errors; the others are for losses in a range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from empirisk.bounds import held_out_bernstein, held_out_binomial, held_out_hoeffding, held_out_kl
from empirisk.ladder.base import Problem, refuse
from empirisk.results import RiskCertificate

__all__ = ["HELD_OUT", "HeldOut"]


@dataclass(frozen=True)
class HeldOut:
    """The rung of one theorem about test rows.

    Parameters
    ----------
    bound : str
        Its name in the table of bounds.
    theorem : callable
        The bound from the losses, delta and the number of candidates.
    counts : bool, default False
        Whether it is about counts of errors, and so takes no range of the loss.
    least : int, default 1
        Rows that it needs.
    """

    bound: str
    theorem: Callable[..., RiskCertificate]
    counts: bool = False
    least: int = 1

    def __call__(self, problem: Problem) -> RiskCertificate:
        """Return what the theorem gives on the test losses, or the reason why it says nothing."""
        losses = problem.test_losses
        if losses is None:
            return refuse(problem, self.bound, problem.no_test)
        if self.counts and not np.isin(losses, (0.0, 1.0)).all():
            return refuse(problem, self.bound, "the losses are not counts of errors")
        if losses.size < self.least:
            said = f"{losses.size} test row is too few: at least {self.least} are needed"
            return refuse(problem, self.bound, said)
        limits = {} if self.counts else {"low": problem.low, "high": problem.high}
        made = self.theorem(losses, problem.delta, candidates=problem.declared.test_candidates, **limits)
        return replace(made, bound=self.bound, risk=problem.risk)


HELD_OUT = {
    # Clopper and Pearson, one-sided: the best that a count of errors can give.
    "exact_binomial": HeldOut("exact binomial on test rows", held_out_binomial, counts=True),
    "chernoff": HeldOut("Chernoff-kl on test rows", held_out_kl),
    # Short where the losses vary much less than their range.
    "bernstein": HeldOut("empirical Bernstein on test rows", held_out_bernstein, least=2),
    # The one that everybody knows; never the shortest here.
    "hoeffding": HeldOut("Hoeffding on test rows", held_out_hoeffding),
}
