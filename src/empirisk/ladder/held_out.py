"""What the four rungs from test rows share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from empirisk.ladder.base import Problem, refuse
from empirisk.results import RiskCertificate

__all__ = ["from_test_rows"]


def from_test_rows(
    problem: Problem,
    name: str,
    theorem: Callable[..., RiskCertificate],
    *,
    ranged: bool = True,
    least: int = 1,
) -> RiskCertificate:
    """Return a test-set theorem on the test losses, or the reason why there are none."""
    losses = problem.test_losses
    if losses is None:
        return refuse(problem, name, problem.no_test)
    if losses.size < least:
        return refuse(problem, name, f"{losses.size} test row is too few: at least {least} are needed")
    limits = {"low": problem.low, "high": problem.high} if ranged else {}
    made = theorem(losses, problem.delta, candidates=problem.declared.test_candidates, **limits)
    return replace(made, bound=name, risk=problem.risk)
